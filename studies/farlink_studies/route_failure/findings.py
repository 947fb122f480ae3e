"""How every claim of the paper is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.comparisons import (
    highest,
    is_sure,
    list_means,
    lower_end,
    lowest,
    mean_difference,
    mean_gain,
    rank_correlation,
    upper_end,
)
from farlink.studies.measures import Measure, find_each, measuring
from farlink.studies.verdict import Finding

from farlink_studies.route_failure import timeline
from farlink_studies.route_failure.runs import (
    ELFN,
    FIVE,
    FSR,
    LONG,
    LONG_REPAIR,
    NAMES,
    NONE,
    ONE,
    RANDOM,
    RENO,
    SHORT,
    SIM_ELFN,
    TCP_F,
    TWO,
    TWO_CACHED,
    Case,
    Runs,
    SeedResult,
    TimeSeries,
)

FIRST_FAILURE_S = 30.0
EQUAL_PERCENT = 3.0
"""How far Reno and simELFN may be apart after a long outage."""
THREE = (RENO, TCP_F, FSR)
DOWN_TO_S = 20.0
"""The paper has throughput fall to here, m/s, and hardly beyond."""

Find = Callable[[Runs], Finding]


def final_sequence_number(one: SeedResult) -> float:
    """The sequence number at the end."""
    return float(one.path.sent[-1])


def sequence_at_first_failure(one: SeedResult) -> float:
    """The sequence number at the first failure."""
    return float(one.path.sent[one.path.at(FIRST_FAILURE_S)])


def packets_after_failure(one: SeedResult) -> float:
    """The packets between."""
    return final_sequence_number(one) - sequence_at_first_failure(one)


def format_interval(value: Interval) -> str:
    """A value with half the width of its interval."""
    half = "" if value.low is None or value.high is None else f" ± {_format_rounded((value.high - value.low) / 2, 2)}"
    return f"{_format_rounded(value.mean, 3)}{half}"


def _format_rounded(number: float, digits: int) -> str:
    """To so many digits, but no whole ones are lost."""
    return f"{number:.0f}" if abs(number) >= 10**digits else f"{number:.{digits}g}"


@measuring
def sequence_gain(
    runs: Runs, experiment: str, first: str, second: str, number: Callable[[SeedResult], float] = final_sequence_number
) -> Finding:
    """A gain in sequence numbers."""
    pairs = runs.rows([Case(experiment, first), Case(experiment, second)], number)
    mine, theirs = np.mean(pairs, axis=0)
    value = mean_gain(pairs)
    note = f"{NAMES[first]} {mine:.0f}, {NAMES[second]} {theirs:.0f} packets"
    return Finding(value, is_sure(value), f"{NAMES[first]} is significantly ahead", note)


def sequence_after_five_failures(variant: str, number: Callable[[SeedResult], float]) -> Find:
    """A sequence number of the five failures."""
    return lambda runs: Finding(runs.interval(runs.values(Case(FIVE, variant), number)))


@measuring
def largest_sequence_difference(runs: Runs, experiment: str, variants: Sequence[str], until_s: float) -> Finding:
    """The largest difference of sequence numbers at any sample so far."""
    most = 0.0
    for _, ones in runs.together(*(Case(experiment, variant) for variant in variants)):
        rows = np.array([one.path.sent[: one.path.at(until_s)] for one in ones])
        most = max(most, float(np.max(rows.max(axis=0) - rows.min(axis=0))))
    return Finding(Interval(most, None, None, 1, "largest"))


def smallest_window(runs: Runs) -> Finding:
    """Reno's, from the break until a little after the repair; the largest of all seeds."""
    found = []
    for one in runs.of(Case(SHORT, RENO)).values():
        absence = one.absences[0]
        part = slice(one.path.at(absence.broken_s), one.path.at(absence.repaired_s + timeline.SETTLED_S))
        found.append(float(one.path.cwnd[part].min()))
    return Finding(runs.interval(found))


