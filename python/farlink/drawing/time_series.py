"""A measure over time: samples of many runs, resampled at common instants, drawn as a mean with its band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes

from farlink.errors import UsageError
from farlink.statistics import CONFIDENCE

BINS = 100
"""Points of a line that is a mean."""
FINE_BINS = 600
"""Points of the window of a single run; enough to see a sawtooth on a page."""
GOODPUT = "goodput_bps"
LOSS = "loss_rate"
TOTALS = {GOODPUT: ("received_bytes",), LOSS: ("packets_lost", "packets_sent")}
"""Measures that are no columns of a series, by the columns of totals they are made of."""
WHILE_SENDING = ("cwnd_segments", "ssthresh_segments", "srtt_s", "rto_s")
"""Measures of a sender, which limit and estimate nothing before its first packet and after its last."""
SENT = ("snd_nxt_bytes", "flight_bytes")
"""The columns that tell when a flow sends."""
LABEL_HEIGHT = 0.065
"""Least distance of two labels, as a share of the axes."""

Numbers: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"


@dataclass(frozen=True)
class TimeSeries:
    """A measure of a flow over time: a row per seed, a column per bin."""

    time_s: Numbers
    rows: Numbers
    end_s: float
    """Where the last bin ends."""


def draw_mean_line(axes: Axes, series: TimeSeries, label: str, colour: str, style: Any) -> None:
    """Draw the mean of the seeds, and how sure it is."""
    mean, count = series.rows.mean(axis=0), len(series.rows)
    axes.plot(series.time_s, mean, linestyle=style, color=colour, label=label)
    if count > 1:
        from scipy.special import stdtrit

        quantile = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
        half = quantile * series.rows.std(axis=0, ddof=1) / np.sqrt(count)
        low, high = np.maximum(mean - half, 0), mean + half
        axes.fill_between(series.time_s, low, high, color=colour, alpha=0.15, linewidth=0)


def label_ends(axes: Axes) -> None:
    """Name every line at its end, in its colour, so that none is taken for another in grey."""
    low, high = axes.get_ylim()
    ends = [(_mean_of_last_tenth(np.asarray(line.get_ydata(), dtype=float)), line) for line in axes.get_lines()]
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


def _mean_of_last_tenth(values: Numbers) -> float:
    """Where a line ends: where its last tenth is on average, so that noise moves no label."""
    last = values[np.isfinite(values)][-(len(values) // 10 + 1) :]
    return float(last.mean()) if len(last) else 0.0


def bin_edges(time_s: Sequence[Numbers], end_s: float, most: int, bin_s: float | None) -> Numbers:
    """Divide a time into bins: `most` at most, or of this width; none is narrower than the samples."""
    count = min(len(each) for each in time_s)
    if bin_s is None:
        return np.linspace(0, end_s, min(most, count))
    sample_s = end_s / max(count - 1, 1)
    if bin_s < sample_s * (1 - 1e-6):
        raise UsageError(
            f"bins of {bin_s:g} s: samples are {sample_s:.3g} s apart; set record.interval for more of them"
        )
    if 2 * bin_s > end_s:
        raise UsageError(f"bins of {bin_s:g} s: the run ends at {end_s:g} s; write half of that at most")
    return np.arange(0, end_s + bin_s / 1000, bin_s)


def bin_rows(edges: Numbers, rows: list[Numbers]) -> TimeSeries:
    """Make a time series of rows that hold a value for each bin."""
    return TimeSeries((edges[1:] + edges[:-1]) / 2, np.array(rows), float(edges[-1]))


def columns_of(measure: str) -> tuple[str, ...]:
    """The columns of a series that a measure is made of."""
    return TOTALS.get(measure, (measure,))


def columns_read(measure: str) -> tuple[str, ...]:
    """The columns of a series that it takes to draw a measure: those it is made of, and those that say where."""
    return columns_of(measure) + (SENT if measure in WHILE_SENDING else ())


def defined(measure: str, columns: Sequence[Numbers]) -> Sequence[Numbers]:
    """Give the columns that a measure is made of, NaN where it is not defined; `columns` are those of `columns_read`.

    The smoothed RTT is 0 until the first sample of the RTT.
    """
    if measure not in WHILE_SENDING:
        return columns
    values, sent, flight = columns
    used, last = np.flatnonzero((sent > 0) | (flight > 0)), np.flatnonzero(flight > 0)
    shown = np.full_like(values, np.nan)
    if len(used) and len(last):
        part = slice(max(used[0] - 1, 0), last[-1] + 2)
        shown[part] = values[part]
    return [np.where(shown > 0, shown, np.nan) if measure == "srtt_s" else shown]


def binned(measure: str, edges: Numbers, time_s: Numbers, values: Sequence[Numbers]) -> Numbers:
    """A measure bin by bin; `values` are those of its columns."""
    if measure == GOODPUT:
        return _binned_rate(edges, time_s, 8.0 * values[0])
    if measure == LOSS:
        return _binned_share(edges, time_s, *values)
    return _binned_mean(edges, time_s, values[0])


def _binned_rate(edges: Numbers, time_s: Numbers, total: Numbers) -> Numbers:
    """The growth of a total per second, bin by bin."""
    return np.diff(np.interp(edges, time_s, total)) / np.diff(edges)


def _binned_share(edges: Numbers, time_s: Numbers, part: Numbers, whole: Numbers) -> Numbers:
    """The growth of a part over that of the whole, bin by bin; NaN where the whole does not grow."""
    grown, of = (np.diff(np.interp(edges, time_s, total)) for total in (part, whole))
    return np.divide(grown, of, out=np.full_like(of, np.nan), where=of > 0)


def _binned_mean(edges: Numbers, time_s: Numbers, values: Numbers) -> Numbers:
    """The mean of the samples in each bin; bins are no narrower than samples.

    NaN where a sample is not defined, as `ssthresh` is not before the first loss.
    """
    middle = (edges[1:] + edges[:-1]) / 2
    is_known = np.isfinite(values)
    if not is_known.any():
        return np.full_like(middle, np.nan)
    time_s, values = time_s[is_known], values[is_known]
    counts, _ = np.histogram(time_s, edges)
    sums, _ = np.histogram(time_s, edges, weights=values)
    between = np.interp(middle, time_s, values, left=np.nan, right=np.nan)
    return np.where(counts > 0, sums / np.maximum(counts, 1), between)
