"""A finding for every claim of the paper, from runs: Farlink's, ns-2's, or those of another setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.intervals import judged
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding

from farlink_studies.satellite.runs import BySeed, Case, Runs

WESTWOOD, HYBLA, ENHANCED = "westwood", "hybla", "enhanced_hybla"
NAMES = {
    WESTWOOD: "Westwood",
    HYBLA: "Hybla",
    ENHANCED: "Enhanced Hybla",
    "reno": "Reno",
    "cubic": "CUBIC",
    "bbr": "BBR",
}
RTTS_S = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
RATES = (1e-10, 1e-8, 1e-7, 1e-6, 1e-5)
MB = 10**6
SIZES = (50_000, 500_000, 5 * MB, 50 * MB, 100 * MB, 500 * MB, 1000 * MB, 2000 * MB)
PEAK = 90.0
"""Mbit/s of payload that count as the peak of the link."""


@dataclass(frozen=True)
class Measure:
    """How a claim is measured, and which case explains it when it is missed."""

    find: Callable[[Runs], Finding]
    concerns: Case


def seed_mean(values: BySeed) -> Interval:
    """The mean over the seeds."""
    found = judged(list(values.values()))
    if found is None:
        raise MissingError("no seed")
    return found


def paired_ratio(ours: BySeed, theirs: BySeed) -> Interval:
    """The mean ratio, paired by seed; a case without random draws has one seed, which is paired with every other."""
    if len(ours) == 1 or len(theirs) == 1:
        pairs = [(one, other) for one in ours.values() for other in theirs.values()]
    else:
        pairs = [(ours[seed], theirs[seed]) for seed in ours if seed in theirs]
    found = statistics.ratio([one for one, _ in pairs], [other for _, other in pairs], judged)
    if found is None:
        raise MissingError("no pair of positive values")
    return found


def is_larger(ours: BySeed, theirs: BySeed) -> bool:
    """Whether the first are larger significantly: the whole interval of the ratio is above 1."""
    found = paired_ratio(ours, theirs)
    return (found.mean if found.low is None else found.low) > 1


def smallest_mean(found: Iterable[Interval]) -> Interval:
    """The one with the smallest mean."""
    return min(found, key=lambda each: each.mean)


def farthest_from(found: Iterable[Interval], goal: float) -> Interval:
    """The one farthest from a goal."""
    return max(found, key=lambda each: abs(each.mean - goal))


def least_step(steps: Iterable[BySeed]) -> Interval:
    """The smallest ratio of one step to the next: above 1 where all fall."""
    return smallest_mean(paired_ratio(one, following) for one, following in pairwise(steps))


def goodput_until(variant: str, rate: float, end_s: float = inf) -> Callable[[Runs], Finding]:
    """Cumulative goodput at a time, or at the end."""
    return lambda runs: Finding(seed_mean(runs.between(Case(variant, rate), 0, end_s)))


def with_coarser(
    find: Callable[[Runs], Finding], words: str, holds: Callable[[Runs], bool]
) -> Callable[[Runs], Finding]:
    """A finding with a coarser statement beside it; without the runs for that, without it."""

    def both(runs: Runs) -> Finding:
        finding = find(runs)
        try:
            return replace(finding, direction=holds(runs), coarser=words)
        except MissingError:
            return finding

    return both


def above_hybla(rate: float) -> Callable[[Runs], bool]:
    """Whether Enhanced Hybla gets more than Hybla."""
    return lambda runs: is_larger(runs.goodput(Case(ENHANCED, rate)), runs.goodput(Case(HYBLA, rate)))


def is_below(case: Case, other: Case) -> Callable[[Runs], bool]:
    """Whether a case gets less than another."""
    return lambda runs: is_larger(runs.goodput(other), runs.goodput(case))


def time_to_peak(runs: Runs) -> Finding:
    """How much longer Westwood takes."""
    times = [runs.first_time_at(Case(variant, 0), PEAK) for variant in (WESTWOOD, HYBLA)]
    return Finding(
        paired_ratio(*times), note=f"{seed_mean(times[0]).mean:.0f} s against {seed_mean(times[1]).mean:.0f} s"
    )


def ranking_ratio(runs: Runs) -> Finding:
    """The smaller of the two ratios in Enhanced > Westwood > Hybla."""
    enhanced, westwood, hybla = (runs.goodput(Case(variant, 1e-7)) for variant in (ENHANCED, WESTWOOD, HYBLA))
    return Finding(
        smallest_mean([paired_ratio(enhanced, westwood), paired_ratio(westwood, hybla)]),
        is_larger(enhanced, westwood) and is_larger(enhanced, hybla),
        "Enhanced Hybla is first",
    )


def slow_start_up(runs: Runs) -> Finding:
    """Goodput of the first 100 s over the later goodput: at BER 1e-6 over BER 1e-5."""

    def start(rate: float) -> BySeed:
        early, late = (runs.between(Case(ENHANCED, rate), *span) for span in ((0, 100), (200, inf)))
        return {seed: early[seed] / late[seed] for seed in early}

    return Finding(paired_ratio(start(1e-6), start(1e-5)), note="goodput of the first 100 s over the later goodput")


def goodput_spread(runs: Runs) -> Finding:
    """Largest over smallest goodput, seed by seed."""
    found = [runs.goodput(Case(ENHANCED, 1e-8, rtt)) for rtt in runs.round_trips(ENHANCED, 1e-8)]
    spread = {seed: max(each[seed] for each in found) / min(each[seed] for each in found) for seed in found[0]}
    falls = paired_ratio(runs.goodput(Case(WESTWOOD, 1e-8, 0.1)), runs.goodput(Case(WESTWOOD, 1e-8)))
    return Finding(
        seed_mean(spread),
        seed_mean(spread).mean < falls.mean,
        f"flatter than Westwood, which falls {falls.mean:.1f} times",
    )


def over_rtt(runs: Runs) -> Finding:
    """Hybla's goodput farthest from 50 Mbit/s."""
    found = [runs.goodput(Case(HYBLA, 1e-8, rtt)) for rtt in runs.round_trips(HYBLA, 1e-8)]
    return Finding(farthest_from(map(seed_mean, found), 50))


