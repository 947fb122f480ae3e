"""An answer as a table: text for a person, CSV, LaTeX and Markdown for a paper, Arrow for a program."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.arguments import PLACE, check_argument_types
from farlink.printable import printable
from farlink.system.files import check_target, write_text

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = {".txt": "simple", ".md": "github", ".tex": "latex_booktabs"}

WIDEST_NAME = 12
"""Of a column on a terminal, in characters."""


class ReportTable:
    """Rows of an answer; `table` is its Arrow table, `caption` says how its intervals were found."""

    def __init__(self, table: pa.Table, caption: str = "") -> None:
        self.table = table
        self.caption = caption

    @classmethod
    def of(cls, rows: Iterable[dict[str, Any]], caption: str = "") -> ReportTable:
        """Make the table of these rows."""
        from farlink.tables import arrow

        return cls(arrow.from_rows(list(rows)), caption)

    def render(self, form: str = "simple") -> str:
        """Write as text, `github` Markdown, `latex_booktabs`, or another format of tabulate."""
        return _render_rows([list(row.values()) for row in self.table.to_pylist()], self.table.column_names, form)

    def narrow(self) -> str:
        """As text for a terminal: an interval in one column, names of columns in lines, constants in front."""
        columns = self.table.to_pydict()
        named = {name: cells for name, cells in columns.items() if f"{name}_low" not in columns}
        ends = {f"{name}{end}" for name in columns.keys() - named.keys() for end in ("_low", "_high")}
        alone = {name: cells for name, cells in named.items() if name not in ends}
        constants = {name: cells[0] for name, cells in alone.items() if len(set(map(str, cells))) == 1}
        front = "".join(f"{name}: {_format_cell(value)}\n" for name, value in constants.items())
        shown: dict[str, list[Any]] = {}
        for name, cells in columns.items():
            if name.endswith("_low"):
                highs = columns[f"{name.removesuffix('_low')}_high"]
                shown["95 % CI" + " " * len(shown)] = [
                    f"{_format_cell(low, 3)}..{_format_cell(high, 3)}" for low, high in zip(cells, highs, strict=True)
                ]
            elif not name.endswith("_high") and name not in constants:
                shown[_break_name(name, WIDEST_NAME)] = [_format_cell(value, 3) for value in cells]
        return front + _render_rows([list(row) for row in zip(*shown.values(), strict=True)], list(shown), "simple")

    @check_argument_types(path=PLACE)
    def save(self, path: str | Path) -> None:
        """Write as .csv, .txt, .md or .tex."""
        target = Path(path)
        check_target(target, (".csv", *FORMATS))
        if target.suffix == ".csv":
            from farlink.tables import arrow

            arrow.write(self.table, target)
        else:
            write_text(target, self.render(FORMATS[target.suffix]) + "\n")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return self.render("html")


def _render_rows(rows: list[list[Any]], headers: list[str], form: str) -> str:
    from tabulate import tabulate

    cells = [[_format_cell(value) for value in row] for row in rows]
    return str(
        tabulate(cells, headers=[_format_header(name) for name in headers], tablefmt=form, disable_numparse=True)
    )


def _format_cell(value: Any, digits: int = 4) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return printable(str(value))


def _format_header(name: str) -> str:
    return "\n".join(map(printable, name.split("\n")))


def _break_name(name: str, widest: int) -> str:
    """A name in lines, broken behind its dots and underscores."""
    lines = [""]
    for part in re.findall(r"[^._]*[._]?", name):
        if len(lines[-1]) + len(part) > widest and lines[-1]:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
