"""Figures of many runs: lines with bands, bars with intervals, distributions, time series.

Lines differ in colour, style and marker, bars in colour and hatch, so that grey print tells them apart too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from farlink.drawing import fitting, outages, time_series
from farlink.drawing.estimates import (
    Estimates,
    Estimator,
    Row,
    draw_open_ends,
    error_bar_lengths,
    estimate_points,
    group_lines,
    in_order,
    kind_of_interval,
    single_runs,
    without_neighbour,
    without_value,
)
from farlink.drawing.look import FAR_APART, Look, clear_frame, draw_legend, set_log
from farlink.drawing.of_runs import COLOURS, STYLES
from farlink.errors import UsageError
from farlink.printable import drawn
from farlink.statistics import of_measure
from farlink.tables import labels, parameters
from farlink.tables.workload_columns import is_of_workload

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink.drawing.outages import Spans

Kind: TypeAlias = Literal["line", "bar", "cdf", "time"]
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "//", "..", "xx", "\\\\", "--", "oo")
MOST_OVER_EACH_OTHER = 3
"""Time series on the same axes."""
TOTAL_BINS = 40
"""Points of a goodput or share of losses over time: arrivals and losses come in bursts."""
COARSE = 1.5
"""Bins of so many samples are means of several."""
WIDEST_NAME_IN = 1.0
"""Of a value on an axis where names are turned; the layout takes the room of longer ones from the axes."""
MOST_UPRIGHT = 48
"""Characters side by side under a figure's bars; with more they are turned."""


def draw_over_parameter(
    rows: Iterable[Row],
    x: str,
    y: str,
    by: str | None,
    kind: Literal["line", "bar"],
    look: Look,
    about: Sequence[str],
    estimate: Estimator = of_measure,
    *,
    is_percentile: bool = False,
) -> Figure:
    """Draw the mean of `y` over the seeds with its 95 % interval, over `x`; `about` says of what.

    There is a row per run; `estimate` makes one value of those of several runs.
    """
    lines = group_lines(rows, x, y, by, look)
    with look.applied():
        figure, axes = _new_figure(look)
        found = {place for points in lines.values() for place in points}
        is_named = any(isinstance(place, str | bool) for place in found)
        is_listed = kind == "bar" or is_named
        if is_listed:
            look.refuse_logarithmic("x", "a row of bars" if kind == "bar" else "of words, not numbers")
        places = sorted(found, key=lambda place: look.order(x, place) if is_listed else parameters.sort_key(place))
        estimates = {name: estimate_points(points, labels.bounds_of(y)[1], estimate) for name, points in lines.items()}
        every = [made for found in estimates.values() for _, made in found]
        lower = [made.mean if made.low is None else made.low for made in every]
        floor = look.floor((made.mean for made in every), lower)
        if is_listed:
            _draw_beside(axes, kind, estimates, places, x, by, look)
        else:
            _draw_lines(axes, estimates, places, x, by, look, floor)
        look.scale_measure(axes, floor=floor)
        look.label_axis(axes.yaxis, y)
        counts = [len(values) for points in lines.values() for values in points.values() if values]
        title = f"{_capitalised(look.names.words(y))} {'by' if is_named else 'over'} {look.names.words(x)}"
        if by:
            draw_legend(figure, look, by)
        interval = kind_of_interval(estimates)
        several = f"{_range_of(counts)} runs, {interval}" if is_percentile else _mean_of(counts, interval)
        hollow = "hollow: one run" if len({made.count > 1 for made in every}) > 1 else ""
        look.set_title(axes, title, [*about, several, hollow, *without_value(lines, estimates, x, by, look)])
    return figure


def draw_distributions(
    found: Mapping[Any, tuple[Sequence[float], int]], y: str, by: str | None, look: Look, about: Sequence[str]
) -> Figure:
    """Draw how `y` is distributed: for every line its values, and the number of runs they are of.

    A value that is infinite, as the completion time of an unfinished transfer, counts in the share, so that the line
    ends below 1.
    """
    if not found:
        raise UsageError(f"no run has a value of {y}")
    lines = dict(in_order(found, by, look))
    with look.applied():
        look.refuse_logarithmic("y", "a share of runs or flows")
        figure, axes = _new_figure(look)
        for (name, (values, _)), colour, style in zip(lines.items(), cycle(COLOURS), cycle(STYLES)):
            finite = sorted(value for value in values if np.isfinite(value))
            shares = np.arange(len(finite) + 1) / len(values)
            steps = [*finite[:1], *finite]
            (line,) = axes.plot(steps, shares[: len(steps)], label=look.value(name, by), color=colour, clip_on=False)
            line.set(drawstyle="steps-post", linestyle=style)
        axes.set_ylim(0, 1)
        look.scale_measure(axes, "x")
        look.label_axis(axes.xaxis, y)
        is_per_run = all(len(values) == runs for values, runs in lines.values())
        axes.set_ylabel("share of runs" if is_per_run else "share of flows")
        if by:
            draw_legend(figure, look, by)
        details = [*about, *_distribution_details(list(lines.values()), y, is_per_run)]
        look.set_title(axes, f"Distribution of {look.names.words(y)}", details)
    return figure