def westwood_falls(runs: Runs) -> Finding:
    """Westwood's goodput over the round trip."""
    found = [runs.goodput(Case(WESTWOOD, 1e-8, rtt)) for rtt in runs.round_trips(WESTWOOD, 1e-8)]
    return Finding(least_step(found), is_larger(found[0], found[-1]), "less at 600 ms than at 100 ms")


def few_errors(runs: Runs) -> Finding:
    """Enhanced Hybla over Hybla, farthest from 1."""
    found = (paired_ratio(runs.goodput(Case(ENHANCED, rate)), runs.goodput(Case(HYBLA, rate))) for rate in (0, 1e-10))
    return Finding(farthest_from(found, 1))


def both_degrade(runs: Runs) -> Finding:
    """The slowest step down of Hybla and Westwood over the error rate."""
    steps = {variant: [runs.goodput(Case(variant, rate)) for rate in RATES] for variant in (WESTWOOD, HYBLA)}
    holds = all(is_larger(each[0], each[-1]) for each in steps.values())
    return Finding(smallest_mean(map(least_step, steps.values())), holds, "less at 1e-5 than at 1e-10")


def enhanced_stays(runs: Runs) -> Finding:
    """The worst goodput of Enhanced Hybla up to 1e-6 over that without errors."""
    clean = runs.goodput(Case(ENHANCED, 0))
    worst = smallest_mean(paired_ratio(runs.goodput(Case(ENHANCED, rate)), clean) for rate in RATES[:-1])
    hybla = paired_ratio(runs.goodput(Case(HYBLA, 1e-6)), runs.goodput(Case(HYBLA, 0)))
    return Finding(worst, worst.mean > hybla.mean, f"falls less than Hybla, which keeps {hybla.mean:.2g}")


