"""What the figures of all studies have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from farlink.drawing.of_runs import COLOURS
from farlink.drawing.of_store import MARKERS
from farlink.statistics import Interval


def clear_frame(axes: Axes, grid: str = "0.85") -> None:
    """Leave of the axes what is needed."""
    axes.grid(color=grid)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def interval_ends(value: Interval) -> tuple[float, float]:
    """Both ends of an interval; the mean for a single value."""
    return value.mean if value.low is None else value.low, value.mean if value.high is None else value.high


def draw_mean_curve(
    axes: Axes, along: Sequence[float], found: Sequence[Interval], look: int, dash: Any, label: str = "", **style: Any
) -> None:
    """Draw means, joined, with their intervals upright; `look` is the place of the colour and the marker."""
    means, colour = [value.mean for value in found], COLOURS[look]
    style = {"linewidth": 1.5} | style
    axes.plot(along, means, label=label, color=colour, marker=MARKERS[look], linestyle=dash, **style)
    low, high = zip(*map(interval_ends, found), strict=True) if found else ((), ())
    axes.vlines(along, low, high, color=colour, linewidth=0.8)


def legend_above(figure: Figure, axes: Axes, columns: int) -> None:
    """Name the lines of the axes above the figure."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=columns, frameon=False)
