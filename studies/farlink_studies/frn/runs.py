"""The runs of the study, asked by place and by what stations do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from math import dist
from types import MappingProxyType
from typing import Any, NamedTuple

from farlink.results.result_store import ResultStore
from farlink.studies.comparisons import column_means
from farlink.studies.runs import Cases, MissingError, by_key, drops, resolved
from farlink.studies.runs import Runs as BaseRuns
from farlink.tables import parameters

INTERVALS = (5, 9, 13, 17, 21, 25)
"""The longest waits, in slots."""
LIMITS = (1, 2, 3, 4, 5, 6, 8, 10, 15)
LOADS = (3, 6, 9)
MODES = MappingProxyType({"ACK per packet": False, "delayed ACKs": True})
"""Whether ACKs are delayed."""
HOPS = tuple(range(3, 13))
HISTORIES = (2, 4, 6, 8, 10, 12)
PACKET_BITS = 8000.0
COUNTS = ("frames_sent", "frames_combined", "duplicates_received")
RANGE_M = 250.0
OFTEN = 100
"""Attempts from which on a node's share of failures counts."""


class Case(NamedTuple):
    """What is asked for."""

    place: str
    """`chain 4`, `cross 8`, `mesh`, or `random 3: ` and the connections."""
    is_combined: bool = False
    is_delayed: bool = False
    longest: int = 17
    loaded: int | None = None
    limit: int | None = None
    error: float = 0.0
    history: int = 10


@dataclass(frozen=True)
class SeedResult:
    """A run."""

    throughput: float
    """Packets per slot that arrived in order, over all connections."""
    slots: float
    timeouts: int
    frames: int
    attempts: int
    """Of packets, over one hop each."""
    failed: Mapping[str, int]
    """Those that failed, by cause."""
    drops: Mapping[str, int] = field(default_factory=dict)
    """Packets and acknowledgements of TCP that were lost, by cause; copies count."""
    combined: int = 0
    """Frames that carried two packets."""
    again: int = 0
    """Packets that came to a node that had had them before."""
    stations: Mapping[str, float] = field(default_factory=dict)
    """The share of failures among the attempts of each node with many."""
    near: float = 0.0
    """The throughput of connections between neighbours."""

    @property
    def packets(self) -> float:
        """How many arrived."""
        return self.throughput * self.slots


def throughput(one: SeedResult) -> float:
    """Packets per slot."""
    return one.throughput


METRICS: Mapping[str, Callable[[SeedResult], float]] = {
    "timeouts": lambda one: one.timeouts,
    "frames": lambda one: one.frames,
    "attempts": lambda one: one.attempts,
    "frames_combined": lambda one: one.combined,
    "packets_again": lambda one: one.again,
    "failed_attempts": lambda one: sum(one.failed.values()),
    "dropped": lambda one: sum(one.drops.values()),
}
"""What is shown of every case beside its throughput."""


class Runs(BaseRuns[Case, SeedResult]):
    """Runs by case and seed."""

    how: Mapping[str, str] = MappingProxyType({})
    """The readings of claims that differ from the settings; see `findings.find_all`."""

    def read_as(self, how: Mapping[str, str]) -> Runs:
        """The same runs with other readings."""
        made = copy(self)
        made.how = how
        return made

    def rows(self, cases: Iterable[Case], number: Callable[[SeedResult], float] = throughput) -> list[list[float]]:
        """The throughput of these cases, a row for every seed that all have; raises `MissingError`."""
        if found := super().rows(cases, number):
            return found
        raise MissingError("no seed in common")

    def means(self, cases: Iterable[Case]) -> list[float]:
        """The mean throughput of each case."""
        return column_means(self.rows(cases))

    def total(self, case: Case, number: Callable[[SeedResult], float]) -> float:
        """The sum over all seeds."""
        return sum(self.values(case, number))

    def patterns(self, load: int) -> list[str]:
        """The places of so many random connections; raises `MissingError`."""
        found = sorted({case.place for case in self._cases if case.place.startswith(f"random {load}:")})
        if not found:
            raise MissingError(f"random {load}")
        return found

    def without_start(self, start: Runs) -> Runs:
        """The throughput of the time after `start`, which are the same runs broken off early."""

        def rest(one: SeedResult, early: SeedResult) -> SeedResult:
            slots = one.slots - early.slots
            return replace(one, throughput=(one.packets - early.packets) / slots, slots=slots)

        made = copy(self)
        made._cases = {
            case: {seed: rest(one, begun[seed]) for seed, one in ones.items() if seed in begun}
            for case, ones in self._cases.items()
            if (begun := start._cases.get(case))
        }
        return made

    def with_fixed(self, others: Runs) -> Runs:
        """These, and those of the others whose intervals do not change, with the same limits to retransmissions."""
        limits = {case.limit for case in self._cases}
        return self.besides(others.where(lambda case: case.loaded is None and case.limit in limits))

    def _sort_key(self, case: Case) -> Any:
        return str(case)


