"""A finding for every claim of the paper, from runs: Farlink's, ns-2's, or those of another setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf

from farlink.statistics import Interval
from farlink.studies.measures import Measure, find_each
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding

from farlink_studies.satellite.runs import BySeed, Case, Runs, SeedResult

WESTWOOD, HYBLA, ENHANCED = "westwood", "hybla", "enhanced_hybla"
NAMES = {
    WESTWOOD: "Westwood",
    HYBLA: "Hybla",
    ENHANCED: "Enhanced Hybla",
    "reno": "Reno",
    "cubic": "CUBIC",
    "bbr": "BBR",
}
PAPER = (WESTWOOD, HYBLA, ENHANCED)
"""The variants that the paper has."""
RTTS_S = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
RATES = (1e-10, 1e-8, 1e-7, 1e-6, 1e-5)
MB = 10**6
SIZES = (50_000, 500_000, 5 * MB, 50 * MB, 100 * MB, 500 * MB, 1000 * MB, 2000 * MB)
PEAK = 90.0
"""Mbit/s of payload that count as the peak of the link."""

Find = Callable[[Runs], Finding]
Pick = Callable[[Iterable[Interval]], Interval]
Coarser = tuple[str, Callable[[Runs], bool]]
"""A coarser statement in words, and whether it holds."""


def smallest_mean(found: Iterable[Interval]) -> Interval:
    """The one with the smallest mean."""
    return min(found, key=lambda each: each.mean)


def farthest_from(found: Iterable[Interval], goal: float) -> Interval:
    """The one farthest from a goal."""
    return max(found, key=lambda each: abs(each.mean - goal))


def measured(of: Case, find: Find, coarser: Coarser | None = None) -> Measure[Runs, Case]:
    """A measure with a coarser statement beside it; without the runs for that, without it."""

    def both(runs: Runs) -> Finding:
        finding = find(runs)
        with suppress(MissingError):
            return replace(finding, direction=coarser[1](runs), coarser=coarser[0]) if coarser else finding
        return finding

    return Measure(both, of)


def less(words: str, case: Case, other: Case) -> Coarser:
    """Whether a case gets less than another, in these words."""
    return words, lambda runs: runs.is_larger(runs.goodput(other), runs.goodput(case))


def more_than_hybla(rate: float, size: int | None = None) -> Coarser:
    """Whether Enhanced Hybla gets more than Hybla."""
    hybla, enhanced = (Case(variant, rate, size_bytes=size) for variant in (HYBLA, ENHANCED))
    return less("more than Hybla", hybla, enhanced)


def goodput(
    variant: str, rate: float, end_s: float = inf, coarser: Coarser | None = None, *, start_s: float = 0, note: str = ""
) -> Measure[Runs, Case]:
    """Cumulative goodput at a time, or at the end."""
    case = Case(variant, rate)
    return measured(case, lambda runs: Finding(runs.mean(runs.between(case, start_s, end_s)), note=note), coarser)


def over_hybla(rate: float, coarser: Coarser | None = None) -> Measure[Runs, Case]:
    """Enhanced Hybla's goodput over Hybla's."""
    case, hybla = Case(ENHANCED, rate), Case(HYBLA, rate)
    return measured(case, lambda runs: Finding(runs.ratio(runs.goodput(case), runs.goodput(hybla))), coarser)


def time_to_peak(runs: Runs) -> Finding:
    """How much longer Westwood takes."""
    times = [runs.first_time_at(Case(variant, 0), PEAK) for variant in (WESTWOOD, HYBLA)]
    return Finding(
        runs.ratio(*times), note=f"{runs.mean(times[0]).mean:.0f} s against {runs.mean(times[1]).mean:.0f} s"
    )


def ranking_ratio(runs: Runs) -> Finding:
    """The smaller of the two ratios in Enhanced > Westwood > Hybla."""
    enhanced, westwood, hybla = (runs.goodput(Case(variant, 1e-7)) for variant in (ENHANCED, WESTWOOD, HYBLA))
    return Finding(
        smallest_mean([runs.ratio(enhanced, westwood), runs.ratio(westwood, hybla)]),
        runs.is_larger(enhanced, westwood) and runs.is_larger(enhanced, hybla),
        "Enhanced Hybla is first",
    )


def slow_start_up(runs: Runs) -> Finding:
    """Goodput of the first 100 s over the later goodput: at BER 1e-6 over BER 1e-5."""

    def start(rate: float) -> BySeed:
        early, late = (runs.between(Case(ENHANCED, rate), *span) for span in ((0, 100), (200, inf)))
        return {seed: early[seed] / late[seed] for seed in early}

    return Finding(runs.ratio(start(1e-6), start(1e-5)), note="goodput of the first 100 s over the later goodput")


def goodput_spread(runs: Runs) -> Finding:
    """Largest over smallest goodput, seed by seed."""
    found = [runs.goodput(Case(ENHANCED, 1e-8, rtt)) for rtt in runs.round_trips(ENHANCED, 1e-8)]
    spread = {seed: max(each[seed] for each in found) / min(each[seed] for each in found) for seed in found[0]}
    falls = runs.ratio(runs.goodput(Case(WESTWOOD, 1e-8, 0.1)), runs.goodput(Case(WESTWOOD, 1e-8)))
    return Finding(
        runs.mean(spread),
        runs.mean(spread).mean < falls.mean,
        f"flatter than Westwood, which falls {falls.mean:.1f} times",
    )


def over_rtt(runs: Runs) -> Finding:
    """Hybla's goodput farthest from 50 Mbit/s."""
    found = [runs.goodput(Case(HYBLA, 1e-8, rtt)) for rtt in runs.round_trips(HYBLA, 1e-8)]
    return Finding(farthest_from(map(runs.mean, found), 50))


