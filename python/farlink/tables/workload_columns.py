"""Columns of the table `workloads` by name: `workloads.web.completion_p99_s`.

`workloads.web.to_100kB.slowdown_p50` is that of one class of sizes.
"""

from __future__ import annotations

PREFIX = "workloads."
ALL = "all"
"""The class of all flows."""


def is_of_workload(measure: str) -> bool:
    """Whether a measure is a column of the table `workloads`, not a parameter of a workload."""
    *names, column = measure.removeprefix(PREFIX).split(".")
    return measure.startswith(PREFIX) and len(names) in (1, 2) and not column.isdecimal()


def place(measure: str) -> tuple[str, str, str]:
    """Give the workload, the class and the column."""
    *names, column = measure.removeprefix(PREFIX).split(".")
    return names[0], names[1] if len(names) == 2 else ALL, column


def name(workload: str, of_class: str, column: str) -> str:
    """Give the measure of a place."""
    return ".".join([PREFIX.removesuffix("."), *([workload] if of_class == ALL else [workload, of_class]), column])
