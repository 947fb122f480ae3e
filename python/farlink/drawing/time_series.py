"""A measure over time: samples of many runs, resampled at common instants, drawn as a mean with its band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from farlink import _farlink as bins
from farlink.drawing import fitting
from farlink.errors import UsageError
from farlink.statistics import CONFIDENCE, t_quantile

BINS = 100
"""Points of a line that is a mean."""
FINE_BINS = 600
"""Points of the window of a single run; enough to see a sawtooth on a page."""
LOSS = "loss_rate"
TOTALS = {
    "delivery_rate_bps": ("delivered_bytes",),
    "goodput_bps": ("received_bytes",),
    LOSS: ("packets_lost", "packets_sent"),
}
"""Measures that are no columns of a series, by the columns of totals they are made of."""
WHILE_SENDING = ("cwnd_segments", "ssthresh_segments", "rtt_s", "srtt_s", "rto_s")
"""Measures of a sender, which limit and estimate nothing before its first packet and after its last."""
SENT = ("snd_nxt_bytes", "flight_bytes")
"""The columns that tell when a flow sends."""
THIN = 0.5
"""Width of one of many lines, in units of that of others."""
WIDEST_LABEL_IN = {"screen": 1.5, "print": 0.9}
"""Of the names at the ends of lines."""

Numbers: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"


@dataclass(frozen=True)
class TimeSeries:
    """A measure of a flow over time: a row per seed, a column per bin."""

    time_s: Numbers
    rows: Numbers
    end_s: float
    """Where the last bin ends."""

    @property
    def mean(self) -> Numbers:
        """The mean of the seeds in each bin, where all have a value."""
        return np.asarray(self.rows.mean(axis=0), dtype=float)


def draw_mean_line(
    axes: Axes,
    series: TimeSeries,
    label: str,
    colour: str,
    style: Any,
    most: float = np.inf,
    floor: float = 0.0,
    *,
    is_thin: bool = False,
) -> None:
    """Draw the mean of the seeds, and how sure it is: up to the `most` that the measure can be.

    On a logarithmic axis, which begins at `floor`, there is no line where the mean is 0. A line that `is_thin` is one
    of many, and has no band.
    """
    mean, count = series.mean, len(series.rows)
    if floor:
        mean = np.where(mean > 0, mean, np.nan)
    (line,) = axes.plot(series.time_s, mean, linestyle=style, color=colour, label=label)
    if is_thin:
        line.set(linewidth=THIN * line.get_linewidth(), alpha=0.6)
    elif count > 1:
        quantile = t_quantile(count - 1, (1 + CONFIDENCE) / 2)
        half = quantile * series.rows.std(axis=0, ddof=1) / np.sqrt(count)
        low, high = np.maximum(mean - half, floor), np.clip(mean + half, floor, most)
        axes.fill_between(series.time_s, low, high, color=colour, alpha=0.15, linewidth=0)


def end_labels(labels: Iterable[str], style: Literal["screen", "print"]) -> dict[str, str]:
    """The texts that name lines at their ends, by the labels of the lines."""
    return {label: fitting.wrapped(label, WIDEST_LABEL_IN[style], rcParams["font.size"]) for label in labels}


def fits_beside(axes: Axes, texts: Iterable[str]) -> bool:
    """Whether texts above each other are no higher than laid-out axes."""
    return sum(fitting.height_in(text, rcParams["font.size"]) for text in texts) <= fitting.size_in(axes)[1]


def label_ends(axes: Axes, texts: Mapping[str, str]) -> None:
    """Name every line of laid-out axes at its end, in its colour, so that none is taken for another in grey."""
    lines = {label: line for line in axes.get_lines() if (label := str(line.get_label())) in texts}
    ends = {label: _end_of(axes, line) for label, line in lines.items()}
    named = sorted(lines, key=lambda label: ends[label])
    heights = [fitting.height_in(texts[label], rcParams["font.size"]) / fitting.size_in(axes)[1] for label in named]
    for label, place in zip(named, _apart([ends[label] for label in named], heights), strict=True):
        axes.annotate(
            texts[label],
            (1.01, place),
            xycoords="axes fraction",
            va="center",
            color=lines[label].get_color(),
            annotation_clip=False,
        )


def _apart(places: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Move centres of texts, in rising order, as far apart as they are high; those at the top move down."""
    found: list[float] = []
    for index, (place, height) in enumerate(zip(places, heights, strict=True)):
        found.append(max(place, found[-1] + (heights[index - 1] + height) / 2) if found else place)
    highest = 1.0
    for index in range(len(found) - 1, -1, -1):
        if found[index] + heights[index] / 2 <= highest + heights[index] / 2:
            break
        found[index] = highest
        highest -= (heights[index] + heights[max(index - 1, 0)]) / 2
    return found


