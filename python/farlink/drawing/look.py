"""How figures look: on a screen or in print, titles, axes with units that suit the values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from matplotlib import rc_context, rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from farlink.drawing import fitting
from farlink.drawing.inline import ShownFigure
from farlink.errors import UsageError
from farlink.printable import drawn, printable
from farlink.tables import labels, parameters

Style: TypeAlias = Literal["screen", "print"]
Log: TypeAlias = Literal["auto", "none", "x", "y", "xy"]
STYLES, LOGS = get_args(Style), get_args(Log)
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
WIDEST_LEGEND = {"screen": 1.7, "print": 3.0}
"""Of its texts, in inches: beside the axes, or above them."""
FLOOR = 0.1
"""Of the least mean above 0: where a logarithmic axis begins."""
HEADROOM = 1.05
"""End of an axis in units of the largest value."""
FAR_APART = 30
"""From this ratio of the largest to the smallest on, an axis of a parameter is logarithmic by itself."""
DECADES_OF_ONE_UNIT = 1e3
"""A logarithmic axis over more has a unit at every tick."""
TITLE_WIDTH = 0.96
"""Of the title above panels, in units of the figure's width."""
LEGEND_SPACING = 1.3
"""Height of a legend in units of that of its texts."""
PANEL_IN_PRINT = 1.2
"""Least height of one of several panels, in inches: of the longest label in two lines."""


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

    def refuse_logarithmic(self, axis: Literal["x", "y"], why: str) -> None:
        """Refuse a logarithmic axis of what is none."""
        if self.log in (axis, "xy"):
            other = "y" if axis == "x" else "x"
            raise UsageError(f"log {self.log!r}: the {axis} axis is {why}; choose {other} or none")

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

    def panels(self, count: int, height_in: float) -> Figure:
        """Make a figure of panels above each other, which are this high on a screen."""
        figure = self.figure(8, 0.5 + height_in * count)
        if self.is_print:
            figure.set_figheight(max(figure.get_figheight(), 0.4 + PANEL_IN_PRINT * count))
        return figure

    def set_title(self, axes: Axes, made: str, details: Sequence[str] = ()) -> None:
        """Write the title above the axes, and below it what the figure is of; in print, captions say both.

        To be called last: labels of axes and the title are divided to fit the room that the rest of a figure leaves.
        """
        figure = axes.get_figure(root=True)
        assert figure is not None
        size = rcParams["axes.titlesize"]
        axes.set_title(self.title_text(made, details, 0.8 * figure.get_figwidth(), size), loc="left")
        fitting.lay_out(figure)
        fitting.fit_axis_labels(figure)
        axes.set_title(self.title_text(made, details, fitting.room_right_of(axes, figure), size), loc="left")

    def set_title_of_panels(self, figure: Figure, made: str, details: Sequence[str]) -> None:
        """Write one title above all panels."""
        if text := self.title_text(made, details, TITLE_WIDTH * figure.get_figwidth(), "medium"):
            figure.suptitle(text, fontsize="medium", x=0.02, ha="left")

    def title_text(self, made: str, details: Sequence[str], room_in: float, size: str | float) -> str:
        """Give the title that was asked for, or the one made: a line of what is drawn, and lines of which runs."""
        if self.title is not None:
            return fitting.wrapped(printable(self.title), room_in, size)
        if self.is_print:
            return ""
        parts = [made, "; ".join(filter(None, details))]
        return "\n".join(fitting.wrapped(printable(part), room_in, size) for part in parts if part)

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
            axis.set_label_text(drawn(self.names.label(column, unit)))
        if is_log:
            axis.set_minor_formatter(NullFormatter())

    def floor(self, means: Iterable[Any], ends: Sequence[float] = ()) -> float:
        """Where a logarithmic y axis of these means begins, as lower ends of intervals may be 0; 0 of a linear one."""
        if self.log not in ("y", "xy"):
            return 0.0
        values = (float(value) for mean in means for value in np.ravel(mean))
        least = min((value for value in values if 0 < value < math.inf), default=0.0)
        return max(FLOOR * least, min(ends, default=0.0) / HEADROOM)

    def scale_measure(self, axes: Axes, axis: Literal["x", "y"] = "y", floor: float = 0.0) -> None:
        """Begin a measure's axis at 0, or make it logarithmic if that was asked for, from `floor` on."""
        if self.log in (axis, "xy"):
            set_log(axes, axis)
            if floor:
                axes.set_ylim(bottom=floor)
        elif axis == "y":
            # With room above the highest marker, also where all values are close to each other.
            top = HEADROOM * max(float(each.y1) for each in _limits(axes, axis))
            axes.set_ylim(0, top if 0 < top < float("inf") else None)

    def value(self, value: Any, column: str | None) -> str:
        """Write a parameter's value for a legend."""
        return drawn(self.names.value(value, column or ""))


