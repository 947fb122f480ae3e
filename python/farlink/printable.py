"""Text from outside, made safe for a terminal, and for a page."""

from __future__ import annotations

import re

CONTROLS = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Control characters (C0, DEL, C1), separators of lines, the controls of UAX #9, and bytes that are no UTF-8."""


BEGIN, END = 1500, 400
"""Characters of a long message that are shown."""


def printable(text: str) -> str:
    r"""Escape what a terminal acts on, as the engine's messages do: `\u001b`."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(CONTROLS, lambda found: f"\\u{ord(found[0]):04x}", text)


def drawn(text: str) -> str:
    """Escape what a terminal acts on, and what Matplotlib takes for a formula."""
    return printable(text).replace("$", r"\$")


def message(text: str) -> str:
    """Escape what a terminal acts on, and leave out the middle of a long text."""
    text = printable(text)
    return text if len(text) <= BEGIN + END else f"{text[:BEGIN]} ... {text[-END:]}"


def json_in_page(document: object) -> str:
    """Write JSON for an element of a page, which a name with `</script>` or `<!--` would end, or hide the end of."""
    import json

    return json.dumps(document, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
