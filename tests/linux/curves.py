"""Figures: the windows of the kernel's runs and of Farlink's, one panel per congestion control."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from comparison import Comparison
from curve import Curve, recorded
from farlink.drawing.of_runs import COLOURS, save_figure
from matplotlib.axes import Axes
from matplotlib.figure import Figure

REPLAYED, OWN, KERNEL = COLOURS[0], COLOURS[1], "0.45"


def draw(scenario: str, comparisons: Mapping[str, Comparison], path: Path) -> None:
    """Draw all recordings of a scenario, and Farlink with the first one's exit and with its own."""
    flows = len(next(iter(comparisons.values())).own.curves)
    size = (7 * flows, 2.8 * len(comparisons) + 0.4)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(comparisons), flows, sharex=True, squeeze=False)
    for row, (name, comparison) in zip(panels, comparisons.items(), strict=True):
        for flow, axes in enumerate(row):
            _draw_panel(axes, comparison, flow)
            axes.set_title(f"{scenario}, {name}" + (f", flow {flow}" if flows > 1 else ""), loc="left")
    for axes in panels[-1]:
        axes.set_xlabel("time [s]")
    panels[0][0].legend(loc="upper right", frameon=False, fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, path)


def _draw_panel(axes: Axes, comparison: Comparison, flow: int) -> None:
    for number, each in enumerate(comparison.recordings):
        _line(axes, recorded(each, flow), "_" if number else "kernel, all repetitions", KERNEL, "-", 1.6)
    _line(axes, comparison.replayed[0].curves[flow], "Farlink, first exit replayed", REPLAYED, "-", 1.0)
    _line(axes, comparison.own.curves[flow], "Farlink, own exit", OWN, "--", 1.0)
    axes.set_ylabel("cwnd [segments]")
    axes.set_ylim(bottom=0)
    axes.grid(color="0.9")
    axes.spines[["top", "right"]].set_visible(False)


def _line(axes: Axes, curve: Curve, label: str, colour: str, style: str, width: float) -> None:
    axes.plot(curve.time_s, curve.cwnd, style, color=colour, linewidth=width, label=label, drawstyle="steps-post")
