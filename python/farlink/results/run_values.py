"""Values of a whole run: of all its flows, or of those that a question chooses; and of its stations.

`airtime.gateway.busy_share` is how long the medium was busy at a station.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from farlink.errors import UsageError
from farlink.results.end_to_end import PAIR, counted_once, relayed_flows
from farlink.results.workload_values import Workloads
from farlink.spelling import listed
from farlink.tables.labels import without_unit
from farlink.tables.rows import Row, grouped, stations
from farlink.tables.workload_columns import is_of_workload

JAIN, TOTAL_GOODPUT = "jain", "total_goodput_bps"
RUN_VALUES = (JAIN, TOTAL_GOODPUT)
ALL_FLOWS = "all flows"
"""In place of a flow's label, in a row that is of the whole run."""

FLOW_COLUMNS = ("goodput_bps", "timeouts", "size_bytes", "completion_s", "received_bytes")
"""Those that are asked for of every flow."""

PREFIX = "airtime."
COLUMNS = ("busy_share", "transmitting_share", "busy_s", "transmitting_s")
"""Those of the table `airtime`; the first is what is usually asked for."""
MOST_NAMED = 12
"""Stations in a message."""


def is_of_station(measure: str) -> bool:
    """Whether a measure is a column of the table `airtime` at a node."""
    return measure.startswith(PREFIX)


def is_of_run(measure: str) -> bool:
    """Whether a measure has one value per run, whatever flows are chosen."""
    return measure in RUN_VALUES or is_of_station(measure) or is_of_workload(measure)


def with_run_values(rows: Iterable[Row], runs: Iterable[Mapping[str, Any]], workloads: Workloads | None) -> list[Row]:
    """Add the values of its run to every flow; `runs` are the rows of the table of that name.

    Payload of `workloads` is in the total; without them it is that of the flows alone.
    """
    of_run = {run["key"]: run for run in runs}
    relayed = {text: frozenset(relayed_flows(text).values()) for text in {run["resolved"] for run in of_run.values()}}
    flows = grouped((row["key"], row) for row in rows)
    made = {}
    for key, of in flows.items():
        connections = [row for row in of if PAIR not in row] or of
        received = [
            row.get("received_bytes") for row in connections if row["flow"] not in relayed[of_run[key]["resolved"]]
        ]
        received += workloads.received_bytes(key) if workloads else []
        total = _total(received, of_run[key]["sim_s"])
        made[key] = {JAIN: jain(of), TOTAL_GOODPUT: total}
    return [{**row, **made[row["key"]]} for of in flows.values() for row in of]


def value_without_flows(measure: str, workloads: Workloads) -> str:
    """Give the value of runs that have workloads only; raises `UsageError` for what is of [[flows]]."""
    if measure in (TOTAL_GOODPUT, without_unit(TOTAL_GOODPUT)):
        return TOTAL_GOODPUT
    raise UsageError(f"{measure}: these runs have no [[flows]]; take {listed(workloads.usual)}")


def left_out(measures: Iterable[str], workloads: Workloads) -> str:
    """Say which workloads are not in a fairness index; empty if there are none, or it is not asked for."""
    if JAIN not in measures or not workloads.labels:
        return ""
    return f"{JAIN} is over [[flows]] only, without the flows of {listed(workloads.labels, MOST_NAMED)}"


def one_row_per_run(rows: Iterable[Row]) -> list[Row]:
    """Give a row for each run, as a value of the run counts once; it is that of a flow only if the run has no other."""
    found: dict[str, Row] = {}
    for row in rows:
        first = found.setdefault(row["key"], row)
        if row["flow"] != first["flow"]:
            found[row["key"]] = {**first, "flow": ALL_FLOWS}
    return list(found.values())


def jain(rows: Sequence[Row]) -> float | None:
    """Give Jain's fairness index (DEC-TR-301, 1984) of the goodputs of the TCP flows.

    A relayed transfer counts once, end to end. None if nothing arrived, and for a single flow, with which nothing is
    shared.
    """
    goodputs = [row["goodput_bps"] for row in shared_fairly(rows)]
    squares = math.fsum(each * each for each in goodputs)
    return math.fsum(goodputs) ** 2 / (len(goodputs) * squares) if squares and len(goodputs) > 1 else None


def shared_fairly(rows: Iterable[Row]) -> list[Row]:
    """The rows of which a fairness index is: TCP flows, and of those that are relayed the whole."""
    of_tcp = [row for row in rows if PAIR in row or row["timeouts"] is not None]
    return [row for row in counted_once(of_tcp) if row["goodput_bps"] is not None]


def _total(received: Sequence[int | None], simulated_s: float) -> float | None:
    """Payload that arrived at its last receiver, over the length of the run; None where a part is not known."""
    known = [each for each in received if each is not None]
    return 8 * sum(known) / simulated_s if len(known) == len(received) and simulated_s else None


class Airtime:
    """The values at each station of the runs; `rows` are those of the table `airtime`."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._stations: dict[str, dict[str, Mapping[str, Any]]] = {}
        """By the name of the station, then by the key of the run."""
        for name, row in zip(stations(rows, "key"), rows, strict=True):
            self._stations.setdefault(name, {})[row["key"]] = row

    def check(self, measure: str) -> str:
        """Give a measure that exists; raises `UsageError` with what there is instead."""
        station, _, column = measure.removeprefix(PREFIX).rpartition(".")
        if not self._stations:
            raise UsageError(f"{measure}: no run has a shared channel")
        if station not in self._stations:
            known = f"the stations are {listed(list(self._stations), MOST_NAMED)}"
            raise UsageError(f"{measure}: write {PREFIX}STATION.{COLUMNS[0]}; {known}")
        if column not in COLUMNS:
            raise UsageError(f"{measure}: the columns of a station are {', '.join(COLUMNS)}")
        return measure

    def added_to(self, rows: Iterable[Row], measures: Sequence[str]) -> list[Row]:
        """Add these measures of its run to every flow; None where the run has no such station."""
        asked = {measure: measure.removeprefix(PREFIX).rpartition(".") for measure in measures}
        return [
            {**row, **{measure: self._value(row["key"], place[0], place[2]) for measure, place in asked.items()}}
            for row in rows
        ]

    def _value(self, key: str, station: str, column: str) -> float | None:
        found = self._stations[station].get(key)
        return None if found is None else found[column]
