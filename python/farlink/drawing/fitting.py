"""Texts of a figure, in as many lines as the room demands."""

from __future__ import annotations

import warnings
from functools import cache

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from farlink.printable import drawn

LINE_HEIGHT = 1.25
"""Of lines of text, in units of the size of their font."""
PT_PER_IN = 72


def points(size: str | float) -> float:
    """A font's size in points, of one such as `medium`."""
    return float(FontProperties(size=size).get_size_in_points())


@cache
def width_in(text: str, size: float) -> float:
    """How wide a line is."""
    with warnings.catch_warnings():
        # Names may have characters that the font lacks; a box stands for each.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        width, _, _ = TextToPath().get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(width) / PT_PER_IN


def wrapped(text: str, room_in: float, size: str | float) -> str:
    """Divide a text that may be drawn into lines that are no wider than the room; words longer than it are divided."""
    size_pt = points(size)
    lines, line = [], ""
    for word in text.replace(r"\$", "$").split():
        longer = f"{line} {word}".lstrip()
        if not line or width_in(longer, size_pt) <= room_in:
            line = longer
        else:
            lines.append(line)
            line = word
        while len(line) > 1 and width_in(line, size_pt) > room_in:
            # Only a word by itself can be too long here.
            fit = next((n for n in range(len(line) - 1, 1, -1) if width_in(line[:n], size_pt) <= room_in), 1)
            lines.append(line[:fit])
            line = line[fit:]
    return "\n".join(map(drawn, [*lines, line]))


def height_in(text: str, size: str | float) -> float:
    """How high the lines of a text are."""
    return (text.count("\n") + 1) * LINE_HEIGHT * points(size) / PT_PER_IN


def lay_out(figure: Figure) -> None:
    """Give every axes its place, so that the room for texts is known."""
    engine = figure.get_layout_engine()
    assert engine is not None, "all figures are made with one"
    engine.execute(figure)


def size_in(axes: Axes) -> tuple[float, float]:
    """Width and height of laid-out axes."""
    extent = axes.get_window_extent()
    dpi = float(axes.figure.dpi)
    return float(extent.width) / dpi, float(extent.height) / dpi


def fit_axis_labels(figure: Figure) -> None:
    """Divide labels that are longer than their axes, which other panels' labels would overprint, and lay out anew."""
    has_changed = False
    for axes in figure.axes:
        width, height = size_in(axes)
        for axis, room in ((axes.xaxis, width), (axes.yaxis, height)):
            before = axis.get_label_text()
            axis.set_label_text(wrapped(before, room, rcParams["axes.labelsize"]))
            has_changed |= axis.get_label_text() != before
    if has_changed:
        lay_out(figure)


def room_right_of(axes: Axes, figure: Figure) -> float:
    """How wide a text above the axes may be: to the legend at the right, or to the edge of the figure."""
    dpi = float(figure.dpi)
    begin, end = axes.get_window_extent().x0, float(figure.bbox.x1)
    for legend in figure.legends:
        extent = legend.get_window_extent()
        if extent.x0 > axes.get_window_extent().x1 and extent.y1 > axes.get_window_extent().y1:
            end = min(end, extent.x0)
    return float(end - begin) / dpi - 0.1
