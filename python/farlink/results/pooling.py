"""Which runs are pooled: those whose scenarios are equal but for the seed, and no others.

Every mean, interval, distribution and comparison over the runs of a store is made of the groups of `Scenarios.pool`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from farlink.errors import UsageError
from farlink.store.record import scenario_sha256
from farlink.tables import parameters

if TYPE_CHECKING:
    import pyarrow as pa

COLUMN = "scenario_sha256"
"""Of scenarios that no parameter tells apart."""
SHOWN = 8
"""Digits of a hash."""
MOST_NAMED = 12
"""Values of a column in a message."""

Row: TypeAlias = "Mapping[str, Any]"
Group: TypeAlias = "tuple[Any, ...]"


class Scenarios:
    """The scenarios of the runs in a table, whose columns of parameters are `columns`."""

    def __init__(self, runs: pa.Table, columns: Sequence[str]) -> None:
        hashes = {text: scenario_sha256(text) for text in dict.fromkeys(runs["resolved"].to_pylist())}
        keys, texts = runs["key"].to_pylist(), runs["resolved"].to_pylist()
        self.hashes = {key: hashes[text] for key, text in zip(keys, texts, strict=True)}
        """By the keys of runs."""
        known = [name for name in columns if name in runs.column_names]
        self._places = list(zip(*(runs[name].to_pylist() for name in known), strict=True)) or [()] * len(keys)

    @cached_property
    def _alike(self) -> int:
        """How many scenarios have the parameters of another."""
        found: dict[Group, set[str]] = {}
        for place, sha256 in zip(self._places, self.hashes.values(), strict=True):
            found.setdefault(place, set()).add(sha256)
        return sum(len(each) for each in found.values() if len(each) > 1)

    @property
    def note(self) -> str:
        """What a user must know of scenarios that no parameter tells apart; empty if there are none."""
        if not self._alike:
            return ""
        return (
            f"{self._alike} scenarios differ in what no column says: column `{COLUMN}` has the first digits of their "
            "SHA-256; an earlier farlink made them, which did not keep what it varied; sweep again for columns of that"
        )

    def mark(self, table: pa.Table) -> pa.Table:
        """Write the hash of its scenario into a column of every row, where parameters do not tell scenarios apart."""
        import pyarrow as pa

        from farlink.store import tables

        if not self._alike:
            return table
        hashes = [self.hashes[key][:SHOWN] for key in table["key"].to_pylist()]
        return table.append_column(
            pa.field(COLUMN, pa.string(), metadata=tables.PARAMETER), pa.array(hashes, pa.string())
        )

    def pool(
        self, rows: Iterable[Row], grouped: Sequence[str], columns: Sequence[str], remedy: str
    ) -> dict[Group, list[Any]]:
        """Group rows that agree in the columns `grouped`.

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
                    also = "; --where 'flow=PATTERN' pools flows" if column == "flow" else ""
                    raise UsageError(f"{column} differs, too: {remedy.format(column=column, values=values)}{also}")
            if self.hashes[row["key"]] != self.hashes[first["key"]]:
                raise UsageError(f"runs of different scenarios agree in {', '.join(grouped) or 'all that was chosen'}")
        return groups


def distinct_values(rows: Iterable[Row], column: str) -> str:
    """List the values of a column, the first dozen if there are more."""
    values = sorted({row[column] for row in rows}, key=parameters.sort_key)
    named = ", ".join("-" if value is None else str(value) for value in values[:MOST_NAMED])
    return f"{named} and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else named
