"""Variants under the names that a reader knows: `--label cubic=CUBIC`, or a column's heading by its path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from farlink.errors import UsageError
from farlink.tables import labels

MOST_KNOWN = 12
"""Values that a refusal lists."""


def resolved(
    asked: Mapping[str, str] | None,
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    find: Callable[[str], str],
    others: Sequence[Mapping[str, Any]] = (),
) -> dict[str, str]:
    """Give the new names by value, or by column where `find` finds one; refuse what neither is.

    `columns` are those with values that can be renamed. A value may be in `others` only, so that the answers of a store
    can share their names.
    """
    made: dict[str, str] = {}
    values, elsewhere = _values(rows, columns), _values(others, columns)
    for old, new in (asked or {}).items():
        if any(labels.is_called(value, old) for value, _ in (*values, *elsewhere)):
            made[old] = new
            continue
        try:
            made[find(old)] = new
        except UsageError:
            known = ", ".join(dict.fromkeys(labels.value_text(*each) for each in values[-MOST_KNOWN:]))
            raise UsageError(f"label {old}: neither a value nor a column of these runs; values: {known}") from None
    _refuse_equal_names(made, [labels.value_text(*each) for each in values])
    return made


def _values(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[tuple[Any, str]]:
    return list(dict.fromkeys((row[name], name) for name in columns for row in rows if row[name] is not None))


def _refuse_equal_names(made: Mapping[str, str], values: Iterable[str]) -> None:
    """Refuse a new name that another value or column has: a reader would take both for one."""
    kept = {value for value in values if value not in made}
    names = list(made.values())
    for old, new in made.items():
        if new in kept or names.count(new) > 1:
            raise UsageError(f"label {old}={new}: another value or column is called {new}, too; choose another name")


def rename_values(rows: Iterable[dict[str, Any]], columns: Iterable[str], names: labels.Names) -> list[dict[str, Any]]:
    """Rename the values in these columns; where one is renamed, all of its column become texts with their unit."""
    rows = list(rows)
    for column in columns:
        if any(names.new_name(row.get(column)) is not None for row in rows):
            rows = [{**row, column: names.value(row[column], column)} if column in row else row for row in rows]
    return rows
