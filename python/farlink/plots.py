"""Figures: legible in print, for colour-blind readers, and in grey."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from farlink.files import check_target, replacing
from farlink.statistics import CONFIDENCE

if TYPE_CHECKING:
    from farlink.run import Run

FORMATS = (".png", ".svg", ".pdf")
# M. Okabe, K. Ito, "Color Universal Design", 2008; without yellow, which vanishes on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
STYLES = ("-", "--", "-.", ":")  # four and seven: 28 different lines
BINS = 150
"""Points of a line; enough to see a sawtooth on a page."""

Numbers: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"


@dataclass(frozen=True)
class Course:
    """A flow over time: a row per seed in `goodput_bps` and `cwnd_segments`."""

    label: str
    time_s: Numbers
    goodput_bps: Numbers
    cwnd_segments: Numbers


def over_time(runs: Mapping[str, Run]) -> Figure:
    """Goodput and window over time of every flow of every run; bands are 95 % intervals over the seeds."""
    courses = [course for name, run in runs.items() for course in _courses(name, run, alone=len(runs) == 1)]
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    for course, colour, style in zip(courses, cycle(COLOURS), cycle(STYLES), strict=False):
        _line(upper, course.time_s, course.goodput_bps, course.label, colour, style)
        _line(lower, course.time_s, course.cwnd_segments, course.label, colour, style)
    upper.set_ylabel("goodput [bit/s]")
    upper.yaxis.set_major_formatter(EngFormatter(sep=" "))
    lower.set_ylabel("congestion window [segments]")
    lower.yaxis.set_major_formatter(EngFormatter(sep=" "))
    lower.set_xlabel("time [s]")
    for axes in (upper, lower):
        axes.set_ylim(bottom=0)
        axes.set_xlim(0, max(run.scenario.duration_ns for run in runs.values()) / 1e9)
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    upper.set_title(_title(runs), loc="left")
    handles, labels = upper.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 4) or 1, frameon=False)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure, whole or not at all; the same figure gives the same bytes."""
    check_target(path, FORMATS)
    form = path.suffix.lower().removeprefix(".")
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    with replacing(path) as part, rc_context({"svg.hashsalt": "farlink"}):
        figure.savefig(part, format=form, dpi=150, metadata=undated)


def _title(runs: Mapping[str, Run]) -> str:
    run = next(iter(runs.values()))
    seeds = f"seed {run.seeds[0]}" if len(run.seeds) == 1 else f"mean of {len(run.seeds)} seeds, 95 % band"
    return f"{run.scenario.name} ({seeds})"


def _line(axes: Axes, time_s: Numbers, rows: Numbers, label: str, colour: str, style: str) -> None:
    """Draw the mean of the rows, and how sure it is; nothing for what a flow does not have."""
    if np.isnan(rows).all():
        return
    axes.plot(time_s, rows.mean(axis=0), style, color=colour, label=label, linewidth=1.6)
    count = len(rows)
    if count > 1:
        from scipy.special import stdtrit

        quantile = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
        half = quantile * rows.std(axis=0, ddof=1) / np.sqrt(count)
        mean = rows.mean(axis=0)
        axes.fill_between(time_s, np.maximum(mean - half, 0), mean + half, color=colour, alpha=0.15, linewidth=0)


def _courses(name: str, run: Run, alone: bool) -> Iterator[Course]:
    """The run's flows over time, binned so that all seeds share their instants."""
    labels = run.scenario.flow_labels
    duration_s = run.scenario.duration_ns / 1e9
    series = run.series
    columns = {each: series[each].to_numpy() for each in ("seed", "time_s", "cwnd_segments", "received_bytes")}
    flows = np.asarray(series["flow"].to_pylist())
    for flow in labels:
        label = flow if alone else name if len(labels) == 1 else f"{name}: {flow}"
        goodput, windows, edges = [], [], np.array([0.0, duration_s])
        for seed in run.seeds:
            mine = (columns["seed"] == seed) & (flows == flow)
            time_s = columns["time_s"][mine]
            edges = np.linspace(0.0, duration_s, min(BINS, max(len(time_s), 2)))
            received = np.interp(edges, time_s, columns["received_bytes"][mine].astype(float), left=0.0)
            goodput.append(8 * np.diff(received) / np.diff(edges))
            windows.append(np.interp(edges[1:], time_s, columns["cwnd_segments"][mine]))
        yield Course(label, (edges[1:] + edges[:-1]) / 2, np.array(goodput), np.array(windows))
