"""What a store holds: tables, means with intervals, comparisons, figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import farlink._farlink as engine
from farlink import statistics
from farlink.arguments import LIST, PLACE, TABLE, TEXT, check_argument_types
from farlink.errors import StoreError, UsageError
from farlink.results import comparison, every_item, selection
from farlink.results.equal_points import EqualPoints
from farlink.results.report_table import ReportTable
from farlink.results.versions import Versions
from farlink.spelling import counted
from farlink.store import check, count_other_builds, note, order, series, snapshot
from farlink.tables import labels, parameters
from farlink.tables.frames import Frames

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from farlink.drawing.look import Log, Look, Style
    from farlink.drawing.of_store import Kind
    from farlink.drawing.outages import Spans

MEASURES = ("goodput_bps", "delay_mean_s", "packets_retransmitted", "timeouts")
"""What a summary shows by default."""

Group: TypeAlias = "tuple[Any, ...]"


class ResultStore(Frames):
    """The runs of a store: all of one build of the engine, or those of one sweep.

    Tables have a column for every parameter that differs, named by its path (`links.0.rate_bps`). Paths in arguments
    may leave out the unit, and may have labels in place of numbers (`flows.transfer.tcp.congestion_control`).
    `to_pandas` and `to_polars` give a table as a data frame. Raises `UsageError` where there is no store, and
    `StoreError` where it is damaged.
    """

    TABLES = ("runs", "flows", "links", "stations", "hops", "drops", "series")

    @check_argument_types(folder=PLACE, note=TEXT)
    def __init__(self, folder: str | Path, keys: Iterable[str] | None = None, *, note: str = "") -> None:
        self.folder = Path(folder)
        self.note = note
        check(self.folder)
        self._keys = None if keys is None else list(keys)

    @cached_property
    def _snapshot(self) -> snapshot.Snapshot:
        """The store when it was first read."""
        held = snapshot.read_store(self.folder)
        for line in held.notes:
            note(line)
        return held

    @cached_property
    def runs(self) -> pa.Table:
        """A row per run: key, seed, parameters, the resolved scenario."""
        runs = self._whole_table("runs")
        if self._keys is not None:
            return selection.rows_of_runs(runs, self._keys)
        builds = runs["build"].to_pylist()
        if len(set(builds)) == 1:
            if other := count_other_builds(builds):
                note(f"{self.folder}: {other}; this is build {engine.__build__}")
            return runs
        if engine.__build__ not in builds:
            raise UsageError(
                f"{self.folder}: results of {len(set(builds))} builds, none of them this one; run the sweep again"
            )
        mine = runs.filter([build == engine.__build__ for build in builds])
        shown = f"the {mine.num_rows} runs of this build ({engine.__build__}) are shown"
        note(f"{self.folder}: {shown}; left out: {count_other_builds(builds)}")
        return mine

    @cached_property
    def flows(self) -> pa.Table:
        """A row per run and flow."""
        return self._selected_rows("flows")

    @cached_property
    def links(self) -> pa.Table:
        """A row per run and direction of a link."""
        return self._selected_rows("links")

    @cached_property
    def stations(self) -> pa.Table:
        """A row per run and interface on a shared channel."""
        return self._selected_rows("stations")

    @cached_property
    def hops(self) -> pa.Table:
        """A row per run, station and neighbour it sent packets to."""
        return self._selected_rows("hops")

    @cached_property
    def drops(self) -> pa.Table:
        """A row per run, flow and cause."""
        return self._selected_rows("drops")

    @cached_property
    def series(self) -> pa.Table:
        """A row per run, sample and flow, of the runs that were asked for their series."""
        import pyarrow as pa

        parts = [found for key in self.runs["key"].to_pylist() if (found := self._series_of(key)) is not None]
        return pa.concat_tables(parts) if parts else pa.table({"key": pa.array([], pa.string())})

    @cached_property
    def _checksums(self) -> dict[str, str]:
        return series.series_checksums(self._snapshot)

    def _series_of(self, key: str) -> pa.Table | None:
        """The series of a run; None if they were not asked for."""
        from farlink.tables import arrow

        if key not in self._checksums:
            return None
        return arrow.decode(series.read_series(self.folder, key, self._checksums[key]))

    @check_argument_types(measures=LIST, by=LIST)
    def summary(self, measures: Sequence[str] = MEASURES, *, by: Sequence[str] | None = None) -> ReportTable:
        """Means with their 95 % CI per flow and point, or per value of the columns in `by`."""
        columns = self._group_columns(by)
        rows: list[dict[str, Any]] = []
        intervals: list[statistics.Interval | None] = []
        for group, flows in self._group_rows(columns).items():
            row: dict[str, Any] = dict(zip(columns, group, strict=True)) | {"runs": len(flows)}
            is_exact = self._equal.has(flow["key"] for flow in flows)
            for measure in measures:
                values = [flow[self._find_measure(measure)] for flow in flows]
                found = statistics.of_measure([value for value in values if value is not None])
                found = statistics.without_ends(found) if is_exact else found
                intervals.append(found)
                row |= comparison.interval_cells(measure, found)
            rows.append(row)
        return ReportTable.of(rows, statistics.method(intervals))

    @check_argument_types(by=TEXT, measure=TEXT)
    def compare(self, by: str, measure: str = "goodput_bps", *, baseline: Any = None) -> ReportTable:
        """Compare the values of parameter `by`, seed by seed, with `baseline`: by default the first the sweep lists.

        A row per other point and value: the mean difference and the geometric mean of the ratios, each with its
        95 % interval, and whether that of the difference excludes 0.
        """
        by = parameters.find_column(self._resolved_path(by), ["flow", *self.parameters])
        measure = self._find_measure(measure)
        others = [column for column in self._group_columns(None) if column != by]
        paired: dict[Group, dict[Any, dict[int, float]]] = {}
        keys: dict[tuple[Group, Any], list[str]] = {}
        for flow in self.flows.to_pylist():
            group = tuple(flow[column] for column in others)
            if flow[measure] is not None:
                paired.setdefault(group, {}).setdefault(flow[by], {})[flow["seed"]] = flow[measure]
                keys.setdefault((group, flow[by]), []).append(flow["key"])
        rows: list[dict[str, Any]] = []
        intervals: list[statistics.Interval | None] = []
        for group, variants in sorted(paired.items(), key=lambda item: self._sort_key_of_place(others, item[0])):
            ordered = sorted(variants, key=lambda variant: self._sort_key_of_value(by, variant))
            base = comparison.choose_baseline(by, ordered, baseline, dict(zip(others, group, strict=True)))
            for variant in ordered:
                values = variants[variant]
                if variant != base:
                    pairs = [(values[seed], variants[base][seed]) for seed in sorted(values) if seed in variants[base]]
                    is_exact = all(self._equal.has(keys[group, each]) for each in (variant, base))
                    found = comparison.compare_pairs(pairs)
                    intervals += [] if is_exact else found
                    row = {by: variant, comparison.against(by): base, "pairs": len(pairs)}
                    row |= comparison.cells(measure, *found, is_exact=is_exact)
                    rows.append(dict(zip(others, group, strict=True)) | row)
        if not rows:
            if len(set(self.flows[by].to_pylist())) == 1:
                raise UsageError(f"there is only one value of {by}; nothing to compare")
            raise UsageError(f"wherever {by} differs, {' or '.join(others)} differs, too; nothing to compare")
        sized = self.summary([measure]).table
        sizes = [each for end in ("", "_low", "_high") for each in sized[f"{measure}{end}"].to_pylist()]
        caption = statistics.method(intervals)
        return ReportTable.of(rows, caption, kept=[by], sizes={f"{measure}_difference": sizes})

    @check_argument_types(
        x=TEXT, y=TEXT, by=TEXT, kind=TEXT, where=TABLE, path=PLACE, title=TEXT, log=TEXT, bin=TEXT, style=TEXT
    )
    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        by: str | None = None,
        kind: Kind = "line",
        where: Mapping[str, Any] | None = None,
        path: str | Path | None = None,
        title: str | None = None,
        log: Log = "auto",
        bin: str | None = None,  # noqa: A002
        style: Style = "screen",
    ) -> Figure:
        """Draw `y`, a line or bars per value of `by`; written to `path` (.png, .svg, .pdf) if given.

        `line` and `bar`: means over `x`; `cdf`: its distribution over the runs; `time`: its time series, a column of
        `series`, `delivery_rate_bps`, `goodput_bps` or `loss_rate`, averaged over `bin` (`"0.5 s"`). Without `y` it is
        `delivery_rate_bps` over time, else `goodput_bps`. `where` chooses flows by values of
        parameters, `flow` and `seed`; what else differs is refused rather than averaged over. `log` makes axes
        logarithmic (`x`, `y`, `xy`, `none`); `style="print"` is for a column of a journal; `title` replaces the one
        that is made.
        """
        from farlink.drawing import of_store

        if kind not in ("line", "bar", "cdf", "time"):
            raise UsageError(f"kind {kind!r}: choose line, bar, cdf or time")
        if (x is None) == (kind in ("line", "bar")):
            raise UsageError(f"kind {kind} needs {'a parameter as x' if x is None else 'no x'}")
        if bin is not None and kind != "time":
            raise UsageError(f"bin {bin}: a {kind} has no time to average over; leave it out, or choose kind time")
        chosen = {self._resolved_path(path): value for path, value in (where or {}).items()}
        rows = selection.rows(self.flows, chosen)
        along, lines = (None if name is None else self._find_column(name) for name in (x, by))
        selection.refuse_mixtures(rows, [name for name in (along, lines) if name], ["flow", *self.parameters])
        look, about = self._look(title, log, bin, style), self._about(chosen)
        y = y or ("delivery" if kind == "time" else MEASURES[0])
        if kind == "time":
            sample, series_by = self._series_by(rows, y, lines)
            figure = of_store.over_time(series_by, sample, lines, look, about, self._outages(rows))
        elif kind == "cdf":
            figure = of_store.draw_distributions(rows, self._find_measure(y), lines, look, about)
        else:
            assert along is not None, "checked above"
            figure = of_store.draw_over_parameter(rows, along, self._find_measure(y), lines, kind, look, about)
        if path is not None:
            from farlink.drawing import of_runs

            of_runs.save_figure(figure, Path(path))
        return figure

    def _look(self, title: str | None, log: Log, width: str | None, style: Style) -> Look:
        """Give what a figure looks like; paths in it are called by the names in the scenario."""
        from farlink.drawing.look import Look

        return Look(title, log, parameters.seconds("bin", width), style, self._names, self._sort_key_of_value)

    @cached_property
    def _names(self) -> labels.Names:
        names = labels.Names.of_scenario(self.runs["resolved"][0].as_py())
        known = [name for name in self.parameters if name in self.runs.column_names]
        points = {tuple(run[name] for name in known): run["resolved"] for run in self.runs.to_pylist()}
        return replace(names, shared=parameters.shared_by_items(map(labels.without_unit, known), points.values()))

    def _about(self, where: Mapping[str, Any]) -> list[str]:
        """Say which runs a figure is of: the scenario, and what was chosen of it."""
        names = self._names
        chosen = [(self._find_column(path), value) for path, value in where.items()]
        about = [f"{names.words(column)} {labels.written_value(value, column)}" for column, value in chosen]
        return [names.scenario, *about]

    def _series_by(
        self, rows: Iterable[dict[str, Any]], y: str, by: str | None
    ) -> tuple[str, dict[Any, list[pa.Table]]]:
        """The column that `y` means, and the series of these flows by the value of `by`."""
        import pyarrow.compute as pc

        from farlink.drawing.panels import column_over_time
        from farlink.drawing.time_series import TOTALS, columns_of

        y = column_over_time(y)
        found: dict[Any, list[pa.Table]] = {}
        for row in rows:
            table = self._series_of(row["key"])
            if table is None:
                remedy = "sweep again with --series, or `series = true` in the sweep's file (series=True in Python)"
                raise UsageError(f"{self.folder}: run {row['key'][:8]} has no series; {remedy}")
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

    def _outages(self, rows: Iterable[dict[str, Any]]) -> Spans:
        """When links are down in all runs of these rows."""
        from farlink.drawing import outages, recorded

        keys = {row["key"] for row in rows}
        runs = zip(self.runs["key"].to_pylist(), self.runs["resolved"].to_pylist(), strict=True)
        return outages.common(recorded.outages_of(text) for text in {text for key, text in runs if key in keys})

    @property
    def parameters(self) -> list[str]:
        """The columns of the parameters that differ between the runs."""
        from farlink.store import tables

        return [column.name for column in self.flows.schema if tables.is_parameter(column)]

    @property
    def varied(self) -> list[str]:
        """Those of `parameters` that differ between these runs."""
        columns = {name: set(self.flows[name].to_pylist()) for name in self.parameters}
        return [name for name, values in columns.items() if len(values) > 1]

    def _selected_rows(self, name: str) -> pa.Table:
        return self._versions.mark(selection.rows_of_runs(self._whole_table(name), self.runs["key"].to_pylist()))

    @cached_property
    def _versions(self) -> Versions:
        """What tells runs apart that differ by a changed file or class only."""
        found = Versions(self.runs["key"].to_pylist(), self.runs["resolved"].to_pylist())
        if found.note:
            note(f"{self.folder}: {found.note}")
        return found

    def _whole_table(self, name: str) -> pa.Table:
        table = self._snapshot.table(name)
        if table is None:
            raise UsageError(f"{self.folder}: no run was finished yet")
        return table

    def _sort_key_of_value(self, column: str, value: Any) -> tuple[Any, ...]:
        """Where a parameter's value stands: as sweeps list it, and behind those by value."""
        place = order.place_of_value(self._snapshot.manifest.order, column, value)
        return place is None, place or 0, parameters.sort_key(value)

    def _sort_key_of_place(self, columns: Sequence[str], group: Group) -> list[Any]:
        return [self._sort_key_of_value(column, value) for column, value in zip(columns, group, strict=True)]

    @cached_property
    def _equal(self) -> EqualPoints:
        resolved = dict(zip(self.runs["key"].to_pylist(), self.runs["resolved"].to_pylist(), strict=True))
        return EqualPoints(self.flows.to_pylist(), resolved, self.varied)

    @property
    def equal_points(self) -> str:
        """Say at which points all seeds gave equal results; empty if there are none."""
        return self._equal.note

    def _group_columns(self, by: Sequence[str] | None) -> list[str]:
        """The columns that make groups: the flow and what varies among these runs."""
        if by is not None:
            return [self._find_column(column) for column in by]
        varied = self.varied
        return ["flow", *varied] if len(set(self.flows["flow"].to_pylist())) > 1 else varied or ["flow"]

    def _group_rows(self, columns: Sequence[str]) -> dict[Group, list[dict[str, Any]]]:
        groups: dict[Group, list[dict[str, Any]]] = {}
        # Rows are in the order in which runs ended; resamples of a bootstrap are of the order of its values.
        for flow in sorted(self.flows.to_pylist(), key=lambda flow: flow["seed"]):
            groups.setdefault(tuple(flow[column] for column in columns), []).append(flow)
        return dict(sorted(groups.items(), key=lambda item: self._sort_key_of_place(columns, item[0])))

    def _find_column(self, name: str) -> str:
        return parameters.find_column(
            self._resolved_path(name), [column for column in self.flows.column_names if column != "key"]
        )

    def _resolved_path(self, path: str) -> str:
        """The path with numbers in place of labels, which are those of the first run's scenario."""
        if "." not in path or path in self.flows.column_names:
            return path
        resolved = self.runs["resolved"].to_pylist()
        try:
            number = engine.resolve_path(resolved[0], str(self.folder), [], path)
            return every_item.column(number, self.flows.column_names, resolved) if "*" in number else number
        except engine.ScenarioError as error:
            raise UsageError(f"there is no column {path}: {error.message}; {error.remedy}") from None

    def _find_measure(self, name: str) -> str:
        column = self._find_column(name)
        import pyarrow as pa

        kind = self.flows.schema.field(column).type
        if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise UsageError(f"{column} is no number")
        return column

    def _repr_html_(self) -> str:
        from farlink.results import notebook
        from farlink.runs import html

        try:
            varied = self.parameters
            axes = notebook.axes(self.flows, varied)
            title = f"{counted(self.runs.num_rows, 'run')} in {self.folder}, varied: {', '.join(varied) or 'seeds'}"
            figure = self.plot(axes[0], by=axes[1], kind=axes[2]) if axes else None
            return notebook.results(title, self.summary(), figure)
        except (UsageError, StoreError) as error:
            return html.message(str(error))

    def __repr__(self) -> str:
        varied = ", ".join(self.parameters) or "seeds"
        return f"<ResultStore in {self.folder}: {counted(self.runs.num_rows, 'run')}, varied: {varied}>"


Results = ResultStore
"""The name under which `farlink` has it, too."""
