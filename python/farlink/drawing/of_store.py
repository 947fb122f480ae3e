"""Figures of many runs: lines with bands, bars with intervals, distributions, time series.

Lines differ in colour, style and marker, bars in colour and hatch, so that grey print tells them apart too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from farlink.drawing import time_series
from farlink.drawing.of_runs import COLOURS
from farlink.errors import UsageError
from farlink.printable import drawn
from farlink.statistics import Interval, of_measure

if TYPE_CHECKING:
    import pyarrow as pa

Kind: TypeAlias = Literal["line", "bar", "cdf", "time"]
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
STYLES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))
"""Five go with seven colours: the same pair comes back after 35 lines only."""
HATCHES = ("", "//", "..", "xx", "\\\\", "--", "oo")
UNITS = {
    "bps": "bit/s",
    "s": "s",
    "bytes": "B",
    "packets": "packets",
    "segments": "segments",
    "m": "m",
    "mps": "m/s",
    "hz": "Hz",
    "dbm": "dBm",
    "db": "dB",
}
FAR_APART = 30
"""From this ratio of the largest to the smallest on, an axis is logarithmic."""
MOST_OVER_EACH_OTHER = 3
"""Time series on the same axes."""
GOODPUT = "goodput_bps"
RATE_BINS = 40
"""Points of a goodput over time: what arrives comes in bursts, a hole filled sets free what waited behind it."""
MOST_UPRIGHT = 48
"""Characters side by side under a figure's bars; with more they are turned."""

Row: TypeAlias = "dict[str, Any]"
Points: TypeAlias = "dict[Any, list[float]]"
Lines: TypeAlias = "dict[Any, Points]"


def draw_over_parameter(rows: Iterable[Row], x: str, y: str, by: str | None, kind: Literal["line", "bar"]) -> Figure:
    """Draw the mean of `y` over the seeds with its 95 % interval, over `x`."""
    lines = _group_lines((row for row in rows if row[x] is not None), y, by, lambda row: row[x])
    figure, axes = _new_figure()
    places = sorted({place for points in lines.values() for place in points}, key=_sort_key)
    (_draw_lines if kind == "line" else _draw_bars)(axes, lines, places, x, by)
    axes.set_xlabel(label(x))
    axes.set_ylabel(label(y))
    axes.yaxis.set_major_formatter(EngFormatter(sep=" "))
    if by:
        _draw_legend(figure, by)
    return figure


def draw_distributions(rows: Iterable[Row], y: str, by: str | None) -> Figure:
    """Draw how `y` is distributed over the runs."""
    lines = _group_lines(rows, y, by, lambda _: None)
    figure, axes = _new_figure()
    for (name, points), colour, style in zip(lines.items(), cycle(COLOURS), cycle(STYLES)):
        axes.ecdf(points[None], label=_format_parameter(name, by), color=colour, linestyle=style, linewidth=1.6)
    axes.set_xlabel(label(y))
    axes.set_ylabel("share of runs")
    axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
    if by:
        _draw_legend(figure, by)
    return figure


def over_time(lines: Mapping[Any, Sequence[pa.Table]], y: str, by: str | None) -> Figure:
    """Draw the mean of `y` over the runs of each line, over time; a single run as it is.

    More than a few time series over each other cannot be read: each then gets axes of its own, all alike.
    """
    drawn = [(name, _time_series(runs, y)) for name, runs in _in_order(lines)]
    is_apart = len(drawn) > MOST_OVER_EACH_OTHER
    rows = (len(drawn) + 1) // 2 if is_apart else 1
    figure = Figure(figsize=(7, 1 + 1.7 * rows if is_apart else 4.5), layout="constrained")
    panels = figure.subplots(rows, 2 if is_apart else 1, sharex=True, sharey=True, squeeze=False).ravel()
    for index, ((name, series), colour, style) in enumerate(zip(drawn, cycle(COLOURS), cycle(STYLES))):
        axes = panels[index if is_apart else 0]
        time_series.draw_mean_line(axes, series, _format_parameter(name, by), colour, "-" if is_apart else style)
        if is_apart:
            axes.set_title(_format_parameter(name, by), loc="left", fontsize="medium")
    for axes in panels[len(drawn) if is_apart else 1 :]:
        axes.set_axis_off()
    for axes in panels[: len(drawn)][-2:]:  # what is lowest in its column
        axes.tick_params(labelbottom=True)
    for axes in panels:
        clear_frame(axes)
        axes.set_ylim(bottom=0)
        axes.set_xlim(0, max(series.time_s[-1] for _, series in drawn))
        axes.yaxis.set_major_formatter(EngFormatter(sep=" "))
    figure.supxlabel("time [s]", fontsize="medium")
    figure.supylabel(label(y), fontsize="medium")
    if is_apart:
        figure.suptitle(_series_caption(lines, by, y, drawn[0][1]), fontsize="medium")
    else:
        panels[0].set_title(_series_caption(lines, None, y, drawn[0][1]), fontsize="medium", loc="left")
    if by and not is_apart:
        _draw_legend(figure, by)
    return figure


