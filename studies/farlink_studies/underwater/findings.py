"""How every claim of the paper is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.comparisons import column_means, is_sure, lowest, rank_correlation
from farlink.studies.measures import find_each, measuring
from farlink.studies.verdict import Finding
from farlink.studies.written import half_width

from farlink_studies.underwater.runs import HOPS, HYBLA, NEWRENO, SIZES, WINDOWS, Case, Runs, SeedResult

SIZE = 512
CHAIN = 4
"""Hops of Figure 4."""
GAIN_HOPS = (2, 3, 4, 5)
"""Where the paper has Hybla ahead."""
LARGER_HOPS = (3, 4, 5, 6)
LEVEL = slice(-3, None)
"""Windows of 8 to 10, where the curves are to be level, to within so much: per cent, or points."""
EVEN = 5.0

Find = Callable[[Runs], Finding]
Number = Callable[[SeedResult], float]


throughput_kbps: Number = attrgetter("throughput")
delivery_percent: Number = attrgetter("arrival")


def hybla_and_newreno(runs: Runs, hops: int) -> list[Case]:
    """Hybla and NewReno, not limited."""
    return [Case(hops, variant, SIZE, runs.unlimited) for variant in (HYBLA, NEWRENO)]


def hybla_ratio(runs: Runs, hops: int) -> Interval:
    """Throughput of Hybla over that of NewReno."""
    rows = runs.rows(hybla_and_newreno(runs, hops), throughput_kbps)
    return statistics.jackknife(rows, lambda row: row[0] / row[1] if row[1] else 0.0)


def hybla_is_faster(runs: Runs) -> Finding:
    """The least ratio at 2 to 5 hops."""
    found = {f"at {hops} hops": hybla_ratio(runs, hops) for hops in GAIN_HOPS}
    ahead = sum(is_sure(each, above=1) for each in found.values())
    return _least(found, ahead >= len(found) / 2, "Hybla is significantly ahead at half of these hops")


def _least(found: Mapping[str, Interval], direction: bool | None = None, coarser: str = "") -> Finding:
    """The least of several, with all of them in the note."""
    least = lowest(found)
    note = f"{least.name}; " + ", ".join(f"{name} {half_width(each)}" for name, each in found.items())
    return Finding.of(least, direction, coarser, note)


def unloaded_rtt(runs: Runs) -> Finding:
    """The mean round trip over one hop: of one packet at a time or, in uw_pipe, of its whole window."""
    case = runs.unloaded
    return Finding(
        runs.interval(runs.values(case, lambda one: one.rtt_mean_s)), note=f"window of {case.window} packets"
    )


def longest_round_trip(runs: Runs, of: Number = attrgetter("rtt_max_s")) -> Finding:
    """The longest of all hops and both variants, a value per seed."""
    cases = [case for hops in HOPS for case in hybla_and_newreno(runs, hops)]
    found = runs.rows(cases, of)
    by_case = zip(cases, column_means(found), strict=True)
    listed = ", ".join(f"{case.hops} hops {mean:.3g} s" for case, mean in by_case if case.variant == NEWRENO)
    return Finding(runs.interval([max(row) for row in found]), note=f"NewReno's: {listed}")


def arrival_falls_with_hops(runs: Runs) -> Finding:
    """The rank correlation of Hybla's arrival rate and the hops."""
    cases = [Case(hops, HYBLA, SIZE, runs.unlimited) for hops in HOPS]
    found = runs.rows(cases, delivery_percent)
    value = statistics.jackknife(found, lambda row: rank_correlation(range(len(row)), row))
    means = ", ".join(f"{mean:.3g}" for mean in column_means(found))
    return Finding(value, is_sure(value, -1), "it decreases significantly", f"{means} % at 1 to 6 hops")


def newreno_arrives_more(runs: Runs) -> Finding:
    """The least lead of NewReno in arrival rate at 3 to 6 hops."""
    found = {
        f"at {hops} hops": statistics.jackknife(
            runs.rows(hybla_and_newreno(runs, hops), delivery_percent), lambda row: row[1] - row[0]
        )
        for hops in LARGER_HOPS
    }
    ahead = sum(is_sure(each) for each in found.values())
    return _least(found, ahead >= len(found) / 2, "NewReno's is higher significantly at half of these hops")


def limited_windows(runs: Runs, variant: str, size: int, baseline: int | None = None) -> list[Case]:
    """Windows of 1 to 10, and no limit: with packets of that size, or of `baseline`."""
    limited = [Case(CHAIN, variant, size, window) for window in WINDOWS]
    return [*limited, Case(CHAIN, variant, baseline or size, runs.unlimited)]


def _lead_percent(value: float, over: float) -> float:
    """Of a throughput over another, in per cent; 100 over nothing, and none of nothing."""
    if over:
        return 100 * (value / over - 1)
    return 100.0 if value else 0.0


def _gain_of_best_limit(row: Sequence[float]) -> float:
    """Of the best limit over none, in per cent."""
    return _lead_percent(max(row[:-1]), row[-1])


def gain_of_best_limit(runs: Runs, size: int, variant: str = NEWRENO, baseline: int | None = None) -> Interval:
    """Of the best limit over none, in per cent."""
    cases = limited_windows(runs, variant, size, baseline)
    return statistics.jackknife(runs.rows(cases, throughput_kbps), _gain_of_best_limit)


