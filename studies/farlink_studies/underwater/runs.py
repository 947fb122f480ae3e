"""The runs of the study, asked by hops, variant, size of packets and window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from farlink.results.result_store import ResultStore
from farlink.studies.runs import Cases, MissingError, by_key, drops, resolved
from farlink.studies.runs import Runs as BaseRuns
from farlink.tables import parameters

NEWRENO, HYBLA = "reno", "hybla"
NAMES = {NEWRENO: "NewReno", HYBLA: "Hybla"}
"""The variants; NewReno is Reno's window with NewReno's recovery, which both have."""
HOPS = (1, 2, 3, 4, 5, 6)
SIZES = (256, 512, 1024)
WINDOWS = tuple(range(1, 11))
UNLOADED = "unloaded"
"""The grid of one hop and one packet at a time."""
BITS_PER_KBIT = 1e3


class Case(NamedTuple):
    """What is asked for: hops, variant, bytes of a packet's payload, largest window in packets."""

    hops: int
    variant: str
    size: int
    window: int


@dataclass(frozen=True)
class SeedResult:
    """A run."""

    throughput: float
    """kbit/s of payload that arrived in order."""
    arrival: float
    """Packets that arrived in per cent of those the source sent."""
    rtt_mean_s: float
    rtt_max_s: float
    """The largest round-trip sample of all ACKs."""
    timer_rtt_max_s: float
    """The largest that the retransmission timer took."""
    sent: int
    timeouts: int
    fast_retransmits: int
    carried: float
    """kbit/s of packets that arrived, in order or not, for the first time or again, with headers."""
    repeated: int
    """Packets the source retransmitted."""
    in_timeout: float
    """The time spent on repairs after timeouts, in per cent."""
    drops: Mapping[str, int]
    """Packets of the flow that were lost, by cause."""
    attempts: int
    """What the MACs tried to send to a neighbour, and how often in vain."""
    failed_attempts: int


class Runs(BaseRuns[Case, SeedResult]):
    """Runs by case and seed."""

    def __init__(self, cases: Mapping[Case, Mapping[int, SeedResult]], unloaded: Case | None = None) -> None:
        super().__init__(cases)
        self._unloaded = unloaded

    @property
    def unlimited(self) -> int:
        """The window without a limit: the largest of all cases; raises `MissingError` where there are none."""
        if not self._cases:
            raise MissingError("any case")
        return max(case.window for case in self._cases)

    @property
    def unloaded(self) -> Case:
        """One hop, as the round trip of a connection is asked for; raises `MissingError`."""
        if self._unloaded is None:
            raise MissingError(UNLOADED)
        return self._unloaded


def of_results(parts: Mapping[str, ResultStore]) -> Runs:
    """Read the runs out of the store, by grid."""
    cases = Cases[Case, SeedResult]()
    unloaded = None
    for grid, results in parts.items():
        texts = resolved(results)
        for key, seed, one in read(results):
            case = _parse_case(texts[key])
            cases.add(case, seed, key, one)
            unloaded = case if grid == UNLOADED else unloaded
    return Runs(cases.found, unloaded)


def read(results: ResultStore) -> Iterator[tuple[str, int, SeedResult]]:
    """The key, the seed and the first flow of every run."""
    lost = drops(results)
    attempts: dict[str, tuple[int, int]] = {}
    for row in results.stations.to_pylist():
        sent, failed = attempts.get(row["key"], (0, 0))
        attempts[row["key"]] = (sent + row["frames_sent"], failed + row["retries"])
    for key, (flow, *_) in by_key(results.flows).items():
        one = SeedResult(
            throughput=flow["goodput_bps"] / BITS_PER_KBIT,
            arrival=100 * flow["delivery_ratio"],
            rtt_mean_s=flow["rtt_mean_s"] or 0.0,
            rtt_max_s=flow["rtt_max_s"] or 0.0,
            timer_rtt_max_s=flow["timer_rtt_max_s"] or 0.0,
            sent=flow["packets_sent"],
            timeouts=flow["timeouts"],
            fast_retransmits=flow["fast_retransmits"],
            carried=flow["throughput_bps"] / BITS_PER_KBIT,
            repeated=flow["packets_retransmitted"],
            in_timeout=100 * flow["limited_by_timeout"],
            drops=lost.get(key, {}),
            attempts=attempts[key][0],
            failed_attempts=attempts[key][1],
        )
        yield key, flow["seed"], one


def quantity_number(value: object) -> int:
    """The number of a quantity such as `512 B`."""
    return int(str(value).split()[0])


@cache
def _parse_case(text: str) -> Case:
    values = parameters.flatten(text)
    nodes = sum(path.startswith("nodes.") and path.endswith(".name") for path in values)
    return Case(
        nodes - 1,
        str(values["flows.0.tcp.congestion_control"]),
        quantity_number(values["flows.0.tcp.segment_size"]),
        quantity_number(values["flows.0.tcp.max_window"]),
    )
