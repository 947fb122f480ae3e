"""What a caption says of flows and workloads: in what those of a value differ, and which are not in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from farlink.results import no_arrival, selection, unvaried
from farlink.results.measure import Measure, unfinished, without_transfers
from farlink.results.run_values import is_of_station, left_out
from farlink.results.store_tables import StoreTables
from farlink.results.workload_values import Workloads
from farlink.tables.labels import Names
from farlink.tables.rows import Row
from farlink.tables.workload_columns import is_of_workload


def about_flows(
    asked: Sequence[Measure],
    rows: Sequence[Row],
    parameters: Sequence[str],
    resolved: Mapping[str, str],
    workloads: Workloads,
    names: Names,
) -> list[str]:
    """Say it of these measures of these rows; `resolved` has the scenarios by the keys of runs."""
    columns = [each.column for each in asked]
    texts = list(dict.fromkeys(resolved.values()))
    shown = [resolved[key] for key in dict.fromkeys(row["key"] for row in rows)]
    varied = [name for name in parameters if len({row[name] for row in rows}) > 1]
    return [
        no_arrival.note(columns, rows, varied, workloads, names),
        selection.unlike_in_jain(columns, rows, texts),
        selection.own_times(columns, rows),
        "airtime is of the whole run and of all its flows" if any(map(is_of_station, columns)) else "",
        left_out(columns, workloads),
        unvaried.note(columns, parameters, rows, shown),
        without_transfers(asked, rows, workloads),
    ]


def with_effect(where: Mapping[str, Any] | None, asked: Sequence[Measure]) -> dict[str, Any]:
    """Give what was chosen, without flows if all measures are of stations or workloads: these are of all flows."""
    of_all = asked and all(is_of_station(each.column) or is_of_workload(each.column) for each in asked)
    return {path: value for path, value in (where or {}).items() if not (of_all and path == selection.FLOW)}


def unfinished_in(results: StoreTables, measure: str) -> str:
    """Say how many transfers of these runs have no value of a completion time; empty of any other measure."""
    if not is_of_workload(measure):
        return unfinished([Measure(measure)], results.flows.to_pylist())
    workloads = Workloads(results.workloads.to_pylist())
    return unfinished([Measure(measure)], workloads.added_to(results.runs.to_pylist(), [measure]))
