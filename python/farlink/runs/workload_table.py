"""The table of workloads that a person reads of a run: completion times and slowdowns by class of size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from farlink import statistics
from farlink.runs.grid import Grid
from farlink.runs.run_table import format_mean
from farlink.statistics import Interval
from farlink.tables.rows import Row, grouped
from farlink.tables.workload_columns import ALL, value_of

PERCENTILES = ("p50", "p95", "p99")
UNITS = ((1.0, "s"), (1e-3, "ms"))


def of_workloads(title: str, rows: Sequence[Row], seeds: Sequence[int]) -> Grid:
    """A row per workload, and for each of its classes of sizes in which flows arrived."""
    found = grouped(((row["workload"], row["class"]), row) for row in rows)
    classes = {name: of for name, of in found.items() if name[1] == ALL or any(row["arrivals"] for row in of)}
    mean = partial(format_mean, of=len(seeds))
    times = [row["completion_p50_s"] for row in rows if row["completion_p50_s"] is not None]
    scale, unit = next((each for each in UNITS if max(times, default=1.0) >= each[0]), UNITS[-1])
    table = [
        [
            workload if of_class == ALL else f"{workload} {of_class.replace('_', ' ')}",
            f"{sum(row['completed'] for row in of)} of {sum(row['arrivals'] for row in of)}",
            *(mean(_over_seeds(of, f"completion_{each}_s"), scale) for each in PERCENTILES),
            *(mean(_over_seeds(of, f"slowdown_{each}")) for each in PERCENTILES),
        ]
        for (workload, of_class), of in classes.items()
    ]
    headings = ["", "completed", f"completion {unit} p50", *PERCENTILES[1:], "slowdown p50", *PERCENTILES[1:]]
    lines = ["slowdown: completion time over a lower bound of it, the least time on an empty path"]
    if len(seeds) > 1:
        lines.append("percentiles of each seed, their mean ± half-width")
    whole = [row for row in rows if row["class"] == ALL]
    if any(row["completed"] < row["arrivals"] for row in whole):
        lines.append("a percentile counts unfinished flows as longer than all others, and is - where it is one of them")
        lines.append("an earlier `stop` of the workload leaves them time")
    return Grid(headings, table, title, "; ".join(lines))


def _over_seeds(rows: Sequence[Row], column: str) -> Interval | None:
    values = [value for row in rows if (value := value_of(row, column)) is not None]
    return None if math.inf in values else statistics.of_measure(values)
