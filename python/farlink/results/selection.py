"""Which rows a figure is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from farlink.errors import UsageError
from farlink.results.pooling import distinct_values
from farlink.tables import flow_groups, parameters

if TYPE_CHECKING:
    import pyarrow as pa


FLOW = "flow"


def rows(table: pa.Table, where: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the rows that have these values; quantities may be written as such (`"10 Mbit/s"`).

    A flow may be written as a pattern: `web*`.
    """
    found: list[dict[str, Any]] = table.to_pylist()
    for path, value in where.items():
        column = parameters.find_column(path, [name for name in table.column_names if name != "key"])
        is_group = column == FLOW and is_pattern(value, found)
        equals = _matches if is_group else parameters.equals_written
        kept = [row for row in found if equals(value, row[column])]
        if not kept:
            raise UsageError(f"no run has {path} = {value}; there are {distinct_values(found, column)}")
        found = kept
    return found


def _matches(pattern: str, label: str) -> bool:
    return fnmatchcase(label, pattern)


def is_pattern(value: Any, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a value of `flow` stands for several flows, and is not the label of one."""
    if not isinstance(value, str) or not flow_groups.IS_PATTERN.search(value):
        return False
    return all(row[FLOW] != value for row in rows)


def groups(rows: Iterable[Mapping[str, Any]], chosen: Any, texts: Sequence[str], *, fold: bool) -> dict[str, str]:
    """Give the name of every flow's group: the pattern that was `chosen`, or where there are too many to `fold`.

    `texts` are the scenarios of the runs.
    """
    rows = list(rows)
    flows = list(dict.fromkeys(row[FLOW] for row in rows))
    if is_pattern(chosen, rows):
        return dict.fromkeys(flows, chosen)
    return flow_groups.folded(flows, texts) if fold else {flow: flow for flow in flows}


def under_names(rows: Iterable[dict[str, Any]], groups: Mapping[str, str]) -> list[dict[str, Any]]:
    """Give every flow the name of its group."""
    return [{**row, FLOW: groups[row[FLOW]]} for row in rows]


def rows_of_runs(table: pa.Table, keys: list[str]) -> pa.Table:
    """The rows of these runs, in their order."""
    import pyarrow as pa

    place = {key: index for index, key in enumerate(keys)}
    found = [(place[key], row) for row, key in enumerate(table["key"].to_pylist()) if key in place]
    return table.take(pa.array([row for _, row in sorted(found)], pa.int64()))