def larger_is_better(runs: Runs) -> Finding:
    """The slowest step up over the file size."""
    found = []
    for variant in (WESTWOOD, HYBLA, ENHANCED):
        sizes = [runs.goodput(Case(variant, 0, size_bytes=size)) for size in reversed(SIZES)]
        found.append((least_step(sizes), is_larger(sizes[0], sizes[-1])))
    return Finding(
        smallest_mean(each for each, _ in found), all(holds for _, holds in found), "2 GB do better than 50 kB"
    )


def file_goodputs(
    variants: Iterable[str], rate: float, sizes: Iterable[int], pick: Callable[[list[Interval]], Interval]
) -> Callable[[Runs], Finding]:
    """One number for several files; says where one was not finished."""
    cases = [Case(variant, rate, size_bytes=size) for variant in variants for size in sizes]

    def find(runs: Runs) -> Finding:
        cut = sum(runs.is_censored(case) for case in cases)
        note = f"{cut} of {len(cases)} sizes not finished within 4000 s" if cut else ""
        return Finding(pick([seed_mean(runs.goodput(case)) for case in cases]), note=note)

    return find


def same_files(runs: Runs) -> Finding:
    """Enhanced Hybla's files at 1e-8 over those without errors, farthest from 1."""
    return Finding(farthest_from([_goodput_kept(runs, ENHANCED, size) for size in SIZES], 1))


def loses_less_than_hybla(runs: Runs) -> bool:
    """Whether Enhanced Hybla's worst file keeps more of its goodput than Hybla's largest."""
    return same_files(runs).value.mean > _goodput_kept(runs, HYBLA, SIZES[-1]).mean


def _goodput_kept(runs: Runs, variant: str, size: int) -> Interval:
    return paired_ratio(*(runs.goodput(Case(variant, rate, size_bytes=size)) for rate in (1e-8, 0)))


def smallest_case(found: list[Interval]) -> Interval:
    """The smallest."""
    return smallest_mean(found)


def largest_case(found: list[Interval]) -> Interval:
    """The largest."""
    return max(found, key=lambda each: each.mean)


def from_goal(goal: float) -> Callable[[list[Interval]], Interval]:
    """The one farthest from what was published."""
    return lambda found: farthest_from(found, goal)


