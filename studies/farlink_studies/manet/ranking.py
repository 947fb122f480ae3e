"""Which variant is how much better than the seven are on the whole, at every point, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.comparisons import is_sure

from farlink_studies.manet.findings import seed_table
from farlink_studies.manet.runs import NAMES, UNITS, VARIANTS, Metric, Runs

Point = tuple[str, float]


def advantage(runs: Runs, metric: Metric, points: Sequence[Point], variant: str) -> Interval:
    """By how many per cent a variant exceeds the mean of all, mean over the points; 0 where nothing arrives."""
    ours = seed_table(runs, metric, points, [variant])
    # Of a study that was stopped some variants have more seeds than others.
    rows = [[*ours[seed], *every] for seed, every in seed_table(runs, metric, points, VARIANTS).items()]

    def function(row: Sequence[float]) -> float:
        half = len(row) // 2
        own, whole = ([part[place] for place in range(0, half, 2)] for part in (row[:half], row[half:]))
        shares = [
            100 * (mine * len(VARIANTS) / all_of_them - 1)
            for mine, all_of_them in zip(own, whole, strict=True)
            if all_of_them
        ]
        return sum(shares) / len(shares) if shares else 0.0

    return statistics.jackknife(rows, function)


def rank_variants(runs: Runs, metric: Metric, points: Sequence[Point]) -> list[tuple[str, Interval]]:
    """The variants, best first."""
    found = [(variant, advantage(runs, metric, points, variant)) for variant in VARIANTS]
    return sorted(found, key=lambda each: -each[1].mean)


def ranking_rows(runs: Runs, metric: Metric) -> list[dict[str, Any]]:
    """A row per point, and one of all of them: place, and the advantage in per cent, a star where it is sure."""
    points = runs.points()
    groups = [(f"{level:g} {UNITS[sweep]}", [(sweep, level)]) for sweep, level in points]
    made = []
    for name, group in [("all points", points), *groups]:
        order = rank_variants(runs, metric, group)
        places = {variant: place for place, (variant, _) in enumerate(order, start=1)}
        cells = {NAMES[variant]: _advantage_cell(places[variant], value) for variant, value in order}
        made.append({"condition": name} | {title: cells[title] for title in NAMES.values()})
    return made


def _advantage_cell(place: int, value: Interval) -> str:
    if value.low is None or value.high is None:
        return f"{place}: {value.mean:+.0f} %"
    star = "*" if is_sure(value, 1) or is_sure(value, -1) else ""
    return f"{place}: {value.mean:+.0f} ± {(value.high - value.low) / 2:.0f} %{star}"
