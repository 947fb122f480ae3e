"""A figure inside of HTML."""

from __future__ import annotations

import base64
import io
import warnings
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 160
"""Of the picture; it is shown at 80, sharp also where a pixel of a page is two of the screen."""


def image(figure: Figure, description: str) -> str:
    """Give a picture of the figure as an element of HTML; `description` is read aloud, and shown without pictures."""
    sink = io.BytesIO()
    with warnings.catch_warnings():
        # Names may have characters that the font lacks; a box stands for each.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(sink, format="png", dpi=DPI, metadata={"Software": None})
    data = base64.b64encode(sink.getvalue()).decode()
    width = round(figure.get_size_inches()[0] * DPI / 2)
    return f'<img alt="{escape(description)}" width="{width}" src="data:image/png;base64,{data}">'