def windows_again(runs: Runs) -> Finding:
    """The larger of Reno's and simELFN's smallest windows between the repair and the first data that arrive."""
    found: dict[str, list[float]] = {}
    for variant in (RENO, SIM_ELFN):
        for one in runs.of(Case(LONG, variant)).values():
            (events,) = timeline.repair_timelines(one.path, one.absences)
            absence = one.absences[0]
            start, end = one.path.at(absence.repaired_s), one.path.at(absence.broken_s + events.arriving)
            found.setdefault(variant, []).append(float(one.path.cwnd[start : end + 1].min()))
    means = {NAMES[variant]: runs.interval(values) for variant, values in found.items()}
    name, value = max(means.items(), key=lambda each: each[1].mean)
    return Finding(value, note=f"{name}; {list_means(means, '.3g')}")


@measuring
def only_first_retransmits(runs: Runs, experiment: str, first: str, second: str) -> Finding:
    """The share of the repairs after which the one retransmits fast and the other does not."""
    mine: list[list[bool]] = []
    theirs: list[list[bool]] = []
    for _, ones in runs.together(Case(experiment, first), Case(experiment, second)):
        for found, one in zip((mine, theirs), ones, strict=True):
            found.append([each.fast is not None for each in timeline.repair_timelines(one.path, one.absences)])
    shares = [
        100 * float(np.mean([a and not b for a, b in zip(*pair, strict=True)]))
        for pair in zip(mine, theirs, strict=True)
    ]
    of = {NAMES[first]: mine, NAMES[second]: theirs}
    listed = ", ".join(f"{name} after {np.mean(each):.0%} of the repairs" for name, each in of.items())
    more = runs.interval([float(np.mean(a)) - float(np.mean(b)) for a, b in zip(mine, theirs, strict=True)])
    return Finding(runs.interval(shares), is_sure(more), f"{NAMES[first]} does so significantly more often", listed)


def after_a_long_outage(runs: Runs) -> Finding:
    """The smaller of two distances: how far Reno and simELFN are below being distinguished, and ELFN's lead."""
    rows = runs.rows([Case(LONG, variant) for variant in (RENO, SIM_ELFN, ELFN)], final_sequence_number)

    def apart(row: Sequence[float]) -> float:
        return EQUAL_PERCENT - abs(100 * (row[1] / row[0] - 1))

    def lead(row: Sequence[float]) -> float:
        return 100 * (row[2] / max(row[:2]) - 1)

    found = {"apart": statistics.jackknife(rows, apart), "lead": statistics.jackknife(rows, lead)}
    reno, sim, elfn = np.mean(rows, axis=0)
    note = f"Reno {reno:.0f}, simELFN {sim:.0f}, TCP-ELFN {elfn:.0f} packets"
    return Finding.of(lowest(found), is_sure(found["lead"]), "TCP-ELFN is significantly best", note)


def first_timeout_to_last_repair(one: SeedResult) -> slice:
    """Where the samples of that time are."""
    series = one.path
    broken, repaired = series.at(one.absences[0].broken_s), series.at(one.absences[-1].repaired_s)
    return slice(broken + int(np.argmax(series.cwnd[broken:] <= 1)), repaired)


def is_slow(series: TimeSeries) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether the window is below the threshold, by sample."""
    return series.cwnd < series.ssthresh


def in_slow_start(runs: Runs) -> Finding:
    """The share of the time, from Reno's first timeout to the last repair, with a window below the threshold."""
    shares, starts = [], []
    for one in runs.of(Case(FIVE, RENO)).values():
        series, part = one.path, first_timeout_to_last_repair(one)
        shares.append(100 * float(np.mean(is_slow(series)[part])))
        starts += [float(series.cwnd[series.at(absence.repaired_s)]) for absence in one.absences]
    note = f"window at the repairs {np.mean(starts):.3g} packets in the mean, {max(starts):.3g} at most"
    return Finding(runs.interval(shares), max(starts) <= 2, "Reno's window is 1 or 2 at every repair", note)


def last_to_resume(runs: Runs) -> Finding:
    """How much later than the later of the others data of Reno arrive after the last repair."""
    rows = []
    for _, ones in runs.together(*(Case(FIVE, variant) for variant in THREE)):
        rows.append([timeline.repair_timelines(one.path, one.absences)[-1] for one in ones])
    waits = np.array([[each.arriving - each.repaired for each in row] for row in rows])
    value = runs.interval([float(row[0] - max(row[1:])) for row in waits])
    listed = ", ".join(f"{NAMES[name]} {wait:.2f} s" for name, wait in zip(THREE, waits.mean(axis=0), strict=True))
    return Finding(value, note=f"after the repair: {listed}")


