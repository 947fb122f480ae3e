"""An answer as a table: text for a person, CSV, LaTeX and Markdown for a paper, Arrow for a program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.files import check_target, write_text

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = {".txt": "simple", ".md": "github", ".tex": "latex_booktabs"}


class Sheet:
    """Rows of an answer; `table` is its Arrow table."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def render(self, form: str = "simple") -> str:
        """Write as text, `github` Markdown, `latex_booktabs`, or another format of tabulate."""
        from tabulate import tabulate

        rows = [[_cell(value) for value in row.values()] for row in self.table.to_pylist()]
        return str(tabulate(rows, headers=self.table.column_names, tablefmt=form, disable_numparse=True))

    def save(self, path: str | Path) -> None:
        """Write as .csv, .txt, .md or .tex."""
        target = Path(path)
        check_target(target, (".csv", *FORMATS))
        if target.suffix == ".csv":
            from farlink import tables

            tables.write(self.table, target)
        else:
            write_text(target, self.render(FORMATS[target.suffix]) + "\n")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return self.render("html")


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
