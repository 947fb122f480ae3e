"""Values of a whole run, computed from its flows: of all of them, or of those that a question chooses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from farlink.results.airtime import is_of_station
from farlink.system.toml import tomllib

Row: TypeAlias = "dict[str, Any]"
JAIN, TOTAL_GOODPUT = "jain", "total_goodput_bps"
RUN_VALUES = (JAIN, TOTAL_GOODPUT)
ALL_FLOWS = "all flows"
"""In place of a flow's label, in a row that is of the whole run."""
PAIR = "end_to_end"
"""In a row that is no flow but several: the first of them, the relay, and whether another relay passes that on."""


def is_of_run(measure: str) -> bool:
    """Whether a measure has one value per run, whatever flows are chosen."""
    return measure in RUN_VALUES or is_of_station(measure)


def with_run_values(rows: Iterable[Row], runs: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Add the values of its run to every flow; `runs` are the rows of the table of that name."""
    of_run = {run["key"]: run for run in runs}
    relayed = {text: relayed_flows(text) for text in {run["resolved"] for run in of_run.values()}}
    flows: dict[str, list[Row]] = {}
    for row in rows:
        flows.setdefault(row["key"], []).append(row)
    made = {}
    for key, of in flows.items():
        counted = [row for row in of if PAIR not in row] or of
        total = _total(counted, of_run[key]["sim_s"], relayed[of_run[key]["resolved"]])
        made[key] = {JAIN: jain(counted), TOTAL_GOODPUT: total}
    return [{**row, **made[row["key"]]} for of in flows.values() for row in of]


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

    None if nothing arrived, and for a single flow, with which nothing is shared.
    """
    goodputs = [row["goodput_bps"] for row in rows if row["timeouts"] is not None]
    squares = math.fsum(each * each for each in goodputs)
    return math.fsum(goodputs) ** 2 / (len(goodputs) * squares) if squares and len(goodputs) > 1 else None


def _total(rows: Sequence[Row], simulated_s: float, relayed: frozenset[str]) -> float | None:
    """Payload that arrived at its last receiver, over the length of the run."""
    received = [row.get("received_bytes") for row in rows if row["flow"] not in relayed]
    known = [each for each in received if each is not None]
    return 8 * sum(known) / simulated_s if len(known) == len(received) and simulated_s else None


def relayed_flows(resolved: str) -> frozenset[str]:
    """The labels of flows that a relay passes on: their bytes arrive once more with the relay."""
    applications = [flow["application"] for flow in tomllib.loads(resolved).get("flows", [])]
    return frozenset(each["flow"] for each in applications if isinstance(each, dict) and each.get("name") == "relay")
