"""How results show themselves in a notebook: what they hold, means with intervals, and a small figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from farlink.runs import grid

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from farlink.results.report_table import ReportTable

MOST_LINES = 7
"""Of a figure: as many as there are colours."""

Axes = tuple[str, "str | None", Literal["line", "bar"]]
"""What a figure is drawn over, what its lines are, and its kind."""


def results(title: str, points: ReportTable, figure: Figure | None) -> str:
    """Show a summary and a figure, if there is one."""
    caption, headings, rows = points.parts()
    shown = grid.paragraph(title) + grid.first_rows("point", headings, rows) + grid.paragraph(caption)
    if figure is None:
        return shown
    from farlink.drawing import inline

    figure.set_size_inches(6, 3.4)
    return shown + inline.image(figure, f"goodput: {title}")


def axes(flows: pa.Table, varied: Sequence[str]) -> Axes | None:
    """Choose the axes of a figure; None where nothing varies, or more than two parameters (or one and the flow) do."""
    several: dict[str, list[Any]] = {}
    for name in ("flow", *varied):
        values = flows[name].to_pylist()
        if len(set(values)) > 1 and values not in several.values():  # what varies together is one axis
            several[name] = values
    if not varied or len(several) > 2:
        return None
    is_number = {name: not any(isinstance(value, str | bool) for value in several[name]) for name in several}
    x, *rest = sorted(several, key=lambda name: (not is_number[name], name == "flow"))
    by = rest[0] if rest else None
    if by and len(set(several[by])) > MOST_LINES:
        return None
    return x, by, "line" if is_number[x] else "bar"