def westwood_falls(runs: Runs) -> Finding:
    """Westwood's goodput over the round trip."""
    found = [runs.goodput(Case(WESTWOOD, 1e-8, rtt)) for rtt in runs.round_trips(WESTWOOD, 1e-8)]
    return Finding(runs.least_step(found), runs.is_larger(found[0], found[-1]), "less at 600 ms than at 100 ms")


def few_errors(runs: Runs) -> Finding:
    """Enhanced Hybla over Hybla, farthest from 1."""
    found = (runs.ratio(runs.goodput(Case(ENHANCED, rate)), runs.goodput(Case(HYBLA, rate))) for rate in (0, 1e-10))
    return Finding(farthest_from(found, 1))


def both_degrade(runs: Runs) -> Finding:
    """The slowest step down of Hybla and Westwood over the error rate."""
    steps = {variant: [runs.goodput(Case(variant, rate)) for rate in RATES] for variant in (WESTWOOD, HYBLA)}
    holds = all(runs.is_larger(each[0], each[-1]) for each in steps.values())
    return Finding(smallest_mean(map(runs.least_step, steps.values())), holds, "less at 1e-5 than at 1e-10")


def enhanced_stays(runs: Runs) -> Finding:
    """The worst goodput of Enhanced Hybla up to 1e-6 over that without errors."""
    clean = runs.goodput(Case(ENHANCED, 0))
    worst = smallest_mean(runs.ratio(runs.goodput(Case(ENHANCED, rate)), clean) for rate in RATES[:-1])
    hybla = runs.ratio(runs.goodput(Case(HYBLA, 1e-6)), runs.goodput(Case(HYBLA, 0)))
    return Finding(worst, worst.mean > hybla.mean, f"falls less than Hybla, which keeps {hybla.mean:.2g}")


def larger_is_better(runs: Runs) -> Finding:
    """The slowest step up over the file size."""
    found = []
    for variant in PAPER:
        sizes = [runs.goodput(Case(variant, 0, size_bytes=size)) for size in reversed(SIZES)]
        found.append((runs.least_step(sizes), runs.is_larger(sizes[0], sizes[-1])))
    return Finding(
        smallest_mean(each for each, _ in found), all(holds for _, holds in found), "2 GB do better than 50 kB"
    )


def files(
    variants: Sequence[str], rate: float, sizes: Sequence[int], pick: Pick, coarser: Coarser | None = None
) -> Measure[Runs, Case]:
    """One number for several files; says where one was not finished."""
    cases = [Case(variant, rate, size_bytes=size) for variant in variants for size in sizes]

    def find(runs: Runs) -> Finding:
        cut = sum(runs.is_censored(case) for case in cases)
        note = f"{cut} of {len(cases)} sizes not finished within 4000 s" if cut else ""
        return Finding(pick([runs.mean(runs.goodput(case)) for case in cases]), note=note)

    return measured(Case(variants[-1], rate), find, coarser)


def same_files(runs: Runs) -> Finding:
    """Enhanced Hybla's files at 1e-8 over those without errors, farthest from 1."""
    return Finding(farthest_from([_goodput_kept(runs, ENHANCED, size) for size in SIZES], 1))