def best_window(runs: Runs, size: int) -> int:
    """The window of NewReno with the highest mean throughput."""
    found = runs.rows(limited_windows(runs, NEWRENO, size)[:-1], throughput_kbps)
    means = column_means(found)
    return WINDOWS[means.index(max(means))]


@measuring
def gain_by_size(runs: Runs, size: int, baseline: int | None = None) -> Finding:
    """The gain at a size of packets."""
    value = gain_of_best_limit(runs, size, baseline=baseline)
    note = f"the best window is {best_window(runs, size)}"
    return Finding(value, is_sure(value), "a limit helps significantly", note)


def size_ranking(runs: Runs, baseline: int | None = None) -> Finding:
    """The smaller of the leads of 512 B over 1024 B and of 1024 B over 256 B."""
    cases = [case for size in SIZES for case in limited_windows(runs, NEWRENO, size, baseline)]
    each = len(cases) // len(SIZES)

    def leads(row: Sequence[float]) -> tuple[float, float]:
        small, middle, large = (_gain_of_best_limit(row[start : start + each]) for start in range(0, len(cases), each))
        return middle - large, large - small

    found = runs.rows(cases, throughput_kbps)
    value = statistics.jackknife(found, lambda row: min(leads(row)))
    first = statistics.jackknife(found, lambda row: leads(row)[0])
    return Finding(value, is_sure(first), "512 B gains more than 1024 B significantly")


def _falls_and_stays(runs: Runs, of: Number, distance: Callable[[Sequence[float]], float]) -> Finding:
    rows = {f"{size} B": runs.rows(limited_windows(runs, NEWRENO, size)[:-1], of) for size in SIZES}
    return _least({size: statistics.jackknife(each, distance) for size, each in rows.items()})


def throughput_levels(runs: Runs) -> Finding:
    """The smaller of its fall from the best window, and of what is left of an even end, at any size."""

    def distance(row: Sequence[float]) -> float:
        end = row[LEVEL]
        level = sum(end) / len(end)
        uneven = 100 * (max(end) - min(end)) / level if level else 0.0
        return min(_lead_percent(max(row), level), EVEN - uneven)

    return _falls_and_stays(runs, throughput_kbps, distance)


def arrival_levels(runs: Runs) -> Finding:
    """The smaller of its fall from a window of one packet, and of what is left of an even end, at any size."""

    def distance(row: Sequence[float]) -> float:
        end = row[LEVEL]
        return min(row[0] - sum(end) / len(end), EVEN - (max(end) - min(end)))

    return _falls_and_stays(runs, delivery_percent, distance)


def one_packet_is_too_few(runs: Runs) -> Finding:
    """The least lead of the best larger window over one packet, at any size, in per cent; negative if one is best."""
    return _falls_and_stays(runs, throughput_kbps, lambda row: _lead_percent(max(row[1:]), row[0]))


def hybla_gains_less(runs: Runs) -> Finding:
    """The lead of NewReno's gain over Hybla's, in points."""
    cases = [*limited_windows(runs, NEWRENO, SIZE), *limited_windows(runs, HYBLA, SIZE)]
    half = len(cases) // 2
    value = statistics.jackknife(
        runs.rows(cases, throughput_kbps),
        lambda row: _gain_of_best_limit(row[:half]) - _gain_of_best_limit(row[half:]),
    )
    mine, theirs = gain_of_best_limit(runs, SIZE), gain_of_best_limit(runs, SIZE, HYBLA)
    return Finding(value, note=f"gain of NewReno {half_width(mine)} %, of Hybla {half_width(theirs)} %")


MEASURES: dict[str, Find] = {
    "U-01": hybla_is_faster,
    "U-02": lambda runs: Finding(hybla_ratio(runs, 1)),
    "U-03": unloaded_rtt,
    "U-04": longest_round_trip,
    "U-05": arrival_falls_with_hops,
    "U-06": newreno_arrives_more,
    "U-07": lambda runs: Finding(hybla_ratio(runs, 6)),
    "U-08": gain_by_size(256),
    "U-09": gain_by_size(512),
    "U-10": gain_by_size(1024),
    "U-11": size_ranking,
    "U-12": throughput_levels,
    "U-13": arrival_levels,
    "U-14": one_packet_is_too_few,
    "U-15": hybla_gains_less,
}

TIMER: Mapping[str, Find] = {"U-04": partial(longest_round_trip, of=attrgetter("timer_rtt_max_s"))}
"""With the samples of the retransmission timer only."""
FIGURE_3: Mapping[str, Find] = {
    "U-08": gain_by_size(256, SIZE),
    "U-09": gain_by_size(512, SIZE),
    "U-10": gain_by_size(1024, SIZE),
    "U-11": partial(size_ranking, baseline=SIZE),
}
"""Gains over the only case without limit that Figure 3 has."""


def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
    """The finding for every claim that these runs can measure.

    `rtt`: `every ACK` or `timer`; `baseline`: `same size` or `512 B`; `throughput`: `payload` or `packets`.
    """
    measures = dict(MEASURES)
    if reading.get("rtt") == "timer":
        measures |= TIMER
    if reading.get("baseline") == "512 B":
        measures |= FIGURE_3
    if reading.get("throughput") == "packets":
        runs = runs.mapped(lambda one: replace(one, throughput=one.carried))
    return find_each(measures, runs)
