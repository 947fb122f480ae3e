"""The response curve: what was measured at every point that was tried."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from farlink.drawing.estimates import error_bar_lengths
from farlink.drawing.inline import ShownFigure
from farlink.drawing.look import Look, clear_frame
from farlink.drawing.of_runs import COLOURS
from farlink.printable import drawn
from farlink.statistics import Interval
from farlink.tables.labels import Names
from farlink.tuning.race import TriedPoint
from farlink.tuning.space import Choices, Parameter

MOST_BESIDE = 2
"""Panels in a row."""
FAINT = 0.45


def draw_tuning_curve(
    parameters: Sequence[Parameter], measure: str, points: Sequence[TriedPoint], fresh: Interval | None, names: Names
) -> Figure:
    """Draw the measure's mean with its 95 % interval over every parameter.

    The first of the points is the best; `fresh` is its mean from fresh seeds.
    """
    look, words = Look(names=names), names.words(measure)
    beside = min(len(parameters), MOST_BESIDE)
    below = -(-len(parameters) // beside)
    figure = ShownFigure(figsize=(7 if beside == 1 else 11, 0.7 + 3.8 * below), layout="constrained")
    panels = figure.subplots(below, beside, sharey=True, squeeze=False).ravel()
    for axes, parameter in zip(panels, parameters, strict=False):
        _draw_panel(axes, parameter, points, fresh, names, is_alone=len(parameters) == 1)
        look.label_axis(axes.yaxis, measure)
        axes.label_outer(remove_inner_ticks=False)
        axes.xaxis.label.set_visible(True)
        axes.tick_params(labelbottom=True)
    for axes in panels[len(parameters) :]:
        axes.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", frameon=False, ncols=3)
    title = f"{words[:1].upper()}{words[1:]} over {' and '.join(names.words(each.path) for each in parameters)}"
    details = [names.scenario, f"mean of {points[0].seeds} runs, 95 % CI"]
    look.set_title_of_panels(figure, title, details)
    return figure


def _draw_panel(
    axes: Axes,
    parameter: Parameter,
    points: Sequence[TriedPoint],
    fresh: Interval | None,
    names: Names,
    *,
    is_alone: bool,
) -> None:
    clear_frame(axes)
    place = _axis_positions(axes, parameter, drawn(names.words(parameter.path)))
    groups = {
        f"all {points[0].seeds} seeds": [point for point in points if point.is_finished],
        "fewer seeds, as others were better": [point for point in points if not point.is_finished],
    }
    if is_alone and not isinstance(parameter, Choices):
        line = sorted((place(point), point.interval.mean) for point in points if point.interval)
        axes.plot([x for x, _ in line], [y for _, y in line], color="0.75", linewidth=1, zorder=1)
    for (name, group), colour, marker in zip(groups.items(), cycle(COLOURS), ("o", "s")):
        found = [(place(point), point.interval) for point in group if point.interval]
        _draw_intervals(axes, found, name, colour, marker, alpha=1.0 if marker == "o" else FAINT)
    if fresh:
        best = [(place(points[0]), fresh)]
        _draw_intervals(axes, best, f"the best, {points[0].seeds} fresh seeds", COLOURS[2], "D", alpha=1.0, hollow=True)
    axes.margins(y=0.05)
    axes.update_datalim([(place(points[0]), 0.0)])
    axes.autoscale_view()


def _axis_positions(axes: Axes, parameter: Parameter, words: str) -> Any:
    """Name the axis, and say where on it a point belongs."""
    if isinstance(parameter, Choices):
        axes.set_xlabel(words)
        axes.set_xticks(range(len(parameter.values)), list(map(drawn, parameter.values)))
        return lambda point: parameter.values.index(point.settings[parameter.path])
    axes.set_xlabel(f"{words} [{parameter.unit}]" if parameter.unit else words)
    if parameter.log:
        axes.set_xscale("log")
    elif parameter.whole:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return lambda point: parameter.number(point.settings[parameter.path])


def _draw_intervals(
    axes: Axes,
    found: Sequence[tuple[float, Interval]],
    name: str,
    colour: str,
    marker: str,
    *,
    alpha: float,
    hollow: bool = False,
) -> None:
    if found:
        axes.errorbar(
            [place for place, _ in found],
            [made.mean for _, made in found],
            yerr=error_bar_lengths(found),
            fmt=marker,
            color=colour,
            alpha=alpha,
            markersize=10 if hollow else 6,
            markerfacecolor="none" if hollow else colour,
            capsize=3,
            label=name,
        )
