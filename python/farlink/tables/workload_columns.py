"""Columns of the table `workloads` by name: `workloads.web.completion_p99_s`.

`workloads.web.to_100kB.slowdown_p50` is that of one class of sizes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

PREFIX = "workloads."
ALL = "all"
"""The class of all flows."""
TIME = re.compile(r"(?:completion|slowdown)_(?:mean|p(\d+))(?:_s)?")
"""A mean over completed flows, or a percentile of all."""
PERCENTILES = (99, 95, 50)
ValueOf: TypeAlias = "Callable[[Mapping[str, Any], str], float | None]"
"""A value of a flow or of a class of flows in a column: `value_of`, or one that leaves more out."""


def is_of_workload(measure: str) -> bool:
    """Whether a measure is a column of the table `workloads`, not a parameter of a workload."""
    *names, column = measure.removeprefix(PREFIX).split(".")
    return measure.startswith(PREFIX) and len(names) in (1, 2) and not column.isdecimal()


def is_of_completion(measure: str) -> bool:
    """Whether unfinished flows have no value of a measure of a workload."""
    return is_of_workload(measure) and TIME.fullmatch(place(measure)[2]) is not None


def percent_of(measure: str) -> int | None:
    """Which percentile of the flows a measure of a workload is; None for a mean."""
    found = TIME.fullmatch(place(measure)[2])
    return int(found[1]) if found and found[1] else None


def percentile(measure: str, percent: int) -> str:
    """Give another percentile of what a measure is a mean or a percentile of."""
    workload, of_class, column = place(measure)
    return name(workload, of_class, re.sub(r"_(?:mean|p\d+)", f"_p{percent}", column))


def place(measure: str) -> tuple[str, str, str]:
    """Give the workload, the class and the column."""
    *names, column = measure.removeprefix(PREFIX).split(".")
    return names[0], names[1] if len(names) == 2 else ALL, column


def name(workload: str, of_class: str, column: str) -> str:
    """Give the measure of a place."""
    return ".".join([PREFIX.removesuffix("."), *([workload] if of_class == ALL else [workload, of_class]), column])


def value_of(row: Mapping[str, Any], column: str) -> float | None:
    """Give a value of a class of flows; infinite for a percentile that is an unfinished flow's."""
    found = TIME.fullmatch(column)
    if not found or not found[1] or 100 * row["completed"] >= int(found[1]) * row["arrivals"]:
        value: float | None = row[column]
        return value
    # Slowdowns are not known over shared channels.
    is_unknown = row["completed"] and row[re.sub(r"_p\d+", "_mean", column)] is None
    return None if is_unknown else math.inf


def value_of_all(row: Mapping[str, Any], column: str) -> float | None:
    """Give a value of all flows of a class; None for a mean that leaves unfinished ones out."""
    found = TIME.fullmatch(column)
    is_mean = found is not None and found[1] is None
    return None if is_mean and row["completed"] < row["arrivals"] else value_of(row, column)


def needed_for(column: str) -> list[str]:
    """The columns that `value_of` reads, and the payload that arrived."""
    found = TIME.fullmatch(column)
    return [
        "arrivals",
        "completed",
        "received_bytes",
        *({column, re.sub(r"_p\d+", "_mean", column)} if found else {column}),
    ]
