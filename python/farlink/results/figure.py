"""Figures: which rows they are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.errors import UsageError
from farlink.results import selection
from farlink.results.measure import (
    Measure,
    completions,
    completions_per_run,
    distributions,
    is_of_completion,
    per_run_points,
    reachable,
    shares_differ,
    unfinished,
)
from farlink.results.run_values import is_of_run, one_row_per_run
from farlink.tables import flow_groups, parameters
from farlink.tables.flow_groups import MOST_SHOWN
from farlink.tables.rows import Row, grouped
from farlink.tables.workload_columns import is_of_workload

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from farlink.drawing.look import Look
    from farlink.drawing.of_store import Kind
    from farlink.drawing.outages import Spans

EACH_FLOW = "choose flows, such as with {choice} (where= in Python)"


def check_kind(kind: str, x: str | None, width: str | None, interval: str) -> None:
    """Refuse a kind that is none, and what it has no place for."""
    if kind not in ("line", "bar", "cdf", "time"):
        raise UsageError(f"kind {kind!r}: choose line, bar, cdf or time")
    if (x is None) == (kind in ("line", "bar")):
        raise UsageError(f"kind {kind} needs {'a parameter as x' if x is None else 'no x'}")
    if interval != "t" and kind in ("cdf", "time"):
        raise UsageError(f"interval {interval}: a figure of kind {kind} has no means over x; leave it out")
    if width is not None and kind != "time":
        raise UsageError(f"bin {width}: a {kind} has no time to average over; leave it out, or choose kind time")


def check_axes(along: str | None, by: str | None, parameters: Sequence[str]) -> None:
    """Refuse measures along the axis and for a line each: a line through them would go back and forth."""
    known = [*parameters, selection.FLOW, "seed"]
    for option, column in (("x", along), ("by", by)):
        if column is not None and column not in known:
            what = f"{option} {column}: a measure, which has another value in each run"
            remedy = f"the distribution of a measure is --kind cdf --y {column} (kind='cdf')"
            raise UsageError(f"{what}; choose {', '.join(known)}; {remedy}")


def refuse_many_curves(rows: Sequence[Row], by: str | None) -> None:
    """Refuse a time series for each of very many flows."""
    flows = list(dict.fromkeys(row[selection.FLOW] for row in rows)) if by == selection.FLOW else []
    if len(flows) > MOST_SHOWN:
        remedy = EACH_FLOW.format(choice=flow_groups.choice(flows[:1], flows))
        raise UsageError(f"{len(flows)} flows: a figure has the time series of {MOST_SHOWN} at most; {remedy}")


@dataclass(frozen=True)
class OfMeasure:
    """A figure of a measure over the parameter `along`, or of its distribution, with a line per value of `by`."""

    measure: Measure
    along: str | None
    by: str | None
    kind: Kind
    look: Look
    about: Sequence[str]

    def draw(
        self, rows: list[Row], texts: Sequence[str], refuse_mixtures: Callable[..., object], *, is_of_one: bool
    ) -> Figure:
        """Draw it from these flows; `is_of_one` says that a flow, or a group of flows, was chosen.

        `texts` are the scenarios of the runs; `refuse_mixtures` gets the rows, the columns by which they are grouped,
        and columns of flows that must agree in a group.
        """
        from farlink.drawing import of_store

        by, of_runs = self.by, is_of_run(self.measure.column)
        if of_runs:
            rows = one_row_per_run(rows)
        elif self.kind == "cdf" and by is None and not is_of_one:
            rows = selection.under_groups(rows, texts)
            by = selection.FLOW if len({row[selection.FLOW] for row in rows}) > 1 else None
        grouped, of_flows = [name for name in (self.along, by) if name], () if of_runs else (selection.FLOW,)
        refuse_mixtures(rows, grouped, *of_flows)
        if self.kind == "cdf":
            found = distributions(self.measure, rows, by)
            of_workload = unfinished([self.measure], rows) if is_of_workload(self.measure.column) else ""
            about = [*self.about, of_workload]
            return of_store.draw_distributions(found, self.measure.column, by, self.look, about)
        assert self.along is not None and self.kind != "time", "checked before"
        self._refuse_unfinished(rows, by)
        points = per_run_points(self.measure, rows, self.along, by)
        is_percentile = self.measure.percent is not None
        about, estimate = [*self.about, unfinished([self.measure], rows)], self.measure.estimate
        name = self.measure.name
        return of_store.draw_over_parameter(
            points, self.along, name, by, self.kind, self.look, about, estimate, is_percentile=is_percentile
        )

    def _refuse_unfinished(self, rows: Sequence[Row], by: str | None) -> None:
        """Refuse means over unlike shares of transfers, and a percentile that is an unfinished one's at every point.

        Comparisons give no verdict of either.
        """
        column, percent = self.measure.column, self.measure.percent_of_transfers
        if not is_of_completion(column):
            return
        groups = grouped(((row[self.along or ""], row[by] if by else None), row) for row in rows)
        counts = [completions(of, column) for of in groups.values()]
        of_runs = [pair for of in groups.values() for pair in completions_per_run(of, column)]
        remedy = f"{reachable(column, of_runs)}, or the distribution, --kind cdf (kind='cdf')"
        if percent is None and shares_differ(counts):
            ordered = sorted((pair for pair in counts if pair[1]), key=lambda pair: pair[0] / pair[1])
            least, most = (f"{some} of {all_}" for some, all_ in (ordered[0], ordered[-1]))
            raise UsageError(
                f"{column}: the shares of completed transfers differ, from {least} to {most}, and a mean leaves the "
                f"longest out; {remedy}"
            )
        pooled = [values for of in groups.values() if (values := self.measure.pooled(of))]
        if percent is not None and pooled and all(map(self.measure.is_unfinished, pooled)):
            raise UsageError(f"{column}: p{percent:g} is an unfinished transfer's at every point; {remedy}")


def series_by(
    rows: Iterable[Row], y: str, by: str | None, series_of: Callable[[str], pa.Table | None], folder: Path
) -> tuple[str, dict[Any, list[pa.Table]]]:
    """Give the column that `y` means, and the series of these flows by the value of `by`."""
    import pyarrow.compute as pc

    from farlink.drawing.panels import column_over_time
    from farlink.drawing.time_series import TOTALS, columns_of

    y = column_over_time(y)
    found: dict[Any, list[pa.Table]] = {}
    for row in rows:
        table = series_of(row["key"])
        if table is None:
            remedy = "sweep again with --series, or `series = true` in the sweep's file (series=True in Python)"
            raise UsageError(f"{folder}: run {row['key'][:8]} has no series; {remedy}")
        table = table.filter(pc.equal(table["flow"].cast("string"), row["flow"]))
        known = [name for name in table.column_names if name not in ("key", "seed", "flow", "time_s")]
        y = parameters.find_column(y, [*(name for name in TOTALS if {*columns_of(name)} <= {*known}), *known])
        has_values = all(table[name].null_count < table.num_rows for name in columns_of(y))
        if table.num_rows > 1 and has_values:  # without TCP there are no windows
            found.setdefault(row[by] if by else None, []).append(table)
    if not found:
        whose = "windows are those of TCP, losses and jitter those of datagrams"
        raise UsageError(f"none of these flows has values of {y} over time; {whose}")
    return y, found


def outages(resolved: Iterable[str]) -> Spans:
    """Give when links are down in all of these scenarios."""
    from farlink.drawing import outages, recorded
    from farlink.system.toml import tomllib

    return outages.common(recorded.outages_s(tomllib.loads(text)) for text in set(resolved))
