"""Which rows a figure is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from farlink.errors import UsageError
from farlink.tables import parameters

if TYPE_CHECKING:
    import pyarrow as pa


def rows(table: pa.Table, where: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the rows that have these values; quantities may be written as such (`"10 Mbit/s"`)."""
    found: list[dict[str, Any]] = table.to_pylist()
    for path, value in where.items():
        column = parameters.find_column(path, [name for name in table.column_names if name != "key"])
        kept = [row for row in found if parameters.equals_written(value, row[column])]
        if not kept:
            raise UsageError(f"no run has {path} = {value}; there are {_distinct_values(found, column)}")
        found = kept
    return found


def refuse_mixtures(rows: Iterable[Mapping[str, Any]], grouped: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse rows that agree in the columns `grouped` but differ in others: a mean of both would be one of neither."""
    groups: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    rows = list(rows)
    for row in rows:
        first = groups.setdefault(tuple(row[column] for column in grouped), row)
        for column in columns:
            if row[column] != first[column]:
                raise UsageError(
                    f"{column} differs, too: choose with --where {column}=VALUE (where= in Python) "
                    f"out of {_distinct_values(rows, column)}, or take it for --by"
                )


def _distinct_values(rows: Iterable[Mapping[str, Any]], column: str) -> str:
    values = sorted({row[column] for row in rows}, key=parameters.sort_key)
    return ", ".join("-" if value is None else str(value) for value in values)


def rows_of_runs(table: pa.Table, keys: list[str]) -> pa.Table:
    """The rows of these runs, in their order."""
    import pyarrow as pa

    place = {key: index for index, key in enumerate(keys)}
    found = [(place[key], row) for row, key in enumerate(table["key"].to_pylist()) if key in place]
    return table.take(pa.array([row for _, row in sorted(found)], pa.int64()))
