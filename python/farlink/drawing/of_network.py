"""A small figure of a network: nodes, links, and an arrow for every flow."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import cycle

from matplotlib.figure import Figure

from farlink.drawing.of_runs import COLOURS
from farlink.printable import drawn
from farlink.tables.rows import grouped

MOST_NODES = 200
"""More cannot be distinguished in a figure of this size."""
MOST_NAMED = 25
"""Nodes whose names are written."""
MOST_FLOWS = 12

FLAT = 0.2
"""Of the width: the nodes of a lower figure lie in a line, with as much space above and below."""

Place = tuple[float, float]
Pairs = Sequence[tuple[str, str]]


def draw_network(places: Mapping[str, Place], links: Pairs, flows: Pairs, *, in_metres: bool) -> Figure:
    """Draw nodes at their places, links between them, and flows as bent arrows."""
    figure = Figure(figsize=(5.5, 2.4), layout="constrained")
    axes = figure.subplots()
    for a, b in links:
        axes.plot(*zip(places[a], places[b], strict=True), color="0.6", linewidth=1.2, zorder=1)
    is_small = len(places) <= MOST_NAMED
    x, y = zip(*places.values(), strict=True)
    axes.scatter(x, y, s=36 if is_small else 8, color="0.2", zorder=3)
    for name, place in places.items() if is_small else ():
        axes.annotate(drawn(name), place, (0, -7), textcoords="offset points", ha="center", va="top", fontsize=8)
    for (sender, receiver), colour in zip(flows[:MOST_FLOWS], cycle(COLOURS)):
        bent = {"arrowstyle": "-|>", "connectionstyle": "arc3,rad=-0.2", "color": colour, "shrinkA": 5, "shrinkB": 5}
        axes.annotate("", places[receiver], places[sender], arrowprops=bent, zorder=2)
    axes.margins(0.12, 0.3)
    width, height = (max(along) - min(along) for along in (x, y))
    if height < FLAT * width:
        axes.set_ylim(min(y) - FLAT * width, max(y) + FLAT * width)
    axes.spines[["top", "right"]].set_visible(False)
    if in_metres:
        axes.set_xlabel("x [m]", fontsize=8)
        axes.set_ylabel("y [m]", fontsize=8)
        axes.tick_params(labelsize=8)
    else:
        axes.set_axis_off()
    return figure


def in_columns(nodes: Sequence[str], links: Pairs, flows: Pairs) -> dict[str, Place]:
    """Place nodes in columns by their hops from the nodes that only send; those without a path in a last column."""
    receivers = {receiver for _, receiver in flows}
    first = [sender for sender, _ in flows if sender not in receivers] or [flows[0][0]]
    neighbours: dict[str, list[str]] = {node: [] for node in nodes}
    for a, b in links:
        neighbours[a].append(b)
        neighbours[b].append(a)
    hops = dict.fromkeys(first, 0)
    waiting = deque(hops)
    while waiting:
        node = waiting.popleft()
        for other in neighbours[node]:
            if other not in hops:
                hops[other] = hops[node] + 1
                waiting.append(other)
    last = max(hops.values()) + 1
    columns = grouped((hops.get(node, last), node) for node in nodes)
    return {
        node: (float(column), (len(members) - 1) / 2 - row)
        for column, members in columns.items()
        for row, node in enumerate(members)
    }
