"""How every claim of the thesis is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np

from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.frn.runs import HISTORIES, HOPS, INTERVALS, LIMITS, LOADS, Case, Runs
from farlink.studies.verdict import Finding

ERROR = 0.05
LIMIT = 4
CHAINS = ("chain 4", "chain 6", "chain 8")
TOPOLOGIES = (*CHAINS, "cross 4", "cross 8", "mesh")
CHANGING = (9, 13, 17, 21, 25)
SHORT, LONG = 5, 17
FLAT_FROM = 4
"""The count of retransmissions from which on a curve is to be flat with errors."""

Find = Callable[[Runs], Finding]


@dataclass(frozen=True)
class Measure:
    """How a claim is measured, and which places explain it when it is missed."""

    find: Find
    places: Sequence[str] = ()


def of_means(value: float, count: int) -> Interval:
    """A number that is one of the means of so many, without an interval."""
    return Interval(value, None, None, count, "of means")


def is_sure(value: Interval) -> bool:
    """Whether the whole interval lies above zero."""
    return (value.mean if value.low is None else value.low) > 0


def lowest(found: Iterable[Interval]) -> Interval:
    """That of which the interval reaches furthest down."""
    return min(found, key=lambda each: each.mean if each.low is None else each.low)


def both(place: str, *, is_delayed: bool) -> list[Case]:
    """Combined frames at every interval, then plain ones."""
    return [Case(place, combined, is_delayed, longest) for combined in (True, False) for longest in INTERVALS]


def at_best(means: Sequence[float]) -> float:
    """The gain of the first half over the second, where the first half is largest, in per cent."""
    half = len(means) // 2
    best = int(np.argmax(means[:half]))
    return percent(means[best], means[half + best])


def percent(mine: float, theirs: float) -> float:
    """By how many per cent the one exceeds the other; 100 over nothing."""
    return 100 * (mine - theirs) / (theirs or mine or 1)


def combined_gain(runs: Runs, place: str, *, is_delayed: bool) -> Interval:
    """Of combined frames at their best interval."""
    return statistics.jackknife(runs.rows(both(place, is_delayed=is_delayed)), at_best)


def gain_of_combining(place: str, *, is_delayed: bool) -> Find:
    """The same with what it consists of."""

    def find(runs: Runs) -> Finding:
        value = combined_gain(runs, place, is_delayed=is_delayed)
        means = runs.means(both(place, is_delayed=is_delayed))
        best = int(np.argmax(means[: len(INTERVALS)]))
        note = f"at 3-{INTERVALS[best]}: {means[best]:.4f} against {means[len(INTERVALS) + best]:.4f} packets per slot"
        return Finding(value, is_sure(value), "combined frames are better for sure", note)

    return find


def best_of(xs: Sequence[int], cases: Sequence[Case], runs: Runs) -> int:
    """Where the mean is largest."""
    return xs[int(np.argmax(runs.means(cases)))]


def best_interval(*, is_delayed: bool) -> Find:
    """The longest wait of the best interval of combined frames on the short chain."""

    def find(runs: Runs) -> Finding:
        cases = both("chain 4", is_delayed=is_delayed)[: len(INTERVALS)]
        means = runs.means(cases)
        told = ", ".join(f"3-{longest} {mean:.4f}" for longest, mean in zip(INTERVALS, means, strict=True))
        best = best_of(INTERVALS, cases, runs)
        is_inside = best not in (INTERVALS[0], INTERVALS[-1])
        return Finding(of_means(best, 1), is_inside, "it is neither the shortest nor the longest", told)

    return find


def delayed_is_better(runs: Runs) -> Finding:
    """At how many intervals delayed ACKs are better, the lesser number of combined and plain frames."""
    on, off = (runs.means(both("chain 4", is_delayed=is_delayed)) for is_delayed in (True, False))
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
    for is_delayed, mode in ((False, "ACK per packet"), (True, "delayed ACKs")):
        rows = runs.rows(both("chain 4", is_delayed=is_delayed))
        for name, start in (("combined", 0), ("plain", half)):
            curve = [row[start : start + half] for row in rows]
            found[f"{name}, {mode}"] = statistics.jackknife(
                curve, lambda means: percent(max(means), max(means[0], means[-1]))
            )
    value = lowest(found.values())
    note = ", ".join(f"{name} {each.mean:.1f} %" for name, each in found.items())
    return Finding(value, None, "", note)


def chain_gains_more(runs: Runs) -> Finding:
    """The gain on the chain less that on the cross."""
    half = 2 * len(INTERVALS)
    rows = runs.rows([*both("chain 4", is_delayed=False), *both("cross 4", is_delayed=False)])
    return Finding(statistics.jackknife(rows, lambda means: at_best(means[:half]) - at_best(means[half:])))


def random_gains(runs: Runs, load: int, *, is_delayed: bool) -> list[float]:
    """The gain of each random pattern."""
    found = []
    for place in runs.patterns(load):
        mine, theirs = runs.means(Case(place, combined, is_delayed) for combined in (True, False))
        found.append(percent(mine, theirs))
    return found


def mean_of(values: Sequence[float]) -> Interval:
    """With its interval."""
    found = statistics.interval(values)
    assert found is not None, "every case has a run"
    return found


def random_gain(load: int, *, is_delayed: bool) -> Find:
    """The mean over the patterns."""

    def find(runs: Runs) -> Finding:
        gains = random_gains(runs, load, is_delayed=is_delayed)
        value = mean_of(gains)
        note = f"{sum(gain > 0 for gain in gains)} of {len(gains)} patterns gain"
        return Finding(value, is_sure(value), "combined frames are better for sure", note)

    return find


def apart(first: Sequence[float], second: Sequence[float]) -> Interval:
    """By how much the mean of the first exceeds that of the second; they have nothing in common."""
    ours, theirs = (statistics.estimate(values) for values in (first, second))
    assert ours is not None and theirs is not None, "every case has a run"
    width = hypot(ours.half_width or 0.0, theirs.half_width or 0.0)
    mean = ours.mean - theirs.mean
    return Interval(mean, mean - width, mean + width, len(first), "t")


def falls_with_load(runs: Runs) -> Finding:
    """The least fall from load to load."""
    falls, ends = {}, []
    for is_delayed, mode in ((False, "ACK per packet"), (True, "delayed ACKs")):
        gains = [random_gains(runs, load, is_delayed=is_delayed) for load in LOADS]
        for (less, lower), (more, higher) in zip(
            list(zip(LOADS, gains, strict=True))[:-1], list(zip(LOADS, gains, strict=True))[1:], strict=True
        ):
            falls[f"{less} to {more}, {mode}"] = apart(lower, higher)
        ends.append(apart(gains[0], gains[-1]))
    note = ", ".join(f"{name} {each.mean:.1f}" for name, each in falls.items())
    coarser = f"it falls from {LOADS[0]} to {LOADS[-1]} for sure"
    return Finding(lowest(falls.values()), all(is_sure(each) for each in ends), coarser, note)


def more_without_delay(runs: Runs) -> Finding:
    """The gain without delayed ACKs less that with them, least of the loads."""
    found = {}
    for load in LOADS:
        off, on = (random_gains(runs, load, is_delayed=is_delayed) for is_delayed in (False, True))
        found[load] = mean_of([a - b for a, b in zip(off, on, strict=True)])
    note = ", ".join(f"{load} connections {each.mean:.1f}" for load, each in found.items())
    return Finding(lowest(found.values()), None, "", note)


def gains_of_chains(runs: Runs, *, is_delayed: bool) -> list[Interval]:
    """Of combined frames at 3-17, of every length."""
    found = []
    for hops in HOPS:
        rows = runs.rows([Case(f"chain {hops}", combined, is_delayed) for combined in (True, False)])
        found.append(statistics.jackknife(rows, lambda means: percent(*means)))
    return found


def less_over_more_hops(runs: Runs) -> Finding:
    """The rank correlation of hops and gain, larger of the two modes."""
    from scipy.stats import spearmanr

    found = {}
    for is_delayed, mode in ((False, "ACK per packet"), (True, "delayed ACKs")):
        gains = [each.mean for each in gains_of_chains(runs, is_delayed=is_delayed)]
        found[mode] = (float(spearmanr(HOPS, gains).statistic), gains)
    note = "; ".join(
        f"{mode}: {', '.join(f'{gain:.0f}' for gain in gains)} % over {HOPS[0]} to {HOPS[-1]} hops"
        for mode, (_, gains) in found.items()
    )
    return Finding(of_means(max(each for each, _ in found.values()), len(HOPS)), None, "", note)


def gain_of_longest(runs: Runs) -> Finding:
    """Over twelve hops, lesser of the two modes."""
    found = [gains_of_chains(runs, is_delayed=is_delayed)[-1] for is_delayed in (False, True)]
    note = f"ACK per packet {found[0].mean:.1f} %, delayed ACKs {found[1].mean:.1f} %"
    value = lowest(found)
    return Finding(value, is_sure(value), "combined frames are better for sure", note)


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
    return Finding(value, is_sure(value), "some gain for sure", name)


def least_gain_at_most_load(runs: Runs) -> Finding:
    """Of nine connections, lesser of the two modes."""
    found = [mean_of(random_gains(runs, LOADS[-1], is_delayed=is_delayed)) for is_delayed in (False, True)]
    value = lowest(found)
    return Finding(value, is_sure(value), "combined frames are better for sure")


def over_limits(place: str, longest: int, error: float = 0.0) -> list[Case]:
    """Plain frames at every count of retransmissions."""
    return [Case(place, longest=longest, limit=limit, error=error) for limit in LIMITS]


def best_limits(places: Sequence[str], longest: int, error: float) -> Find:
    """The best count, largest of the places."""

    def find(runs: Runs) -> Finding:
        found = {place: best_of(LIMITS, over_limits(place, longest, error), runs) for place in places}
        falls = [fall(runs.means(over_limits(place, longest, error))) for place in places]
        note = ", ".join(f"{place} {best}" for place, best in found.items())
        coarser = "the largest count is worse than the best by more than 10 % everywhere"
        return Finding(of_means(max(found.values()), len(LIMITS)), min(falls) > 10, coarser, note)

    return find


def fall(means: Sequence[float]) -> float:
    """From the best to the least of those after it, in per cent of the best."""
    best = int(np.argmax(means))
    return 100 * (1 - min(means[best:]) / (means[best] or 1))


def largest_fall(runs: Runs) -> Finding:
    """With long intervals, of all chains."""
    found = {place: statistics.jackknife(runs.rows(over_limits(place, LONG)), fall) for place in CHAINS}
    note = ", ".join(f"{place} {each.mean:.1f} %" for place, each in found.items())
    value = max(found.values(), key=lambda each: each.mean if each.high is None else each.high)
    return Finding(value, None, "", note)


def largest_change(runs: Runs) -> Finding:
    """With long intervals and errors, among counts from four on, of all chains."""
    start = LIMITS.index(FLAT_FROM)

    def change(means: Sequence[float]) -> float:
        return 100 * (1 - min(means) / (max(means) or 1))

    found = {
        place: statistics.jackknife(runs.rows(over_limits(place, LONG, ERROR)[start:]), change) for place in CHAINS
    }
    note = ", ".join(f"{place} {each.mean:.1f} %" for place, each in found.items())
    value = max(found.values(), key=lambda each: each.mean if each.high is None else each.high)
    return Finding(value, None, "", note)


def best_limit(runs: Runs) -> Finding:
    """The count with the highest mean of throughput over its topology's best."""
    shares = np.zeros(len(LIMITS))
    each = {}
    for place in TOPOLOGIES:
        for longest in (SHORT, LONG):
            means = np.array(runs.means(over_limits(place, longest)))
            shares += means / (means.max() or 1)
            each[f"{place} 3-{longest}"] = LIMITS[int(np.argmax(means))]
    best = LIMITS[int(np.argmax(shares))]
    note = ", ".join(f"{name}: {limit}" for name, limit in each.items())
    return Finding(of_means(best, len(each)), None, "", note)


