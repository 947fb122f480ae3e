"""The runs of the study, asked by variant, bit error rate, round trip and file size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isinf
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from farlink import statistics
from farlink.results.result_store import ResultStore
from farlink.statistics import Interval
from farlink.studies import recorded
from farlink.studies.comparisons import is_sure
from farlink.studies.runs import Cases, MissingError, drops, resolved, series_columns
from farlink.studies.runs import Runs as BaseRuns
from farlink.tables import parameters

BITS_PER_MBIT = 1e6
RTT_S = 0.6
HEADERS_BYTES = 52
"""IPv4, TCP and timestamps."""
PAYLOAD_BITS = 1448 * 8

BySeed: TypeAlias = "dict[int, float]"
Numbers: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"


class Case(NamedTuple):
    """What is asked for; `size_bytes` is None for a transfer without end."""

    variant: str
    rate: float
    rtt_s: float = RTT_S
    size_bytes: int | None = None


@dataclass(frozen=True)
class TimeSeries:
    """Samples of a run: seconds, payload bytes that had arrived in order, window and threshold in segments."""

    time_s: Numbers
    received_bytes: Numbers
    cwnd: Numbers
    ssthresh: Numbers


@dataclass(frozen=True)
class SeedResult:
    """One seed of a case: whole goodput, whether a file was cut off, and, if kept, everything else."""

    goodput: float
    is_censored: bool = False
    series: TimeSeries | None = None
    flow: Mapping[str, Any] | None = None
    queue_full: int = 0
    packet_ratio: float = 1.0
    """A packet with its headers over its payload."""

    def of_packets(self) -> SeedResult:
        """Goodput counted in whole packets instead of their payload."""
        series = self.series
        if series is not None:
            series = replace(series, received_bytes=series.received_bytes * self.packet_ratio)
        return replace(self, goodput=self.goodput * self.packet_ratio, series=series)


class Runs(BaseRuns[Case, SeedResult]):
    """Runs by case and seed. All goodputs are in Mbit/s of payload."""

    def goodput(self, case: Case) -> BySeed:
        """Over the whole transfer."""
        return {seed: one.goodput for seed, one in self.of(case).items()}

    def mean(self, values: BySeed) -> Interval:
        """Over the seeds."""
        return self.interval([*values.values()])

    def ratio(self, ours: BySeed, theirs: BySeed) -> Interval:
        """The mean ratio, by seed; a case without random draws has one seed, which is paired with every other."""
        if len(ours) == 1 or len(theirs) == 1:
            pairs = [(one, other) for one in ours.values() for other in theirs.values()]
        else:
            pairs = [(ours[seed], theirs[seed]) for seed in ours if seed in theirs]
        found = statistics.ratio([one for one, _ in pairs], [other for _, other in pairs], self.estimator)
        if found is None:
            raise MissingError("no pair of positive values")
        return found

    def is_larger(self, ours: BySeed, theirs: BySeed) -> bool:
        """Whether the first are larger significantly: the whole interval of the ratio is above 1."""
        return is_sure(self.ratio(ours, theirs), above=1)

    def least_step(self, steps: Iterable[BySeed]) -> Interval:
        """The smallest ratio of one step to the next: above 1 where all fall."""
        return min((self.ratio(one, following) for one, following in pairwise(steps)), key=lambda each: each.mean)

    def between(self, case: Case, start_s: float, end_s: float) -> BySeed:
        """Over a part of it; until its end where that is infinite."""
        found = {}
        for seed, series in self.time_series(case):
            last_s = float(series.time_s[-1]) if isinf(end_s) else end_s
            found[seed] = _bytes_received(series, start_s, last_s) * 8 / (last_s - start_s) / BITS_PER_MBIT
        return found

    def round_trips(self, variant: str, rate: float) -> list[float]:
        """Those of transfers without end, from the shortest; raises `MissingError` where there are not two."""
        endless = (variant, rate, None)
        return self.levels(lambda case: case.rtt_s if (*case[:2], case.size_bytes) == endless else None)

    def first_time_at(self, case: Case, goodput: float) -> BySeed:
        """The end of the first sampling interval with this goodput [Mbit/s]; the last one if none has it."""
        found = {}
        for seed, series in self.time_series(case):
            each = np.diff(series.received_bytes) * 8 / np.diff(series.time_s) / BITS_PER_MBIT
            reached = np.flatnonzero(each >= goodput)
            found[seed] = float(series.time_s[1:][reached[0]] if reached.size else series.time_s[-1])
        return found

    def time_series(self, case: Case) -> Iterator[tuple[int, TimeSeries]]:
        """The samples of every seed; raises `MissingError` where none were kept."""
        for seed, one in self.of(case).items():
            if one.series is None:
                raise MissingError(case)
            yield seed, one.series

    def is_censored(self, case: Case) -> bool:
        """Whether a file was not finished for some seed."""
        return any(one.is_censored for one in self.of(case).values())

    def summaries(self) -> Iterator[dict[str, Any]]:
        """A row per case: mean goodput with its interval, how many seeds, and how many of them were cut off."""
        for case, ones in self.all():
            found = self.interval([one.goodput for one in ones.values()])
            yield {
                "variant": case.variant,
                "bit_error_rate": case.rate,
                "rtt_s": case.rtt_s,
                "size_bytes": case.size_bytes,
                "goodput_mean_mbps": found.mean,
                "goodput_low_mbps": found.low,
                "goodput_high_mbps": found.high,
                "seeds": len(ones),
                "not_finished": sum(one.is_censored for one in ones.values()),
            }

    def _sort_key(self, case: Case) -> Any:
        return case.size_bytes or 0, case[:3]

    def for_variant_of(self, other: Runs) -> Runs:
        """The runs of variants that are not among the other's, and those without errors."""
        theirs = {case.variant for case in other._cases}
        return self.where(lambda case: case.variant not in theirs or case.rate == 0)


