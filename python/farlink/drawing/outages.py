"""Outages of links, behind the lines of a figure over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

Spans: TypeAlias = "Sequence[tuple[float, float]]"
"""Begin and end of each outage, in seconds."""
GREY = "0.85"
MOST = 100


def common(of_runs: Iterable[Spans]) -> Spans:
    """The outages that all these runs have; none where they are too many to be seen one by one."""
    first, *others = of_runs
    return first if len(first) <= MOST and all(other == first for other in others) else ()


def mark(axes: Axes, spans: Spans) -> None:
    """Draw outages behind the lines; the edge keeps the shortest visible."""
    for begin_s, end_s in spans:
        axes.axvspan(begin_s, end_s, facecolor=GREY, edgecolor=GREY, linewidth=0.8, zorder=0)


def draw_legend(figure: Figure, spans: Spans) -> None:
    """Say what the bands are, if there are any."""
    if spans:
        figure.legend(handles=[Patch(color=GREY, label="link down")], loc="outside lower left", frameon=False)
