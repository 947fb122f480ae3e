"""Which rows a figure is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from farlink import _farlink, parameters
from farlink.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa


def rows(table: pa.Table, where: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the rows that have these values; quantities may be written as such (`"10 Mbit/s"`)."""
    found: list[dict[str, Any]] = table.to_pylist()
    for path, value in where.items():
        column = parameters.find(path, [name for name in table.column_names if name != "key"])
        kept = [row for row in found if means(value, row[column])]
        if not kept:
            raise UsageError(f"no run has {path} = {value}; there are {_listed(found, column)}")
        found = kept
    return found


def refuse_mixtures(rows: Iterable[Mapping[str, Any]], told: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse rows that agree in the columns `told` but differ in others: a mean of both would be one of neither."""
    groups: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    rows = list(rows)
    for row in rows:
        first = groups.setdefault(tuple(row[column] for column in told), row)
        for column in columns:
            if row[column] != first[column]:
                raise UsageError(
                    f"{column} differs, too: choose with --where {column}=VALUE (where= in Python) "
                    f"out of {_listed(rows, column)}, or take it for --by"
                )


def means(wanted: Any, found: Any) -> bool:
    """Whether a value as it is written (`"1e-7"`, `"10 Mbit/s"`) is the one in a table."""
    if isinstance(found, int | float) and isinstance(wanted, str):
        quantity = _farlink.quantity(wanted)
        try:
            return bool(found == (quantity[0] if quantity else float(wanted)))
        except ValueError:
            return False
    return bool(found == wanted)


def _listed(rows: Iterable[Mapping[str, Any]], column: str) -> str:
    values = dict.fromkeys(row[column] for row in rows)
    return ", ".join(sorted("-" if value is None else str(value) for value in values))
