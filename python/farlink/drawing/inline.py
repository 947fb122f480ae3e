"""A figure inside of HTML, and as a notebook shows it."""

from __future__ import annotations

import base64
import io
import warnings
from html import escape

from matplotlib.figure import Figure

DPI = 160
"""Of the picture; it is shown at 80, sharp also where a pixel of a page is two of the screen."""


class ShownFigure(Figure):
    """A figure that a notebook shows as the value of a cell, without pyplot and its backends."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return png(self), {"width": _width_px(self)}


def image(figure: Figure, description: str) -> str:
    """Give a picture of the figure as an element of HTML; `description` is read aloud, and shown without pictures."""
    data = base64.b64encode(png(figure)).decode()
    return f'<img alt="{escape(description)}" width="{_width_px(figure)}" src="data:image/png;base64,{data}">'


def png(figure: Figure, dpi: int = DPI) -> bytes:
    """Draw a figure as PNG, the same bytes at every time."""
    sink = io.BytesIO()
    with warnings.catch_warnings():
        # Names may have characters that the font lacks; a box stands for each.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(sink, format="png", dpi=dpi, metadata={"Software": None})
    return sink.getvalue()


def _width_px(figure: Figure) -> int:
    return round(float(figure.get_size_inches()[0]) * DPI / 2)
