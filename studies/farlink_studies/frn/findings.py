"""How every claim of the thesis is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import hypot

import numpy as np
from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.comparisons import lowest
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding
from farlink.studies.written import interval

from farlink_studies.frn.measuring import Find, Measure, best_of, is_sure, of_means, percent_gain
from farlink_studies.frn.retries import (
    CHAINS,
    ERROR,
    SHORT,
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
)
from farlink_studies.frn.runs import HOPS, INTERVALS, LOADS, MODES, Case, Runs


def combined_then_plain_cases(place: str, *, is_delayed: bool) -> list[Case]:
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


def combined_gain(runs: Runs, place: str, *, is_delayed: bool) -> Interval:
    """Of combined frames over all intervals."""
    gain = GAINS[runs.how.get("gain of combining", "at the best of combined frames")]
    return statistics.jackknife(runs.rows(combined_then_plain_cases(place, is_delayed=is_delayed)), gain)


def gain_of_combining(place: str, *, is_delayed: bool) -> Find:
    """The same with what it consists of."""

    def find(runs: Runs) -> Finding:
        value = combined_gain(runs, place, is_delayed=is_delayed)
        means = runs.means(combined_then_plain_cases(place, is_delayed=is_delayed))
        best = int(np.argmax(means[: len(INTERVALS)]))
        note = f"at 3-{INTERVALS[best]}: {means[best]:.4f} against {means[len(INTERVALS) + best]:.4f} packets per slot"
        return Finding(value, is_sure(value), "combined frames are significantly better", note)

    return find


def best_interval(*, is_delayed: bool) -> Find:
    """The longest wait of the best interval of combined frames on the short chain."""

    def find(runs: Runs) -> Finding:
        cases = combined_then_plain_cases("chain 4", is_delayed=is_delayed)[: len(INTERVALS)]
        means = runs.means(cases)
        listed = ", ".join(f"3-{longest} {mean:.4f}" for longest, mean in zip(INTERVALS, means, strict=True))
        best = best_of(INTERVALS, cases, runs)
        is_inside = best not in (INTERVALS[0], INTERVALS[-1])
        return Finding(of_means(best, 1), is_inside, "it is neither the shortest nor the longest", listed)

    return find


def delayed_is_better(runs: Runs) -> Finding:
    """At how many intervals delayed ACKs are better, the lesser number of combined and plain frames."""
    on, off = (runs.means(combined_then_plain_cases("chain 4", is_delayed=is_delayed)) for is_delayed in (True, False))
    wins = [a > b for a, b in zip(on, off, strict=True)]
    half = len(INTERVALS)
    counts = [sum(wins[:half]), sum(wins[half:])]
    note = f"{counts[0]} with combined, {counts[1]} with plain frames"
    better = sum(on) > sum(off)
    return Finding(of_means(min(counts), half), better, "they are better in the mean of all", note)


def rises_then_falls(runs: Runs) -> Finding:
    """By how much the best interval exceeds the nearer end, least of four curves."""
    half = len(INTERVALS)
    found = {}
    for mode, is_delayed in MODES.items():
        rows = runs.rows(combined_then_plain_cases("chain 4", is_delayed=is_delayed))
        for name, start in (("combined", 0), ("plain", half)):
            curve = [row[start : start + half] for row in rows]
            found[f"{name}, {mode}"] = statistics.jackknife(
                curve, lambda means: percent_gain(max(means), max(means[0], means[-1]))
            )
    weakest = lowest(found)
    note = ", ".join(f"{name} {each.mean:.1f} %" for name, each in found.items())
    return Finding(weakest.value, None, "", note, weakest.mean)


def chain_gains_more(runs: Runs) -> Finding:
    """The gain on the chain less that on the cross."""
    half = 2 * len(INTERVALS)
    rows = runs.rows(
        [
            *combined_then_plain_cases("chain 4", is_delayed=False),
            *combined_then_plain_cases("cross 4", is_delayed=False),
        ]
    )
    gain = GAINS[runs.how.get("gain of combining", "at the best of combined frames")]
    return Finding(statistics.jackknife(rows, lambda means: gain(means[:half]) - gain(means[half:])))


def random_gains(runs: Runs, load: int, *, is_delayed: bool) -> list[float]:
    """The gain of each random pattern."""
    found = []
    for place in runs.patterns(load):
        mine, theirs = runs.means(Case(place, combined, is_delayed) for combined in (True, False))
        found.append(percent_gain(mine, theirs))
    return found


def random_gain(load: int, *, is_delayed: bool) -> Find:
    """The mean over the patterns."""

    def find(runs: Runs) -> Finding:
        gains = random_gains(runs, load, is_delayed=is_delayed)
        value = interval(gains)
        note = f"{sum(gain > 0 for gain in gains)} of {len(gains)} patterns gain"
        return Finding(value, is_sure(value), "combined frames are significantly better", note)

    return find


def mean_difference(first: Sequence[float], second: Sequence[float]) -> Interval:
    """By how much the mean of the first exceeds that of the second; they have nothing in common."""
    ours, theirs = (statistics.estimate(values) for values in (first, second))
    assert ours is not None and theirs is not None, "every case has a run"
    width = hypot(ours.half_width or 0.0, theirs.half_width or 0.0)
    mean = ours.mean - theirs.mean
    return Interval(mean, mean - width, mean + width, len(first), "t")


def falls_with_load(runs: Runs) -> Finding:
    """The least fall from load to load."""
    falls, ends = {}, []
    for mode, is_delayed in MODES.items():
        gains = [random_gains(runs, load, is_delayed=is_delayed) for load in LOADS]
        for (less, lower), (more, higher) in zip(
            list(zip(LOADS, gains, strict=True))[:-1], list(zip(LOADS, gains, strict=True))[1:], strict=True
        ):
            falls[f"{less} to {more}, {mode}"] = mean_difference(lower, higher)
        ends.append(mean_difference(gains[0], gains[-1]))
    note = ", ".join(f"{name} {each.mean:.1f}" for name, each in falls.items())
    coarser = f"it falls from {LOADS[0]} to {LOADS[-1]} significantly"
    weakest = lowest(falls)
    return Finding(weakest.value, all(is_sure(each) for each in ends), coarser, note, weakest.mean)


def more_without_delay(runs: Runs) -> Finding:
    """The gain without delayed ACKs less that with them, least of the loads."""
    found = {}
    for load in LOADS:
        off, on = (random_gains(runs, load, is_delayed=is_delayed) for is_delayed in (False, True))
        found[f"{load} connections"] = interval([a - b for a, b in zip(off, on, strict=True)])
    note = ", ".join(f"{name} {each.mean:.1f}" for name, each in found.items())
    weakest = lowest(found)
    return Finding(weakest.value, None, "", note, weakest.mean)


def gains_of_chains(runs: Runs, *, is_delayed: bool) -> list[Interval]:
    """Of combined frames at 3-17, of every length."""
    found = []
    for hops in HOPS:
        rows = runs.rows([Case(f"chain {hops}", combined, is_delayed) for combined in (True, False)])
        found.append(statistics.jackknife(rows, lambda means: percent_gain(*means)))
    return found


def correlation_of_hops_and_gain(means: Sequence[float]) -> float:
    """Of hops and gain, by rank; combined and plain frames in turn, for every length."""
    from scipy.stats import spearmanr

    gains = [percent_gain(combined, plain) for combined, plain in zip(means[::2], means[1::2], strict=True)]
    return float(spearmanr(HOPS, gains).statistic)


def less_over_more_hops(runs: Runs) -> Finding:
    """The rank correlation of hops and gain, larger of the two modes."""
    found, note = [], []
    for mode, is_delayed in MODES.items():
        cases = [Case(f"chain {hops}", combined, is_delayed) for hops in HOPS for combined in (True, False)]
        found.append(statistics.jackknife(runs.rows(cases), correlation_of_hops_and_gain))
        gains = ", ".join(f"{each.mean:.0f}" for each in gains_of_chains(runs, is_delayed=is_delayed))
        note.append(f"{mode}: {gains} % over {HOPS[0]} to {HOPS[-1]} hops")
    return Finding(max(found, key=lambda each: each.mean), None, "", "; ".join(note))


def gain_of_longest(runs: Runs) -> Finding:
    """Over twelve hops, lesser of the two modes."""
    found = {mode: gains_of_chains(runs, is_delayed=is_delayed)[-1] for mode, is_delayed in MODES.items()}
    note = ", ".join(f"{mode} {each.mean:.1f} %" for mode, each in found.items())
    weakest = lowest(found)
    coarser = "combined frames are significantly better"
    return Finding(weakest.value, is_sure(weakest.value), coarser, note, weakest.mean)


def largest_gain(runs: Runs) -> Finding:
    """Of all topologies."""
    found = {
        f"{place}, {'delayed ACKs' if is_delayed else 'ACK per packet'}": combined_gain(
            runs, place, is_delayed=is_delayed
        )
        for place in ("chain 4", "cross 4", "mesh")
        for is_delayed in (False, True)
    }
    for is_delayed in (False, True):
        for hops, value in zip(HOPS, gains_of_chains(runs, is_delayed=is_delayed), strict=True):
            found[f"chain {hops} at 3-17, {'delayed ACKs' if is_delayed else 'ACK per packet'}"] = value
    name, value = max(found.items(), key=lambda each: each[1].mean)
    return Finding(value, is_sure(value), "some significant gain", name)


def least_gain_at_most_load(runs: Runs) -> Finding:
    """Of nine connections, lesser of the two modes."""
    found = {mode: interval(random_gains(runs, LOADS[-1], is_delayed=is_delayed)) for mode, is_delayed in MODES.items()}
    weakest = lowest(found)
    return Finding(weakest.value, is_sure(weakest.value), "combined frames are significantly better", "", weakest.mean)


MEASURES: Mapping[str, Measure] = {
    "F-01": Measure(gain_of_combining("chain 4", is_delayed=False), ("chain 4",)),
    "F-02": Measure(best_interval(is_delayed=False), ("chain 4",)),
    "F-03": Measure(gain_of_combining("chain 4", is_delayed=True), ("chain 4",)),
    "F-04": Measure(best_interval(is_delayed=True), ("chain 4",)),
    "F-05": Measure(delayed_is_better, ("chain 4",)),
    "F-06": Measure(rises_then_falls, ("chain 4",)),
    "F-07": Measure(gain_of_combining("cross 4", is_delayed=False), ("cross 4",)),
    "F-08": Measure(gain_of_combining("cross 4", is_delayed=True), ("cross 4",)),
    "F-09": Measure(chain_gains_more, ("chain 4", "cross 4")),
    "F-10": Measure(gain_of_combining("mesh", is_delayed=False), ("mesh",)),
    "F-11": Measure(gain_of_combining("mesh", is_delayed=True), ("mesh",)),
    "F-12": Measure(random_gain(3, is_delayed=False)),
    "F-13": Measure(random_gain(3, is_delayed=True)),
    "F-14": Measure(random_gain(6, is_delayed=False)),
    "F-15": Measure(random_gain(6, is_delayed=True)),
    "F-16": Measure(random_gain(9, is_delayed=False)),
    "F-17": Measure(random_gain(9, is_delayed=True)),
    "F-18": Measure(falls_with_load),
    "F-19": Measure(more_without_delay),
    "F-20": Measure(less_over_more_hops),
    "F-21": Measure(gain_of_longest),
    "F-22": Measure(largest_gain),
    "F-23": Measure(least_gain_at_most_load),
    "F-30": Measure(best_limits(("chain 6", "chain 8"), SHORT, 0.0)),
    "F-31": Measure(largest_fall),
    "F-32": Measure(best_limits(CHAINS, SHORT, ERROR)),
    "F-33": Measure(largest_change),
    "F-34": Measure(best_limit),
    "F-35": Measure(best_fixed(CHAINS, 0.0)),
    "F-36": Measure(best_fixed(("chain 8",), ERROR)),
    "F-40": Measure(gain_of_changing("chain 4"), ("chain 4",)),
    "F-41": Measure(gain_of_changing("chain 8"), ("chain 8",)),
    "F-42": Measure(gain_of_changing("cross 4"), ("cross 4",)),
    "F-43": Measure(gain_of_changing("cross 8"), ("cross 8",)),
    "F-44": Measure(gain_of_changing("mesh"), ("mesh",)),
    "F-45": Measure(gain_of_changing("chain 8", ERROR), ("chain 8",)),
    "F-46": Measure(gain_of_changing("mesh", ERROR), ("mesh",)),
    "F-47": Measure(best_history, ("chain 4",)),
    "F-48": Measure(least({"8 less 4 hops": gains_more("chain 8", "chain 4")}, ("chain 8", "chain 4"))),
    "F-49": Measure(least({"mesh": gains_more("mesh", "chain 4"), "cross 8": gains_more("cross 8", "chain 4")})),
    "F-50": Measure(
        least({"chain 8": gains_more("chain 8", "chain 8", 0.0, ERROR), "mesh": gains_more("mesh", "mesh", 0.0, ERROR)})
    ),
    "F-51": Measure(
        least(
            {
                f"{place}, {name}": lost_to_errors(place, cases)
                for place in ("chain 8", "mesh")
                for name, cases in (("fixed", fixed_intervals), ("changing", adaptive_intervals))
            }
        )
    ),
}


def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
    """The finding for every claim that these runs can measure.

    `gain of combining`: a key of `GAINS`; `best count`: `best mean` or `median of the bests`.
    """
    read = runs.read_as(reading)
    found = {}
    for claim, measure in MEASURES.items():
        with suppress(MissingError):
            found[claim] = measure.find(read)
    return found