def _series_caption(
    lines: Mapping[Any, Sequence[pa.Table]], by: str | None, y: str, series: time_series.TimeSeries
) -> str:
    """What a time series is made of."""
    counts = sorted({len(runs) for runs in lines.values()})
    many = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    parts = ["one run" if counts == [1] else f"mean of {many} runs, 95 % band"]
    if y == GOODPUT:
        parts.append(f"averaged over {series.time_s[1] - series.time_s[0]:.2g} s")
    return "; ".join([f"by {label(by)}", *parts] if by else parts)


def label(column: str) -> str:
    """Write a column's name for an axis: words, and the unit in brackets."""
    name, _, unit = column.rpartition("_")
    words = name if unit in UNITS else column
    if "." not in words:  # not a path, which can be typed as it stands
        words = words.replace("_", " ")
    return f"{words} [{UNITS[unit]}]" if unit in UNITS else words


def format_with_unit(value: float, column: str) -> str:
    """Write a measure's value with its unit: 186 kbit/s."""
    unit = UNITS.get(column.rpartition("_")[2], "")
    number = EngFormatter(sep=" ", places=2)(value) if unit else f"{value:.4g}"
    return f"{number}{unit}" if unit and number[-1].isalpha() else f"{number} {unit}".rstrip()


def _new_figure() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    clear_frame(axes)
    return figure, axes


def clear_frame(axes: Axes) -> None:
    """Leave of the axes what is needed."""
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_legend(figure: Figure, by: str) -> None:
    # Handles long enough for the longest style to repeat.
    figure.legend(title=label(by), loc="outside right upper", frameon=False, handlelength=3.5)


def _group_lines(rows: Iterable[Row], y: str, by: str | None, place_of: Callable[[Row], Any]) -> Lines:
    lines: Lines = {}
    for row in rows:
        if row[y] is not None:
            lines.setdefault(row[by] if by else None, {}).setdefault(place_of(row), []).append(row[y])
    if not lines:
        raise UsageError(f"no run has a value of {y}")
    return dict(_in_order(lines))


