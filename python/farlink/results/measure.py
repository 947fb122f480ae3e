"""What is asked of results: a column of flows or a value of the whole run, its mean or a percentile.

Flows of one run are not independent. A mean is taken over the flows of each run first, then over the runs; a
percentile is that of all values together, and its interval is found by resampling runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

from farlink import statistics
from farlink.errors import UsageError
from farlink.results.end_to_end import ORIGIN, counted_once
from farlink.results.workload_values import COUNTS, Workloads
from farlink.spelling import remedy
from farlink.statistics import Interval
from farlink.tables import labels, workload_columns
from farlink.tables.rows import Row, grouped

COMPLETION, SIZE = "completion_s", "size_bytes"
COMPLETIONS = (COMPLETION, "end_to_end_completion_s")
"""The second is of what a relay passes on."""
STATISTIC = re.compile(r"p(\d+(?:\.\d+)?)")
USUAL_PERCENTILES = (95, 90, 75, 50, 25, 10)
MEASURES = ("goodput_bps", "delay_mean_s", "packets_retransmitted", "timeouts")
"""What a summary shows by default, and the completion time where a flow has a size, and the MOS of calls."""
MOS = "mos"


@dataclass(frozen=True)
class Measure:
    """A column, and which percentile of it; its mean by default."""

    column: str
    percent: float | None = None
    interval: str = "t"
    """Of a mean: one of `statistics.ESTIMATORS`."""

    @classmethod
    def parse(cls, written: str, find_column: Callable[[str], str], interval: str = "t") -> Measure:
        """Read `completion_s`, or `completion_s:p95` for a percentile; the unit may be left out."""
        if interval not in statistics.ESTIMATORS:
            raise UsageError(f"interval `{interval}`: {remedy(interval, list(statistics.ESTIMATORS))}")
        name, colon, statistic = written.partition(":")
        if not colon:
            return cls(find_column(name), interval=interval)
        found = STATISTIC.fullmatch(statistic)
        if found is None or not 0 < float(found[1]) < 100:
            raise UsageError(f"{written}: write a percentile as {name}:p95, above p0 and below p100; without, the mean")
        return cls(find_column(name), float(found[1]), interval)

    @property
    def percent_of_transfers(self) -> float | None:
        """Which percentile of transfers it is; that of a workload is one of each run."""
        is_of_workload = workload_columns.is_of_workload(self.column)
        return workload_columns.percent_of(self.column) if is_of_workload else self.percent

    @property
    def is_mean_of_completions(self) -> bool:
        """Whether unfinished transfers are not in it."""
        return self.percent_of_transfers is None and is_of_completion(self.column)

    @property
    def name(self) -> str:
        """The column in an answer: `completion_s`, `completion_p95_s`."""
        if self.percent is None:
            return self.column
        suffix = labels.suffix_of(self.column)
        name = f"{labels.without_unit(self.column)}_p{self.percent:g}"
        return f"{name}_{suffix}" if suffix else name

    def per_run(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Give by key what a run counts with: the mean of its flows, or for a percentile all of their values."""
        rows = counted_once(rows)
        if self.percent is not None:
            values = ((row["key"], _value_or_unfinished(row, self.column)) for row in rows)
            return grouped((key, value) for key, value in values if value is not None)
        runs = grouped((row["key"], row[self.column]) for row in rows if row[self.column] is not None)
        # A mean of equal values may differ from them in its last digit.
        return {key: of[0] if min(of) == max(of) else statistics.mean_of(of) for key, of in runs.items()}

    def pooled(self, rows: Iterable[Row]) -> list[float]:
        """Give the values of all rows together; an unfinished transfer's is infinite."""
        return [value for row in counted_once(rows) if (value := _value_or_unfinished(row, self.column)) is not None]

    def is_unfinished(self, pooled: Sequence[float]) -> bool:
        """Whether what these values give is an unfinished transfer's."""
        return math.inf in (pooled if self.percent is None else [statistics.percentile(pooled, self.percent)])

    def estimate(self, runs: Iterable[Any]) -> Interval | None:
        """Estimate the measure from what `per_run` gave."""
        values = list(runs)
        if self.percent is None:
            if math.inf in values:
                return None
            return statistics.of_measure(values, labels.bounds_of(self.column), self._estimator)
        return statistics.percentile_of_runs(values, self.percent)

    def ends(self, rows: Iterable[Row]) -> tuple[float | None, ...]:
        """Give the mean of these flows and both ends of its interval."""
        found = self.estimate(self.per_run(rows).values())
        return () if found is None else (found.mean, found.low, found.high)

    def compare(self, pairs: Sequence[tuple[Any, Any]]) -> tuple[Interval | None, Interval | None]:
        """Estimate the difference and the ratio of what `per_run` gave for paired runs."""
        if self.percent is not None:
            difference = statistics.percentile_difference(pairs, self.percent)
            return difference, statistics.percentile_ratio(pairs, self.percent)
        ours, theirs = [one for one, _ in pairs], [other for _, other in pairs]
        if math.inf in (*ours, *theirs):
            return None, None
        least, most = labels.bounds_of(self.column)
        difference = statistics.difference(ours, theirs, self._estimator)
        return statistics.within(difference, least - most, most - least), statistics.ratio(
            ours, theirs, self._estimator
        )

    @property
    def _estimator(self) -> statistics.Estimator:
        return statistics.ESTIMATORS[self.interval]