def _end_of(axes: Axes, line: Line2D) -> float:
    """Where a line ends, as a share of the axes: where its last tenth is on average, so that noise moves no label."""
    values = np.asarray(line.get_ydata(), dtype=float)
    last = values[np.isfinite(values)][-(len(values) // 10 + 1) :]
    if not len(last):
        return 0.0
    pixels = axes.transData.transform((0.0, float(last.mean())))
    place = float(axes.transAxes.inverted().transform(pixels)[1])
    return min(max(place, 0.0), 1.0)


def _bin_edges(time_s: Sequence[Numbers], end_s: float, most: int, bin_s: float | None) -> Numbers:
    """Divide a time into bins: `most` at most, or of this width; none is narrower than the samples."""
    count = min(len(each) for each in time_s)
    if bin_s is None:
        return np.frombuffer(bins.bin_edges(0, end_s, count, most))
    sample_s = max(float(each[-1] - each[0]) / max(len(each) - 1, 1) for each in time_s)
    if bin_s < sample_s * (1 - 1e-6):
        raise UsageError(
            f"bins of {bin_s:g} s: samples are {sample_s:.3g} s apart; set record.interval for more of them"
        )
    if 2 * bin_s > end_s:
        raise UsageError(f"bins of {bin_s:g} s: the run ends at {end_s:g} s; write half of that at most")
    return np.arange(0, end_s + bin_s / 1000, bin_s)


def resampled(
    measure: str, runs: Sequence[Sequence[Numbers]], end_s: float, bin_s: float | None, most_of_totals: int = BINS
) -> TimeSeries:
    """Resample runs at common instants; a run is its times and its `columns_read`, NaN where not defined."""
    most = most_of_totals if measure in TOTALS else FINE_BINS if len(runs) == 1 else BINS
    edges = _bin_edges([time_s for time_s, *_ in runs], end_s, most, bin_s)
    rows = [_binned(measure, edges, time_s, values) for time_s, *values in runs]
    return TimeSeries((edges[1:] + edges[:-1]) / 2, np.array(rows), float(edges[-1]))


def columns_of(measure: str) -> tuple[str, ...]:
    """The columns of a series that a measure is made of."""
    return TOTALS.get(measure, (measure,))


def columns_read(measure: str) -> tuple[str, ...]:
    """The columns of a series that it takes to draw a measure: those it is made of, and those that say where."""
    return columns_of(measure) + (SENT if measure in WHILE_SENDING else ())


def defined(measure: str, columns: Sequence[Numbers]) -> Sequence[Numbers]:
    """Give the columns that a measure is made of, NaN where it is not defined; `columns` are those of `columns_read`.

    An RTT is 0 until its first sample.
    """
    if measure not in WHILE_SENDING:
        return columns
    values, sent, flight = columns
    used, last = np.flatnonzero((sent > 0) | (flight > 0)), np.flatnonzero(flight > 0)
    shown = np.full_like(values, np.nan)
    if len(used) and len(last):
        part = slice(max(used[0] - 1, 0), last[-1] + 2)
        shown[part] = values[part]
    return [np.where(shown > 0, shown, np.nan) if measure in ("rtt_s", "srtt_s") else shown]


def _binned(measure: str, edges: Numbers, time_s: Numbers, values: Sequence[Numbers]) -> Numbers:
    """A measure bin by bin, NaN where it is not defined; `values` are those of its columns."""
    columns = [np.asarray(column, dtype=float).tobytes() for column in (edges, time_s, *values)]
    if measure == LOSS:
        return np.frombuffer(bins.binned_share(*columns))
    if measure in TOTALS:
        columns[2:] = [(8.0 * values[0]).tobytes()]
        return np.frombuffer(bins.binned_rate(*columns))
    return np.frombuffer(bins.binned_mean(*columns))
