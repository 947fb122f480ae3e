"""Tables of texts for a person, on a terminal and in a notebook, where every text is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from farlink.printable import printable
from farlink.spelling import counted

if TYPE_CHECKING:
    from rich.table import Table

MOST_ROWS = 12
BOLD = "\x1b[1m{}\x1b[0m"
ONE_CELL = re.compile("[ -~\xa1-\xac\xae-\u02ff]*")
"""Characters that take one cell of a terminal each; of others `rich` knows how many they take."""


class Grid(NamedTuple):
    """Headings and rows, with a line above and one below the table."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    caption: str = ""
    words: Sequence[int] = (0,)
    """The columns of words; the others are of numbers."""

    def narrow(self, width: int) -> Grid:
        """Give a table whose headings have several lines where it is wider than so many characters."""
        if self.least_width() <= width:
            return self
        columns = zip(self.headings, *self.rows, strict=True)
        return self._replace(headings=[broken(heading, max(map(len, cells), default=0)) for heading, *cells in columns])

    def least_width(self) -> int:
        """Count the characters to a line that show every number, and whole words in a last column of words."""
        from rich.cells import cell_len

        last = len(self.headings) - 1
        widths = []
        for number, column in enumerate(zip(self.headings, *self.rows, strict=True)):
            parts = " ".join(column).split() if number == last and last in self.words else "\n".join(column).split("\n")
            widths.append(max(map(cell_len, parts), default=0))
        return sum(max(1, each) + 1 for each in widths) + 1

    def for_terminal(self) -> Table:
        """Give a table that `rich` prints; of its columns only a last one of words is broken into lines."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        made = Table(
            title=Text(printable(self.title)) if self.title else None,
            caption=Text(printable(self.caption)),
            title_justify="left",
            caption_justify="left",
            box=SIMPLE_HEAD,
            padding=0,
        )
        last = len(self.headings) - 1
        for number, heading in enumerate(self.headings):
            is_words = number in self.words
            made.add_column(heading, justify="left" if is_words else "right", no_wrap=not is_words or number < last)
        for row in self.rows:
            made.add_row(*(Text(printable(cell)) for cell in row))
        return made

    def plain(self, width: int, *, bold: bool = False) -> str | None:
        """Give what `rich` prints, which takes longer to import than a run; None where a line has to be broken."""
        texts = [self.title, self.caption, *self.headings, *(cell for row in self.rows for cell in row)]
        if not all(map(ONE_CELL.fullmatch, texts)):
            return None
        widths = [max(1, *map(len, column)) for column in zip(self.headings, *self.rows, strict=True)]
        whole = sum(widths) + len(widths) + 1
        if max(whole, len(self.title), len(self.caption)) > min(whole, width):
            return None

        def line(cells: Sequence[str], style: str = "{}") -> str:
            placed = [
                cell.ljust(size) if number in self.words else cell.rjust(size)
                for number, (cell, size) in enumerate(zip(cells, widths, strict=True))
            ]
            return f" {' '.join(map(style.format, placed))} "

        blank, heading = " " * whole, line(self.headings, BOLD if bold else "{}")
        lines = [blank, heading, f" {'─' * (whole - 2)} ", *map(line, self.rows), blank]
        lines = [self.title.ljust(whole), *lines] if self.title else lines
        lines = [*lines, self.caption.ljust(whole)] if self.caption else lines
        return "\n".join(lines)

    def html(self) -> str:
        """Give a table for a notebook."""
        head = "".join(f"<th>{_text(heading)}</th>" for heading in self.headings)
        body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        about = ": ".join(filter(None, [self.title, self.caption]))
        named = f"<caption>{_text(about)}</caption>" if about else ""
        return f"<table>{named}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def broken(heading: str, width: int) -> str:
    """Give a heading in lines of at most so many characters, or of one word."""
    lines: list[str] = []
    for word in heading.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


def first_rows(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Give a table of the first rows, whose caption says how many there are; nothing without rows."""
    if not rows:
        return ""
    count = counted(len(rows), caption)
    shown = f"{count}, the first {MOST_ROWS} of them" if len(rows) > MOST_ROWS else count
    return Grid(headings, rows[:MOST_ROWS], caption=shown).html()


def paragraph(text: str) -> str:
    """Give a paragraph."""
    return f"<p>{_text(text)}</p>"


def message(text: str) -> str:
    """Give a text of several lines as it is, in place of what could not be shown."""
    return "<pre>" + "\n".join(map(_text, text.split("\n"))) + "</pre>"


def _text(text: str) -> str:
    from html import escape

    return escape(printable(text))