def loses_less_than_hybla(runs: Runs) -> bool:
    """Whether Enhanced Hybla's worst file keeps more of its goodput than Hybla's largest."""
    return same_files(runs).value.mean > _goodput_kept(runs, HYBLA, SIZES[-1]).mean


def _goodput_kept(runs: Runs, variant: str, size: int) -> Interval:
    return runs.ratio(*(runs.goodput(Case(variant, rate, size_bytes=size)) for rate in (1e-8, 0)))


def largest_mean(found: Iterable[Interval]) -> Interval:
    """The one with the largest mean."""
    return max(found, key=lambda each: each.mean)


def from_goal(goal: float) -> Pick:
    """The one farthest from what was published."""
    return lambda found: farthest_from(found, goal)


LARGE = SIZES[-3:]
LARGEST = SIZES[-1]
MEASURES = {
    "S-01": goodput(HYBLA, 0, 100),
    "S-02": over_hybla(0),
    "S-03": Measure(time_to_peak, Case(WESTWOOD, 0)),
    "S-04": goodput(WESTWOOD, 1e-8),
    "S-05": goodput(HYBLA, 1e-8),
    "S-06": goodput(ENHANCED, 1e-8, coarser=more_than_hybla(1e-8)),
    "S-07": goodput(WESTWOOD, 1e-7, coarser=less("less than at 1e-8", Case(WESTWOOD, 1e-7), Case(WESTWOOD, 1e-8))),
    "S-08": goodput(HYBLA, 1e-7),
    "S-09": goodput(ENHANCED, 1e-7, coarser=more_than_hybla(1e-7)),
    "S-10": Measure(ranking_ratio, Case(WESTWOOD, 1e-7)),
    "S-11": goodput(WESTWOOD, 1e-6),
    "S-12": goodput(ENHANCED, 1e-6, 200, more_than_hybla(1e-6)),
    "S-13": over_hybla(1e-6, more_than_hybla(1e-6)),
    "S-14": goodput(WESTWOOD, 1e-5),
    "S-15": goodput(HYBLA, 1e-5),
    "S-16": goodput(ENHANCED, 1e-5, coarser=more_than_hybla(1e-5), start_s=200, note="from 200 s to the end"),
    "S-17": Measure(slow_start_up, Case(ENHANCED, 1e-5)),
    "S-18": Measure(goodput_spread, Case(ENHANCED, 1e-8)),
    "S-19": Measure(over_rtt, Case(HYBLA, 1e-8)),
    "S-20": Measure(westwood_falls, Case(WESTWOOD, 1e-8)),
    "S-21": Measure(few_errors, Case(ENHANCED, 1e-10)),
    "S-22": Measure(both_degrade, Case(HYBLA, 1e-8)),
    "S-23": Measure(enhanced_stays, Case(ENHANCED, 1e-6)),
    "S-24": Measure(larger_is_better, Case(WESTWOOD, 0)),
    "S-25": files([WESTWOOD], 0, [LARGEST], smallest_mean),
    "S-26": files([HYBLA, ENHANCED], 0, LARGE, smallest_mean),
    "S-27": files(
        *([WESTWOOD], 1e-8, SIZES, largest_mean),
        less("less than without errors", *(Case(WESTWOOD, rate, size_bytes=LARGEST) for rate in (1e-8, 0))),
    ),
    "S-28": files([HYBLA], 1e-8, [100 * MB], smallest_mean),
    "S-29": files([HYBLA], 1e-8, [500 * MB], smallest_mean),
    "S-30": files([HYBLA], 1e-8, SIZES[-2:], from_goal(50)),
    "S-31": measured(Case(ENHANCED, 1e-8), same_files, ("loses less than Hybla at 2 GB", loses_less_than_hybla)),
    "S-32": files(
        *([WESTWOOD], 1e-7, [LARGEST], smallest_mean),
        less("less than at 1e-8", *(Case(WESTWOOD, rate, size_bytes=LARGEST) for rate in (1e-7, 1e-8))),
    ),
    "S-33": files([HYBLA], 1e-7, SIZES[-4:], from_goal(11)),
    "S-34": files([ENHANCED], 1e-7, LARGE, smallest_mean, more_than_hybla(1e-7, LARGE[0])),
}
"""By the claim's number."""


def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
    """The finding for every claim that these runs can measure; `goodput` counts `payload` or whole `packets`."""
    return find_each(MEASURES, runs.mapped(SeedResult.of_packets) if reading.get("goodput") == "packets" else runs)