def of_results(parts: Mapping[str, ResultStore]) -> Runs:
    """Read the runs out of the store."""
    cases = Cases[Case, SeedResult]()
    for part in parts.values():
        texts = resolved(part)
        found = {key: _parse_case(text) for key, text in texts.items()}
        kept, full = time_series(part), drops(part, ("queue_full",))
        for flow in part.flows.to_pylist():
            key, case = flow["key"], found[flow["key"]]
            size, taken_s = case.size_bytes, flow["completion_s"]
            one = SeedResult(
                (size * 8 / taken_s if size and taken_s else flow["goodput_bps"]) / BITS_PER_MBIT,
                is_censored=size is not None and taken_s is None,
                series=kept.get(key),
                flow=flow,
                queue_full=sum(full.get(key, {}).values()),
                packet_ratio=_packet_ratio(texts[key]),
            )
            cases.add(case, flow["seed"], (key, flow["flow"]), one)
    return Runs(cases.found)


def _packet_ratio(text: str) -> float:
    segment = parameters.si_number(parameters.flatten(text), "flows.0.tcp.segment_size")
    return (segment + HEADERS_BYTES) / segment


def of_ns2(path: Path) -> Runs:
    """Read what ns-2 was recorded to do (`ns2/record.py`)."""
    cases = Cases[Case, SeedResult]()
    for number, run in enumerate(recorded.read(path)):
        case = Case(run["variant"], run["rate"], run["rtt_s"], run["size_bytes"])
        time_s = np.arange(len(run["acknowledged"]) + 1, dtype=np.float64) * 100
        received = np.array([0, *run["acknowledged"]], dtype=np.float64) * PAYLOAD_BITS / 8
        nothing = np.full(len(time_s), np.nan)
        taken_s = run["completion_s"] or run["duration_s"]
        bits = run["delivered"] * PAYLOAD_BITS if run["completion_s"] is None else run["size_bytes"] * 8
        one = SeedResult(
            bits / taken_s / BITS_PER_MBIT,
            is_censored=case.size_bytes is not None and run["completion_s"] is None,
            series=TimeSeries(time_s, received, nothing, nothing),
        )
        cases.add(case, run["seed"], f"record {number}", one)
    return Runs(cases.found)


def _parse_case(text: str) -> Case:
    values = parameters.flatten(text)

    size = "flows.0.application.size"
    return Case(
        variant=str(values["flows.0.tcp.congestion_control"]),
        rate=parameters.si_number(values, "links.0.error.rate"),
        rtt_s=round(2 * parameters.si_number(values, "links.0.delay"), 6),
        size_bytes=round(parameters.si_number(values, size)) if size in values else None,
    )


def time_series(results: ResultStore) -> dict[str, TimeSeries]:
    """The samples of every run by its key."""
    names = ("time_s", "received_bytes", "cwnd_segments", "ssthresh_segments")
    return {key: TimeSeries(*(columns[name] for name in names)) for key, columns in series_columns(results).items()}


def _bytes_received(series: TimeSeries, start_s: float, end_s: float) -> float:
    if end_s > series.time_s[-1] + 1:
        raise MissingError(f"no sample at {end_s} s")
    first, last = np.interp([start_s, end_s], series.time_s, series.received_bytes, left=0.0)
    return float(last - first)
