"""Figures 2 to 5 of the paper from our runs, and further ones; distinguished by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from farlink.drawing.of_runs import COLOURS
from farlink.drawing.of_store import MARKERS
from farlink.statistics import Interval
from farlink.studies.comparisons import lower_end, upper_end
from farlink.studies.drawing import clear_frame, draw_mean_curve, label_axes, new_figure
from farlink.tables.rows import grouped
from matplotlib.figure import Figure

from farlink_studies.manet.nearness import HALF_RANGE_M, Pairs
from farlink_studies.manet.runs import CONNECTIONS, ERRORS, METRICS, NAMES, NODES, SPEED, UNITS, VARIANTS, Case, Runs

DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)), (0, (1, 1)))
FIGURES = ((2, ERRORS), (3, SPEED), (4, NODES), (5, CONNECTIONS))
LABELS = {
    "throughput": "throughput [kbit/s]",
    "goodput": "goodput [kbit/s]",
    "packets dropped": "packets dropped",
    "delay": "delay [s]",
}
SPREAD = 0.012
"""Of the axis, between the marks of two variants, so that their intervals do not hide each other."""


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Every figure with its caption."""
    for number, sweep in FIGURES:
        yield f"Figure {number}: the four metrics over {UNITS[sweep]}, per variant", _draw_four_metrics(runs, sweep)


def draw_ranking(rows: Mapping[str, Sequence[tuple[str, Interval]]]) -> Figure:
    """A panel per group of points: each variant's advantage over the mean of all, with its interval."""
    figure, parts = new_figure(9, 3.4, len(rows), sharey=True)
    for axes, (name, found) in zip(parts, rows.items(), strict=True):
        values = dict(found)
        for place, variant in enumerate(VARIANTS):
            made = values[variant]
            error = [[made.mean - lower_end(made)], [upper_end(made) - made.mean]]
            look: dict[str, Any] = {"color": COLOURS[place], "marker": MARKERS[place], "linestyle": ""}
            axes.errorbar(made.mean, -place, xerr=error, capsize=3, **look)
        axes.axvline(0, color="0.6", linewidth=0.8)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("goodput against\nthe mean of all [%]", fontsize=9)
        clear_frame(axes, "0.9")
    parts[0].set_yticks([-place for place in range(len(VARIANTS))], [NAMES[variant] for variant in VARIANTS])
    return figure


def draw_nearness(pairs: Pairs) -> Figure:
    """A mark for every connection without errors, mean over the variants: on a scale for few and for many kbit/s."""
    figure, parts = new_figure(9, 3.8, 2)
    sweeps = (SPEED, NODES, CONNECTIONS)
    for place, sweep in enumerate(sweeps):
        found = [pair for pair in pairs.all if pair.sweep == sweep]
        goodputs = grouped(((each.level, each.seed, each.number, each.near), each.goodput) for each in found)
        near = [100 * key[3] for key in goodputs]
        means = [sum(each) / len(each) for each in goodputs.values()]
        look: dict[str, Any] = {"marker": MARKERS[place], "color": COLOURS[place], "fillstyle": "none"}
        for axes in parts:
            axes.plot(near, means, linestyle="", markersize=4, **look)
    parts[1].set_yscale("symlog", linthresh=0.1)
    parts[1].set_ylim(bottom=0)
    for axes in parts:
        axes.set_xlabel(f"time within {HALF_RANGE_M:g} m [%]")
        axes.set_ylabel("goodput [kbit/s]")
        clear_frame(axes, "0.9")
    _legend(figure, [f"sweep over {UNITS[sweep]}" for sweep in sweeps])
    return figure


def _draw_four_metrics(runs: Runs, sweep: str) -> Figure:
    figure = Figure(figsize=(9, 6), layout="constrained")
    levels = runs.levels_of(sweep)
    for axes, (name, metric) in zip(figure.subplots(2, 2).flat, METRICS.items(), strict=True):
        for place, variant in enumerate(VARIANTS):
            apart = (place - 3) * SPREAD * (levels[-1] - levels[0])
            made = [
                (level + apart, runs.estimator(runs.known(Case(sweep, level, variant), metric))) for level in levels
            ]
            along = [at for at, each in made if each]
            positive = [replace(each, low=each.low and max(each.low, 0)) for _, each in made if each]
            draw_mean_curve(axes, along, positive, place, DASHES[place], markersize=5, linewidth=1.4)
        label_axes(axes, UNITS[sweep], LABELS[name], levels, "0.9")
    _legend(figure, [NAMES[variant] for variant in VARIANTS])
    return figure


def _legend(figure: Figure, names: Sequence[str]) -> None:
    """Name the lines of the first panel above the figure."""
    lines = figure.axes[0].get_lines()[: len(names)]
    figure.legend(lines, names, loc="outside upper center", ncols=len(names), frameon=False)
