"""Rows of summaries and comparisons, from the flows that they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from farlink import statistics
from farlink.errors import UsageError
from farlink.results import comparison
from farlink.results.measure import (
    Measure,
    completions,
    completions_per_run,
    is_of_completion,
    reachable,
    shares_differ,
    transfers_of,
    unfinished,
)
from farlink.results.report_table import COMPLETED, OF_RUNS, TRANSFERS
from farlink.results.run_values import is_of_run
from farlink.statistics import Interval
from farlink.tables.labels import without_unit
from farlink.tables.rows import Row, grouped

Group: TypeAlias = "tuple[Any, ...]"
IsExact: TypeAlias = "Callable[[Iterable[str]], bool]"
"""Whether all seeds of these runs gave equal results."""


@dataclass
class Answer:
    """Rows, and what a caption says of their intervals and of transfers that are not in them."""

    rows: list[Row] = field(default_factory=list)
    intervals: list[Interval | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def caption(self) -> str:
        """One line below the table."""
        return "; ".join(filter(None, [statistics.method(self.intervals), *self.notes]))


def summary(
    groups: Mapping[Group, Sequence[Row]],
    columns: Sequence[str],
    measures: Sequence[Measure],
    is_exact: IsExact,
    whole: Mapping[Group, Sequence[Row]] | None = None,
) -> Answer:
    """Estimate every measure in each group of flows; values of runs in groups of their own, if there is a `whole`."""
    made = Answer()
    of_transfers = [measure for measure in measures if is_of_completion(measure.column)]
    is_counted = len({transfers_of(measure.column) for measure in of_transfers}) == 1
    rows = [(group, flows, False) for group, flows in groups.items()]
    for group, flows, is_whole in [*rows, *((group, runs, True) for group, runs in (whole or {}).items())]:
        keys = dict.fromkeys(flow["key"] for flow in flows)
        row: Row = dict(zip(columns, group, strict=True)) | {"runs": len(keys)}
        for measure in measures:
            if whole and is_whole != is_of_run(measure.column):
                row |= comparison.interval_cells(measure.name, None) | {measure.name + OF_RUNS: None}
                continue
            if is_counted and measure in of_transfers and COMPLETED not in row:
                row[COMPLETED], row[TRANSFERS] = completions(flows, measure.column)
            found = measure.estimate(measure.per_run(flows).values())
            found = statistics.without_ends(found) if is_exact(keys) else found
            made.intervals.append(found)
            row |= comparison.interval_cells(measure.name, found) | {measure.name + OF_RUNS: found and found.count}
        made.rows.append(row)
    made.notes = [
        _note_of_fewer_runs(made.rows, [measure.name + OF_RUNS for measure in measures]),
        unfinished(measures, (flow for flows in groups.values() for flow in flows)),
    ]
    return made


def _note_of_fewer_runs(rows: Sequence[Row], counts: Sequence[str]) -> str:
    """Say which columns count the runs with a value; those that always count all runs are taken out of the rows."""
    kept = {name: without_unit(name) for name in counts if any(row[name] not in (None, row["runs"]) for row in rows)}
    for row in rows:
        for name in {*counts}.difference(kept):
            del row[name]
    return f"not every run has a value; those that have one are counted in {', '.join(kept.values())}" if kept else ""


@dataclass(frozen=True)
class Comparison:
    """What is compared: the values of `by`, wherever the columns `others` agree."""

    by: str
    others: Sequence[str]
    measure: Measure
    baseline: Any
    place: Callable[[str, Any], tuple[Any, ...]]
    """Gives the place of a parameter's value among the others."""
    is_exact: IsExact

    def answer(self, flows: Iterable[Row]) -> Answer:
        """Compare every other value with the baseline, paired by seed."""
        flows = list(flows)
        points = grouped((tuple(flow[column] for column in self.others), flow) for flow in flows)
        variants = {point: grouped((flow[self.by], flow) for flow in of) for point, of in points.items()}
        made = Answer()
        for group in sorted(points, key=lambda group: list(map(self.place, self.others, group))):
            self._add_rows(made, dict(zip(self.others, group, strict=True)), variants[group])
        groups = [rows for of in variants.values() for rows in of.values()]
        made.notes = [unfinished([self.measure], flows)]
        if is_of_completion(self.measure.column):
            made.notes.append(self._note_without_verdict(made.rows, groups))
        return made

    def _note_without_verdict(self, rows: Sequence[Row], groups: Sequence[Sequence[Row]]) -> str:
        """Say why rows have no verdict, and which percentile gives one; empty if unfinished transfers are no reason."""
        column, percent = self.measure.column, self.measure.percent_of_transfers
        remedy = reachable(column, [pair for flows in groups for pair in completions_per_run(flows, column)])
        if percent is None and any(row["verdict"] is None for row in rows):
            return f"no verdict where the shares of completed transfers differ: {remedy}"
        if percent is not None and any(row[f"{self.measure.name}_difference"] is None for row in rows):
            return f"no difference where p{percent:g} is an unfinished transfer's: {remedy}"
        return ""

    def _add_rows(self, made: Answer, point: Row, variants: Mapping[Any, Sequence[Row]]) -> None:
        values = {variant: self._by_seed(rows) for variant, rows in variants.items()}
        ordered = sorted(variants, key=lambda each: self.place(self.by, each))
        known = [each for each in ordered if values[each]]
        if not known:
            return
        base = comparison.choose_baseline(self.by, known if self.baseline is None else ordered, self.baseline, point)
        if not values[base]:
            raise UsageError(f"baseline {self.baseline}: {self._without_value(variants[base])}; choose another")
        for variant in ordered:  # one without a value has a row, too
            if variant == base:
                continue
            ours, theirs = values[variant], values[base]
            pairs = [(ours[seed], theirs[seed]) for seed in sorted(ours) if seed in theirs]
            is_exact = all(self.is_exact(row["key"] for row in variants[each]) for each in (variant, base))
            found = self.measure.compare(pairs)
            made.intervals += [] if is_exact else found
            row = {self.by: variant, comparison.against(self.by): base, "pairs": len(pairs)}
            row |= comparison.cells(self.measure.name, *found, is_exact=is_exact)
            if is_of_completion(self.measure.column):
                row |= self._completions(variants[variant], variants[base])
            made.rows.append(point | row)

    def _without_value(self, rows: Sequence[Row]) -> str:
        completed, transfers = completions(rows, self.measure.column)
        if is_of_completion(self.measure.column) and transfers:
            return f"{completed} of its {transfers} transfers finished, so that it has no {self.measure.column}"
        return f"no run of it has a value of {self.measure.column}"

    def _completions(self, ours: Sequence[Row], theirs: Sequence[Row]) -> Row:
        """Count the completed transfers. Means over unlike shares of them have no verdict: the longest are left out."""
        counts = [completions(rows, self.measure.column) for rows in (ours, theirs)]
        is_unlike = self.measure.is_mean_of_completions and shares_differ(counts)
        return dict(zip((COMPLETED, TRANSFERS), counts[0], strict=True)) | ({"verdict": None} if is_unlike else {})

    def _by_seed(self, rows: Sequence[Row]) -> dict[int, Any]:
        seeds = {row["key"]: row["seed"] for row in rows}
        return {seeds[key]: value for key, value in self.measure.per_run(rows).items()}
