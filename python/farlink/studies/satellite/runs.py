"""The runs of the study, asked by variant, bit error rate, round trip and file size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from farlink import _farlink, parameters, statistics
from farlink.results import Results

BITS_PER_MBIT = 1e6
RTT_S = 0.6
PAYLOAD_BITS = 1448 * 8

BySeed: TypeAlias = "dict[int, float]"
Numbers: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"


class MissingError(LookupError):
    """There is no such run."""


class Case(NamedTuple):
    """What is asked for; `size_bytes` is None for a transfer without end."""

    variant: str
    rate: float
    rtt_s: float = RTT_S
    size_bytes: int | None = None


@dataclass(frozen=True)
class Course:
    """Samples of a run: seconds, payload bytes that had arrived in order, window and threshold in segments."""

    time_s: Numbers
    received_bytes: Numbers
    cwnd: Numbers
    ssthresh: Numbers


@dataclass(frozen=True)
class One:
    """One seed of a case: whole goodput, whether a file was cut off, and, if kept, everything else."""

    goodput: float
    is_censored: bool = False
    course: Course | None = None
    flow: Mapping[str, Any] | None = None
    queue_full: int = 0


class Runs:
    """Runs by case and seed. All goodputs are in Mbit/s of payload."""

    def __init__(self, cases: Mapping[Case, Mapping[int, One]]) -> None:
        self._cases = {case: dict(seeds) for case, seeds in cases.items()}

    def __contains__(self, case: Case) -> bool:
        return case in self._cases

    def of(self, case: Case) -> dict[int, One]:
        """Every seed of a case; raises `MissingError`."""
        if case not in self._cases:
            raise MissingError(case)
        return self._cases[case]

    def goodput(self, case: Case) -> BySeed:
        """Over the whole transfer."""
        return {seed: one.goodput for seed, one in self.of(case).items()}

    def between(self, case: Case, start_s: float, end_s: float) -> BySeed:
        """Over a part of it."""
        return {
            seed: _received(course, start_s, end_s) * 8 / (end_s - start_s) / BITS_PER_MBIT
            for seed, course in self.courses(case)
        }

    def first_time_at(self, case: Case, goodput: float) -> BySeed:
        """When a second first brought this much; the end if none did."""
        found = {}
        for seed, course in self.courses(case):
            each = np.diff(course.received_bytes) * 8 / np.diff(course.time_s) / BITS_PER_MBIT
            reached = np.flatnonzero(each >= goodput)
            found[seed] = float(course.time_s[1:][reached[0]] if reached.size else course.time_s[-1])
        return found

    def courses(self, case: Case) -> Iterator[tuple[int, Course]]:
        """The samples of every seed; raises `MissingError` where none were kept."""
        for seed, one in self.of(case).items():
            if one.course is None:
                raise MissingError(case)
            yield seed, one.course

    def is_censored(self, case: Case) -> bool:
        """Whether a file was not finished for some seed."""
        return any(one.is_censored for one in self.of(case).values())

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row per case: mean goodput with its interval, how many seeds, and how many of them were cut off."""
        for case, ones in sorted(self._cases.items(), key=lambda each: (each[0].size_bytes or 0, each[0][:3])):
            found = statistics.interval([one.goodput for one in ones.values()])
            assert found is not None, "every case has a seed"
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

    def besides(self, other: Runs) -> Runs:
        """These runs, with the other's for variants that are not among them, and for links without errors."""
        mine = {case.variant for case in self._cases}
        theirs = {case: ones for case, ones in other._cases.items() if case.variant not in mine or case.rate == 0}
        return Runs({**theirs, **self._cases})


def of_results(results: Iterable[Results]) -> Runs:
    """Read the runs out of the store."""
    cases: dict[Case, dict[int, One]] = {}
    for part in results:
        found = {row["key"]: _case(row["resolved"]) for row in part.runs.to_pylist()}
        kept = courses(part)
        full: dict[str, int] = {}
        for row in part.drops.to_pylist():
            if row["cause"] == "queue_full":
                full[row["key"]] = full.get(row["key"], 0) + row["packets"]
        for flow in part.flows.to_pylist():
            key, (case, duration_s) = flow["key"], found[flow["key"]]
            one = _one(flow, case, duration_s, kept.get(key), full.get(key, 0))
            cases.setdefault(case, {})[flow["seed"]] = one
    return Runs(cases)


def of_ns2(path: Path) -> Runs:
    """Read what ns-2 was recorded to do (`ns2/record.py`)."""
    cases: dict[Case, dict[int, One]] = {}
    for run in json.loads(path.read_text(encoding="utf-8"))["runs"]:
        case = Case(run["variant"], run["rate"], run["rtt_s"], run["size_bytes"])
        time_s = np.arange(len(run["course"]) + 1, dtype=np.float64) * 100
        received = np.array([0, *run["course"]], dtype=np.float64) * PAYLOAD_BITS / 8
        nothing = np.full(len(time_s), np.nan)
        taken_s = run["completion_s"] or run["duration_s"]
        bits = run["delivered"] * PAYLOAD_BITS if run["completion_s"] is None else run["size_bytes"] * 8
        one = One(
            bits / taken_s / BITS_PER_MBIT,
            is_censored=case.size_bytes is not None and run["completion_s"] is None,
            course=Course(time_s, received, nothing, nothing),
        )
        cases.setdefault(case, {})[run["seed"]] = one
    return Runs(cases)


def _one(flow: Mapping[str, Any], case: Case, duration_s: float, course: Course | None, queue_full: int) -> One:
    if case.size_bytes is None:
        return One(flow["goodput_bps"] / BITS_PER_MBIT, course=course, flow=flow, queue_full=queue_full)
    if flow["completion_s"] is None:
        return One(flow["goodput_bps"] / BITS_PER_MBIT, True, course, flow, queue_full)
    return One(case.size_bytes * 8 / flow["completion_s"] / BITS_PER_MBIT, False, course, flow, queue_full)


def _case(resolved: str) -> tuple[Case, float]:
    values = parameters.flat(resolved)

    def number(path: str) -> float:
        value = values[path]
        quantity = _farlink.quantity(value) if isinstance(value, str) else (float(value),)
        assert quantity is not None, path
        return float(quantity[0])

    size = "flows.0.application.size"
    case = Case(
        variant=str(values["flows.0.tcp.congestion_control"]),
        rate=number("links.0.error.rate"),
        rtt_s=round(2 * number("links.0.delay"), 6),
        size_bytes=round(number(size)) if size in values else None,
    )
    return case, number("duration")


def courses(results: Results) -> dict[str, Course]:
    """The samples of every run by its key."""
    table = results.series
    if table.num_rows == 0:
        return {}
    keys = np.asarray(table["key"].to_pylist())
    columns = [
        np.asarray(table[name].to_numpy(), dtype=np.float64)
        for name in ("time_s", "received_bytes", "cwnd_segments", "ssthresh_segments")
    ]
    starts = [0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1), len(keys)]
    return {str(keys[start]): Course(*(column[start:end] for column in columns)) for start, end in pairwise(starts)}


def _received(course: Course, start_s: float, end_s: float) -> float:
    if end_s > course.time_s[-1] + 1:
        raise MissingError(f"no sample at {end_s} s")
    first, last = np.interp([start_s, end_s], course.time_s, course.received_bytes, left=0.0)
    return float(last - first)
