"""Which runs are pooled: those whose scenarios are equal but for the seed, and no others.

Every mean, interval, distribution and comparison over the runs of a store is made of the groups of `pool`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from farlink.errors import UsageError
from farlink.spelling import listed
from farlink.tables import parameters

MOST_NAMED = 12
"""Values of a column in a message."""

POOLING = "--where 'flow=PATTERN' pools flows"

Row: TypeAlias = "Mapping[str, Any]"
Group: TypeAlias = "tuple[Any, ...]"


def pool(
    rows: Iterable[Row], grouped: Sequence[str], columns: Sequence[str], remedy: str, resolved: Mapping[str, str]
) -> dict[Group, list[Any]]:
    """Group rows that agree in the columns `grouped`; `resolved` has the scenarios by the keys of runs.

    Raises `UsageError` with the first of `columns` in which a group differs, for a mean of both would be one of
    neither. Whatever the columns say, no group has runs of different scenarios.
    """
    rows = list(rows)
    groups: dict[Group, list[Any]] = {}
    for row in rows:
        group = groups.setdefault(tuple(row[column] for column in grouped), [])
        group.append(row)
        first = group[0]
        for column in columns:
            if row[column] != first[column]:
                values = distinct_values(rows, column)
                also = f"; {POOLING}" if column == "flow" and "pools" not in remedy else ""
                raise UsageError(f"{column} differs, too: {remedy.format(column=column, values=values)}{also}")
        if resolved[row["key"]] != resolved[first["key"]]:
            raise UsageError(f"runs of different scenarios agree in {', '.join(grouped) or 'all that was chosen'}")
    return groups


def distinct_values(rows: Iterable[Row], column: str) -> str:
    """List the values of a column, the first dozen if there are more."""
    values = sorted({row[column] for row in rows}, key=parameters.sort_key)
    names = ["-" if value is None else str(value) for value in values]
    return listed([f"`{name}`" if ", " in name else name for name in names], MOST_NAMED)
