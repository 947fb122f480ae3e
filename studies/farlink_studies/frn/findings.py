"""How every claim of the thesis is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.comparisons import (
    is_sure,
    list_means,
    lowest,
    mean_difference,
    mean_gain,
    percent_gain,
    rank_correlation,
)
from farlink.studies.measures import find_each, measuring
from farlink.studies.verdict import Finding

from farlink_studies.frn.retries import (
    CHAINS,
    ERROR,
    SHORT,
    Find,
    adaptive_intervals,
    best_fixed,
    best_history,
    best_limit,
    best_limits,
    fixed_intervals,
    gain_of_changing,
    gains_more,
    largest_change,
    largest_fall,
    least,
    lost_to_errors,
    of_means,
)
from farlink_studies.frn.runs import HOPS, INTERVALS, LOADS, MODES, Case, Runs

BETTER = "combined frames are significantly better"


def combined_then_plain_cases(place: str, is_delayed: bool) -> list[Case]:
    """Combined frames at every interval, then plain ones."""
    return [Case(place, combined, is_delayed, longest) for combined in (True, False) for longest in INTERVALS]


def at_best(means: Sequence[float]) -> float:
    """The gain of the first half over the second, where the first half is largest, in per cent."""
    half = len(means) // 2
    best = int(np.argmax(means[:half]))
    return percent_gain(means[best], means[half + best])


def of_the_bests(means: Sequence[float]) -> float:
    """The gain of the best of the first half over the best of the second, in per cent."""
    half = len(means) // 2
    return percent_gain(max(means[:half]), max(means[half:]))


def largest_at_any(means: Sequence[float]) -> float:
    """The largest gain of the first half over the second at the same place, in per cent."""
    half = len(means) // 2
    return max(map(percent_gain, means[:half], means[half:]))


GAINS = {"at the best of combined frames": at_best, "of the two bests": of_the_bests, "largest": largest_at_any}
"""Readings of the gain of combined frames over all intervals."""


def combined_gain(runs: Runs, place: str, is_delayed: bool) -> Interval:
    """Of combined frames over all intervals."""
    gain = GAINS[runs.how.get("gain of combining", "at the best of combined frames")]
    return statistics.jackknife(runs.rows(combined_then_plain_cases(place, is_delayed)), gain)


@measuring
def gain_of_combining(runs: Runs, place: str, is_delayed: bool) -> Finding:
    """The same with what it consists of."""
    value = combined_gain(runs, place, is_delayed)
    means = runs.means(combined_then_plain_cases(place, is_delayed))
    best = int(np.argmax(means[: len(INTERVALS)]))
    note = f"at 3-{INTERVALS[best]}: {means[best]:.4f} against {means[len(INTERVALS) + best]:.4f} packets per slot"
    return Finding(value, is_sure(value), BETTER, note)


@measuring
def best_interval(runs: Runs, is_delayed: bool) -> Finding:
    """The longest wait of the best interval of combined frames on the short chain."""
    means = runs.means(combined_then_plain_cases("chain 4", is_delayed)[: len(INTERVALS)])
    listed = ", ".join(f"3-{longest} {mean:.4f}" for longest, mean in zip(INTERVALS, means, strict=True))
    best = INTERVALS[int(np.argmax(means))]
    is_inside = best not in (INTERVALS[0], INTERVALS[-1])
    return Finding(of_means(best, 1), is_inside, "it is neither the shortest nor the longest", listed)


def delayed_is_better(runs: Runs) -> Finding:
    """At how many intervals delayed ACKs are better, the lesser number of combined and plain frames."""
    on, off = (runs.means(combined_then_plain_cases("chain 4", is_delayed)) for is_delayed in (True, False))
    wins = [a > b for a, b in zip(on, off, strict=True)]
    half = len(INTERVALS)
    counts = [sum(wins[:half]), sum(wins[half:])]
    note = f"{counts[0]} with combined, {counts[1]} with plain frames"
    return Finding(of_means(min(counts), half), sum(on) > sum(off), "they are better in the mean of all", note)


def rises_then_falls(runs: Runs) -> Finding:
    """By how much the best interval exceeds the nearer end, least of four curves."""
    half = len(INTERVALS)
    found = {}
    for mode, is_delayed in MODES.items():
        rows = runs.rows(combined_then_plain_cases("chain 4", is_delayed))
        for name, start in (("combined", 0), ("plain", half)):
            curve = [row[start : start + half] for row in rows]
            found[f"{name}, {mode}"] = statistics.jackknife(
                curve, lambda means: percent_gain(max(means), max(means[0], means[-1]))
            )
    return Finding.of(lowest(found), note=list_means(found, unit=" %"))


def chain_gains_more(runs: Runs) -> Finding:
    """The gain on the chain less that on the cross."""
    half = 2 * len(INTERVALS)
    rows = runs.rows([each for place in ("chain 4", "cross 4") for each in combined_then_plain_cases(place, False)])
    gain = GAINS[runs.how.get("gain of combining", "at the best of combined frames")]
    return Finding(statistics.jackknife(rows, lambda means: gain(means[:half]) - gain(means[half:])))


def random_gains(runs: Runs, load: int, is_delayed: bool) -> list[float]:
    """The gain of each random pattern."""
    found = []
    for place in runs.patterns(load):
        mine, theirs = runs.means(Case(place, combined, is_delayed) for combined in (True, False))
        found.append(percent_gain(mine, theirs))
    return found


@measuring
def random_gain(runs: Runs, load: int, is_delayed: bool) -> Finding:
    """The mean over the patterns."""
    gains = random_gains(runs, load, is_delayed)
    value = runs.interval(gains)
    note = f"{sum(gain > 0 for gain in gains)} of {len(gains)} patterns gain"
    return Finding(value, is_sure(value), BETTER, note)


def falls_with_load(runs: Runs) -> Finding:
    """The least fall from load to load."""
    falls, ends = {}, []
    for mode, is_delayed in MODES.items():
        gains = {load: random_gains(runs, load, is_delayed) for load in LOADS}
        for less, more in pairwise(LOADS):
            falls[f"{less} to {more}, {mode}"] = mean_difference(gains[less], gains[more])
        ends.append(mean_difference(gains[LOADS[0]], gains[LOADS[-1]]))
    coarser = f"it falls from {LOADS[0]} to {LOADS[-1]} significantly"
    return Finding.of(lowest(falls), all(is_sure(each) for each in ends), coarser, list_means(falls))


def more_without_delay(runs: Runs) -> Finding:
    """The gain without delayed ACKs less that with them, least of the loads."""
    found = {}
    for load in LOADS:
        off, on = (random_gains(runs, load, is_delayed) for is_delayed in (False, True))
        found[f"{load} connections"] = runs.interval([a - b for a, b in zip(off, on, strict=True)])
    return Finding.of(lowest(found), note=list_means(found))


def gains_of_chains(runs: Runs, is_delayed: bool) -> list[Interval]:
    """Of combined frames at 3-17, of every length."""
    pairs = ([Case(f"chain {hops}", combined, is_delayed) for combined in (True, False)] for hops in HOPS)
    return [mean_gain(runs.rows(pair)) for pair in pairs]


def correlation_of_hops_and_gain(means: Sequence[float]) -> float:
    """Of hops and gain, by rank; combined and plain frames in turn, for every length."""
    gains = [percent_gain(combined, plain) for combined, plain in zip(means[::2], means[1::2], strict=True)]
    return rank_correlation(HOPS, gains)


def less_over_more_hops(runs: Runs) -> Finding:
    """The rank correlation of hops and gain, larger of the two modes."""
    found, note = [], []
    for mode, is_delayed in MODES.items():
        cases = [Case(f"chain {hops}", combined, is_delayed) for hops in HOPS for combined in (True, False)]
        found.append(statistics.jackknife(runs.rows(cases), correlation_of_hops_and_gain))
        gains = ", ".join(f"{each.mean:.0f}" for each in gains_of_chains(runs, is_delayed))
        note.append(f"{mode}: {gains} % over {HOPS[0]} to {HOPS[-1]} hops")
    return Finding(max(found, key=lambda each: each.mean), None, "", "; ".join(note))


def gain_of_longest(runs: Runs) -> Finding:
    """Over twelve hops, lesser of the two modes."""
    found = {mode: gains_of_chains(runs, is_delayed)[-1] for mode, is_delayed in MODES.items()}
    weakest = lowest(found)
    return Finding.of(weakest, is_sure(weakest.value), BETTER, list_means(found, unit=" %"))


def largest_gain(runs: Runs) -> Finding:
    """Of all topologies."""
    found = {
        f"{place}, {mode}": combined_gain(runs, place, is_delayed)
        for place in ("chain 4", "cross 4", "mesh")
        for mode, is_delayed in MODES.items()
    }
    for mode, is_delayed in MODES.items():
        for hops, value in zip(HOPS, gains_of_chains(runs, is_delayed), strict=True):
            found[f"chain {hops} at 3-17, {mode}"] = value
    name, value = max(found.items(), key=lambda each: each[1].mean)
    return Finding(value, is_sure(value), "some significant gain", name)


def least_gain_at_most_load(runs: Runs) -> Finding:
    """Of nine connections, lesser of the two modes."""
    weakest = lowest(
        {mode: runs.interval(random_gains(runs, LOADS[-1], is_delayed)) for mode, is_delayed in MODES.items()}
    )
    return Finding.of(weakest, is_sure(weakest.value), BETTER)


MEASURES: Mapping[str, Find] = {
    "F-01": gain_of_combining("chain 4", False),
    "F-02": best_interval(False),
    "F-03": gain_of_combining("chain 4", True),
    "F-04": best_interval(True),
    "F-05": delayed_is_better,
    "F-06": rises_then_falls,
    "F-07": gain_of_combining("cross 4", False),
    "F-08": gain_of_combining("cross 4", True),
    "F-09": chain_gains_more,
    "F-10": gain_of_combining("mesh", False),
    "F-11": gain_of_combining("mesh", True),
    "F-12": random_gain(3, False),
    "F-13": random_gain(3, True),
    "F-14": random_gain(6, False),
    "F-15": random_gain(6, True),
    "F-16": random_gain(9, False),
    "F-17": random_gain(9, True),
    "F-18": falls_with_load,
    "F-19": more_without_delay,
    "F-20": less_over_more_hops,
    "F-21": gain_of_longest,
    "F-22": largest_gain,
    "F-23": least_gain_at_most_load,
    "F-30": best_limits(("chain 6", "chain 8"), SHORT, 0.0),
    "F-31": largest_fall,
    "F-32": best_limits(CHAINS, SHORT, ERROR),
    "F-33": largest_change,
    "F-34": best_limit,
    "F-35": best_fixed(CHAINS, 0.0),
    "F-36": best_fixed(("chain 8",), ERROR),
    "F-40": gain_of_changing("chain 4"),
    "F-41": gain_of_changing("chain 8"),
    "F-42": gain_of_changing("cross 4"),
    "F-43": gain_of_changing("cross 8"),
    "F-44": gain_of_changing("mesh"),
    "F-45": gain_of_changing("chain 8", ERROR),
    "F-46": gain_of_changing("mesh", ERROR),
    "F-47": best_history,
    "F-48": least({"8 less 4 hops": gains_more("chain 8", "chain 4")}, ("chain 8", "chain 4")),
    "F-49": least({"mesh": gains_more("mesh", "chain 4"), "cross 8": gains_more("cross 8", "chain 4")}),
    "F-50": least({place: gains_more(place, place, 0.0, ERROR) for place in ("chain 8", "mesh")}),
    "F-51": least(
        {
            f"{place}, {name}": lost_to_errors(place, cases)
            for place in ("chain 8", "mesh")
            for name, cases in (("fixed", fixed_intervals), ("changing", adaptive_intervals))
        }
    ),
}


def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
    """The finding for every claim that these runs can measure.

    `gain of combining`: a key of `GAINS`; `best count`: `best mean` or `median of the bests`.
    """
    return find_each(MEASURES, runs.read_as(reading))
