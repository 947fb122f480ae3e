"""Figures of many runs: lines with bands, bars with intervals, distributions."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from farlink.errors import UsageError
from farlink.plots import COLOURS, STYLES
from farlink.statistics import Interval, interval

if TYPE_CHECKING:
    from farlink.results import Results

Kind: TypeAlias = Literal["line", "bar", "cdf"]
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
UNITS = {"bps": "bit/s", "s": "s", "bytes": "B", "packets": "packets", "m": "m", "hz": "Hz", "dbm": "dBm", "db": "dB"}

Points: TypeAlias = "dict[Any, list[float]]"
Lines: TypeAlias = "dict[Any, Points]"


def draw(results: Results, x: str, y: str, by: str | None, kind: Kind) -> Figure:
    """Draw the mean of `y` over the seeds with its 95 % interval, or its distribution."""
    lines: Lines = {}
    for flow in results.flows.to_pylist():
        if flow[y] is not None and flow[x] is not None:
            lines.setdefault(flow[by] if by else "", {}).setdefault(flow[x], []).append(flow[y])
    if not lines:
        raise UsageError(f"no run has both {x} and {y}")
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    {"line": _lines, "bar": _bars, "cdf": _distributions}[kind](axes, lines)
    axes.set_xlabel(label(y if kind == "cdf" else x))
    axes.set_ylabel("share of runs" if kind == "cdf" else label(y))
    (axes.xaxis if kind == "cdf" else axes.yaxis).set_major_formatter(EngFormatter(sep=" "))
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if by or kind == "cdf":
        figure.legend(title=label(by) if by else None, loc="outside right upper", frameon=False)
    return figure


def label(column: str) -> str:
    """Write a column's name for an axis: words, and the unit in brackets."""
    name, _, unit = column.rpartition("_")
    words = (name if unit in UNITS else column).replace("_", " ")
    return f"{words} [{UNITS[unit]}]" if unit in UNITS else words


def _sorted(points: Points) -> list[tuple[Any, Interval]]:
    found = ((place, interval(values)) for place, values in sorted(points.items()))
    return [(place, made) for place, made in found if made is not None]


def _lines(axes: Axes, lines: Lines) -> None:
    for (name, points), colour, marker, style in zip(lines.items(), cycle(COLOURS), cycle(MARKERS), cycle(STYLES)):
        found = _sorted(points)
        places = [place for place, _ in found]
        axes.plot(places, [made.mean for _, made in found], style, marker=marker, color=colour, label=str(name))
        low = [made.mean if made.low is None else made.low for _, made in found]
        high = [made.mean if made.high is None else made.high for _, made in found]
        axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set_ylim(bottom=0)
    _scale(axes, [place for points in lines.values() for place in points])


def _scale(axes: Axes, places: list[Any]) -> None:
    """A logarithmic axis for numbers over more than two decades."""
    numbers = [place for place in places if isinstance(place, int | float)]
    positive = [place for place in numbers if place > 0]
    if len(numbers) == len(places) and positive and max(positive) > 100 * min(positive):
        axes.set_xscale(
            "symlog" if min(numbers) <= 0 else "log", **({"linthresh": min(positive)} if min(numbers) <= 0 else {})
        )


def _bars(axes: Axes, lines: Lines) -> None:
    places = sorted(
        {place for points in lines.values() for place in points}, key=lambda place: (str(type(place)), place)
    )
    width = 0.8 / len(lines)
    hatches = ("", "//", "..", "xx", "\\\\", "--", "oo")
    for index, ((name, points), colour, hatch) in enumerate(zip(lines.items(), cycle(COLOURS), cycle(hatches))):
        found = _sorted(points)
        at = [places.index(place) + (index - (len(lines) - 1) / 2) * width for place, _ in found]
        means = [made.mean for _, made in found]
        below = [0.0 if made.low is None else made.mean - made.low for _, made in found]
        above = [0.0 if made.high is None else made.high - made.mean for _, made in found]
        axes.bar(
            at,
            means,
            width,
            yerr=[below, above],
            color=colour,
            hatch=hatch,
            edgecolor="white",
            capsize=3,
            label=str(name),
        )
    axes.set_xticks(range(len(places)), [str(place) for place in places])


def _distributions(axes: Axes, lines: Lines) -> None:
    for (name, points), colour, style in zip(lines.items(), cycle(COLOURS), cycle(STYLES)):
        for place, values in sorted(points.items()):
            axes.ecdf(values, label=f"{name} {place}".strip(), color=colour, linestyle=style)
