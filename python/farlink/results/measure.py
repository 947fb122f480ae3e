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
from farlink.spelling import remedy
from farlink.statistics import Interval
from farlink.tables import labels
from farlink.tables.rows import Row, grouped

COMPLETION, SIZE = "completion_s", "size_bytes"
COMPLETIONS = (COMPLETION, "end_to_end_completion_s")
"""The second is of what a relay passes on."""
STATISTIC = re.compile(r"p(\d+(?:\.\d+)?)")
USUAL_PERCENTILES = (95, 90, 75, 50, 25, 10)
MEASURES = ("goodput_bps", "delay_mean_s", "packets_retransmitted", "timeouts")
"""What a summary shows by default, and the completion time where a flow has a size."""


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
    def is_mean_of_completions(self) -> bool:
        """Whether unfinished transfers are not in it."""
        return self.percent is None and self.column in COMPLETIONS

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

    def estimate(self, runs: Iterable[Any]) -> Interval | None:
        """Estimate the measure from what `per_run` gave."""
        values = list(runs)
        if self.percent is None:
            return statistics.of_measure(values, labels.most_of(self.column), self._estimator)
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
        most = labels.most_of(self.column)
        difference = statistics.difference(ours, theirs, self._estimator)
        return statistics.within(difference, -most, most), statistics.ratio(ours, theirs, self._estimator)

    @property
    def _estimator(self) -> statistics.Estimator:
        return statistics.ESTIMATORS[self.interval]


def measures_of(
    asked: Sequence[str] | None, rows: Iterable[Row], find_column: Callable[[str], str], interval: str = "t"
) -> list[Measure]:
    """Give the measures asked for; without any the usual ones, and the completion time where a flow has a size."""
    written = asked or [*MEASURES, *([COMPLETION] if completions(rows)[1] else [])]
    return [Measure.parse(each, find_column, interval) for each in written]


def completions(rows: Iterable[Row], column: str = COMPLETION) -> tuple[int, int]:
    """Count the completed transfers, and all, of those with times in this column."""
    sized = [row[column] for row in counted_once(rows) if _is_transfer(row, column)]
    return sum(value is not None for value in sized), len(sized)


def unfinished(measures: Iterable[Measure], rows: Iterable[Row]) -> str:
    """Say how many transfers have no completion time, and where they count; empty where that is not asked for."""
    of_completion = [measure for measure in measures if measure.column in COMPLETIONS]
    completed, transfers = completions(rows, of_completion[0].column) if of_completion else (0, 0)
    if completed == transfers:
        return ""
    in_means, in_percentiles = "not in the mean", "above all others in percentiles"
    where = dict.fromkeys(in_means if each.percent is None else in_percentiles for each in of_completion)
    return f"{transfers - completed} of {transfers} transfers are unfinished: {', '.join(where)}"


def shares_differ(found: Iterable[tuple[int, int]]) -> bool:
    """Whether shares of completed transfers are unlike: the longest are left out of some means only."""
    counts = [pair for pair in found if pair[1]]
    return any(some * others != other * all_ for (some, all_), (other, others) in pairwise(counts))


def reachable(column: str, counts: Iterable[tuple[int, int]]) -> str:
    """Name the highest usual percentile that is no unfinished transfer's in any of these groups, as a remedy."""
    least = min((some / all_ for some, all_ in counts if all_), default=0.0)
    found = next((f"{column}:p{percent}" for percent in USUAL_PERCENTILES if percent / 100 <= least), "")
    return f"take {found}" if found else "give the transfers a longer `duration`"


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
