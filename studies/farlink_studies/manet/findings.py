"""How every claim of the paper is measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.comparisons import column_means, is_sure, lower_end
from farlink.studies.measures import Measure, find_each, measuring
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding

from farlink_studies.manet import readings
from farlink_studies.manet.readings import COMMITTED, Reading
from farlink_studies.manet.runs import CONNECTIONS, ERRORS, NODES, SPEED, VARIANTS, Case, Metric, Runs

FALLS: Mapping[str, int] = {"throughput": -1, "goodput": -1, "packets dropped": 1, "delay": 1}
"""The way each metric goes when things get worse: as the error rate, the speed or the connections rise."""
RISES: Mapping[str, int] = {name: -sign for name, sign in FALLS.items()}
"""The way each goes when things get better: as the nodes become more."""
DELIVERY = ("throughput", "goodput")
DIGITS = {"throughput": "kbit/s", "goodput": "kbit/s", "packets dropped": "packets per run", "delay": "s"}


@dataclass(frozen=True)
class Change:
    """From one level to another: the interval of the change in per cent, and both means."""

    value: Interval
    first: float
    last: float


def seed_table(
    runs: Runs,
    metric: Metric,
    points: Sequence[tuple[str, float]],
    variants: Sequence[str],
    *,
    per: Metric | None = None,
    same: bool = False,
) -> dict[int, list[float]]:
    """A row per seed that all have: for each point the sum over the variants, and over how many that have a value.

    With `per` the second is the sum of that. With `same` only variants that have a value at every point count, and
    seeds with such a variant. Raises `MissingError` where they have no seed in common.
    """
    cases = [[runs.of(Case(*point, variant)) for variant in variants] for point in points]
    seeds = sorted(set.intersection(*(set(ones) for point in cases for ones in point)))
    if not seeds:
        raise MissingError(points)
    rows = {}
    for seed in seeds:
        values = [[metric(ones[seed]) for ones in point] for point in cases]
        if same:
            values = _known_everywhere(values)
        row: list[float] = []
        for found in values:
            known = [value for value in found if value is not None]
            row += [sum(known), len(known)]
        if per:
            row[1::2] = [sum(per(ones[seed]) or 0 for ones in point) for point in cases]
        if not same or row[1]:
            rows[seed] = row
    if not rows:
        raise MissingError(points)
    return rows


def _known_everywhere(values: Sequence[Sequence[float | None]]) -> list[list[float | None]]:
    """The variants that have a value at every point."""
    kept = [place for place, found in enumerate(zip(*values, strict=True)) if None not in found]
    return [[found[place] for place in kept] for found in values]


def point_means(row: Sequence[float]) -> list[float]:
    """The mean at each point; without end where nothing arrived to have a delay."""
    return [total / count if count else math.inf for total, count in zip(row[::2], row[1::2], strict=True)]


def change_between(
    runs: Runs,
    metric: Metric,
    first: tuple[str, float],
    last: tuple[str, float],
    variants: Sequence[str] = VARIANTS,
    reading: Reading = COMMITTED,
) -> Change:
    """The change from one point to another, mean over the variants; seeds go together."""
    per, same = reading.per(metric), reading.is_of_same_runs(metric)
    rows = list(seed_table(runs, metric, [first, last], variants, per=per, same=same).values())
    value = statistics.jackknife(rows, lambda row: reading.change(*point_means(row)))
    return Change(clip_interval(value, reading.most), *point_means(column_means(rows)))


def clip_interval(value: Interval, most: float) -> Interval:
    """An interval without what is not possible: pseudo-values know no bounds."""
    low, high = (None if end is None else min(max(end, -most), most) for end in (value.low, value.high))
    return replace(value, mean=min(max(value.mean, -most), most), low=low, high=high)


def change_over_sweep(
    runs: Runs, metric: Metric, sweep: str, variants: Sequence[str] = VARIANTS, reading: Reading = COMMITTED
) -> Change:
    """The change from the lowest to the highest level of a sweep."""
    levels = runs.levels_of(sweep)
    return change_between(runs, metric, (sweep, levels[0]), (sweep, levels[-1]), variants, reading)


@measuring
def relative_change(runs: Runs, name: str, sweep: str, sign: int, reading: Reading = COMMITTED) -> Finding:
    """A relative change over a sweep."""
    found = change_over_sweep(runs, reading.metrics[name], sweep, runs.variants(), reading)
    unit = DIGITS[name]
    note = f"from {found.first:.3g} to {found.last:.3g} {unit}"
    if found.first > 0 and math.isfinite(found.last / found.first):
        note += f", {100 * (found.last / found.first - 1):+.0f} % of the first"
    return Finding(found.value, is_sure(found.value, sign), "rises" if sign > 0 else "falls", note)


@measuring
def weakest_trend(
    runs: Runs, sweep: str, ways: Mapping[str, int], reading: Reading = COMMITTED, *, of_each: bool = False
) -> Finding:
    """The least sure change, the published way, of any metric, of the mean or of each variant; a mean step back is one.

    All metrics of each variant have to go that way with `of_each`, otherwise their means over the variants.
    """
    variants = runs.variants()
    groups = [[variant] for variant in variants] if of_each else [variants]
    found = sorted(_change_intervals(runs, sweep, ways, groups, reading), key=lambda each: lower_end(each[0]))
    delivery = [
        is_sure(change_over_sweep(runs, reading.metrics[name], sweep, group, reading).value, ways[name])
        for group in groups
        for name in DELIVERY
    ]
    value, what = found[0]
    against = sum(lower_end(each) <= 0 for each, _ in found)
    note = f"least of {len(found)} changes and steps, {against} of which are not significant in that direction: "
    note += what
    way = "fall" if ways["goodput"] < 0 else "rise"
    coarser = f"throughput and goodput {way} from the lowest to the highest"
    return Finding(value, all(delivery), coarser, note, min(each.mean for each, _ in found))


def _change_intervals(
    runs: Runs, sweep: str, ways: Mapping[str, int], groups: Sequence[Sequence[str]], reading: Reading
) -> Iterator[tuple[Interval, str]]:
    """Every change over the whole sweep with its interval, and every step as its mean; up is the published way."""
    levels = runs.levels_of(sweep)
    for group in groups:
        of = "" if len(group) > 1 else f" of {group[0]}"
        for name, sign in ways.items():
            whole = change_over_sweep(runs, reading.metrics[name], sweep, group, reading).value
            if sign < 0:
                low, high = (None if end is None else -end for end in (whole.high, whole.low))
                whole = replace(whole, mean=-whole.mean, low=low, high=high)
            yield whole, f"{name}{of} over the whole sweep"
            for first, last in pairwise(levels) if len(levels) > 2 and reading.every_step else ():
                ends = (sweep, first), (sweep, last)
                step = change_between(runs, reading.metrics[name], *ends, group, reading).value.mean
                yield Interval(sign * step, None, None, 1, "mean"), f"{name}{of} from {first:g} to {last:g}"


def order_of_falls(runs: Runs, reading: Reading = COMMITTED) -> Finding:
    """The smaller of the two distances between the falls of throughput: error rate, speed, connections."""
    sweeps = (ERRORS, SPEED, CONNECTIONS)
    points = [(sweep, level) for sweep in sweeps for level in (runs.levels_of(sweep)[0], runs.levels_of(sweep)[-1])]
    rows = list(seed_table(runs, reading.metrics["throughput"], points, runs.variants()).values())

    def falls(row: Sequence[float]) -> list[float]:
        found = point_means(row)
        return [-reading.change(*found[place : place + 2]) for place in (0, 2, 4)]

    def distance(of: int, beyond: int) -> Interval:
        value = statistics.jackknife(rows, lambda row: falls(row)[of] - falls(row)[beyond])
        return clip_interval(value, 2 * reading.most)

    listed = ", ".join(f"{sweep} {fall:.0f} %" for sweep, fall in zip(sweeps, falls(column_means(rows)), strict=True))
    steps = (distance(0, 1), distance(1, 2))
    most = is_sure(distance(0, 1), 1) and is_sure(distance(0, 2), 1)
    value, worst = min(steps, key=lower_end), min(each.mean for each in steps)
    return Finding(value, most, "errors cost most", f"falls: {listed}", worst)


def experiment_count(runs: Runs) -> Finding:
    """How many experiments there are."""
    points = len(runs.points())
    made = sum(1 for _ in runs.all())
    return Finding(Interval(made, None, None, 1, "single"), note=f"{points} points by {len(VARIANTS)} variants")


SWEEPS: Mapping[str, Mapping[str, int]] = {ERRORS: FALLS, SPEED: FALLS, NODES: RISES, CONNECTIONS: FALLS}
"""The ways the metrics go over each sweep as published."""
CHANGES = {
    place: f"M-{number:02}"
    for number, place in enumerate(((sweep, name) for sweep, ways in SWEEPS.items() for name in ways), start=1)
}
"""The claims about single changes, by sweep and metric."""
TRENDS = {ERRORS: "M-18", SPEED: "M-19", NODES: "M-20", CONNECTIONS: "M-21"}
"""The claims about all four metrics, by sweep."""
COUNT = "M-17"
"""The claim about the number of experiments."""


def measures(reading: Reading = COMMITTED) -> dict[str, Measure[Runs, str]]:
    """How each claim is measured, by its number."""
    changes = {
        number: Measure(relative_change(name, sweep, SWEEPS[sweep][name], reading), sweep)
        for (sweep, name), number in CHANGES.items()
    }
    trends = {
        TRENDS[sweep]: Measure(weakest_trend(sweep, ways, reading, of_each=sweep == ERRORS), sweep)
        for sweep, ways in SWEEPS.items()
    }
    order = Measure(partial(order_of_falls, reading=reading), SPEED)
    return {**changes, COUNT: Measure(experiment_count, ""), **trends, "M-22": order}


MEASURES = measures()
"""As the settings say."""


def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
    """The finding for every claim that these runs can measure.

    The number of experiments says nothing of a universe.
    """
    known = measures(readings.of(reading))
    return find_each({claim: measure for claim, measure in known.items() if claim != COUNT}, runs)