def fixed(place: str, error: float = 0.0) -> list[Case]:
    """Every fixed interval."""
    return [Case(place, longest=longest, limit=LIMIT, error=error) for longest in INTERVALS]


def changing(place: str, error: float = 0.0) -> list[Case]:
    """Every interval that changes with the load."""
    return [Case(place, longest=SHORT, loaded=loaded, limit=LIMIT, error=error) for loaded in CHANGING]


def best_fixed(places: Sequence[str], error: float) -> Find:
    """The longest wait of the best interval, largest of the places."""

    def find(runs: Runs) -> Finding:
        found = {place: best_of(INTERVALS, fixed(place, error), runs) for place in places}
        note = ", ".join(f"{place} 3-{best}" for place, best in found.items())
        return Finding(of_means(max(found.values()), len(INTERVALS)), None, "", note)

    return find


def best_over_best(means: Sequence[float]) -> float:
    """Of the changing intervals over the fixed ones."""
    return percent(max(means[: len(CHANGING)]), max(means[len(CHANGING) :]))


def changing_gain(runs: Runs, place: str, error: float = 0.0) -> Interval:
    """The gain of the best changing interval over the best fixed one."""
    return statistics.jackknife(runs.rows([*changing(place, error), *fixed(place, error)]), best_over_best)