def set_log(axes: Axes, axis: Literal["x", "y"]) -> None:
    """Make an axis logarithmic; refuse one whose values are all 0."""
    limits = _limits(axes, axis)
    low, high = (
        min(getattr(each, f"minpos{axis}") for each in limits),
        max(getattr(each, f"{axis}1") for each in limits),
    )
    if not low < float("inf") or not high > 0:
        raise UsageError(f"a logarithmic {axis} axis needs values above 0")
    axes.set(**{f"{axis}scale": "log"})
    if high / low < FAR_APART:  # hardly a decade: 1, 2 and 5 of each
        chosen = axes.xaxis if axis == "x" else axes.yaxis
        chosen.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        chosen.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _limits(axes: Axes, axis: Literal["x", "y"]) -> list[Bbox]:
    """The limits of what is drawn on these axes and on those that share the axis."""
    shared = axes.get_shared_x_axes() if axis == "x" else axes.get_shared_y_axes()
    return [each.dataLim for each in shared.get_siblings(axes)]


def clear_frame(axes: Axes) -> None:
    """Leave of the axes what is needed."""
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_legend(figure: Figure, look: Look, by: str | None, lines: Mapping[str, Artist] | None = None) -> None:
    """Write the legend beside the axes; in print, where a column is narrow, above them.

    It has as many names as a third of the figure has room for, and counts the others.
    """
    handles, labels = figure.axes[0].get_legend_handles_labels() if lines is None else (list(lines.values()), lines)
    room_in, size = WIDEST_LEGEND[look.style], rcParams["legend.fontsize"]
    texts = [fitting.wrapped(label, room_in, size) for label in labels]
    title = fitting.wrapped(drawn(look.names.words(by)), room_in, size) if by else None
    ncols = _columns_in_print(texts, size) if look.is_print else 1
    high_in = figure.get_figheight() / 3 if look.is_print else figure.get_figheight() - 1
    most = ncols * max(int(high_in / _height_of_one(texts, size)), 1)
    if (rest := len(texts) - most + 1) > 1:
        texts = [*texts[: most - 1], f"and {rest} more"]
        handles = [*list(handles)[: most - 1], Line2D([], [], linestyle="none")]
    # Handles long enough for the longest style to repeat.
    where: dict[str, Any] = {"loc": "outside right upper", "handlelength": 3.5}
    if look.is_print:
        where = {"loc": "outside upper left", "handlelength": 3}
    figure.legend(list(handles), texts, title=title, frameon=False, ncols=ncols, **where)


def _height_of_one(texts: Sequence[str], size: str | float) -> float:
    """The height of a name in a legend, on average, in inches."""
    return LEGEND_SPACING * sum(fitting.height_in(text, size) for text in texts) / max(len(texts), 1)


def _columns_in_print(texts: Sequence[str], size: str | float) -> int:
    """How many names are beside each other in the column of a journal."""
    widest_in = max(fitting.width_in(line, fitting.points(size)) for text in texts for line in text.split("\n"))
    # Beside a text its handle and the gaps between columns take 6 times the size of the font.
    beside = int(PRINT_WIDTH_IN / (widest_in + 6 * fitting.points(size) / fitting.PT_PER_IN))
    return min(3, max(1, beside))
