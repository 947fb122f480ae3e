"""Figures: legible in print, for colour-blind readers, and in grey."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, product
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
STYLES = ("-", "--", ":")
BINS = 100
"""Points of a line that is a mean."""
FINE_BINS = 600
"""Points of the window of a single run; enough to see a sawtooth on a page."""
LABEL_HEIGHT = 0.065
"""Least distance of two labels, as a share of the axes."""

Numbers: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"


@dataclass(frozen=True)
class Course:
    """A measure of a flow over time: a row per seed, a column per bin."""

    time_s: Numbers
    rows: Numbers


@dataclass(frozen=True)
class FlowCourse:
    """A flow over time."""

    label: str
    goodput_bps: Course
    cwnd_segments: Course


def over_time(runs: Mapping[str, Run]) -> Figure:
    """Goodput and window over time of every flow of every run; bands are 95 % intervals over the seeds."""
    courses = [course for name, run in runs.items() for course in _courses(name, run, alone=len(runs) == 1)]
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    for course, (style, colour) in zip(courses, cycle(product(STYLES, COLOURS)), strict=False):
        _line(upper, course.goodput_bps, course.label, colour, style)
        _line(lower, course.cwnd_segments, course.label, colour, style)
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
        _label_ends(axes)
    upper.set_title(_title(runs), loc="left")
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


def _line(axes: Axes, course: Course, label: str, colour: str, style: str) -> None:
    """Draw the mean of the seeds, and how sure it is."""
    mean, count = course.rows.mean(axis=0), len(course.rows)
    axes.plot(course.time_s, mean, style, color=colour, label=label, linewidth=1.6)
    if count > 1:
        from scipy.special import stdtrit

        quantile = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
        half = quantile * course.rows.std(axis=0, ddof=1) / np.sqrt(count)
        low, high = np.maximum(mean - half, 0), mean + half
        axes.fill_between(course.time_s, low, high, color=colour, alpha=0.15, linewidth=0)


def _label_ends(axes: Axes) -> None:
    """Name every line at its end, in its colour, so that none is taken for another in grey."""
    low, high = axes.get_ylim()
    # Where a line ends is where its last tenth is on average: noise moves no label.
    courses = ((np.asarray(line.get_ydata(), dtype=float), line) for line in axes.get_lines())
    ends = [(float(course[-(len(course) // 10 + 1) :].mean()), line) for course, line in courses]
    free = -np.inf
    for end, line in sorted(ends, key=lambda each: each[0]):
        place = max((end - low) / (high - low), free)
        free = place + LABEL_HEIGHT
        axes.annotate(
            str(line.get_label()),
            (1.01, place),
            xycoords="axes fraction",
            va="center",
            color=line.get_color(),
            annotation_clip=False,
        )


def _courses(name: str, run: Run, alone: bool) -> Iterator[FlowCourse]:
    """The run's flows over time, binned so that all seeds share their instants."""
    labels = run.scenario.flow_labels
    duration_s = run.scenario.duration_ns / 1e9
    series = run.series
    seed, time_s, cwnd, received = (
        series[each].to_numpy() for each in ("seed", "time_s", "cwnd_segments", "received_bytes")
    )
    flows = np.asarray(series["flow"].to_pylist())
    for flow in labels:
        samples = [(flows == flow) & (seed == each) for each in run.seeds]
        count = min((int(mine.sum()) for mine in samples), default=0)
        if count < 2:
            continue  # only TCP has a series
        edges = np.linspace(0, duration_s, min(BINS, count))
        fine = np.linspace(0, duration_s, min(BINS if len(samples) > 1 else FINE_BINS, count))
        yield FlowCourse(
            label=flow if alone else name if len(labels) == 1 else f"{name}: {flow}",
            goodput_bps=_binned(edges, [_rate(edges, time_s[mine], 8.0 * received[mine]) for mine in samples]),
            cwnd_segments=_binned(fine, [_mean(fine, time_s[mine], cwnd[mine]) for mine in samples]),
        )


def _binned(edges: Numbers, rows: list[Numbers]) -> Course:
    return Course((edges[1:] + edges[:-1]) / 2, np.array(rows))


def _rate(edges: Numbers, time_s: Numbers, total: Numbers) -> Numbers:
    """The growth of a total per second, bin by bin."""
    return np.diff(np.interp(edges, time_s, total)) / np.diff(edges)


def _mean(edges: Numbers, time_s: Numbers, values: Numbers) -> Numbers:
    """The mean of the samples in each bin; bins are no narrower than samples."""
    counts, _ = np.histogram(time_s, edges)
    sums, _ = np.histogram(time_s, edges, weights=values)
    middle = (edges[1:] + edges[:-1]) / 2
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.interp(middle, time_s, values))
