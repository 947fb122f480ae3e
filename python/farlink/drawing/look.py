"""How figures look: on a screen or in print, titles, axes with units that suit the values."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis, YAxis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from farlink.drawing.inline import ShownFigure
from farlink.errors import UsageError
from farlink.printable import drawn
from farlink.tables import labels, parameters

Style: TypeAlias = Literal["screen", "print"]
Log: TypeAlias = Literal["auto", "none", "x", "y", "xy"]
STYLES = ("screen", "print")
LOGS = ("auto", "none", "x", "y", "xy")
SETTINGS: dict[str, Any] = {
    "screen": {"lines.linewidth": 1.6, "axes.titlesize": "medium"},
    # A column of a journal in two columns is 88 mm wide; 8 pt is its caption's size. Type 42 fonts are embedded whole.
    "print": {
        "font.size": 8,
        "axes.titlesize": 8,
        "legend.fontsize": 7,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "lines.linewidth": 1.1,
        "lines.markersize": 3.5,
        "axes.linewidth": 0.6,
        "grid.linewidth": 0.5,
        "hatch.linewidth": 0.5,
        "errorbar.capsize": 1.5,
        "pdf.fonttype": 42,
    },
}
PRINT_WIDTH_IN = 3.46
DPI = {"screen": 150, "print": 600}
WIDEST_TITLE = 64
"""Characters of a line of the title beside a legend."""
FAR_APART = 30
"""From this ratio of the largest to the smallest on, an axis of a parameter is logarithmic by itself."""
DECADES_OF_ONE_UNIT = 1e3
"""A logarithmic axis over more has a unit at every tick."""
LONGEST_IN_PRINT = 26
"""Characters of a label that fit beside an axis of a printed figure."""


@dataclass(frozen=True)
class Look:
    """What a user chooses of a figure."""

    title: str | None = None
    """Instead of the one made of the scenario and the measure; empty for none."""
    log: Log = "auto"
    """Logarithmic axes. `auto`: the x axis where its values are far apart."""
    bin_s: float | None = None
    """Over what time a point of a time series is averaged; None: as suits the width of the figure."""
    style: Style = "screen"
    names: labels.Names = field(default_factory=labels.Names)
    order: Callable[[str, Any], Any] = lambda column, value: parameters.sort_key(value)
    """Gives the place of a parameter's value among the others, by the parameter's column."""

    def __post_init__(self) -> None:
        """Refuse words that are none of the choices."""
        if self.style not in STYLES:
            raise UsageError(f"style {self.style!r}: choose {' or '.join(STYLES)}")
        if self.log not in LOGS:
            raise UsageError(f"log {self.log!r}: choose {', '.join(LOGS)}")
        if self.bin_s is not None and not self.bin_s > 0:
            raise UsageError(f"bins of {self.bin_s:g} s: write more than 0")

    @property
    def is_print(self) -> bool:
        """Whether the figure is for paper."""
        return self.style == "print"

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Draw with the style's fonts and lines."""
        with rc_context(SETTINGS[self.style]):
            yield

    def figure(self, width_in: float, height_in: float) -> Figure:
        """Make a figure of this size on a screen; in print it is as wide as a column."""
        shrink = PRINT_WIDTH_IN / width_in if self.is_print else 1.0
        figure = ShownFigure(figsize=(width_in * shrink, height_in * shrink**0.75), layout="constrained")
        figure.set_label(self.style)
        return figure

    def set_title(self, axes: Axes, made: str, details: Sequence[str] = ()) -> None:
        """Write the title above the axes, and below it what the figure is of; in print, captions say both."""
        axes.set_title(self.title_text(made, details), loc="left")

    def title_text(self, made: str, details: Sequence[str] = ()) -> str:
        """Give the title that was asked for, or the one made: a line of what is drawn, and lines of which runs."""
        if self.title is not None:
            return drawn(self.title)
        if self.is_print:
            return ""
        lines = textwrap.wrap("; ".join(filter(None, details)), WIDEST_TITLE)
        return "\n".join(map(drawn, [made, *lines]))

    def _label_text(self, axis: Axis, label: str) -> str:
        """A label of an axis; the unit stands below where both are longer than an upright axis of a printed figure."""
        is_long = self.is_print and isinstance(axis, YAxis) and len(label) > LONGEST_IN_PRINT
        return "\n[".join(label.rsplit(" [", 1)) if is_long else label

    def label_axis(self, axis: Axis, column: str, values: Sequence[float] = ()) -> None:
        """Write what an axis shows, with the unit that suits its values, and numbers in that unit."""
        low, high = axis.get_view_interval()
        factor, unit = labels.scale(column, values or (low, high))
        is_log = axis.get_scale() != "linear"
        if is_log and labels.suffix_of(column) and low > 0 and high / low > DECADES_OF_ONE_UNIT:
            axis.set_major_formatter(FuncFormatter(lambda value, _: drawn(labels.value_text(value, column, 3))))
            axis.set_label_text(drawn(self.names.words(column)))
        else:
            if labels.suffix_of(column) or not is_log:
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / factor:g}"))
            axis.set_label_text(self._label_text(axis, drawn(self.names.label(column, unit))))
        if is_log:
            axis.set_minor_formatter(NullFormatter())

    def scale_measure(self, axes: Axes, axis: Literal["x", "y"] = "y") -> None:
        """Begin a measure's axis at 0, or make it logarithmic if that was asked for."""
        if self.log in (axis, "xy"):
            set_log(axes, axis)
        elif axis == "y":
            axes.set_ylim(bottom=0)

    def value(self, value: Any, column: str | None) -> str:
        """Write a parameter's value for a legend."""
        return drawn(labels.value_text(value, column or ""))


def set_log(axes: Axes, axis: Literal["x", "y"]) -> None:
    """Make an axis logarithmic; refuse one whose values are all 0."""
    low, high = (axes.dataLim.minposx, axes.dataLim.x1) if axis == "x" else (axes.dataLim.minposy, axes.dataLim.y1)
    if not low < float("inf") or not high > 0:
        raise UsageError(f"a logarithmic {axis} axis needs values above 0")
    if axis == "x":
        axes.set_xscale("log")
    else:
        axes.set_yscale("log")
    chosen = axes.xaxis if axis == "x" else axes.yaxis
    if high / low < FAR_APART:  # hardly a decade: 1, 2 and 5 of each
        chosen.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    if high / low < FAR_APART:
        chosen.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def clear_frame(axes: Axes) -> None:
    """Leave of the axes what is needed."""
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_legend(figure: Figure, look: Look, by: str) -> None:
    """Write the legend beside the axes; in print, where a column is narrow, above them."""
    # Handles long enough for the longest style to repeat.
    title = drawn(look.names.words(by))
    if look.is_print:
        figure.legend(title=title, loc="outside upper left", frameon=False, handlelength=3, ncols=3)
    else:
        figure.legend(title=title, loc="outside right upper", frameon=False, handlelength=3.5)
