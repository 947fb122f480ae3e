"""Figures: legible in print, for colour-blind readers, and in grey."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from farlink.drawing import time_series
from farlink.printable import drawn
from farlink.system.files import check_target, write_bytes

if TYPE_CHECKING:
    from farlink.execution.outcome import Recorded

FORMATS = (".png", ".svg", ".pdf")
# M. Okabe, K. Ito, "Color Universal Design", 2008; without yellow, which vanishes on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
STYLES = ("-", "--", ":")


@dataclass(frozen=True)
class FlowTimeSeries:
    """A flow over time."""

    label: str
    goodput_bps: time_series.TimeSeries
    cwnd_segments: time_series.TimeSeries | None
    """None without TCP."""


def over_time(runs: Mapping[str, Recorded]) -> Figure:
    """Goodput and window over time of every flow of every run; bands are 95 % intervals over the seeds.

    Flows without TCP have no window; where no flow has one, goodput alone is drawn.
    """
    flows = [flow for name, run in runs.items() for flow in _time_series(name, run, alone=len(runs) == 1)]
    panels = 2 if any(flow.cwnd_segments for flow in flows) else 1
    figure = Figure(figsize=(8, 6.5 if panels == 2 else 3.5), layout="constrained")
    all_axes = figure.subplots(panels, 1, sharex=True, squeeze=False).ravel()
    for flow, (style, colour) in zip(flows, cycle(product(STYLES, COLOURS)), strict=False):
        time_series.draw_mean_line(all_axes[0], flow.goodput_bps, flow.label, colour, style)
        if flow.cwnd_segments:
            time_series.draw_mean_line(all_axes[1], flow.cwnd_segments, flow.label, colour, style)
    for axes, measure in zip(all_axes, ("goodput [bit/s]", "congestion window [segments]"), strict=False):
        axes.set_ylabel(measure)
        axes.yaxis.set_major_formatter(EngFormatter(sep=" "))
    all_axes[-1].set_xlabel("time [s]")
    for axes in all_axes:
        axes.set_ylim(bottom=0)
        axes.set_xlim(0, max(run.scenario.duration_ns for run in runs.values()) / 1e9)
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        time_series.label_ends(axes)
    all_axes[0].set_title(_figure_title(runs), loc="left")
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure, whole or not at all; the same figure gives the same bytes."""
    check_target(path, FORMATS)
    form = path.suffix.lower().removeprefix(".")
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    sink = io.BytesIO()  # of a file that cannot be written Matplotlib raises errors of its own
    with rc_context({"svg.hashsalt": "farlink"}):
        figure.savefig(sink, format=form, dpi=150, metadata=undated)
    write_bytes(path, sink.getvalue())


def _figure_title(runs: Mapping[str, Recorded]) -> str:
    run = next(iter(runs.values()))
    seeds = f"seed {run.seeds[0]}" if len(run.seeds) == 1 else f"mean of {len(run.seeds)} seeds, 95 % band"
    return f"{drawn(run.scenario.name)} ({seeds})"


def _time_series(name: str, run: Recorded, alone: bool) -> Iterator[FlowTimeSeries]:
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
            continue
        edges = np.linspace(0, duration_s, min(time_series.BINS, count))
        fine = np.linspace(0, duration_s, min(time_series.BINS if len(samples) > 1 else time_series.FINE_BINS, count))
        yield FlowTimeSeries(
            label=drawn(flow if alone else name if len(labels) == 1 else f"{name}: {flow}"),
            goodput_bps=time_series.bin_rows(
                edges, [time_series.binned_rate(edges, time_s[mine], 8.0 * received[mine]) for mine in samples]
            ),
            cwnd_segments=time_series.bin_rows(
                fine, [time_series.binned_mean(fine, time_s[mine], cwnd[mine]) for mine in samples]
            )
            if all(np.isfinite(cwnd[mine]).any() for mine in samples)
            else None,
        )