LARGE = SIZES[-3:]
MEASURES = {
    "S-01": Measure(goodput_until(HYBLA, 0, 100), Case(HYBLA, 0)),
    "S-02": Measure(
        lambda runs: Finding(paired_ratio(runs.goodput(Case(ENHANCED, 0)), runs.goodput(Case(HYBLA, 0)))),
        Case(ENHANCED, 0),
    ),
    "S-03": Measure(time_to_peak, Case(WESTWOOD, 0)),
    "S-04": Measure(goodput_until(WESTWOOD, 1e-8), Case(WESTWOOD, 1e-8)),
    "S-05": Measure(goodput_until(HYBLA, 1e-8), Case(HYBLA, 1e-8)),
    "S-06": Measure(
        with_coarser(goodput_until(ENHANCED, 1e-8), "more than Hybla", above_hybla(1e-8)), Case(ENHANCED, 1e-8)
    ),
    "S-07": Measure(
        with_coarser(
            goodput_until(WESTWOOD, 1e-7), "less than at 1e-8", is_below(Case(WESTWOOD, 1e-7), Case(WESTWOOD, 1e-8))
        ),
        Case(WESTWOOD, 1e-7),
    ),
    "S-08": Measure(goodput_until(HYBLA, 1e-7), Case(HYBLA, 1e-7)),
    "S-09": Measure(
        with_coarser(goodput_until(ENHANCED, 1e-7), "more than Hybla", above_hybla(1e-7)), Case(ENHANCED, 1e-7)
    ),
    "S-10": Measure(ranking_ratio, Case(WESTWOOD, 1e-7)),
    "S-11": Measure(goodput_until(WESTWOOD, 1e-6), Case(WESTWOOD, 1e-6)),
    "S-12": Measure(
        with_coarser(goodput_until(ENHANCED, 1e-6, 200), "more than Hybla", above_hybla(1e-6)), Case(ENHANCED, 1e-6)
    ),
    "S-13": Measure(
        with_coarser(
            lambda runs: Finding(paired_ratio(runs.goodput(Case(ENHANCED, 1e-6)), runs.goodput(Case(HYBLA, 1e-6)))),
            "more than Hybla",
            above_hybla(1e-6),
        ),
        Case(ENHANCED, 1e-6),
    ),
    "S-14": Measure(goodput_until(WESTWOOD, 1e-5), Case(WESTWOOD, 1e-5)),
    "S-15": Measure(goodput_until(HYBLA, 1e-5), Case(HYBLA, 1e-5)),
    "S-16": Measure(
        with_coarser(
            lambda runs: Finding(seed_mean(runs.between(Case(ENHANCED, 1e-5), 200, inf)), note="from 200 s to the end"),
            "more than Hybla",
            above_hybla(1e-5),
        ),
        Case(ENHANCED, 1e-5),
    ),
    "S-17": Measure(slow_start_up, Case(ENHANCED, 1e-5)),
    "S-18": Measure(goodput_spread, Case(ENHANCED, 1e-8)),
    "S-19": Measure(over_rtt, Case(HYBLA, 1e-8)),
    "S-20": Measure(westwood_falls, Case(WESTWOOD, 1e-8)),
    "S-21": Measure(few_errors, Case(ENHANCED, 1e-10)),
    "S-22": Measure(both_degrade, Case(HYBLA, 1e-8)),
    "S-23": Measure(enhanced_stays, Case(ENHANCED, 1e-6)),
    "S-24": Measure(larger_is_better, Case(WESTWOOD, 0)),
    "S-25": Measure(file_goodputs([WESTWOOD], 0, SIZES[-1:], smallest_case), Case(WESTWOOD, 0)),
    "S-26": Measure(file_goodputs([HYBLA, ENHANCED], 0, LARGE, smallest_case), Case(ENHANCED, 0)),
    "S-27": Measure(
        with_coarser(
            file_goodputs([WESTWOOD], 1e-8, SIZES, largest_case),
            "less than without errors",
            is_below(Case(WESTWOOD, 1e-8, size_bytes=SIZES[-1]), Case(WESTWOOD, 0, size_bytes=SIZES[-1])),
        ),
        Case(WESTWOOD, 1e-8),
    ),
    "S-28": Measure(file_goodputs([HYBLA], 1e-8, [100 * MB], smallest_case), Case(HYBLA, 1e-8)),
    "S-29": Measure(file_goodputs([HYBLA], 1e-8, [500 * MB], smallest_case), Case(HYBLA, 1e-8)),
    "S-30": Measure(file_goodputs([HYBLA], 1e-8, SIZES[-2:], from_goal(50)), Case(HYBLA, 1e-8)),
    "S-31": Measure(
        with_coarser(same_files, "loses less than Hybla at 2 GB", loses_less_than_hybla), Case(ENHANCED, 1e-8)
    ),
    "S-32": Measure(
        with_coarser(
            file_goodputs([WESTWOOD], 1e-7, SIZES[-1:], smallest_case),
            "less than at 1e-8",
            is_below(Case(WESTWOOD, 1e-7, size_bytes=SIZES[-1]), Case(WESTWOOD, 1e-8, size_bytes=SIZES[-1])),
        ),
        Case(WESTWOOD, 1e-7),
    ),
    "S-33": Measure(file_goodputs([HYBLA], 1e-7, SIZES[-4:], from_goal(11)), Case(HYBLA, 1e-7)),
    "S-34": Measure(
        with_coarser(
            file_goodputs([ENHANCED], 1e-7, LARGE, smallest_case),
            "more than Hybla",
            lambda runs: is_larger(
                *(runs.goodput(Case(each, 1e-7, size_bytes=LARGE[0])) for each in (ENHANCED, HYBLA))
            ),
        ),
        Case(ENHANCED, 1e-7),
    ),
}
"""By the claim's number."""


def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
    """The finding for every claim that these runs can measure; `goodput` counts `payload` or whole `packets`."""
    counted = runs.of_packets() if reading.get("goodput") == "packets" else runs
    found = {}
    for claim, measure in MEASURES.items():
        with suppress(MissingError):
            found[claim] = measure.find(counted)
    return found
