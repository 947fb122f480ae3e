"""What figures over a parameter are drawn from: an estimate per point, its interval, and points without a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from matplotlib.axes import Axes

from farlink.drawing.look import Look
from farlink.errors import UsageError
from farlink.spelling import listed
from farlink.statistics import Interval
from farlink.tables import parameters

Row: TypeAlias = "dict[str, Any]"
Points: TypeAlias = "dict[Any, list[Any]]"
Estimator: TypeAlias = "Callable[[Sequence[Any]], Interval | None]"
Lines: TypeAlias = "dict[Any, Points]"
Estimates: TypeAlias = "dict[Any, list[tuple[Any, Interval]]]"
OPEN_END_PT = 10
"""Length of the arrow of an interval without an upper end, in points."""


def group_lines(rows: Iterable[Row], x: str, y: str, by: str | None, look: Look) -> Lines:
    """Give the values of every point of every line; a point none of whose rows has a value keeps its place."""
    lines: Lines = {}
    for row in rows:
        if row[x] is not None:
            values = lines.setdefault(row[by] if by else None, {}).setdefault(row[x], [])
            values += [] if row[y] is None else [row[y]]
    if not any(values for points in lines.values() for values in points.values()):
        raise UsageError(f"no run has a value of {y}")
    return dict(in_order(lines, by, look))


def in_order(lines: Mapping[Any, Any], by: str | None, look: Look) -> list[tuple[Any, Any]]:
    """So that a variant's colour does not depend on which run was finished first."""
    return sorted(lines.items(), key=lambda item: look.order(by, item[0]) if by else 0)


def estimate_points(points: Points, most: float, estimate: Estimator) -> list[tuple[Any, Interval]]:
    """The means with their intervals, which end where the measure does."""
    places = sorted(points, key=parameters.sort_key)
    found = ((place, estimate(points[place])) for place in places)
    return [
        (place, made if made.high is None else replace(made, high=min(made.high, max(most, made.mean))))
        for place, made in found
        if made is not None
    ]


def without_value(lines: Lines, estimates: Estimates, x: str, by: str | None, look: Look) -> list[str]:
    """Say for a caption which points have no value, and why; an unfinished transfer's completion time is unknown."""
    why: dict[str, list[str]] = {}
    for line, points in lines.items():
        known = {place for place, _ in estimates[line]}
        for place in sorted(points.keys() - known, key=lambda each: look.order(x, each)):
            reason = "it is an unfinished transfer's" if points[place] else "no run has one"
            name = look.value(place, x) + (f" of {look.value(line, by)}" if by else "")
            why.setdefault(reason, []).append(name)
    return [f"no value at {listed(names)}: {reason}" for reason, names in why.items()]


def single_runs(found: Sequence[tuple[Any, Interval]], estimates: Estimates) -> list[int]:
    """Give the places in `found` of what one run gave, in a figure of which others are of several."""
    if all(made.count == 1 for points in estimates.values() for _, made in points):
        return []
    return [place for place, (_, made) in enumerate(found) if made.count == 1]


def without_neighbour(ends: Sequence[float]) -> list[int]:
    """Give the places of the ends beside which there is none, for which NaN stands."""
    known = [False, *(not math.isnan(end) for end in ends), False]
    return [place for place, has in enumerate(known[1:-1]) if has and not known[place] and not known[place + 2]]


def kind_of_interval(estimates: Estimates) -> str:
    """Say for a caption which intervals are drawn."""
    found = [made for points in estimates.values() for _, made in points]
    if any(map(_has_open_end, found)):
        return "95 % CI, an arrow where it has no upper end"
    if any(made.low is not None for made in found):
        return "95 % CI"
    return "too few for a CI" if any(made.method in ("few", "single") for made in found) else "no CI"


def error_bar_lengths(found: Sequence[tuple[Any, Interval]]) -> tuple[list[float], list[float]]:
    """How far the intervals reach below and above; NaN, which draws no bar, where there is none.

    An interval without an upper end reaches 0 above, where `draw_open_ends` goes on.
    """
    below = [math.nan if made.low is None else made.mean - made.low for _, made in found]
    without = [0.0 if _has_open_end(made) else math.nan for _, made in found]
    above = [end if made.high is None else made.high - made.mean for end, (_, made) in zip(without, found, strict=True)]
    return below, above


def draw_open_ends(axes: Axes, places: Sequence[Any], found: Sequence[tuple[Any, Interval]], colour: str) -> None:
    """Draw an arrow upward from each estimate, at these places of the axis, whose interval has no upper end."""
    for place, (_, made) in zip(places, found, strict=True):
        if _has_open_end(made):
            arrow = {"arrowstyle": "<-", "color": colour, "shrinkA": 0, "shrinkB": 0}
            end = (0, OPEN_END_PT)
            axes.annotate("", (place, made.mean), end, textcoords="offset points", arrowprops=arrow)


def _has_open_end(made: Interval) -> bool:
    return made.low is not None and made.high is None
