"""What the figures of all studies have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from farlink.drawing.of_runs import COLOURS
from farlink.drawing.of_store import MARKERS
from farlink.statistics import Interval
from farlink.studies.comparisons import lower_end, upper_end


def new_figure(width: float, height: float, panels: int = 1, **shared: Any) -> tuple[Figure, list[Axes]]:
    """Make a figure with panels side by side; the size is in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, list(figure.subplots(1, panels, squeeze=False, **shared)[0])


def clear_frame(axes: Axes, grid: str = "0.85") -> None:
    """Leave of the axes what is needed."""
    axes.grid(color=grid)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def label_axes(axes: Axes, along: str, up: str = "", ticks: Sequence[float] = (), grid: str = "0.85") -> None:
    """Name both axes, with ticks along the lower one, from zero upward."""
    if ticks:
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_ylim(bottom=0)
    axes.set_xlabel(along)
    axes.set_ylabel(up)
    clear_frame(axes, grid)


def draw_mean_curve(
    axes: Axes, along: Sequence[float], found: Sequence[Interval], look: int, dash: Any, label: str = "", **style: Any
) -> None:
    """Draw means, joined, with their intervals upright; `look` is the place of the colour and the marker."""
    means, colour = [value.mean for value in found], COLOURS[look]
    style = {"linewidth": 1.5} | style
    axes.plot(along, means, label=label, color=colour, marker=MARKERS[look], linestyle=dash, **style)
    axes.vlines(along, [*map(lower_end, found)], [*map(upper_end, found)], color=colour, linewidth=0.8)


def legend_above(figure: Figure, axes: Axes, columns: int) -> None:
    """Name the lines of the axes above the figure."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=columns, frameon=False)