@measuring
def lead_of_fsr(runs: Runs, experiment: str, event: Literal["normal", "arriving"] = "normal") -> Finding:
    """How many round trips earlier transfer is normal, or data arrive in order, with TCP-FSR than with TCP-F."""
    leads, ends = [], []
    for tcp_f, fsr, rtt_s in timeline.first_repairs(runs, Case(experiment, TCP_F), Case(experiment, FSR)):
        times = [getattr(each, event) for each in (tcp_f, fsr)]
        leads.append((times[0] - times[1]) / rtt_s)
        ends.append([times[0] - tcp_f.repaired, times[1] - fsr.repaired, rtt_s])
    value = runs.interval(leads)
    mine, theirs, rtt = np.mean(ends, axis=0)
    note = f"TCP-F {mine:.2f} s and TCP-FSR {theirs:.2f} s after the repair, round trip {rtt:.2f} s"
    return Finding(value, is_sure(value), "TCP-FSR is significantly earlier", note)


@measuring
def largest_gain(runs: Runs, experiment: str) -> Finding:
    """Of all pairs the gain that is furthest from none."""
    rows = runs.rows([Case(experiment, name) for name in THREE], final_sequence_number)
    gains = [mean_gain([(row[a], row[b]) for row in rows]) for a in range(3) for b in range(a)]
    value = max(gains, key=lambda each: max(abs(lower_end(each)), abs(upper_end(each))))
    worst = max((each.mean for each in gains), key=abs)
    means = zip(THREE, np.mean(rows, axis=0), strict=True)
    note = ", ".join(f"{NAMES[name]} {mean:.0f}" for name, mean in means) + " packets"
    return Finding(value, note=note, worst=worst)


def throughput_rows(runs: Runs, speed: float) -> list[list[float]]:
    """A row per seed: Reno, TCP-F, TCP-FSR."""
    return runs.rows([Case(RANDOM, variant, speed) for variant in THREE], lambda one: one.throughput)


def gains_at(runs: Runs, speed: float) -> tuple[Interval, Interval, Interval]:
    """Those of TCP-F over Reno, of TCP-FSR over TCP-F, and of TCP-FSR over Reno."""
    rows = throughput_rows(runs, speed)
    tcp_f, fsr, whole = (mean_gain([(row[a], row[b]) for row in rows]) for a, b in ((1, 0), (2, 1), (2, 0)))
    return tcp_f, fsr, whole


def order_at_each_speed(runs: Runs) -> Finding:
    """The least gain of TCP-FSR over TCP-F, or of TCP-F over Reno, at any speed."""
    gains: dict[str, Interval] = {}
    over_reno = []
    for speed in runs.speeds():
        tcp_f, fsr, whole = gains_at(runs, speed)
        gains |= {f"TCP-F over Reno at {speed:g} m/s": tcp_f, f"TCP-FSR over TCP-F at {speed:g} m/s": fsr}
        over_reno.append(whole)
    least = lowest(gains)
    against = sum(each.mean <= 0 for each in gains.values())
    note = f"{least.name}; {against} of {len(gains)} means have the opposite sign"
    coarser = "TCP-FSR is significantly ahead of Reno at every speed"
    return Finding.of(least, all(is_sure(each) for each in over_reno), coarser, note)


def falls_with_speed(runs: Runs) -> Finding:
    """The largest rank correlation of speed and mean throughput, of all variants."""
    speeds = [speed for speed in runs.speeds() if speed <= DOWN_TO_S]
    means = np.array([np.mean(throughput_rows(runs, speed), axis=0) for speed in speeds])
    found = {name: rank_correlation(speeds, means[:, place].tolist()) for place, name in enumerate(THREE)}
    ends = [throughput_rows(runs, speed) for speed in (speeds[0], speeds[-1])]
    less = [mean_difference(*([row[place] for row in end] for end in ends)) for place in range(len(THREE))]
    value = Interval(max(found.values()), None, None, len(speeds), "of means")
    note = ", ".join(f"{NAMES[name]} {each:.2f}" for name, each in found.items())
    coarser = f"less at {speeds[-1]:g} than at {speeds[0]:g} m/s significantly"
    return Finding(value, all(is_sure(each) for each in less), coarser, note)


