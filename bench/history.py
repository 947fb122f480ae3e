"""The benchmark history as a figure: `make bench-history` draws docs/pictures/instructions.svg of history.csv.

A row of history.csv is a decision or a release: its date, its commit or version, what changed, the number of the
decision if there is one, and the instructions per unit of each work (`ratchet.py`), empty where none were recorded.
`ratchet.py PROGRAM --record WORDS` appends one.
"""

from __future__ import annotations

import csv
from pathlib import Path

from farlink.drawing.of_runs import save_figure
from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
HISTORY = HERE / "history.csv"
PICTURE = HERE.parent / "docs" / "pictures" / "instructions.svg"
ABOUT = ("date", "version", "change", "decision")
"""The columns that are not works."""
IN_ROW, WIDTH_IN, HEIGHT_IN = 4, 9.0, 4.2


def works(rows: list[dict[str, str]]) -> dict[str, list[tuple[int, int]]]:
    """Give the number of the row and the instructions of every count, by work."""
    return {
        work: [(number, int(row[work])) for number, row in enumerate(rows, 1) if row[work]]
        for work in rows[0]
        if work not in ABOUT
    }


def read() -> list[dict[str, str]]:
    with HISTORY.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def figure(rows: list[dict[str, str]]) -> Figure:
    """Draw a panel per work, from 0 on, so that a halved column is half as high."""
    counts = works(rows)
    made = Figure(figsize=(WIDTH_IN, HEIGHT_IN), layout="constrained")
    panels = made.subplots(-(-len(counts) // IN_ROW), IN_ROW, sharex=True).flat
    for (work, counted), panel in zip(counts.items(), panels, strict=False):
        panel.plot(*zip(*counted, strict=True), marker="o", markersize=3)
        panel.set(title=work, xlim=(0.5, len(rows) + 0.5), ylim=(0, 1.1 * max(count for _, count in counted)))
        panel.annotate(f"{counted[-1][1]}", counted[-1], xytext=(0, 6), textcoords="offset points", ha="right")
    for panel in panels:
        panel.set_axis_off()
    made.supxlabel("row of bench/history.csv")
    made.supylabel("instructions per unit")
    return made


if __name__ == "__main__":
    save_figure(figure(read()), PICTURE)
    print(PICTURE.relative_to(HERE.parent))