def gain_of_changing(place: str, error: float = 0.0) -> Find:
    """The same with what it consists of."""

    def find(runs: Runs) -> Finding:
        value = changing_gain(runs, place, error)
        mine, theirs = runs.means(changing(place, error)), runs.means(fixed(place, error))
        note = (
            f"3-5 to 3-{CHANGING[int(np.argmax(mine))]}: {max(mine):.4f} against "
            f"3-{INTERVALS[int(np.argmax(theirs))]}: {max(theirs):.4f} packets per slot"
        )
        return Finding(value, is_sure(value), "the changing interval is better for sure", note)

    return find


def best_history(runs: Runs) -> Finding:
    """The best number of tries remembered."""
    cases = [Case("chain 4", longest=SHORT, loaded=13, limit=LIMIT, history=history) for history in HISTORIES]
    means = runs.means(cases)
    best = HISTORIES[int(np.argmax(means))]
    note = ", ".join(f"{history}: {mean:.4f}" for history, mean in zip(HISTORIES, means, strict=True))
    return Finding(of_means(best, len(HISTORIES)), None, "", note)


def gains_more(place: str, other: str, error: float = 0.0, other_error: float = 0.0) -> Callable[[Runs], Interval]:
    """The gain of changing intervals at one place less that at another."""

    def find(runs: Runs) -> Interval:
        mine = [*changing(place, error), *fixed(place, error)]
        rows = runs.rows([*mine, *changing(other, other_error), *fixed(other, other_error)])
        half = len(mine)
        return statistics.jackknife(rows, lambda means: best_over_best(means[:half]) - best_over_best(means[half:]))

    return find


