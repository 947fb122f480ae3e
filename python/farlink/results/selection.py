"""Which rows and columns of a store are meant, and which runs are pooled.

Those are pooled whose scenarios are equal but for the seed, and no others: every mean, interval, distribution and
comparison over the runs of a store is made of the groups of `pool`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import farlink._farlink as engine
from farlink.errors import UsageError
from farlink.results.end_to_end import LABEL, PAIR
from farlink.results.run_values import JAIN, RUN_VALUES, TOTAL_GOODPUT, shared_fairly
from farlink.results.workload_values import Workloads
from farlink.spelling import listed
from farlink.tables import flow_groups, parameters
from farlink.tables.labels import Names, value_text, without_unit
from farlink.tables.rows import Row
from farlink.tables.rows import grouped as by_key

if TYPE_CHECKING:
    import pyarrow as pa


FLOW = "flow"
ROUNDING = 1e-6
"""Of the time of a flow, relative to it."""
MOST_NAMED = 12
"""Values of a column in a message."""

POOLING = "--where 'flow=PATTERN' pools flows"

Group: TypeAlias = "tuple[Any, ...]"


def rows(found: list[Row], columns: Sequence[str], where: Mapping[str, Any], workloads: Workloads) -> list[Row]:
    """Give those of the rows `found` that have these values; quantities may be written as such (`"10 Mbit/s"`).

    A flow may be written as a pattern: `web*`. Where it means one of the `workloads`, the error names their measures.
    """
    for path, value in where.items():
        column = parameters.find_column(path, [name for name in columns if name != "key"])
        if column == FLOW and is_pattern(value, found):
            kept = [row for row in found if _matches(value, row)]
            # The name of what a relay passes on is no label: a pattern means it if it means no label.
            kept = kept or [row for row in found if fnmatchcase(row[FLOW], value)]
        else:
            kept = [row for row in found if parameters.equals_written(value, row[column])]
        if not kept:
            is_workload = column == FLOW and any(fnmatchcase(label, str(value)) for label in workloads.labels)
            more = f"; {workloads.instead_of(95)}" if is_workload else ""
            raise UsageError(f"no run has {path} = {value}; there are {distinct_values(found, column)}{more}")
        found = kept
    return found


def _matches(pattern: str, row: Row) -> bool:
    """Whether a flow is meant; of what relays pass on its first and its last connection are."""
    return all(fnmatchcase(label, pattern) for label in row.get(PAIR, (row[FLOW],))[:2])


def is_pattern(value: Any, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a value of `flow` stands for several flows, and is not the label of one."""
    if not isinstance(value, str) or not flow_groups.IS_PATTERN.search(value):
        return False
    return all(row[FLOW] != value for row in rows)


def grouped(rows: list[Row], chosen: Any, texts: Sequence[str], *, fold: bool, remedy: str) -> tuple[list[Row], str]:
    """Give every flow the name of its group: the pattern that was `chosen`, or where there are too many to `fold`.

    `texts` are the scenarios of the runs. A note says what is folded, and with `remedy` how to see each.
    """
    flows = list(dict.fromkeys(row[FLOW] for row in rows if PAIR not in row))
    if is_pattern(chosen, rows):
        name = flow_groups.pooled_as(chosen, flows, texts)
        return [{**row, FLOW: name, LABEL: row[FLOW]} for row in rows], ""
    if not fold:
        return rows, ""
    groups = flow_groups.folded(flows, texts)
    return _under_names(rows, groups), flow_groups.note(groups, remedy)


def _under_names(rows: Iterable[Row], groups: Mapping[str, str]) -> list[Row]:
    """Name flows by their groups, and what relays pass on by those of its ends."""

    def name(row: Row) -> str:
        ends = [groups.get(label, label) for label in row.get(PAIR, ())[:2]]
        return flow_groups.end_to_end(*ends) if ends else groups[row[FLOW]]

    return [{**row, FLOW: name(row), LABEL: row[FLOW]} for row in rows]


def pooled(columns: Sequence[str], rows: Sequence[Row], folded: str) -> str:
    """Say how many flows are pooled in a row of a table with these columns; empty if no row has several.

    That is what the note on `folded` flows says of a table with a row for each of their groups.
    """
    if folded and (FLOW in columns or len({row[FLOW] for row in rows}) == 1):
        return folded
    groups: dict[tuple[Any, ...], set[str]] = {}
    for row in rows:
        if PAIR not in row:
            label = row[LABEL] if LABEL in row else row[FLOW]
            groups.setdefault(tuple(row[column] for column in columns), set()).add(label)
    most = max(map(len, groups.values()), default=1)
    patterns = {row[FLOW] for row in rows if LABEL in row}
    named = f" as {patterns.pop()}" if len(patterns) == 1 else ""
    once = "; a relayed transfer counts once, end to end" if any(PAIR in row for row in rows) else ""
    return f"{most} flows are pooled{named}{once}" if most > 1 else ""


def unlike_in_jain(measures: Iterable[str], rows: Iterable[Row], texts: Sequence[str]) -> str:
    """Say in what the flows differ whose goodputs are in a fairness index; empty if they are equal or none is asked."""
    if JAIN not in measures:
        return ""
    flows = dict.fromkeys(row.get(PAIR, (row.get(LABEL, row[FLOW]),) * 2)[:2] for row in shared_fairly(rows))
    named = f"{JAIN} is over {len(flows)} flows"
    # The origins of relayed transfers may differ, or their relays.
    found = (flow_groups.pooled_as(named, ends, texts) for ends in zip(*flows, strict=True))
    return next((each for each in found if each != named), "")


