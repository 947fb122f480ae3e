"""An answer as a table: text for a person, CSV, LaTeX and Markdown for a paper, Arrow for a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.arguments import PLACE, check_argument_types
from farlink.printable import printable
from farlink.spelling import counted
from farlink.system.files import check_target, write_text
from farlink.tables import labels

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

FORMATS = {".txt": "simple", ".md": "github", ".tex": "latex"}

LEAST_WHOLE, MOST_WHOLE = 1e3, 1e7
"""Numbers between these are written without an exponent."""
ANSWER = "verdict"
COMPLETED, TRANSFERS = "completed", "transfers"
"""Of the flows with a size; written in one column."""
KEPT = (ANSWER, COMPLETED)
"""Columns that stay in their rows, though all of them have the same value."""
OF_RUNS = "_runs"
"""The end of a column that counts the runs which have a value of a measure."""
COUNTS = ("runs", "pairs")
"""Columns that count what a row is made of."""
WIDEST_NAME = 12
"""Of a column on a terminal, in characters."""


class ReportTable:
    """Rows of an answer; `table` is its Arrow table, `caption` says how its intervals were found.

    Printed, it is as narrow as on the command line: `narrow`. `render` and `save` write every column.
    """

    def __init__(
        self,
        table: pa.Table,
        caption: str = "",
        *,
        kept: Sequence[str] = (),
        sizes: Mapping[str, Sequence[Any]] | None = None,
        names: labels.Names | None = None,
        comments: Sequence[str] = (),
        remark: str = "",
    ) -> None:
        """Make the table; columns in `kept` stay in the rows, those of `sizes` have the unit that suits the values.

        `names` has what columns are called for a person. `comments` are for a paper: what the table is of.
        `remark` follows the caption where the table is shown in Python.
        """
        self.table = table
        self.caption = caption
        self._kept = (*KEPT, *kept, *(name for name in table.column_names if name.endswith(OF_RUNS)))
        self._sizes = sizes or {}
        self._names = names or labels.Names()
        self._comments = comments
        self.remark = remark

    @classmethod
    def of(cls, rows: Iterable[dict[str, Any]], caption: str = "", **shown: Any) -> ReportTable:
        """Make the table of these rows; `shown` is what the constructor takes."""
        from farlink.tables import arrow

        return cls(arrow.from_rows(list(rows)), caption, **shown)

    def render(self, form: str = "simple") -> str:
        """Write as text, `github` Markdown, `latex` for a paper, or another format of tabulate.

        `latex` has the columns that a paper shows, the others every column of `table`.
        """
        if form == "latex":
            return self._latex()
        headings = [self._names.renamed.get(name, name) for name in self.table.column_names]
        return _render_rows([list(row.values()) for row in self.table.to_pylist()], headings, form)

    def _latex(self) -> str:
        from farlink.results import latex

        joined, sizes = self._joined()
        columns = {name: cells for name, cells in joined.items() if name not in COUNTS or len(set(cells)) != 1}
        counts = [_counted_per_row(name, cells[0]) for name, cells in joined.items() if name not in columns]
        shown, alike = latex.report_columns(columns, self._kept, self._names, sizes)
        return latex.tabular(shown, [*self._comments, *alike, *counts, self.caption])

    def _joined(self) -> tuple[dict[str, list[Any]], dict[str, Sequence[Any]]]:
        """The columns, and by the names of measures the numbers that their units suit.

        A measure with both ends of its interval is one column; so are completed transfers and all, `18 of 20`.
        """
        columns: dict[str, list[Any]] = self.table.to_pydict()
        if TRANSFERS in columns:
            pairs = zip(columns[COMPLETED], columns.pop(TRANSFERS), strict=True)
            columns[COMPLETED] = [f"{some} of {all_}" if all_ else "-" for some, all_ in pairs]
        sizes: dict[str, Sequence[Any]] = {}
        for name in [name for name in columns if f"{name}_low" in columns]:
            parts = [columns[name], columns.pop(f"{name}_low"), columns.pop(f"{name}_high")]
            sizes[name] = self._sizes.get(name) or list(chain(*parts))
            columns[name] = list(zip(*parts, strict=True))
        return columns, sizes

    def narrow(self, one_unit: Sequence[str] = ()) -> str:
        """As text for a terminal: values in units that suit them, an interval in one column, constants in front.

        The columns of `one_unit` are written in the unit that suits the first of them.
        """
        front, shown = self._narrow_columns(one_unit)
        rows = [list(row) for row in zip(*shown.values(), strict=True)]
        return "".join(f"{line}\n" for line in front) + _render_rows(rows, list(shown), "simple")

    def _narrow_columns(self, one_unit: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
        """The constants, and what else is shown by its heading."""
        columns, sizes = self._joined()
        shown: dict[str, list[str]] = {}
        front = []
        for name, cells in columns.items():
            path = self._names.heading(name)
            heading = _break_name(path, WIDEST_NAME)
            if name in sizes:
                fitting = one_unit[0] if name in one_unit else name
                factor, unit = labels.scale(fitting, sizes[fitting])
                shown[f"{heading}\n[{unit}]" if unit else heading] = [
                    _scaled_cell(mean, factor) for mean, _, _ in cells
                ]
                shown["95 % CI" + " " * len(shown)] = [_interval_cell(low, high, factor) for _, low, high in cells]
                continue
            has_unit = labels.suffix_of(name)
            texts = [labels.value_text(value, name) if has_unit else _format_cell(value, 3) for value in cells]
            if len(set(texts)) == 1 and name not in self._kept:
                front.append(_counted_per_row(name, texts[0]) if name in COUNTS else f"{path}: {texts[0]}")
            else:
                shown[heading] = texts
        return front, shown

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

    def to_pandas(self) -> pd.DataFrame:
        """Give it as a data frame of pandas; raises `UsageError` where pandas is not installed."""
        from farlink.tables import frames

        return frames.to_pandas(self.table)

    def to_polars(self) -> pl.DataFrame:
        """Give it as a data frame of polars; raises `UsageError` where polars is not installed."""
        from farlink.tables import frames

        return frames.to_polars(self.table)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self.narrow(), self.caption, self.remark]))

    def _repr_html_(self) -> str:
        from farlink.runs.grid import Grid

        caption, headings, rows = self.parts()
        return Grid(headings, rows, caption=caption).html()

    def parts(self) -> tuple[str, list[str], list[tuple[str, ...]]]:
        """Give caption, headings and rows of the narrow table, for a page."""
        front, shown = self._narrow_columns(())
        caption = "; ".join(filter(None, [*front, self.caption, self.remark]))
        # Names were broken into lines for a terminal; a browser breaks them where it must.
        headings = [re.sub(r"\n(?!\[)", "", name).replace("\n", " ").strip() for name in shown]
        return caption, headings, list(zip(*shown.values(), strict=True))


def _counted_per_row(name: str, count: Any) -> str:
    return f"{counted(int(count), name[:-1])} per row"


def _render_rows(rows: list[list[Any]], headers: list[str], form: str) -> str:
    from tabulate import tabulate

    cells = [[_format_cell(value) for value in row] for row in rows]
    printables = ["\n".join(map(printable, name.split("\n"))) for name in headers]
    return str(tabulate(cells, headers=printables, tablefmt=form, disable_numparse=True))


def _format_cell(value: Any, digits: int = 4) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return printable(str(value))


def _scaled_cell(value: Any, factor: float) -> str:
    if isinstance(value, int | float) and LEAST_WHOLE <= abs(value / factor) < MOST_WHOLE:
        return f"{value / factor:.0f}"
    return _format_cell(value / factor if isinstance(value, int | float) else value, 3)


def _interval_cell(low: Any, high: Any, factor: float) -> str:
    if low is None and high is None:
        return "-"
    return f"{_scaled_cell(low, factor)}..{_scaled_cell(high, factor)}"


def _break_name(name: str, widest: int) -> str:
    """A name in lines, broken behind its dots and underscores."""
    lines = [""]
    for part in re.findall(r"[^._]*[._]?", name):
        if len(lines[-1]) + len(part) > widest and lines[-1]:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
