"""The paper's figures from our runs; distinguished by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from farlink.drawing.of_runs import COLOURS
from farlink.studies.drawing import clear_frame, draw_mean_curve, label_axes, legend_above, new_figure
from farlink.studies.settings import read
from matplotlib.figure import Figure

from farlink_studies.route_failure.findings import THREE
from farlink_studies.route_failure.movement import node_positions
from farlink_studies.route_failure.runs import (
    ELFN,
    FIVE,
    FSR,
    LONG,
    NAMES,
    RANDOM,
    RENO,
    SHORT,
    SIM_ELFN,
    TCP_F,
    Case,
    Runs,
)

LOOKS = {RENO: (0, "-"), TCP_F: (1, "--"), ELFN: (2, "--"), SIM_ELFN: (3, "-."), FSR: (6, ":")}
"""Place of the colour and marker, and the dash."""
SPREAD = 0.3
"""m/s between the marks of two variants, so that their intervals do not hide each other."""
SETTINGS = Path(__file__).resolve().parent / "settings.toml"
PLACES_S = 0.1
"""Between the points of a node's way."""
BEFORE_S = 5.0
"""How long before the first failure a figure begins."""


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Every figure with its caption."""
    for number, experiment in ((2, SHORT), (5, FIVE)):
        caption = f"Figure {number}: where the nodes are, and how those that move do, {experiment}"
        yield caption, _draw_positions(experiment)
    for number, experiment, variants in (
        (3, SHORT, (RENO, ELFN, SIM_ELFN)),
        (4, LONG, (RENO, ELFN, SIM_ELFN)),
        (7, FIVE, THREE),
    ):
        caption = f"Figure {number}: window and sequence number over time, {experiment}, of one run (grey: no route)"
        yield caption, _over_time(runs, experiment, variants)
    yield "Figure 8: throughput over the mean speed", _over_speed(runs)


def _draw_positions(experiment: str) -> Figure:
    scenario = dict(read(SETTINGS).grids("quick"))[experiment].tasks()[0].scenario
    time_s = np.arange(0, scenario.validated.duration_ns / 1e9, PLACES_S)
    figure, (axes,) = new_figure(6, 4.5)
    nodes = node_positions(scenario.validated.resolved, time_s)
    starts = np.array([node[:, 0] for node in nodes])
    axes.plot(*starts.T, color="0.6", linewidth=1, label="links before the first failure")
    for number, node in enumerate(nodes, start=1):
        if np.ptp(node, axis=1).any():
            axes.plot(*node, color=COLOURS[1], linestyle="--", linewidth=1.2, label=f"way of node {number}")
        axes.plot(*node[:, 0], marker="o", markersize=11, color=COLOURS[0])
        axes.annotate(str(number), (node[0, 0], node[1, 0]), color="white", ha="center", va="center", fontsize=8)
    axes.set_aspect("equal")
    axes.margins(0.12)
    axes.set_xlabel("east [m]")
    axes.set_ylabel("north [m]")
    clear_frame(axes)
    legend_above(figure, axes, 3)
    return figure


def _over_time(runs: Runs, experiment: str, variants: Sequence[str]) -> Figure:
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    seed, ones = next(runs.together(*(Case(experiment, variant) for variant in variants)))
    absences = ones[0].absences
    for variant, one in zip(variants, ones, strict=True):
        place, dash = LOOKS[variant]
        for axes, values in ((upper, one.path.cwnd), (lower, one.path.sent)):
            look: dict[str, Any] = {"linestyle": dash, "color": COLOURS[place], "label": NAMES[variant]}
            axes.plot(one.path.time_s, values, linewidth=1.5, **look)
    for axes in (upper, lower):
        for absence in absences:
            axes.axvspan(*absence, color="0.9", linewidth=0)
        clear_frame(axes)
    upper.set_ylabel("congestion window [packets]")
    lower.set_ylabel("sequence number [packets]")
    lower.set_xlabel(f"time [s], seed {seed}")
    start = absences[0].broken_s - BEFORE_S
    lower.set_xlim(start, float(ones[0].path.time_s[-1]))
    part = [one.path.sent[one.path.at(start) :] for one in ones]
    lower.set_ylim(min(each[0] for each in part), 1.02 * max(each[-1] for each in part))
    upper.set_ylim(0, 1.1 * max(float(one.path.cwnd[one.path.at(start) :].max()) for one in ones))
    legend_above(figure, upper, 3)
    return figure


def _over_speed(runs: Runs) -> Figure:
    figure, (axes,) = new_figure(7, 4)
    speeds = runs.speeds()
    for offset, variant in enumerate(THREE, start=-1):
        place, dash = LOOKS[variant]
        found = [
            runs.interval(runs.values(Case(RANDOM, variant, speed), lambda one: one.throughput)) for speed in speeds
        ]
        draw_mean_curve(axes, [speed + offset * SPREAD for speed in speeds], found, place, dash, NAMES[variant])
    label_axes(axes, "mean speed [m/s]", "throughput [kbit/s]", speeds)
    legend_above(figure, axes, 3)
    return figure
