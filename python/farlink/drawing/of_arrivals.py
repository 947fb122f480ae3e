"""Figures of the flows that arrived in a saved run: how their completion times and slowdowns are distributed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from farlink.drawing.of_store import draw_distributions
from farlink.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from farlink.drawing.look import Look

MEASURES = ("completion_s", "slowdown")


def distribution(arrivals: pa.Table, y: str, look: Look) -> Figure:
    """Draw how a measure is distributed over the flows of each workload, of all seeds together.

    `arrivals` has a row per flow. A flow that is not complete counts as longer than every other.
    """
    if y not in MEASURES:
        raise UsageError(f"flows that arrive have no {y}; choose {' or '.join(MEASURES)}")
    if not arrivals.num_rows:
        raise UsageError('no flow that arrived has a row; workloads with flows = "rows" keep one of each')
    found: dict[str, tuple[list[float], int]] = {}
    seeds: dict[str, set[int]] = {}
    for row in arrivals.select(["workload", "seed", "completion_s", y]).to_pylist():
        values, _ = found.setdefault(row["workload"], ([], 0))
        seeds.setdefault(row["workload"], set()).add(row["seed"])
        if row["completion_s"] is None:
            values.append(math.inf)
        elif row[y] is None:
            raise UsageError(f"the {y} of {row['workload']} is not known; choose {MEASURES[0]}")
        else:
            values.append(row[y])
    by = "workload" if len(found) > 1 else None
    about = [] if by else [next(iter(found))]
    return draw_distributions(
        {name: (values, len(seeds[name])) for name, (values, _) in found.items()}, y, by, look, about
    )