def _in_order(lines: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """So that a variant's colour does not depend on which run was finished first."""
    return sorted(lines.items(), key=lambda item: _sort_key(item[0]))


def _sort_key(value: Any) -> tuple[bool, bool, Any]:
    return value is not None, isinstance(value, str), value


def _format_parameter(value: Any, column: str | None) -> str:
    """A parameter's value for a person: 100 M for a rate, 1e-07 for a probability."""
    if value is None:
        return "-"
    if isinstance(value, int | float) and not isinstance(value, bool):
        has_unit = column is not None and column.rpartition("_")[2] in UNITS
        return EngFormatter(sep=" ")(value) if has_unit else f"{value:g}"
    return drawn(str(value))


def _estimate_points(points: Points) -> list[tuple[Any, Interval]]:
    found = (
        (place, of_measure(values)) for place, values in sorted(points.items(), key=lambda item: _sort_key(item[0]))
    )
    return [(place, made) for place, made in found if made is not None]


def _draw_lines(axes: Axes, lines: Lines, places: Sequence[Any], x: str, by: str | None) -> None:
    if any(isinstance(place, str | bool) for place in places):
        _draw_markers(axes, lines, places, x, by)
        return
    for (name, points), colour, marker, style in zip(lines.items(), cycle(COLOURS), cycle(MARKERS), cycle(STYLES)):
        found = _estimate_points(points)
        along = [place for place, _ in found]
        means = [made.mean for _, made in found]
        below, above = error_bar_lengths(found)
        axes.fill_between(along, np.subtract(means, below), np.add(means, above), color=colour, alpha=0.15, linewidth=0)
        axes.plot(along, means, linestyle=style, marker=marker, color=colour, label=_format_parameter(name, by))
    axes.set_ylim(bottom=0)
    if not _is_logarithmic(axes, places) and x.rpartition("_")[2] in UNITS:
        axes.xaxis.set_major_formatter(EngFormatter(sep=" "))


def _draw_markers(axes: Axes, lines: Lines, places: Sequence[Any], x: str, by: str | None) -> None:
    """Between words there is nothing that a line could tell."""
    width = 0.5 / len(lines)
    for index, ((name, points), colour, marker) in enumerate(zip(lines.items(), cycle(COLOURS), cycle(MARKERS))):
        found = _estimate_points(points)
        axes.errorbar(
            [places.index(place) + (index - (len(lines) - 1) / 2) * width for place, _ in found],
            [made.mean for _, made in found],
            yerr=error_bar_lengths(found),
            fmt=marker,
            color=colour,
            capsize=3,
            label=_format_parameter(name, by),
        )
    axes.set_ylim(bottom=0)
    _name_places(axes, places, x)


def error_bar_lengths(found: Sequence[tuple[Any, Interval]]) -> tuple[list[float], list[float]]:
    """How far the intervals reach below and above; nowhere for a single value."""
    below = [0.0 if made.low is None else made.mean - made.low for _, made in found]
    above = [0.0 if made.high is None else made.high - made.mean for _, made in found]
    return below, above


def _name_places(axes: Axes, places: Sequence[Any], x: str) -> None:
    written = [_format_parameter(place, x) for place in places]
    turned = 30 if max(map(len, written)) * len(places) > MOST_UPRIGHT else 0
    axes.set_xticks(range(len(places)), written, rotation=turned, ha="right" if turned else "center")


def _is_logarithmic(axes: Axes, places: Sequence[float]) -> bool:
    """Make the axis logarithmic for numbers far apart; 0 keeps its place."""
    positive = [place for place in places if place > 0]
    if not positive or max(positive) < FAR_APART * min(positive):
        return False
    if min(places) <= 0:
        axes.set_xscale("symlog", linthresh=min(positive))
        axes.set_xlim(min(min(places), -0.2 * min(positive)), 1.3 * max(positive))
    else:
        axes.set_xscale("log")
    return True


def _draw_bars(axes: Axes, lines: Lines, places: Sequence[Any], x: str, by: str | None) -> None:
    width = 0.8 / len(lines)
    for index, ((name, points), colour, hatch) in enumerate(zip(lines.items(), cycle(COLOURS), cycle(HATCHES))):
        found = _estimate_points(points)
        axes.bar(
            [places.index(place) + (index - (len(lines) - 1) / 2) * width for place, _ in found],
            [made.mean for _, made in found],
            width,
            yerr=error_bar_lengths(found),
            color=colour,
            hatch=hatch,
            edgecolor="white",
            capsize=3,
            label=_format_parameter(name, by),
        )
    _name_places(axes, places, x)


def _time_series(runs: Sequence[pa.Table], y: str) -> time_series.TimeSeries:
    """Resample runs at common instants, up to the end of the shortest."""
    times = [run["time_s"].to_numpy() for run in runs]
    count = min(len(time_s) for time_s in times)
    most = RATE_BINS if y == GOODPUT else time_series.FINE_BINS if len(runs) == 1 else time_series.BINS
    edges = np.linspace(0, min(time_s[-1] for time_s in times), min(most, count))
    if y == GOODPUT:
        totals = [8.0 * run["received_bytes"].to_numpy() for run in runs]
        return time_series.bin_rows(
            edges, [time_series.binned_rate(edges, time_s, total) for time_s, total in zip(times, totals, strict=True)]
        )
    values = [run[y].to_numpy(zero_copy_only=False).astype(float) for run in runs]
    return time_series.bin_rows(
        edges, [time_series.binned_mean(edges, time_s, each) for time_s, each in zip(times, values, strict=True)]
    )
