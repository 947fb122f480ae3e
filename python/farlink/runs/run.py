"""What was measured: tables, the JSON document, provenance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink._farlink import Scenario, __version__
from farlink.arguments import LIST, PLACE, TEXT, check_argument_types
from farlink.execution.congestion import Factory
from farlink.execution.outcome import Outcome
from farlink.execution.plug import factory_identity
from farlink.runs import implausible
from farlink.runs.saved import SCHEMA, TABLES, to_json
from farlink.runs.summary import FlowSummary, summarise, summarise_end_to_end
from farlink.system import checksums
from farlink.system.files import check_folder, replacing_folder, write_text
from farlink.system.folders import check_for_run
from farlink.tables import flow_groups
from farlink.tables.frames import Frames

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from farlink.drawing.look import Log, Style


EVERY_FLOW = "`summary` has every flow"


class Run(Frames):
    """One or several seeds of a scenario. The tables have a row per seed and flow, link, cause or sample.

    Tables are Arrow tables, which pandas, polars and DuckDB take; column names end in units (`_bps`, `_s`, `_bytes`).
    `to_pandas` and `to_polars` give one as a data frame.
    """

    TABLES = ("flows", "links", "stations", "airtime", "hops", "drops", "ledger", "copies", "series", "link_series")

    def __init__(
        self, scenario: Scenario, outcomes: Sequence[Outcome], congestion_control: Mapping[int, Factory]
    ) -> None:
        self.scenario = scenario
        self.outcomes = tuple(outcomes)
        self._congestion_control = dict(congestion_control)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that were run."""
        return tuple(outcome.seed for outcome in self.outcomes)

    @cached_property
    def flows(self) -> pa.Table:
        """A row per seed and flow: rates in bit/s, times in s, packets, and shares of its time from 0 to 1."""
        from farlink.tables import arrow

        return arrow.flows(self.outcomes)

    @cached_property
    def links(self) -> pa.Table:
        """A row per seed and direction of a link."""
        from farlink.tables import arrow

        return arrow.links(self.outcomes)

    @cached_property
    def stations(self) -> pa.Table:
        """A row per seed and interface on a shared channel: frames sent, heard and lost, and why."""
        from farlink.tables import arrow

        return arrow.stations(self.outcomes)

    @cached_property
    def airtime(self) -> pa.Table:
        """A row per seed and interface on a shared channel: how long it transmitted, and the medium was busy there."""
        from farlink.tables import arrow

        return arrow.airtime(self.outcomes)

    @cached_property
    def hops(self) -> pa.Table:
        """A row per seed, station and neighbour it sent packets to: attempts, and why some failed."""
        from farlink.tables import arrow

        return arrow.hops(self.outcomes)

    @cached_property
    def drops(self) -> pa.Table:
        """A row per seed, flow and cause; the flow is null for packets that belong to none."""
        from farlink.tables import arrow

        return arrow.drops(self.outcomes)

    @cached_property
    def ledger(self) -> pa.Table:
        """A row per seed, flow, packet class, entry and reason: what became of the copies of packets."""
        from farlink.tables import arrow

        return arrow.ledger(self.outcomes)

    @cached_property
    def copies(self) -> pa.Table:
        """A row per seed and copy of a packet, from its beginning to its end; only of runs with `ledger=True`."""
        from farlink.tables import arrow

        return arrow.series(self.seeds, [outcome.copies or [] for outcome in self.outcomes])

    @cached_property
    def series(self) -> pa.Table:
        """A row per seed, sample and flow: packets and bytes so far; windows of TCP; losses and jitter of datagrams.

        Without rows where the run was made with `series=False`.
        """
        from farlink.tables import arrow

        return arrow.series(self.seeds, [outcome.flow_series for outcome in self.outcomes])

    @cached_property
    def link_series(self) -> pa.Table:
        """A row per seed, sample and link: queues."""
        from farlink.tables import arrow

        return arrow.series(self.seeds, [outcome.link_series for outcome in self.outcomes])

    @cached_property
    def summary(self) -> list[FlowSummary]:
        """Means over the seeds with 95 % intervals, a row per flow."""
        return summarise(self._flow_rows)

    @property
    def _flow_rows(self) -> list[dict[str, Any]]:
        return [flow for outcome in self.outcomes for flow in outcome.measured["flows"]]

    def folded(self, remedy: str) -> tuple[list[FlowSummary], str]:
        """Give `summary` and `end_to_end` with flows of one kind in one row if there are too many, and a note on that.

        `remedy` says how to see every flow.
        """
        groups = flow_groups.folded(self.scenario.flow_labels, [self.scenario.resolved])
        pairs = summarise_end_to_end(self._flow_rows, groups)
        return [*summarise(self._flow_rows, groups), *pairs], flow_groups.note(groups, remedy)

    @cached_property
    def end_to_end(self) -> list[FlowSummary]:
        """What relays passed on, from the first sender to the receiver of the relay, a row per relay."""
        return summarise_end_to_end(self._flow_rows)

    @property
    def is_equal_for_all_seeds(self) -> bool:
        """Whether several seeds gave equal results: nothing random took effect."""
        first, *others = (_without_seed(outcome.measured) for outcome in self.outcomes)
        return bool(others) and all(other == first for other in others)

    @property
    def document(self) -> dict[str, Any]:
        """The document that `farlink run --json` prints; see docs/guide/json.md."""
        measured = [outcome.measured for outcome in self.outcomes]
        jain = [part["jain"] for part in measured if part["jain"] is not None]
        return {
            "schema": SCHEMA,
            "farlink": __version__,
            "scenario": self.scenario.name,
            "seeds": list(self.seeds),
            "warnings": implausible.rows(self.scenario.warnings),
            "flows": [flow for part in measured for flow in part["flows"]],
            "drops": _sum_by_cause(part["drops"] for part in measured),
            "drops_by_node": [row for part in measured for row in part["drops_by_node"]],
            "failed_attempts": _sum_by_cause(part["failed_attempts"] for part in measured),
            "ledger": [entry for part in measured for entry in part["ledger"]],
            "links": [
                {"link": link["link"], "seed": outcome.seed, **link}
                for outcome in self.outcomes
                for link in outcome.measured["links"]
            ],
            "stations": [
                {"channel": station["channel"], "node": station["node"], "seed": outcome.seed, **station}
                for outcome in self.outcomes
                for station in outcome.measured["stations"]
            ],
            "airtime": [
                {"channel": station["channel"], "node": station["node"], "seed": outcome.seed, **station}
                for outcome in self.outcomes
                for station in outcome.measured["airtime"]
            ],
            "hops": [
                {"channel": hop["channel"], "from": hop["from"], "to": hop["to"], "seed": outcome.seed, **hop}
                for outcome in self.outcomes
                for hop in outcome.measured["hops"]
            ],
            "jain": sum(jain) / len(jain) if jain else None,
            "engine": {
                "events": sum(part["engine"]["events"] for part in measured),
                "cpu_s": sum(outcome.cpu_s for outcome in self.outcomes),
                "sim_s": sum(part["engine"]["sim_s"] for part in measured),
            },
        }

    @property
    def provenance(self) -> dict[str, Any]:
        """What it takes to make the numbers again: program, resolved scenario, hashes of its files, seeds."""
        labels = self.scenario.flow_labels
        return {
            "farlink": __version__,
            "scenario": self.scenario.resolved,
            "files": self.scenario.file_hashes,
            "seeds": list(self.seeds),
            "congestion_control": {
                labels[index]: factory_identity(factory) for index, factory in self._congestion_control.items()
            },
        }

    @property
    def explanation(self) -> list[dict[str, Any]]:
        """Why each flow was as fast as it was, per seed: a text, the saturated link if any, the shares of its time.

        A diagnosis without advice: `farlink.advice` tests a change by further runs.
        """
        return [
            {
                "flow": flow,
                "seed": outcome.seed,
                "text": text,
                "bottleneck": None if full is None else {"link": full[0], "utilisation": full[1]},
                "limited_by": dict(shares),
                "drops": [{"place": place, "cause": cause, "packets": packets} for place, cause, packets in drops],
            }
            for outcome in self.outcomes
            for flow, text, shares, full, _, drops in outcome.explanation
        ]

    @check_argument_types(path=PLACE, panels=LIST, title=TEXT, log=TEXT, bin=TEXT, style=TEXT)
    def plot(
        self,
        path: str | Path | None = None,
        *,
        panels: Sequence[str] = ("delivery", "cwnd"),
        title: str | None = None,
        log: Log = "auto",
        bin: str | None = None,  # noqa: A002
        style: Style = "screen",
    ) -> Figure:
        """Draw panels over time, and write them to `path` if given.

        `panels` are of `delivery`, `goodput`, `cwnd`, `rtt`, `flight`, `loss`, `jitter`, `queue`. A point is averaged
        over `bin` (`"0.5 s"`); `log="y"` makes the axes logarithmic; `style="print"` is for a column of a journal;
        `title` replaces the one that is made. The path ends in .png, .svg or .pdf; another ending raises `UsageError`.
        """
        from farlink.drawing import of_runs
        from farlink.drawing.look import Look
        from farlink.drawing.recorded import Series
        from farlink.tables import parameters

        look = Look(title=title, log=log, bin_s=parameters.seconds("bin", bin), style=style)
        series = Series.of(self.scenario.resolved, self.seeds, self.series, self.link_series)
        figure = of_runs.over_time({series.name: series}, panels, look)
        if path is not None:
            of_runs.save_figure(figure, Path(path))
        return figure

    @check_argument_types(folder=PLACE)
    def save(self, folder: str | Path) -> None:
        """Write everything into `folder`: the document, tables, scenario, provenance, explanation and checksums.

        An earlier run in `folder` is replaced; a folder that holds anything else raises `UsageError`.
        """
        from farlink.tables import arrow

        check_folder(Path(folder))
        check_for_run(Path(folder))
        with replacing_folder(Path(folder).absolute()) as part:
            write_text(part / "scenario.toml", self.scenario.resolved)
            for name in ("provenance", "explanation"):
                write_text(part / f"{name}.json", to_json(getattr(self, name)))
            write_text(part / "run.json", to_json(self.document))
            for name in TABLES:
                arrow.write(getattr(self, name), part / f"{name}.parquet")
            write_text(part / checksums.NAME, checksums.to_text(part))

    def __repr__(self) -> str:
        from farlink.runs import run_table

        summaries, note = self.folded(EVERY_FLOW)
        rows = [(summary.flow, summary) for summary in summaries]
        _, *headings = run_table.headings(rows)
        lines = []
        for name, *cells in run_table.cells_of(rows):
            measures = ", ".join(f"{heading} {cell}" for heading, cell in zip(headings, cells, strict=True))
            lines.append(f"\n  {name}: {measures}")
        lines += [f"\n  {note}"] if note else []
        return f"<Run of {self.scenario.name}, seeds {list(self.seeds)}{''.join(lines)}>"

    def _repr_html_(self) -> str:
        from farlink.runs import notebook

        figure = self.plot() if self.outcomes and self.series.num_rows else None
        return notebook.run(self.scenario.name, self.seeds, *self.folded(EVERY_FLOW), figure)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or the interrupt of a notebook; `run` holds the seeds that were finished."""

    def __init__(self, run: Run, asked: int) -> None:
        super().__init__(f"{len(run.seeds)} of {asked} seeds are finished, in `run` of this exception")
        self.run = run


def _without_seed(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Leave the seed out of every row."""
    return {
        name: [{key: value for key, value in row.items() if key != "seed"} for row in part]
        if isinstance(part, list)
        else part
        for name, part in measured.items()
    }


def _sum_by_cause(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add up counts by cause."""
    sums: dict[str, int] = {}
    for part in parts:
        for cause, count in part.items():
            sums[cause] = sums.get(cause, 0) + count
    return dict(sorted(sums.items()))
