"""Columns of the table `workloads` as values of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from farlink.errors import UsageError
from farlink.spelling import listed, remedy
from farlink.tables.rows import NUMBERS_OF_WORKLOADS, Row
from farlink.tables.workload_columns import ALL, PERCENTILES, PREFIX, is_of_completion, name, place, value_of

COUNTS = ".counts"
"""The end of a column of completed flows and of all, beside a measure of completed flows."""
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

    @property
    def labels(self) -> list[str]:
        """Their names."""
        return list(dict.fromkeys(workload for workload, _ in self._classes))

    def received_bytes(self, key: str) -> list[int | None]:
        """Give the payload that the flows of each workload of a run received; None in stores of older builds."""
        of_all = [runs[key] for (_, of_class), runs in self._classes.items() if of_class == ALL and key in runs]
        return [row.get("received_bytes") for row in of_all]

    def received_where_any_arrived(self, workload: str) -> dict[str, int]:
        """Give by run the payload received of a workload of which flows arrived; nothing of older builds."""
        runs = self._classes[workload, ALL]
        counts = {key: row.get("received_bytes") for key, row in runs.items() if row["arrivals"]}
        return {key: count for key, count in counts.items() if count is not None}

    def check(self, measure: str) -> str:
        """Give the whole name of a measure that exists; raises `UsageError` with what there is instead."""
        if not self._classes:
            raise UsageError(f"{measure}: no run has workloads")
        workload, of_class, column = place(measure)
        if (workload, of_class) not in self._classes:
            known = listed([name(*names, column) for names in self._classes], MOST_NAMED)
            raise UsageError(f"{measure}: write {PREFIX}WORKLOAD.CLASS.COLUMN; there are {known}")
        whole = name(workload, of_class, column)
        found = [each for each in NUMBERS_OF_WORKLOADS if column in (each, each.rpartition("_")[0])]
        if len(found) == 1:
            return name(workload, of_class, found[0])
        names = {each: name(workload, of_class, each) for each in NUMBERS_OF_WORKLOADS}
        longer = [names[each] for each in names if each.startswith(f"{column}_")]
        # The nearest by its last part: whole names are all alike.
        near = f"write one of {listed(longer)}" if longer else remedy(column, NUMBERS_OF_WORKLOADS, shown=names)
        raise UsageError(f"there is no column {whole}; {near}")

    def instead_of(self, percent: float | None) -> str:
        """Give the measures of completion times of these workloads, as a remedy; empty without any."""
        of = "mean" if percent is None else f"p{percent:g}" if percent in PERCENTILES else f"p{PERCENTILES[1]}"
        found = [name(workload, ALL, f"completion_{of}_s") for workload in self.labels]
        return f"completion times of workloads are {listed(found, MOST_NAMED)}" if found else ""

    def added_to(self, rows: Iterable[Row], measures: Sequence[str]) -> list[Row]:
        """Add these measures of its run to every row; None where the run has no such class.

        With a completion time or a slowdown go the counts of completed flows and of all.
        """
        made = [dict(row) for row in rows]
        for measure in measures:
            workload, of_class, column = place(measure)
            of_runs = self._classes[workload, of_class]
            for row in made:
                found = of_runs.get(row["key"])
                row[measure] = None if found is None else value_of(found, column)
                if is_of_completion(measure):
                    row[measure + COUNTS] = (found["completed"], found["arrivals"]) if found else (0, 0)
        return made
