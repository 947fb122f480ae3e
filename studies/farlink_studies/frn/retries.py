"""How the claims on retransmissions are measured: their count, and intervals that change with load (section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.comparisons import highest, is_sure, list_means, lowest, mean_gain, percent_gain
from farlink.studies.measures import measuring
from farlink.studies.verdict import Finding
from farlink.studies.written import half_width

from farlink_studies.frn.runs import HISTORIES, INTERVALS, LIMITS, Case, Runs

Find = Callable[[Runs], Finding]

ERROR = 0.05
LIMIT = 4
CHAINS = ("chain 4", "chain 6", "chain 8")
TOPOLOGIES = (*CHAINS, "cross 4", "cross 8", "mesh")
CHANGING = (9, 13, 17, 21, 25)
SHORT, LONG = 5, 17
FLAT_FROM = 4
"""The count of retransmissions from which on a curve is to be flat with errors."""


def of_means(value: float, count: int) -> Interval:
    """A number that is one of the means of so many, without an interval."""
    return Interval(value, None, None, count, "of means")


def best_of(xs: Sequence[int], cases: Sequence[Case], runs: Runs) -> int:
    """Where the mean is largest."""
    return xs[int(np.argmax(runs.means(cases)))]


def over_limits(place: str, longest: int, error: float = 0.0) -> list[Case]:
    """Plain frames at every count of retransmissions."""
    return [Case(place, longest=longest, limit=limit, error=error) for limit in LIMITS]


@measuring
def best_limits(runs: Runs, places: Sequence[str], longest: int, error: float) -> Finding:
    """The best count, largest of the places."""
    found = {place: best_of(LIMITS, over_limits(place, longest, error), runs) for place in places}
    falls = [fall_from_best(runs.means(over_limits(place, longest, error))) for place in places]
    note = ", ".join(f"{place} {best}" for place, best in found.items())
    if max(found.values()) == LIMITS[0]:
        note += f"; the least that was tried, and throughput falls by {min(falls):.0f} % or more with larger counts"
    coarser = "the largest count is worse than the best by more than 10 % everywhere"
    return Finding(of_means(max(found.values()), len(LIMITS)), min(falls) > 10, coarser, note)


def fall_from_best(means: Sequence[float]) -> float:
    """From the best to the least of those after it, in per cent of the best."""
    best = int(np.argmax(means))
    return 100 * (1 - min(means[best:]) / (means[best] or 1))


def largest_fall(runs: Runs) -> Finding:
    """With long intervals, of all chains."""
    found = {place: statistics.jackknife(runs.rows(over_limits(place, LONG)), fall_from_best) for place in CHAINS}
    return Finding.of(highest(found), note=list_means(found, unit=" %"))


def largest_change(runs: Runs) -> Finding:
    """With long intervals and errors, among counts from four on, of all chains."""
    start = LIMITS.index(FLAT_FROM)

    def change(means: Sequence[float]) -> float:
        return 100 * (1 - min(means) / (max(means) or 1))

    rows = {place: runs.rows(over_limits(place, LONG, ERROR)[start:]) for place in CHAINS}
    found = {place: statistics.jackknife(each, change) for place, each in rows.items()}
    return Finding.of(highest(found), note=list_means(found, unit=" %"))


def best_limit(runs: Runs) -> Finding:
    """The count with the highest mean of throughput over its topology's best."""
    shares = np.zeros(len(LIMITS))
    each = {}
    for place in TOPOLOGIES:
        for longest in (SHORT, LONG):
            means = np.array(runs.means(over_limits(place, longest)))
            shares += means / (means.max() or 1)
            each[f"{place} 3-{longest}"] = LIMITS[int(np.argmax(means))]
    counts = {"best mean": LIMITS[int(np.argmax(shares))], "median of the bests": float(np.median(list(each.values())))}
    best = counts[runs.how.get("best count", "best mean")]
    note = ", ".join(f"{name}: {limit}" for name, limit in each.items())
    return Finding(of_means(best, len(each)), None, "", note)


def fixed_intervals(place: str, error: float = 0.0) -> list[Case]:
    """Every fixed interval."""
    return [Case(place, longest=longest, limit=LIMIT, error=error) for longest in INTERVALS]