def of_results(parts: Mapping[str, ResultStore]) -> Runs:
    """Read the runs out of the store."""
    cases = Cases[Case, SeedResult]()
    for results in parts.values():
        flows = by_key(results.flows.select(["key", "seed", "goodput_bps", "timeouts"]))
        stations, hops, lost = by_key(results.stations.select(["key", *COUNTS])), by_key(results.hops), drops(results)
        for key, text in resolved(results).items():
            case, slot_s, duration_s, are_near = parse_setting(text)
            each = [flow["goodput_bps"] * slot_s / PACKET_BITS for flow in flows[key]]
            counts = {name: sum(row[name] for row in stations.get(key, ())) for name in COUNTS}
            one = SeedResult(
                throughput=sum(each),
                slots=duration_s / slot_s,
                timeouts=sum(flow["timeouts"] for flow in flows[key]),
                frames=counts["frames_sent"],
                attempts=sum(row["attempts"] for row in hops.get(key, ())),
                failed=_failed_by_cause(hops.get(key, ())),
                drops=lost.get(key, {}),
                combined=counts["frames_combined"],
                again=counts["duplicates_received"],
                stations=_failure_shares(hops.get(key, ())),
                near=sum(rate for rate, is_near in zip(each, are_near, strict=True) if is_near),
            )
            cases.add(case, flows[key][0]["seed"], key, one)
    return Runs(cases.found)


def _failure_shares(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    by: dict[str, tuple[int, int]] = {}
    for row in rows:
        attempts, failed = by.get(row["from"], (0, 0))
        by[row["from"]] = (attempts + row["attempts"], failed + sum(_failed_by_cause([row]).values()))
    return {node: failed / attempts for node, (attempts, failed) in by.items() if attempts >= OFTEN}


def _failed_by_cause(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    prefix = "failed_attempts_"
    found: dict[str, int] = {}
    for row in rows:
        for name, value in row.items():
            if name.startswith(prefix) and value:
                cause = name.removeprefix(prefix)
                found[cause] = found.get(cause, 0) + value
    return found


@cache
def parse_setting(text: str) -> tuple[Case, float, float, list[bool]]:
    """The case of a run, the length of a slot and of the run in seconds, and which connections are of one hop."""
    values = parameters.flatten(text)
    mac = {name: values.get(f"channels.0.mac.{name}") for name in ("combine", "max_wait", "history")}
    case = Case(
        place=_topology_name(values),
        is_combined=mac["combine"] in ("both_due", "untried", "either_due"),
        is_delayed=values["flows.0.tcp.delayed_ack"] != "off",
        longest=int(str(mac["max_wait"] or 0)),
        loaded=_or_none(values.get("channels.0.mac.max_wait_under_load")),
        limit=_or_none(values.get("channels.0.mac.retry_limit")),
        error=float(str(values["channels.0.antenna.frame_error_rate"])),
        history=int(str(mac["history"] or 0)),
    )
    slot_s = parameters.si_number({"channels.0.mac.slot": "10 ms", **values}, "channels.0.mac.slot")
    duration_s = parameters.si_number(values, "duration")
    return case, slot_s, duration_s, [_distance_m(values, *ends) <= RANGE_M for ends in _connection_ends(values)]


def _topology_name(values: Mapping[str, parameters.Scalar]) -> str:
    nodes = sum(1 for name in values if name.startswith("nodes.") and name.endswith(".name"))
    kind = str(values["name"]).removeprefix("frn_")
    if kind == "chain":
        return f"chain {nodes - 1}"
    if kind == "cross":
        return f"cross {(nodes - 1) // 2}"
    if not kind.startswith("random"):
        return kind
    return f"random {kind.removeprefix('random')}: {' '.join(map('-'.join, _connection_ends(values)))}"


def _connection_ends(values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Where connections begin and end."""
    count = sum(1 for name in values if name.startswith("flows.") and name.endswith(".from"))
    return [(str(values[f"flows.{i}.from"]), str(values[f"flows.{i}.to"])) for i in range(count)]


def _distance_m(values: Mapping[str, parameters.Scalar], start: str, end: str) -> float:
    nodes = {values[name]: name.removesuffix(".name") for name in values if name.startswith("nodes.")}
    places = [
        [parameters.si_number(values, f"{nodes[node]}.position.{axis}") for axis in range(3)] for node in (start, end)
    ]
    return dist(*places)


def _or_none(value: object) -> int | None:
    return None if value in (None, "none") else int(str(value))