def _distribution_details(lines: Sequence[tuple[Sequence[float], int]], y: str, is_per_run: bool) -> list[str]:
    """How many values a distribution has, and how many transfers are not finished."""
    runs, flows = _range_of([runs for _, runs in lines]), _range_of([len(values) for values, _ in lines])
    whole = [value for values, _ in lines for value in values]
    unfinished = sum(not np.isfinite(value) for value in whole)
    noun = "run" if runs == "1" else "runs"
    counted = f"{runs} {noun}" if is_per_run else f"{flows} flows in {runs} {noun}"
    if len(lines) > 1:
        counted = f"{counted} per line"
    if not unfinished:
        return [counted]
    if is_of_workload(y):  # a percentile of each run
        return [counted, f"in {unfinished} of {len(whole)} runs it is an unfinished transfer's"]
    return [counted, f"{unfinished} of {len(whole)} transfers are unfinished"]


def over_time(
    lines: Mapping[Any, Sequence[pa.Table]], y: str, by: str | None, look: Look, about: Sequence[str], down: Spans = ()
) -> Figure:
    """Draw the mean of `y` over the runs of each line, over time, and when links are `down`; a single run as it is.

    More than a few time series over each other cannot be read: each then gets axes of its own, all alike.
    """
    look.refuse_logarithmic("x", "time")
    made = [(name, _time_series(runs, y, look)) for name, runs in in_order(lines, by, look)]
    found = [(name, series) for name, series in made if np.isfinite(series.rows).any()]
    if not found:
        raise UsageError(f"none of these runs has values of {y} over time")
    floor = look.floor(series.mean for _, series in found)
    is_apart = len(found) > MOST_OVER_EACH_OTHER
    beside = 1 if look.is_print or not is_apart else 2
    below = -(-len(found) // beside) if is_apart else 1
    with look.applied():
        figure = look.figure(7, 1 + 1.9 * below if is_apart else 4.5)
        panels = figure.subplots(below, beside, sharex=True, sharey=True, squeeze=False).ravel()
        used = panels[: len(found) if is_apart else 1]
        styles = cycle(["-"] if is_apart else STYLES)
        for (name, series), colour, style, axes in zip(found, cycle(COLOURS), styles, cycle(used)):
            text = look.value(name, by)
            time_series.draw_mean_line(axes, series, text, colour, style, labels.bounds_of(y)[1], floor)
            if is_apart:
                room_in = 0.8 * figure.get_figwidth() / beside
                axes.set_title(fitting.wrapped(text, room_in, rcParams["axes.titlesize"]), loc="left")
        for axes in used:
            outages.mark(axes, down)
            clear_frame(axes)
        for axes in used[-beside:]:  # those that are lowest in their columns
            axes.tick_params(labelbottom=True)
        for axes in panels[len(used) :]:
            axes.set_axis_off()
        # All panels share their axes.
        look.scale_measure(panels[0], floor=floor)
        look.label_axis(panels[0].yaxis, y)
        if is_apart:  # one label for all: panels are lower than its text is long
            figure.supylabel(panels[0].get_ylabel(), fontsize="medium")
            panels[0].set_ylabel("")
        panels[0].set_xlim(0, max(series.end_s for _, series in found))
        figure.supxlabel("time [s]", fontsize="medium")
        caption = _series_details(lines, y, found[0][1])
        title = f"{_capitalised(look.names.words(y))} over time"
        outages.draw_legend(figure, down)
        if is_apart:
            look.set_title_of_panels(figure, f"{title}, by {look.names.words(by or '')}", [*about, *caption])
        else:
            if by:
                draw_legend(figure, look, by)
            look.set_title(panels[0], title, [*about, *caption])
    return figure


def _series_details(lines: Mapping[Any, Sequence[pa.Table]], y: str, series: time_series.TimeSeries) -> list[str]:
    """What a time series is made of."""
    details = [_mean_of([len(runs) for runs in lines.values()], "95 % band")]
    bin_s = series.time_s[1] - series.time_s[0]
    sample_s = min(_sample_s(run) for runs in lines.values() for run in runs)
    if y in time_series.TOTALS or bin_s > COARSE * sample_s:
        details.append(f"averaged over {bin_s:.2g} s")
    return details


def _sample_s(run: pa.Table) -> float:
    """The time between two samples of a series."""
    time_s = run["time_s"].to_numpy()
    return float(time_s[-1] - time_s[0]) / max(len(time_s) - 1, 1)


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _mean_of(counts: Sequence[int], interval: str) -> str:
    return "one run" if set(counts) == {1} else f"mean of {_range_of(counts)} runs, {interval}"


def _range_of(counts: Sequence[int]) -> str:
    return " to ".join(str(count) for count in dict.fromkeys((min(counts), max(counts))))


def _new_figure(look: Look) -> tuple[Figure, Axes]:
    figure = look.figure(7, 4.5)
    axes = figure.subplots()
    clear_frame(axes)
    return figure, axes


def _draw_lines(
    axes: Axes, estimates: Estimates, places: Sequence[Any], x: str, by: str | None, look: Look, floor: float
) -> None:
    for (name, found), colour, marker, style in zip(estimates.items(), cycle(COLOURS), cycle(MARKERS), cycle(STYLES)):
        along = [place for place, _ in found]
        means = [made.mean for _, made in found]
        draw_open_ends(axes, along, found, colour)
        below, above = error_bar_lengths(found)
        low, high = np.maximum(np.subtract(means, below), floor or -np.inf), np.maximum(np.add(means, above), floor)
        axes.fill_between(along, low, high, color=colour, alpha=0.15, linewidth=0)
        if apart := without_neighbour(low.tolist()):  # a band of one point has no area
            axes.vlines([along[each] for each in apart], low[apart], high[apart], color=colour)
        shown = [mean if mean > 0 or not floor else np.nan for mean in means]
        # A marker at the end of an axis is drawn whole.
        axes.plot(along, shown, linestyle=style, marker=marker, color=colour, label=look.value(name, by), clip_on=False)
        if single := single_runs(found, estimates):
            _draw_hollow(axes, [along[each] for each in single], [shown[each] for each in single], marker, colour)
    axes.update_datalim([(place, 0) for place in places], updatey=False)  # also those without a value
    _scale_parameter(axes, places, look)
    look.label_axis(axes.xaxis, x, places)
    if any(look.names.new_name(place) is not None for place in places):
        axes.minorticks_off()
        _name_places(axes, places, places, x, look)


def _draw_hollow(axes: Axes, along: Sequence[Any], means: Sequence[float], marker: str, colour: str) -> None:
    """Draw markers of single runs over those that are there."""
    axes.plot(along, means, linestyle="none", marker=marker, color=colour, markerfacecolor="white", clip_on=False)


def _draw_beside(
    axes: Axes, kind: str, lines: Estimates, places: Sequence[Any], x: str, by: str | None, look: Look
) -> None:
    """Draw bars or, for words, which no line connects, markers; variants are side by side."""
    is_bar = kind == "bar"
    width = (0.8 if is_bar else 0.5) / len(lines)
    looks = zip(lines.items(), cycle(COLOURS), cycle(HATCHES), cycle(MARKERS))
    for index, ((name, found), colour, hatch, marker) in enumerate(looks):
        along = [places.index(place) + (index - (len(lines) - 1) / 2) * width for place, _ in found]
        means = [made.mean for _, made in found]
        common: dict[str, Any] = {"yerr": error_bar_lengths(found), "capsize": 3, "label": look.value(name, by)}
        single = single_runs(found, lines)
        if is_bar:
            bars = axes.bar(along, means, width, color=colour, hatch=hatch, edgecolor="white", **common)
            for each in single:
                bars[each].set(facecolor="white", edgecolor=colour)
        else:
            axes.errorbar(along, means, fmt=marker, color=colour, **common)
            if single:
                _draw_hollow(axes, [along[each] for each in single], [means[each] for each in single], marker, colour)
        draw_open_ends(axes, along, found, "black" if is_bar else colour)
    # Room for the names of the outer places, as between the others.
    axes.set_xlim(-0.5, len(places) - 0.5)
    _name_places(axes, range(len(places)), places, x, look)


def _name_places(axes: Axes, along: Sequence[float], places: Sequence[Any], x: str, look: Look) -> None:
    """Write the values of a parameter at their places along the axis."""
    written = [look.value(place, x) for place in places]
    most = MOST_UPRIGHT // 2 if look.is_print else MOST_UPRIGHT
    turned = 30 if max(map(len, written)) * len(places) > most else 0
    if turned:
        size = rcParams["xtick.labelsize"]
        written = [fitting.wrapped(each, WIDEST_NAME_IN, size) for each in written]
    axes.set_xticks(along, written, rotation=turned, ha="right" if turned else "center")
    axes.set_xlabel(drawn(look.names.words(x)))


def _scale_parameter(axes: Axes, places: Sequence[float], look: Look) -> None:
    """Make the axis logarithmic for numbers far apart, or where asked for; 0 keeps its place."""
    positive = [place for place in places if place > 0]
    is_asked = look.log in ("x", "xy")
    is_far = bool(positive) and max(positive) >= FAR_APART * min(positive)
    if not (is_asked or (is_far and look.log in ("auto", "y"))):
        return
    if not positive or min(places) > 0:
        set_log(axes, "x")
        return
    axes.set_xscale("symlog", linthresh=min(positive))
    axes.set_xlim(min(min(places), -0.2 * min(positive)), 1.3 * max(positive))


def _time_series(runs: Sequence[pa.Table], y: str, look: Look) -> time_series.TimeSeries:
    """Resample runs at common instants, up to the end of the shortest."""
    columns = ("time_s", *time_series.columns_read(y))
    samples = [[run[name].to_numpy(zero_copy_only=False).astype(float) for name in columns] for run in runs]
    found = [[time_s, *time_series.defined(y, values)] for time_s, *values in samples]
    return time_series.resampled(y, found, min(time_s[-1] for time_s, *_ in found), look.bin_s, TOTAL_BINS)
