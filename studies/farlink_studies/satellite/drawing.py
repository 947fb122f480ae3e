"""Figures 2 to 11 of the paper, and of the additional experiments; distinguished by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from farlink.drawing.of_runs import COLOURS
from farlink.drawing.of_store import MARKERS
from farlink.statistics import Interval
from farlink.studies.drawing import clear_frame, interval_ends
from farlink.studies.written import interval
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from farlink_studies.satellite.findings import ENHANCED, HYBLA, NAMES, RATES, RTTS_S, SIZES, WESTWOOD
from farlink_studies.satellite.runs import BySeed, Case, Runs

PAPER = (WESTWOOD, HYBLA, ENHANCED)
ALL = (*PAPER, "reno", "cubic", "bbr")
DASHES = ("-", "--", "-", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))
DISTINGUISHED = (0, 1, 3, 4)
"""Four lines with four dashes."""
SAMPLE_S = [float(second) for second in range(5, 601, 5)]
START_S = [float(second) for second in range(1, 60)]
OVER_TIME = ((2, 0.0), (3, 1e-8), (4, 1e-7), (5, 1e-6), (6, 1e-5))
OVER_FILES = ((9, 0.0), (10, 1e-8), (11, 1e-7))

Panels: TypeAlias = "dict[float, list[tuple[str, list[list[float]]]]]"
"""By bit error rate: named lines, a list of seeds for every second."""


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Every figure with its caption."""
    for number, rate in OVER_TIME:
        yield f"Figure {number}: cumulative goodput, {_ber_label(rate)}", over_time(runs, rate)
    rtts = [(Case(variant, 1e-8, rtt), rtt * 1e3) for variant in PAPER for rtt in RTTS_S]
    yield "Figure 7: goodput over the round trip, BER 1e-8", draw_goodput_over(runs, rtts, "round-trip time [ms]")
    rates = [(Case(variant, rate), rate) for variant in ALL for rate in RATES]
    yield (
        "Figure 8: goodput over the bit error rate, RTT 600 ms",
        draw_goodput_over(runs, rates, "bit error rate", logarithmic=True),
    )
    for number, rate in OVER_FILES:
        sizes = [(Case(variant, rate, size_bytes=size), size / 1e6) for variant in PAPER for size in SIZES]
        figure = draw_goodput_over(runs, sizes, "file size [MB]", logarithmic=True)
        yield (
            f"Figure {number}: goodput of files, {_ber_label(rate)} (open markers: not finished within 4000 s)",
            figure,
        )


def over_time(runs: Runs, rate: float) -> Figure:
    """Received so far over the time so far, mean of the seeds with its interval."""
    figure, axes = _new_figure("time [s]")
    for index, variant in enumerate(ALL):
        rows = [
            np.interp(SAMPLE_S, series.time_s, series.received_bytes) * 8 / np.array(SAMPLE_S) / 1e6
            for _, series in runs.time_series(Case(variant, rate))
        ]
        _draw_interval_line(
            axes, index, SAMPLE_S, [[row[place] for row in rows] for place in range(len(SAMPLE_S))], marker=False
        )
    axes.set_xlim(0, 600)
    _draw_legend(figure, axes, ALL)
    return figure


def draw_goodput_over(
    runs: Runs, places: Iterable[tuple[Case, float]], label: str, logarithmic: bool = False
) -> Figure:
    """Mean goodput with its interval over something."""
    figure, axes = _new_figure(label)
    by_variant: dict[str, list[tuple[float, Case]]] = {}
    for case, place in places:
        by_variant.setdefault(case.variant, []).append((place, case))
    for index, (_, points) in enumerate(by_variant.items()):
        found: list[BySeed] = [runs.goodput(case) for _, case in points]
        at = [place for place, _ in points]
        _draw_interval_line(axes, index, at, [list(each.values()) for each in found], marker=True)
        cut = [(place, case) for place, case in points if runs.is_censored(case)]
        means = [float(np.mean(list(runs.goodput(case).values()))) for _, case in cut]
        axes.plot(
            [place for place, _ in cut],
            means,
            MARKERS[index],
            markerfacecolor="white",
            markeredgecolor=COLOURS[index],
            zorder=5,
        )
    if logarithmic:
        axes.set_xscale("log")
    _draw_legend(figure, axes, list(by_variant))
    return figure


def draw_shares(panels: Mapping[float, Sequence[tuple[str, Interval, Interval]]]) -> Figure:
    """A panel per error rate; a bar per pair, as long as what both get, parted where the first's goodput ends."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    for axes, (rate, bars) in zip(_make_panels(figure, len(panels)), panels.items(), strict=True):
        places = np.arange(len(bars))[::-1]
        first = [each.mean for _, each, _ in bars]
        second = [both.mean - each.mean for _, each, both in bars]
        spread = [0 if each.low is None or each.high is None else (each.high - each.low) / 2 for _, each, _ in bars]
        axes.barh(places, first, color=COLOURS[0], label="first", xerr=spread, capsize=3, ecolor="black")
        axes.barh(places, second, left=first, color=COLOURS[5], label="second")
        axes.set_yticks(places, [title for title, _, _ in bars], fontsize=9)
        axes.set_xlim(0, 100)
        axes.set_xlabel("goodput [Mbit/s]")
        axes.set_title(_ber_label(rate), fontsize=10)
        axes.grid(axis="x", color="0.9")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=2, frameon=False)
    return figure


def draw_start_up(panels: Panels) -> Figure:
    """A panel per error rate; goodput so far over the first minute."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    for axes, (rate, lines) in zip(_make_panels(figure, len(panels)), panels.items(), strict=True):
        for index, (_, values) in zip(DISTINGUISHED, lines, strict=True):
            _draw_interval_line(axes, index, START_S, values, marker=False)
        axes.set_xlim(0, 60)
        axes.set_ylim(0, 100)
        axes.set_xlabel("time [s]")
        axes.set_title(_ber_label(rate), fontsize=10)
        axes.grid(color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("goodput so far [Mbit/s]")
    names = [name for name, _ in next(iter(panels.values()))]
    figure.legend(figure.axes[0].get_lines(), names, loc="outside upper center", ncols=4, frameon=False)
    return figure


def _make_panels(figure: Figure, count: int) -> Sequence[Axes]:
    return list(figure.subplots(1, count, sharey=True, squeeze=False)[0])


def _new_figure(label: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel(label)
    axes.set_ylabel("goodput [Mbit/s]")
    axes.set_ylim(0, 100)
    clear_frame(axes, "0.9")
    return figure, axes


def _draw_interval_line(
    axes: Axes, index: int, at: Sequence[float], values: list[list[float]], *, marker: bool
) -> None:
    found = [interval(each) for each in values]
    low, high = zip(*map(interval_ends, found), strict=True)
    axes.plot(
        at,
        [each.mean for each in found],
        linestyle=DASHES[index],
        color=COLOURS[index],
        linewidth=1.6,
        marker=MARKERS[index] if marker else "",
        # Where two lines coincide, the dashes lie on the solid one.
        zorder=2 if DASHES[index] == "-" else 3,
    )
    axes.fill_between(at, low, high, color=COLOURS[index], alpha=0.15, linewidth=0)


def _draw_legend(figure: Figure, axes: Axes, variants: Sequence[str]) -> None:
    lines = [line for line in axes.get_lines() if line.get_linestyle() != "None"]
    figure.legend(lines, [NAMES[variant] for variant in variants], loc="outside right upper", frameon=False)


def _ber_label(rate: float) -> str:
    return f"BER {rate:g}" if rate else "no errors"