def hardly_falls(runs: Runs) -> Finding:
    """The largest fall between the two highest speeds, of all variants."""
    lower, upper = list(pairwise(runs.speeds()))[-1]
    found = {}
    for place, name in enumerate(THREE):
        first, second = ([row[place] for row in throughput_rows(runs, speed)] for speed in (lower, upper))
        base = float(np.mean(first)) or 1.0
        change = mean_difference(first, second)
        low, high = (None if end is None else 100 * end / base for end in (change.low, change.high))
        found[NAMES[name]] = Interval(100 * change.mean / base, low, high, change.count, change.method)
    most = highest(found)
    return Finding.of(most, note=f"{most.name}; {list_means(found, '+.0f', ' %')}")


MEASURES = {
    "Z-01": Measure(sequence_gain(SHORT, SIM_ELFN, RENO), SHORT),
    "Z-02": Measure(sequence_gain(SHORT, SIM_ELFN, ELFN), SHORT),
    "Z-03": Measure(largest_sequence_difference(SHORT, (RENO, ELFN, SIM_ELFN), FIRST_FAILURE_S), SHORT),
    "Z-04": Measure(smallest_window, SHORT),
    "Z-05": Measure(only_first_retransmits(SHORT, ELFN, SIM_ELFN), SHORT),
    "Z-06": Measure(after_a_long_outage, LONG),
    "Z-07": Measure(windows_again, LONG),
    "Z-08": Measure(sequence_gain(SHORT, SIM_ELFN, ELFN), SHORT),
    "Z-10": Measure(sequence_after_five_failures(RENO, sequence_at_first_failure), FIVE),
    "Z-11": Measure(sequence_after_five_failures(TCP_F, sequence_at_first_failure), FIVE),
    "Z-12": Measure(sequence_after_five_failures(FSR, sequence_at_first_failure), FIVE),
    "Z-13": Measure(sequence_after_five_failures(RENO, final_sequence_number), FIVE),
    "Z-14": Measure(sequence_after_five_failures(TCP_F, final_sequence_number), FIVE),
    "Z-15": Measure(sequence_after_five_failures(FSR, final_sequence_number), FIVE),
    "Z-16": Measure(sequence_after_five_failures(RENO, packets_after_failure), FIVE),
    "Z-17": Measure(sequence_after_five_failures(TCP_F, packets_after_failure), FIVE),
    "Z-18": Measure(sequence_after_five_failures(FSR, packets_after_failure), FIVE),
    "Z-19": Measure(sequence_gain(FIVE, FSR, RENO), FIVE),
    "Z-20": Measure(sequence_gain(FIVE, FSR, TCP_F), FIVE),
    "Z-21": Measure(sequence_gain(FIVE, FSR, RENO, packets_after_failure), FIVE),
    "Z-22": Measure(sequence_gain(FIVE, FSR, TCP_F, packets_after_failure), FIVE),
    "Z-23": Measure(in_slow_start, FIVE),
    "Z-24": Measure(last_to_resume, FIVE),
    "Z-25": Measure(only_first_retransmits(FIVE, TCP_F, FSR), FIVE),
    "Z-26": Measure(lead_of_fsr(TWO), TWO),
    "Z-27": Measure(lead_of_fsr(TWO_CACHED), TWO_CACHED),
    "Z-28": Measure(sequence_gain(ONE, FSR, TCP_F), ONE),
    "Z-29": Measure(largest_gain(LONG_REPAIR), LONG_REPAIR),
    "Z-30": Measure(largest_sequence_difference(NONE, THREE, float("inf")), NONE),
    "Z-31": Measure(order_at_each_speed, RANDOM),
    "Z-32": Measure(falls_with_speed, RANDOM),
    "Z-33": Measure(hardly_falls, RANDOM),
}
"""By the claim's number."""


ARRIVING = {
    "Z-26": Measure(lead_of_fsr(TWO, "arriving"), TWO),
    "Z-27": Measure(lead_of_fsr(TWO_CACHED, "arriving"), TWO_CACHED),
}
"""Those that ask when transfer is normal, if that is when data arrive in order again."""


def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
    """The finding for every claim that these runs can measure.

    `normal` is the event from which transfer is normal: that of `Events`, or `arriving`, when data arrive in order.
    """
    return find_each({**MEASURES, **(ARRIVING if reading.get("normal") == "arriving" else {})}, runs)