def own_times(measures: Iterable[str], rows: Iterable[Row]) -> str:
    """Say over which times goodputs are that are in a value of the run; empty if all flows of each run have one."""
    flows = [row for row in rows if PAIR not in row and row.get("received_bytes") and row["goodput_bps"]]
    by_run = by_key((row["key"], 8 * row["received_bytes"] / row["goodput_bps"]) for row in flows)
    unlike = [times for times in by_run.values() if max(times) > (1 + ROUNDING) * min(times)]
    if not unlike or not set(measures) & {*RUN_VALUES}:
        return ""
    least, most = (value_text(end(map(end, unlike)), "time_s", 3) for end in (min, max))
    own = f"goodput is over the time of each flow, {least} to {most}"
    return f"{own}, also in {JAIN}; {without_unit(TOTAL_GOODPUT)} is over the run"


def equal_columns(column: str, columns: Iterable[str], rows: Sequence[Row]) -> list[str]:
    """Give the other columns that have the value of `column` in every row, such as one of each flow in a sweep."""
    others = (name for name in columns if name != column)
    return [name for name in others if all(row[name] == row[column] for row in rows)]


def together(column: str, equal: Sequence[str]) -> str:
    """Say which columns vary together with `column`, if any."""
    others = ", ".join(map(without_unit, equal))
    return f"{without_unit(column)} varies together with {others}: their values are equal in every run" if equal else ""


def varying_too(shown: Sequence[str | None], columns: Sequence[str], rows: Sequence[Row], names: Names) -> list[str]:
    """Say what varies with the columns that a figure shows: what it draws may be the effect of that."""
    equal = {name: equal_columns(name, columns, rows) for name in shown if name is not None and name in columns}
    notes = [together(name, others) for name, others in equal.items() if without_unit(name) not in names.shared]
    known = {*shown, *(each for others in equal.values() for each in others)}
    others = [name for name in columns if name not in known and len({row[name] for row in rows}) > 1]
    if equal and others:
        verb = "varies" if len(others) == 1 else "vary"
        notes.append(f"{listed([names.words(name) for name in others], MOST_NAMED)} {verb} with it")
    return notes


def under_groups(rows: list[Row], texts: Sequence[str]) -> list[Row]:
    """Give every flow the name of the group of flows that are equal to it."""
    return _under_names(rows, flow_groups.group_of_flows((row[FLOW] for row in rows if PAIR not in row), texts))


def rows_of_runs(table: pa.Table, keys: list[str]) -> pa.Table:
    """The rows of these runs, in their order."""
    import pyarrow as pa

    from farlink.tables.arrays import array_of

    place = {key: index for index, key in enumerate(keys)}
    found = [(place[key], row) for row, key in enumerate(table["key"].to_pylist()) if key in place]
    chosen = [row for _, row in sorted(found)]
    if chosen == list(range(table.num_rows)):  # as mostly; to take some imports `pyarrow.compute`, which takes long
        return table
    return table.take(array_of(chosen, pa.int64()))


def resolved_path(path: str, columns: Sequence[str], resolved: Sequence[str], folder: Path) -> str:
    """Give the path with numbers in place of labels, which are those of the first run's scenario."""
    if "." not in path or path in columns:
        return path
    try:
        number = engine.resolve_path(resolved[0], str(folder), [], path)
        if number in map(without_unit, columns):
            return number
        return _column_of_items(number, columns, resolved) if "*" in number else number
    except engine.ScenarioError as error:
        raise UsageError(f"there is no column {path}: {error.message}; {error.remedy}") from None


def _column_of_items(path: str, columns: Iterable[str], resolved: Sequence[str]) -> str:
    """Give the column of the first item, where all items of each run have the same value; refuse others."""
    pattern = parameters.pattern_of_items(path)
    found = [name for name in columns if pattern.fullmatch(name) or pattern.fullmatch(without_unit(name))]
    if not found:
        raise UsageError(f"there is no column {path}: no item of it has different values in these runs")
    for text in dict.fromkeys(resolved):
        flat = parameters.flatten(text)
        values = {key: value for key, value in flat.items() if pattern.fullmatch(key)}
        if len(set(map(repr, values.values()))) > 1:
            raise UsageError(f"{path}: a run has different values there; name one of its columns: {', '.join(found)}")
    return found[0]


def pool(
    rows: Iterable[Row], by: Sequence[str], columns: Sequence[str], remedy: str, resolved: Mapping[str, str]
) -> dict[Group, list[Any]]:
    """Group rows that agree in the columns `by`; `resolved` has the scenarios by the keys of runs.

    Raises `UsageError` with the first of `columns` in which a group differs, for a mean of both would be one of
    neither. Whatever the columns say, no group has runs of different scenarios.
    """
    rows = list(rows)
    groups: dict[Group, list[Any]] = {}
    for row in rows:
        group = groups.setdefault(tuple(row[column] for column in by), [])
        group.append(row)
        first = group[0]
        for column in columns:
            if row[column] != first[column]:
                values = distinct_values(rows, column)
                also = f"; {POOLING}" if column == "flow" and "pools" not in remedy else ""
                raise UsageError(f"{column} differs, too: {remedy.format(column=column, values=values)}{also}")
        if resolved[row["key"]] != resolved[first["key"]]:
            raise UsageError(f"runs of different scenarios agree in {', '.join(by) or 'all that was chosen'}")
    return groups


def distinct_values(rows: Iterable[Mapping[str, Any]], column: str) -> str:
    """List the values of a column, the first dozen if there are more."""
    values = sorted({row[column] for row in rows}, key=parameters.sort_key)
    names = ["-" if value is None else str(value) for value in values]
    return listed([f"`{name}`" if ", " in name else name for name in names], MOST_NAMED)