def adaptive_intervals(place: str, error: float = 0.0) -> list[Case]:
    """Every interval that changes with the load."""
    return [Case(place, longest=SHORT, loaded=loaded, limit=LIMIT, error=error) for loaded in CHANGING]


@measuring
def best_fixed(runs: Runs, places: Sequence[str], error: float) -> Finding:
    """The longest wait of the best interval, largest of the places."""
    found = {place: best_of(INTERVALS, fixed_intervals(place, error), runs) for place in places}
    note = ", ".join(f"{place} 3-{best}" for place, best in found.items())
    return Finding(of_means(max(found.values()), len(INTERVALS)), None, "", note)


def best_over_best(means: Sequence[float]) -> float:
    """Of the changing intervals over the fixed ones."""
    return percent_gain(max(means[: len(CHANGING)]), max(means[len(CHANGING) :]))


def changing_gain(runs: Runs, place: str, error: float = 0.0) -> Interval:
    """The gain of the best changing interval over the best fixed one."""
    return statistics.jackknife(
        runs.rows([*adaptive_intervals(place, error), *fixed_intervals(place, error)]), best_over_best
    )


@measuring
def gain_of_changing(runs: Runs, place: str, error: float = 0.0) -> Finding:
    """The same with what it consists of."""
    value = changing_gain(runs, place, error)
    mine, theirs = runs.means(adaptive_intervals(place, error)), runs.means(fixed_intervals(place, error))
    note = (
        f"3-5 to 3-{CHANGING[int(np.argmax(mine))]}: {max(mine):.4f} against "
        f"3-{INTERVALS[int(np.argmax(theirs))]}: {max(theirs):.4f} packets per slot"
    )
    return Finding(value, is_sure(value), "the adaptive interval is significantly better", note)


def best_history(runs: Runs) -> Finding:
    """The best length of the history."""
    cases = [Case("chain 4", longest=SHORT, loaded=13, limit=LIMIT, history=history) for history in HISTORIES]
    means = runs.means(cases)
    best = HISTORIES[int(np.argmax(means))]
    note = ", ".join(f"{history}: {mean:.4f}" for history, mean in zip(HISTORIES, means, strict=True))
    extremes = [cases[int(np.argmax(means))], cases[int(np.argmin(means))]]
    lead = mean_gain(runs.rows(extremes))
    if not is_sure(lead):
        note += f"; the best is not significantly better than the worst ({half_width(lead)} %): chance decides"
    return Finding(of_means(best, len(HISTORIES)), None, "", note)


@measuring
def gains_more(runs: Runs, place: str, other: str, error: float = 0.0, other_error: float = 0.0) -> Interval:
    """The gain of changing intervals at one place less that at another."""
    mine = [*adaptive_intervals(place, error), *fixed_intervals(place, error)]
    rows = runs.rows([*mine, *adaptive_intervals(other, other_error), *fixed_intervals(other, other_error)])
    half = len(mine)
    return statistics.jackknife(rows, lambda means: best_over_best(means[:half]) - best_over_best(means[half:]))


@measuring
def least(runs: Runs, found: Mapping[str, Callable[[Runs], Interval]], gains_at: Sequence[str] = ()) -> Finding:
    """That which reaches furthest down; the note has the gains of changing intervals at some places."""
    made = {name: each(runs) for name, each in found.items()}
    note = list_means(made)
    gains = {place: changing_gain(runs, place).mean for place in gains_at}
    if gains:
        note += "; " + ", ".join(f"{place} {gain:.1f} %" for place, gain in gains.items())
        note += "" if any(gain > 0 for gain in gains.values()) else ": a gain at neither, a lesser loss"
    return Finding.of(lowest(made), note=note)


@measuring
def lost_to_errors(runs: Runs, place: str, cases: Callable[[str, float], list[Case]]) -> Interval:
    """By how many per cent the best throughput is less with errors."""
    without = cases(place, 0.0)
    rows = runs.rows([*without, *cases(place, ERROR)])
    half = len(without)
    return statistics.jackknife(rows, lambda means: 100 * (1 - max(means[half:]) / (max(means[:half]) or 1)))
