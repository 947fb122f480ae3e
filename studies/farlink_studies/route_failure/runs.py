"""The runs of the study, asked by experiment, variant and speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from farlink.results.result_store import ResultStore
from farlink.studies.runs import Cases, MissingError, drops, resolved, series_columns
from farlink.studies.runs import Runs as BaseRuns
from farlink.tables import parameters

from farlink_studies.route_failure.movement import Absence, Numbers, out_of_range_times

SHORT, LONG, FIVE = "short outage", "long outage", "five failures"
TWO, TWO_CACHED, ONE = "two links", "two links, replies from caches", "one link"
LONG_REPAIR, NONE, RANDOM = "long repair", "no failure", "random movement"
RENO, TCP_F, ELFN, SIM_ELFN, FSR = "none", "tcp_f", "tcp_elfn", "sim_elfn", "tcp_fsr"
NAMES = {RENO: "Reno", TCP_F: "TCP-F", ELFN: "TCP-ELFN", SIM_ELFN: "simELFN", FSR: "TCP-FSR"}
BITS_PER_KBIT = 1e3
FROZEN, FAST, TIMEOUT = "frozen", "fast", "timeout"


class Case(NamedTuple):
    """What is asked for; the speed in m/s, of the nodes that move."""

    experiment: str
    variant: str
    speed: float = 0.0


@dataclass(frozen=True)
class TimeSeries:
    """Samples of a run: seconds, what the sender is at, windows and sequence numbers in packets."""

    time_s: Numbers
    phase: np.ndarray[tuple[int, ...], Any]
    cwnd: Numbers
    ssthresh: Numbers
    """Infinite before the first loss."""
    srtt_s: Numbers
    una: Numbers
    sent: Numbers
    """The next one to be sent."""
    arrived: Numbers
    """The next one the receiver waits for."""

    def at(self, time_s: float) -> int:
        """The place of the first sample at this time or later; that of the last where there is none."""
        return min(int(np.searchsorted(self.time_s, time_s - 1e-9)), len(self.time_s) - 1)


@dataclass(frozen=True)
class SeedResult:
    """A run."""

    throughput: float
    """kbit/s of payload that arrived in order."""
    fast_retransmits: int
    timeouts: int
    freezes: int
    again: int
    """Packets the source retransmitted."""
    probes: int
    frozen: float
    """Share of the time."""
    drops: Mapping[str, int]
    """Packets given up by the network, by cause."""
    energy_j: float
    """Of all stations."""
    absences: Sequence[Absence] = ()
    series: TimeSeries | None = field(default=None, repr=False)

    @property
    def lost(self) -> int:
        """All packets given up."""
        return sum(self.drops.values())

    @property
    def path(self) -> TimeSeries:
        """The samples; raises `MissingError` where none were kept."""
        if self.series is None:
            raise MissingError("no samples")
        return self.series


class Runs(BaseRuns[Case, SeedResult]):
    """Runs by case and seed."""

    def variants(self, experiment: str) -> list[str]:
        """The variants of an experiment."""
        return [name for name in NAMES if any(case[:2] == (experiment, name) for case in self._cases)]

    def speeds(self) -> list[float]:
        """From the lowest to the highest; raises `MissingError` where there are not two."""
        return self.levels(lambda case: case.speed if case.experiment == RANDOM else None)

    def _sort_key(self, case: Case) -> Any:
        return case.experiment, case.speed, case.variant


def of_results(parts: Mapping[str, ResultStore]) -> Runs:
    """Read the runs out of the store; `parts` are the results of each experiment."""
    cases = Cases[Case, SeedResult]()
    for experiment, results in parts.items():
        kept, lost, texts = series_columns(results), drops(results), resolved(results)
        energy: dict[str, float] = {}
        for row in results.stations.select(["key", "energy_j"]).to_pylist():
            energy[row["key"]] = energy.get(row["key"], 0.0) + row["energy_j"]
        for flow in results.flows.to_pylist():
            key = flow["key"]
            case, size = _parse_setting(experiment, texts[key])
            one = SeedResult(
                throughput=flow["goodput_bps"] / BITS_PER_KBIT,
                fast_retransmits=flow["fast_retransmits"],
                timeouts=flow["timeouts"],
                freezes=flow["freezes"],
                again=flow["packets_retransmitted"],
                probes=flow["route_probes"],
                frozen=flow["limited_by_frozen"],
                drops=lost.get(key, {}),
                energy_j=energy[key],
                absences=out_of_range_times(texts[key]) if key in kept else (),
                series=_time_series(kept[key], size) if key in kept else None,
            )
            cases.add(case, flow["seed"], (key, flow["flow"]), one)
    return Runs(cases.found)


def _time_series(columns: Mapping[str, Any], size: float) -> TimeSeries:
    ssthresh = columns["ssthresh_segments"]
    return TimeSeries(
        time_s=columns["time_s"],
        phase=columns["phase"],
        cwnd=columns["cwnd_segments"],
        ssthresh=np.where(np.isnan(ssthresh), np.inf, ssthresh),
        srtt_s=columns["srtt_s"],
        una=columns["snd_una_bytes"] / size,
        sent=columns["snd_nxt_bytes"] / size,
        arrived=columns["rcv_nxt_bytes"] / size,
    )


@cache
def _parse_setting(experiment: str, text: str) -> tuple[Case, float]:
    values = parameters.flatten(text)
    variant = str(values["flows.0.tcp.route_failure"])
    size = parameters.si_number(values, "flows.0.tcp.segment_size")
    if experiment != RANDOM:
        return Case(experiment, variant), size
    bounds = [parameters.si_number(values, f"mobility.{end}_speed") for end in ("min", "max")]
    return Case(experiment, variant, round(sum(bounds) / 2, 6)), size
