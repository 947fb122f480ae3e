"""Columns of the table `workloads` as values of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from farlink.errors import UsageError
from farlink.spelling import listed
from farlink.tables import parameters
from farlink.tables.rows import NUMBERS_OF_WORKLOADS, Row
from farlink.tables.workload_columns import ALL, PREFIX, name, place

MOST_NAMED = 12
"""Classes in a message."""


class Workloads:
    """The values of each class of flows in the runs; `rows` are those of the table `workloads`."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._classes: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
        """By workload and class, then by the key of the run."""
        for row in rows:
            self._classes.setdefault((row["workload"], row["class"]), {})[row["key"]] = row

    @property
    def usual(self) -> list[str]:
        """The measures that a summary shows by default of runs without flows."""
        of_all = [workload for workload, of_class in self._classes if of_class == ALL]
        return [name(workload, ALL, f"completion_{of}_s") for workload in of_all for of in ("p50", "p95", "p99")]

    def check(self, measure: str) -> str:
        """Give the whole name of a measure that exists; raises `UsageError` with what there is instead."""
        if not self._classes:
            raise UsageError(f"{measure}: no run has workloads")
        workload, of_class, column = place(measure)
        if (workload, of_class) not in self._classes:
            known = listed([name(*names, column) for names in self._classes], MOST_NAMED)
            raise UsageError(f"{measure}: write {PREFIX}WORKLOAD.CLASS.COLUMN; there are {known}")
        column = parameters.find_column(column, NUMBERS_OF_WORKLOADS)
        return name(workload, of_class, column)

    def added_to(self, rows: Iterable[Row], measures: Sequence[str]) -> list[Row]:
        """Add these measures of its run to every row; None where the run has no such class."""
        asked = {measure: place(measure) for measure in measures}
        return [{**row, **{each: self._value(row["key"], *at) for each, at in asked.items()}} for row in rows]

    def _value(self, key: str, workload: str, of_class: str, column: str) -> float | None:
        found = self._classes[workload, of_class].get(key)
        return None if found is None else found[column]
