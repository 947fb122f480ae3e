"""What a store holds: tables, means with intervals, comparisons, figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.arguments import FLAG, LIST, PLACE, TABLE, TEXT, check_argument_types
from farlink.errors import StoreError, UsageError
from farlink.results import answers, comparison, figure, no_effect, notes, renaming, selection
from farlink.results.end_to_end import LABEL, PAIR, with_pairs
from farlink.results.measure import MEASURES, Measure, measures_of
from farlink.results.report_table import ReportTable
from farlink.results.run_values import (
    ALL_FLOWS,
    FLOW_COLUMNS,
    RUN_VALUES,
    Airtime,
    is_of_run,
    is_of_station,
    one_row_per_run,
    value_without_flows,
    with_run_values,
)
from farlink.results.selection import Group
from farlink.results.store_tables import VERSION, StoreTables
from farlink.results.workload_values import Workloads
from farlink.spelling import counted
from farlink.store import order
from farlink.tables import parameters
from farlink.tables.labels import Names, without_unit, written_value
from farlink.tables.rows import Row
from farlink.tables.workload_columns import is_of_workload

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from farlink._farlink import ScenarioWarning
    from farlink.drawing.look import Log, Style
    from farlink.drawing.of_store import Kind

EVERY_FLOW = "--all-flows (fold=False in Python) shows each"


IN_SUMMARY = "a mean over both is that of neither; add it to `by`"
IN_COMPARE = "runs of both are no pairs"
IN_FIGURE = "choose with --where {column}=VALUE (where= in Python) out of {values}, or take it for --by"
IN_FIGURE_OVER_TIME = f"{IN_FIGURE}; a figure over time pools no flows"
"""What to do about a column in which runs differ that are asked to be pooled."""


class ResultStore(StoreTables):
    """The runs of a store: all of one build of the engine, or those of one sweep.

    Tables have a column for every parameter that differs, named by its path (`links.0.rate_bps`). Paths in arguments
    may leave out the unit, and may have labels in place of numbers (`flows.transfer.tcp.congestion_control`).
    `to_pandas` and `to_polars` give a table as a data frame. Raises `UsageError` where there is no store, and
    `StoreError` where it is damaged.
    """

    @check_argument_types(measures=LIST, by=LIST, where=TABLE, labels=TABLE, fold=FLAG, interval=TEXT)
    def summary(
        self,
        measures: Sequence[str] | None = None,
        *,
        by: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        labels: Mapping[str, str] | None = None,
        fold: bool = False,
        interval: str = "t",
    ) -> ReportTable:
        """Means with their 95 % CI per flow and point, or per value of the columns in `by`.

        A measure is a column of `flows`, `jain` or `total_goodput` of a run, or a column of `airtime` at a station such
        as `airtime.gateway.busy_share`, or of `workloads` such as `workloads.web.completion_p99_s`; `completion_s:p95`
        is a percentile. A mean is taken over the flows of a run first, then over the runs. `where` chooses flows, a
        pattern such as `{"flow": "web*"}` pools them; `labels` renames values and columns; with `fold` more than a
        dozen flows are shown as groups of equal ones. The interval of a mean is Student's t, or `bca`, the
        bias-corrected and accelerated bootstrap.
        """
        pools = by is None or selection.FLOW not in by
        rows, note = self._chosen_rows(where, pools=pools, fold=fold)
        not_shown = "" if measures or not self.flows.num_rows else self._workloads.instead_of(95)
        measures = measures or (None if self.flows.num_rows else self._workloads.usual)
        asked = measures_of(measures, rows, self._find_measure, interval)
        rows = self._with_run_tables(rows, asked)
        about_flows = self._about_flows(asked, rows, self._renamed(labels, rows))
        of_runs = all(is_of_run(each.column) for each in asked)
        if of_runs:
            rows = one_row_per_run(rows)
        columns = self._group_columns(by, rows, of_runs=of_runs)
        whole = None
        several = selection.FLOW in columns and len({row[selection.FLOW] for row in rows}) > 1
        if several and not of_runs and any(is_of_run(each.column) for each in asked):
            whole = self._group_rows(columns, one_row_per_run(rows))
        made = answers.summary(self._group_rows(columns, rows), columns, asked, self._equal.has, whole)
        made.notes += ["" if of_runs else selection.pooled(columns, rows, note), *about_flows, not_shown]
        return self._report(made, columns, rows, labels, notes.with_effect(where, asked))

    @check_argument_types(by=TEXT, measure=TEXT, where=TABLE, labels=TABLE, fold=FLAG, interval=TEXT)
    def compare(
        self,
        by: str,
        measure: str = "goodput_bps",
        *,
        baseline: Any = None,
        where: Mapping[str, Any] | None = None,
        labels: Mapping[str, str] | None = None,
        fold: bool = False,
        interval: str = "t",
    ) -> ReportTable:
        """Compare the values of parameter `by`, seed by seed, with `baseline`: by default the first the sweep lists.

        A row per other point and value: the mean difference and the geometric mean of the ratios, each with its
        95 % interval, and whether that of the difference excludes 0. `measure`, `where`, `labels`, `fold` and
        `interval` are those of `summary`; of a percentile the difference and the ratio are those of the percentiles.
        """
        by = parameters.find_column(self._resolved_path(by), [selection.FLOW, *self.parameters])
        rows, note = self._chosen_rows(where, pools=by != selection.FLOW, fold=fold)
        asked = Measure.parse(measure, self._find_measure, interval)
        rows = self._with_run_tables(rows, [asked])
        about_flows = self._about_flows([asked], rows, self._renamed(labels, rows))
        of_runs = is_of_run(asked.column)
        if of_runs:
            rows = one_row_per_run(rows)
        columns = self._group_columns(None, rows, of_runs=of_runs)
        equal = selection.equal_columns(by, columns, rows)
        others = [column for column in columns if column not in (by, *equal)]
        self._pool(rows, [*others, by], remedy=IN_COMPARE)
        compared = answers.Comparison(by, others, asked, baseline, self._sort_key_of_value, self._equal.has)
        made = compared.answer(rows)
        if not made.rows:
            if len({row[by] for row in rows}) == 1:
                raise UsageError(f"there is only one value of {by}; nothing to compare")
            raise UsageError(comparison.nothing(by, others, rows, asked, about_flows[-1]))
        made.notes += [selection.together(by, equal)]
        made.notes += ["" if of_runs else selection.pooled([*others, by], rows, note), *about_flows]
        sized = [
            end for of in self._group_rows([selection.FLOW, *self.varied], rows).values() for end in asked.ends(of)
        ]
        columns = [*others, by, comparison.against(by)]
        sizes = {f"{asked.name}_difference": sized}
        where = notes.with_effect(where, [asked])
        return self._report(made, columns, rows, labels, where, kept=[by], sizes=sizes)

    @check_argument_types(x=TEXT, y=TEXT, by=TEXT, kind=TEXT, where=TABLE, labels=TABLE)
    @check_argument_types(path=PLACE, title=TEXT, log=TEXT, bin=TEXT, style=TEXT, interval=TEXT)
    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        by: str | None = None,
        kind: Kind = "line",
        where: Mapping[str, Any] | None = None,
        labels: Mapping[str, str] | None = None,
        path: str | Path | None = None,
        title: str | None = None,
        log: Log = "auto",
        bin: str | None = None,  # noqa: A002
        style: Style = "screen",
        interval: str = "t",
    ) -> Figure:
        """Draw `y`, a line or bars per value of `by`; written to `path` (.png, .svg, .pdf) if given.

        `line` and `bar`: means over `x`, or a percentile (`y="completion_s:p95"`); `cdf`: its distribution over the
        runs, and over the flows of each group; `time`: its time series, a column of `series`,
        `delivery_rate_bps`, `goodput_bps` or `loss_rate`, averaged over `bin` (`"0.5 s"`). Without `y` it is
        `delivery_rate_bps` over time, else `goodput_bps`. `where` chooses flows by values of parameters, `flow` and
        `seed`, and pools flows by a pattern (`{"flow": "web*"}`); what else differs is refused rather than averaged
        over. `labels` renames values and columns. `log` makes axes logarithmic (`x`, `y`, `xy`, `none`);
        `style="print"` is for a column of a journal; `title` replaces the one that is made; `interval` is that of
        `summary`, of means over `x`.
        """
        from farlink.drawing import of_store
        from farlink.drawing.look import Look

        figure.check_kind(kind, x, bin, interval)
        along, by = (None if name is None else self._find_column(name) for name in (x, by))
        figure.check_axes(along, by, self.parameters)
        is_per_flow = selection.FLOW in (along, by)
        rows, folded = self._chosen_rows(where, pools=kind != "time" and not is_per_flow)
        if is_per_flow and kind != "time":
            is_chosen = any(self._resolved_path(path) == selection.FLOW for path in where or {})
            rows, folded = selection.grouped(rows, None, self._texts, fold=not is_chosen, remedy=figure.EACH_FLOW)
        elif any(LABEL in row for row in rows):
            folded = selection.pooled([], rows, folded)
        names = self._renamed(labels, rows)
        look = Look(title, log, parameters.seconds("bin", bin), style, names, self._sort_key_of_value)
        y = y or ("delivery" if kind == "time" else MEASURES[0])
        asked = [] if kind == "time" else [Measure.parse(y, self._find_measure, interval)]
        is_whole = bool(asked) and is_of_run(asked[0].column)
        about = [*self._about(notes.with_effect(where, asked), names), "" if is_whole else folded]
        about += selection.varying_too([along, by], self.parameters, rows, names)
        if kind == "time":
            rows = [row for row in rows if PAIR not in row]  # a pair has the series of its flows
            figure.refuse_many_curves(rows, by)
            self._pool(rows, [by] if by else [], selection.FLOW, remedy=IN_FIGURE_OVER_TIME)
            sample, found = figure.series_by(rows, y, by, self._series_of, self.folder)
            down = figure.outages(self._resolved[row["key"]] for row in rows)
            drawn = of_store.over_time(found, sample, by, look, about, down)
        else:
            rows = self._with_run_tables(rows, asked)
            about += self._about_flows(asked, rows, names)
            of_measure = figure.OfMeasure(asked[0], along, by, kind, look, about)
            is_of_one = selection.FLOW in (where or {})
            drawn = of_measure.draw(rows, self._texts, self._pool, is_of_one=is_of_one)
        if path is not None:
            from farlink.drawing import of_runs

            of_runs.save_figure(drawn, Path(path))
        return drawn

    def _report(
        self,
        made: answers.Answer,
        columns: Sequence[str],
        rows: Sequence[Row],
        labels: Mapping[str, str] | None,
        where: Mapping[str, Any],
        **shown: Any,
    ) -> ReportTable:
        """Give the table of an answer, with values and columns renamed as asked."""
        names = self._renamed(labels, rows)
        renamed = renaming.rename_values(made.rows, columns, names)
        # What all rows of a column have alike is a comment already.
        others = {path: value for path, value in where.items() if self._find_column(path) not in columns}
        equal = self._equal.note((row["key"] for row in rows), names)
        comments = [*self._about(others, self._names_of(rows)), equal]
        return ReportTable.of(renamed, made.caption, names=names, comments=comments, remark=equal, **shown)

    def _about_flows(self, asked: Sequence[Measure], rows: Sequence[Row], names: Names) -> list[str]:
        return notes.about_flows(asked, rows, self.parameters, self._resolved, self._workloads, names)

    def _renamed(self, asked: Mapping[str, str] | None, rows: Sequence[Row]) -> Names:
        columns = [selection.FLOW, *self.parameters]
        return replace(
            self._names_of(rows), renamed=renaming.resolved(asked, rows, columns, self._find_column, self._flow_rows)
        )

    def _chosen_rows(
        self, where: Mapping[str, Any] | None, *, pools: bool, fold: bool = False
    ) -> tuple[list[Row], str]:
        """The flows that are asked for with the values of their runs, and a note on what is folded.

        Flows of a group have its name, if the answer `pools` them.
        """
        chosen = {self._resolved_path(path): value for path, value in (where or {}).items()}
        found = selection.rows(self._flow_rows, self._columns, chosen, self._workloads)
        rows = with_run_values(found, self.runs.to_pylist(), None if selection.FLOW in chosen else self._workloads)
        if not pools:
            return rows, ""
        return selection.grouped(rows, chosen.get(selection.FLOW), self._texts, fold=fold, remedy=EVERY_FLOW)

    def _with_run_tables(self, rows: list[Row], asked: Iterable[Measure]) -> list[Row]:
        """Add to flows what is asked for of stations and of workloads of their run."""
        columns = [each.column for each in asked]
        if of_stations := [name for name in columns if is_of_station(name)]:
            rows = self._airtime.added_to(rows, of_stations)
        if of_workloads := [name for name in columns if is_of_workload(name)]:
            rows = self._workloads.added_to(rows, of_workloads)
        return rows

    @cached_property
    def _airtime(self) -> Airtime:
        return Airtime(self.airtime.to_pylist())

    @cached_property
    def _workloads(self) -> Workloads:
        return Workloads(self.workloads.to_pylist())

    @cached_property
    def _flow_rows(self) -> list[Row]:
        """The flows, and what relays passed on from end to end; of runs with workloads only a row for each run."""
        if not self.flows.num_rows:
            no_flow = dict.fromkeys(FLOW_COLUMNS) | {"received_bytes": 0, "flow": ALL_FLOWS}
            return [{**no_flow, **row} for row in self._of_runs.to_pylist()]
        return with_pairs(self.flows.to_pylist(), self.parameters, self._resolved)

    def _pool(
        self, rows: Sequence[Row], columns: Sequence[str], *more: str, remedy: str = IN_FIGURE
    ) -> dict[Group, list[Row]]:
        """Group rows by these columns; refuse to pool what differs in another parameter, or in the columns `more`."""
        return selection.pool(rows, columns, [*more, *self.parameters], remedy, self._resolved)

    @property
    def _texts(self) -> list[str]:
        """The scenarios of the runs."""
        return list(dict.fromkeys(self._resolved.values()))

    def _names_of(self, rows: Iterable[Row]) -> Names:
        """What the numbers in paths stand for in the scenarios of these rows."""
        names = Names.of_scenarios(dict.fromkeys(self._resolved[row["key"]] for row in rows))
        return replace(names, shared=self._shared)

    @cached_property
    def _shared(self) -> frozenset[str]:
        known = [name for name in self.parameters if name in self.runs.column_names]
        points = {tuple(run[name] for name in known): run["resolved"] for run in self.runs.to_pylist()}
        return parameters.shared_by_items(map(without_unit, known), points.values())

    def _about(self, where: Mapping[str, Any], names: Names) -> list[str]:
        """Say which runs an answer is of: their scenarios, and what was chosen of them."""
        chosen = [(self._find_column(path), value) for path, value in where.items()]
        written = [(column, names.new_name(value) or written_value(value, column)) for column, value in chosen]
        return [names.scenario, *(f"{names.words(column)} {text}" for column, text in written)]

    def _sort_key_of_value(self, column: str, value: Any) -> tuple[Any, ...]:
        """Where a parameter's value stands: as sweeps list it, and behind those by value."""
        place = order.place_of_value(self._snapshot.manifest.order, column, value)
        return place is None, place or 0, parameters.sort_key(value)

    @cached_property
    def _equal(self) -> no_effect.EqualPoints:
        rows = chain(self.flows.to_pylist(), self.workloads.to_pylist())
        return no_effect.EqualPoints(rows, self._resolved, self.varied)

    @property
    def equal_points(self) -> str:
        """Say at which points all seeds gave equal results; empty if there are none."""
        return self._equal.note(self._resolved, Names())

    @cached_property
    def warnings(self) -> list[ScenarioWarning]:
        """A warning for every varied parameter on which no result of these runs depends."""
        parts = [part for of in (self.flows, self.workloads) for part in of.to_batches(max_chunksize=no_effect.CHUNK)]
        paths = [name for name in self.varied if name != VERSION]
        found = no_effect.ineffective((row for part in parts for row in part.to_pylist()), paths)
        return [no_effect.warning(each, str(self.folder), self._texts) for each in found]

    def _group_columns(self, by: Sequence[str] | None, rows: Sequence[Row], *, of_runs: bool) -> list[str]:
        """The columns that make groups: the flow, unless all measures are those of runs, and what varies."""
        if by is not None:
            return [self._find_column(column) for column in by]
        varied = self.varied
        several = len({row[selection.FLOW] for row in rows}) > 1 and not of_runs
        return [selection.FLOW, *varied] if several else varied or [selection.FLOW]

    def _group_rows(self, columns: Sequence[str], rows: Iterable[Row]) -> dict[Group, list[Row]]:
        # Rows are in the order in which runs ended; resamples of a bootstrap are of the order of its values.
        groups = self._pool(sorted(rows, key=lambda flow: flow["seed"]), columns, remedy=IN_SUMMARY)
        order_of = self._sort_key_of_value
        return {key: groups[key] for key in sorted(groups, key=lambda key: list(map(order_of, columns, key)))}

    @property
    def _columns(self) -> list[str]:
        """Those of `_flow_rows`."""
        return list(dict.fromkeys([selection.FLOW, *self._of_runs.column_names]))

    def _find_column(self, name: str) -> str:
        known = [column for column in self._columns if column != "key"]
        return parameters.find_column(self._resolved_path(name), [*known, *RUN_VALUES])

    def _resolved_path(self, path: str) -> str:
        """The path with numbers in place of labels, which are those of the first run's scenario."""
        return selection.resolved_path(path, self._columns, self._texts, self.folder)

    def _find_measure(self, name: str) -> str:
        if is_of_station(name):
            return self._airtime.check(name)
        if is_of_workload(name):
            return self._workloads.check(name)
        if not self.flows.num_rows:
            return value_without_flows(name, self._workloads)
        column = self._find_column(name)
        if column in RUN_VALUES:
            return column
        import pyarrow as pa

        kind = self._of_runs.schema.field(column).type
        if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise UsageError(f"{column} is no number")
        return column

    def _repr_html_(self) -> str:
        from farlink.results import notebook
        from farlink.runs import grid

        try:
            varied = self.parameters
            axes = notebook.axes(self.flows, varied) if self.flows.num_rows else None
            title = f"{counted(self.runs.num_rows, 'run')} in {self.folder}, varied: {', '.join(varied) or 'seeds'}"
            figure = self.plot(axes[0], by=axes[1], kind=axes[2]) if axes else None
            return notebook.results(title, self.summary(fold=True), figure)
        except (UsageError, StoreError) as error:
            return grid.message(str(error))

    def __repr__(self) -> str:
        varied = ", ".join(self.parameters) or "seeds"
        return f"<ResultStore in {self.folder}: {counted(self.runs.num_rows, 'run')}, varied: {varied}>"


Results = ResultStore
"""The name under which `farlink` has it, too."""
