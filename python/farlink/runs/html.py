"""Tables and messages for a notebook; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from farlink.printable import printable

MOST_ROWS = 12


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Give a table with a caption."""
    head = "".join(f"<th>{_text(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    named = f"<caption>{_text(caption)}</caption>" if caption else ""
    return f"<table>{named}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def first_rows(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Give a table of the first rows, whose caption says how many there are; nothing without rows."""
    if not rows:
        return ""
    count = f"{len(rows)} {caption}{'s' if len(rows) != 1 else ''}"
    shown = f"{count}, the first {MOST_ROWS} of them" if len(rows) > MOST_ROWS else count
    return table(shown, headings, rows[:MOST_ROWS])


def paragraph(text: str) -> str:
    """Give a paragraph."""
    return f"<p>{_text(text)}</p>"


def message(text: str) -> str:
    """Give a text of several lines as it is, in place of what could not be shown."""
    return "<pre>" + "\n".join(map(_text, text.split("\n"))) + "</pre>"


def _text(text: str) -> str:
    return escape(printable(text))
