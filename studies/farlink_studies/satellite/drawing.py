"""Figures 2 to 11 of the paper, and of the additional experiments; distinguished by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from farlink.drawing.of_runs import COLOURS
from farlink.drawing.of_store import MARKERS
from farlink.statistics import Interval
from farlink.studies.comparisons import lower_end, upper_end
from farlink.studies.drawing import clear_frame, new_figure
from farlink.tables.rows import grouped
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from farlink_studies.satellite.findings import NAMES, PAPER, RATES, RTTS_S, SIZES
from farlink_studies.satellite.runs import Case, Numbers, Runs, TimeSeries

DASHES = ("-", "--", "-", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))
DISTINGUISHED = (0, 1, 3, 4)
"""Four lines with four dashes."""
SAMPLE_S = np.arange(5.0, 601.0, 5.0)
START_S = np.arange(1.0, 60.0)
OVER_TIME = ((2, 0.0), (3, 1e-8), (4, 1e-7), (5, 1e-6), (6, 1e-5))
OVER_FILES = ((9, 0.0), (10, 1e-8), (11, 1e-7))

Lines = Mapping[str, Sequence[TimeSeries]]
"""The seeds of each named line."""


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Every figure with its caption."""
    for number, rate in OVER_TIME:
        yield f"Figure {number}: cumulative goodput, {_ber_label(rate)}", over_time(runs, rate)
    rtts = [(Case(variant, 1e-8, rtt), rtt * 1e3) for variant in PAPER for rtt in RTTS_S]
    yield "Figure 7: goodput over the round trip, BER 1e-8", draw_goodput_over(runs, rtts, "round-trip time [ms]")
    rates = [(Case(variant, rate), rate) for variant in NAMES for rate in RATES]
    figure = draw_goodput_over(runs, rates, "bit error rate", logarithmic=True)
    yield "Figure 8: goodput over the bit error rate, RTT 600 ms", figure
    for number, rate in OVER_FILES:
        sizes = [(Case(variant, rate, size_bytes=size), size / 1e6) for variant in PAPER for size in SIZES]
        figure = draw_goodput_over(runs, sizes, "file size [MB]", logarithmic=True)
        note = "open markers: not finished within 4000 s"
        yield f"Figure {number}: goodput of files, {_ber_label(rate)} ({note})", figure


def over_time(runs: Runs, rate: float) -> Figure:
    """Received so far over the time so far, mean of the seeds with its interval."""
    figure, axes = _goodput_axes("time [s]")
    for index, variant in enumerate(NAMES):
        _draw_goodput_so_far(runs, axes, index, SAMPLE_S, [each for _, each in runs.time_series(Case(variant, rate))])
    axes.set_xlim(0, 600)
    _draw_legend(figure, axes, list(NAMES))
    return figure


def draw_goodput_over(
    runs: Runs, places: Iterable[tuple[Case, float]], label: str, logarithmic: bool = False
) -> Figure:
    """Mean goodput with its interval over something."""
    figure, axes = _goodput_axes(label)
    by_variant = grouped((case.variant, (place, case)) for case, place in places)
    for index, points in enumerate(by_variant.values()):
        found = [runs.mean(runs.goodput(case)) for _, case in points]
        _draw_interval_line(axes, index, [place for place, _ in points], found, marker=MARKERS[index])
        cut = [(place, case) for place, case in points if runs.is_censored(case)]
        means = [float(np.mean([*runs.goodput(case).values()])) for _, case in cut]
        look: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": COLOURS[index], "zorder": 5}
        axes.plot([place for place, _ in cut], means, MARKERS[index], **look)
    if logarithmic:
        axes.set_xscale("log")
    _draw_legend(figure, axes, list(by_variant))
    return figure


def draw_shares(panels: Mapping[float, Sequence[tuple[str, Interval, Interval]]]) -> Figure:
    """A panel per error rate; a bar per pair, as long as what both get, parted where the first's goodput ends."""
    figure, parts = new_figure(9, 7, len(panels), sharey=True)
    for axes, (rate, bars) in zip(parts, panels.items(), strict=True):
        places = np.arange(len(bars))[::-1]
        first = [each.mean for _, each, _ in bars]
        second = [both.mean - each.mean for _, each, both in bars]
        spread = [(upper_end(each) - lower_end(each)) / 2 for _, each, _ in bars]
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


def draw_start_up(runs: Runs, panels: Mapping[float, Lines]) -> Figure:
    """A panel per error rate; goodput so far over the first minute."""
    figure, parts = new_figure(9, 3.8, len(panels), sharey=True)
    for axes, (rate, lines) in zip(parts, panels.items(), strict=True):
        for index, seeds in zip(DISTINGUISHED, lines.values(), strict=True):
            _draw_goodput_so_far(runs, axes, index, START_S, seeds)
        axes.set_xlim(0, 60)
        axes.set_ylim(0, 100)
        axes.set_xlabel("time [s]")
        axes.set_title(_ber_label(rate), fontsize=10)
        axes.grid(color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
    parts[0].set_ylabel("goodput so far [Mbit/s]")
    figure.legend(parts[0].get_lines(), [*lines], loc="outside upper center", ncols=4, frameon=False)
    return figure


def _goodput_axes(label: str) -> tuple[Figure, Axes]:
    figure, (axes,) = new_figure(7, 4)
    axes.set_xlabel(label)
    axes.set_ylabel("goodput [Mbit/s]")
    axes.set_ylim(0, 100)
    clear_frame(axes, "0.9")
    return figure, axes


def _draw_goodput_so_far(runs: Runs, axes: Axes, index: int, at: Numbers, seeds: Iterable[TimeSeries]) -> None:
    rows = [np.interp(at, each.time_s, each.received_bytes) * 8 / at / 1e6 for each in seeds]
    _draw_interval_line(
        axes, index, at, [runs.interval([float(each) for each in column]) for column in np.transpose(rows)]
    )


def _draw_interval_line(
    axes: Axes, index: int, at: Sequence[float] | Numbers, found: Sequence[Interval], marker: str = ""
) -> None:
    # Where two lines coincide, the dashes lie on the solid one.
    look: dict[str, Any] = {
        "linestyle": DASHES[index],
        "color": COLOURS[index],
        "zorder": 2 if DASHES[index] == "-" else 3,
    }
    axes.plot(at, [each.mean for each in found], linewidth=1.6, marker=marker, **look)
    low, high = ([*map(end, found)] for end in (lower_end, upper_end))
    axes.fill_between(at, low, high, color=COLOURS[index], alpha=0.15, linewidth=0)


def _draw_legend(figure: Figure, axes: Axes, variants: Sequence[str]) -> None:
    lines = [line for line in axes.get_lines() if line.get_linestyle() != "None"]
    figure.legend(lines, [NAMES[variant] for variant in variants], loc="outside right upper", frameon=False)


def _ber_label(rate: float) -> str:
    return f"BER {rate:g}" if rate else "no errors"