def least(found: Mapping[str, Callable[[Runs], Interval]]) -> Find:
    """That which reaches furthest down."""

    def find(runs: Runs) -> Finding:
        made = {name: each(runs) for name, each in found.items()}
        note = ", ".join(f"{name} {each.mean:.1f}" for name, each in made.items())
        return Finding(lowest(made.values()), None, "", note)

    return find


def lost_to_errors(place: str, cases: Callable[[str, float], list[Case]]) -> Callable[[Runs], Interval]:
    """By how many per cent the best throughput is less with errors."""

    def find(runs: Runs) -> Interval:
        without = cases(place, 0.0)
        rows = runs.rows([*without, *cases(place, ERROR)])
        half = len(without)
        return statistics.jackknife(rows, lambda means: 100 * (1 - max(means[half:]) / (max(means[:half]) or 1)))

    return find


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
    "F-48": Measure(least({"8 less 4 hops": gains_more("chain 8", "chain 4")})),
    "F-49": Measure(least({"mesh": gains_more("mesh", "chain 4"), "cross 8": gains_more("cross 8", "chain 4")})),
    "F-50": Measure(
        least(
            {
                "chain 8": gains_more("chain 8", "chain 8", 0.0, ERROR),
                "mesh": gains_more("mesh", "mesh", 0.0, ERROR),
            }
        )
    ),
    "F-51": Measure(
        least(
            {
                f"{place}, {name}": lost_to_errors(place, cases)
                for place in ("chain 8", "mesh")
                for name, cases in (("fixed", fixed), ("changing", changing))
            }
        )
    ),
}