def measures_of(
    asked: Sequence[str] | None, rows: Iterable[Row], find_column: Callable[[str], str], interval: str = "t"
) -> list[Measure]:
    """Give the measures asked for; without any the usual ones, and those of transfers and of calls if there are any."""
    rows = list(rows)
    has_calls = any(row.get(MOS) is not None for row in rows)
    written = asked or [*MEASURES, *([COMPLETION] if completions(rows)[1] else []), *([MOS] if has_calls else [])]
    return [Measure.parse(each, find_column, interval) for each in written]


def is_of_completion(column: str) -> bool:
    """Whether an unfinished transfer has no value in this column."""
    return column in COMPLETIONS or workload_columns.is_of_completion(column)


def completions(rows: Iterable[Row], column: str = COMPLETION) -> tuple[int, int]:
    """Count the completed transfers, and all, of those with times in this column."""
    if column not in COMPLETIONS:
        counts = completions_per_run(rows, column)
        return sum(some for some, _ in counts), sum(all_ for _, all_ in counts)
    sized = [row[column] for row in counted_once(rows) if _is_transfer(row, column)]
    return sum(value is not None for value in sized), len(sized)


def completions_per_run(rows: Iterable[Row], column: str) -> list[tuple[int, int]]:
    """Count the completed transfers, and all, that each percentile is of: of a workload in each run, else together."""
    if column in COMPLETIONS:
        return [completions(rows, column)]
    return [*{row["key"]: row[column + COUNTS] for row in rows}.values()]


def transfers_of(column: str) -> str:
    """Name the flows of a workload that a column is of; empty for transfers of [[flows]]."""
    return "" if column in COMPLETIONS else " ".join(workload_columns.place(column)[:2])


def unfinished(measures: Iterable[Measure], rows: Iterable[Row]) -> str:
    """Say how many transfers have no completion time, and where they count; empty where that is not asked for."""
    rows = list(rows)
    asked = grouped((transfers_of(each.column), each) for each in measures if is_of_completion(each.column))
    return "; ".join(filter(None, (_unfinished(of, rows, name) for name, of in asked.items())))


def _unfinished(measures: Sequence[Measure], rows: Iterable[Row], name: str) -> str:
    completed, transfers = completions(rows, measures[0].column)
    if completed == transfers:
        return ""
    in_means, in_percentiles = "not in the mean", "above all others in percentiles"
    where = dict.fromkeys(in_means if each.percent_of_transfers is None else in_percentiles for each in measures)
    of = f" of {name.removesuffix(f' {workload_columns.ALL}')}" if name else ""
    return f"{transfers - completed} of {transfers} transfers{of} are unfinished: {', '.join(where)}"


def without_transfers(measures: Iterable[Measure], rows: Iterable[Row], workloads: Workloads) -> str:
    """Name the completion times of workloads where those of [[flows]] are asked for, of which none is a transfer."""
    asked = [each for each in measures if each.column in COMPLETIONS]
    if not asked or completions(rows, asked[0].column)[1]:
        return ""
    return workloads.instead_of(asked[0].percent)


def shares_differ(found: Iterable[tuple[int, int]]) -> bool:
    """Whether shares of completed transfers are unlike: the longest are left out of some means only."""
    counts = [pair for pair in found if pair[1]]
    return any(some * others != other * all_ for (some, all_), (other, others) in pairwise(counts))


def reachable(column: str, counts: Iterable[tuple[int, int]]) -> str:
    """Name the highest usual percentile that is no unfinished transfer's in any of these groups, as a remedy."""
    reached = [pair for pair in counts if pair[1]]
    usual = USUAL_PERCENTILES if column in COMPLETIONS else workload_columns.PERCENTILES
    percent = next((each for each in usual if reached and all(100 * some >= each * all_ for some, all_ in reached)), 0)
    if not percent:
        return "give the transfers a longer `duration`"
    return (
        f"take {column}:p{percent}" if column in COMPLETIONS else f"take {workload_columns.percentile(column, percent)}"
    )


def _is_transfer(row: Row, column: str) -> bool:
    return row.get(SIZE) is not None and (column == COMPLETION or row.get(ORIGIN) is not None)


def _value_or_unfinished(row: Row, column: str) -> float | None:
    value: float | None = row[column]
    return math.inf if value is None and column in COMPLETIONS and _is_transfer(row, column) else value


def per_run_points(measure: Measure, rows: Iterable[Row], along: str, by: str | None) -> list[dict[str, Any]]:
    """Give a row per run, value of `along` and of `by`, with what the run counts with."""
    columns = [along, by] if by else [along]
    groups = grouped((tuple(row[column] for column in columns), row) for row in rows)
    return [
        dict(zip(columns, group, strict=True)) | {measure.name: value}
        for group, of in groups.items()
        for value in measure.per_run(of).values()
    ]


def distributions(measure: Measure, rows: Iterable[Row], by: str | None) -> dict[Any, tuple[list[float], int]]:
    """Give by value of `by` the values of all flows together, and the number of runs with a value."""
    if measure.percent is not None:
        raise UsageError(f"a distribution has every percentile; write {measure.column}")
    groups = grouped((row[by] if by else None, row) for row in rows)
    of_all = replace(measure, percent=50)  # a percentile takes every value of a run
    found = {line: list(of_all.per_run(of).values()) for line, of in groups.items()}
    return {line: ([*chain(*runs)], len(runs)) for line, runs in found.items() if runs}
