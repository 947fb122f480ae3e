"""Figures 2 to 5 of the paper from our runs, and further ones; distinguished by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from farlink.drawing.of_runs import COLOURS
from farlink.drawing.of_store import MARKERS
from farlink.statistics import Interval
from farlink.studies.drawing import clear_frame, draw_mean_curve
from farlink.studies.intervals import judged
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
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    for axes, (name, found) in zip(
        figure.subplots(1, len(rows), sharey=True, squeeze=False)[0], rows.items(), strict=True
    ):
        values = dict(found)
        for place, variant in enumerate(VARIANTS):
            made = values[variant]
            low, high = (made.mean if end is None else end for end in (made.low, made.high))
            error = [[made.mean - low], [high - made.mean]]
            axes.errorbar(
                made.mean, -place, xerr=error, color=COLOURS[place], marker=MARKERS[place], capsize=3, linestyle=""
            )
        axes.axvline(0, color="0.6", linewidth=0.8)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("goodput against\nthe mean of all [%]", fontsize=9)
        clear_frame(axes, "0.9")
    figure.axes[0].set_yticks([-place for place in range(len(VARIANTS))], [NAMES[variant] for variant in VARIANTS])
    return figure


def draw_nearness(pairs: Pairs) -> Figure:
    """A mark for every connection without errors, mean over the variants: on a scale for few and for many kbit/s."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    linear, logarithmic = figure.subplots(1, 2)
    for place, sweep in enumerate((SPEED, NODES, CONNECTIONS)):
        goodputs: dict[tuple[float, int, int, float], list[float]] = {}
        for pair in pairs.all:
            if pair.sweep == sweep:
                goodputs.setdefault((pair.level, pair.seed, pair.number, pair.near), []).append(pair.goodput)
        near = [100 * key[3] for key in goodputs]
        means = [sum(found) / len(found) for found in goodputs.values()]
        for axes in (linear, logarithmic):
            axes.plot(
                near, means, linestyle="", marker=MARKERS[place], color=COLOURS[place], markersize=4, fillstyle="none"
            )
    logarithmic.set_yscale("symlog", linthresh=0.1)
    logarithmic.set_ylim(bottom=0)
    for axes in (linear, logarithmic):
        axes.set_xlabel(f"time within {HALF_RANGE_M:g} m [%]")
        axes.set_ylabel("goodput [kbit/s]")
        clear_frame(axes, "0.9")
    figure.legend(
        linear.get_lines(),
        [f"sweep over {UNITS[sweep]}" for sweep in (SPEED, NODES, CONNECTIONS)],
        loc="outside upper center",
        ncols=3,
        frameon=False,
    )
    return figure


def _draw_four_metrics(runs: Runs, sweep: str) -> Figure:
    figure = Figure(figsize=(9, 6), layout="constrained")
    levels = runs.levels(sweep)
    for axes, (name, metric) in zip(figure.subplots(2, 2).flat, METRICS.items(), strict=True):
        for place, variant in enumerate(VARIANTS):
            found = []
            for level in levels:
                ones = runs.of(Case(sweep, level, variant)).values()
                made = judged([value for one in ones if (value := metric(one)) is not None])
                if made:
                    found.append((level + (place - 3) * SPREAD * (levels[-1] - levels[0]), made))
            along, positive = (
                [at for at, _ in found],
                [replace(each, low=each.low and max(each.low, 0)) for _, each in found],
            )
            draw_mean_curve(axes, along, positive, place, DASHES[place], markersize=5, linewidth=1.4)
        axes.set_xlabel(UNITS[sweep])
        axes.set_ylabel(LABELS[name])
        axes.set_xticks(levels, [f"{level:g}" for level in levels])
        axes.set_ylim(bottom=0)
        clear_frame(axes, "0.9")
    figure.legend(
        figure.axes[0].get_lines()[: len(VARIANTS)],
        [NAMES[variant] for variant in VARIANTS],
        loc="outside upper center",
        ncols=len(VARIANTS),
        frameon=False,
    )
    return figure
