"""What was measured: tables, the JSON document, provenance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink._farlink import Scenario, __version__
from farlink.arguments import LIST, PLACE, TEXT, check_argument_types
from farlink.execution.congestion import Factory
from farlink.execution.execute import Outcome
from farlink.execution.plug import Plug
from farlink.printable import printable
from farlink.runs import implausible
from farlink.runs.saved import SCHEMA, TABLES, to_json
from farlink.runs.summary import FlowSummary, summarise, summarise_end_to_end
from farlink.system import checksums
from farlink.system.files import check_folder, replacing_folder, write_text
from farlink.system.folders import check_for_run
from farlink.tables import flow_groups, rows
from farlink.tables.frames import Frames, Table

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from farlink.drawing.look import Log, Style
    from farlink.runs.grid import Grid


EVERY_FLOW = "`summary` has every flow"
SAMPLES = {"copies": "copies", "arrivals": "arrivals", "series": "flow_series", "link_series": "link_series"}
"""Tables of samples, and what an outcome calls them."""


class Run(Frames):
    """One or several seeds of a scenario. The tables have a row per seed and flow, link, cause or sample.

    Tables are Arrow tables, which pandas, polars and DuckDB take; column names end in units (`_bps`, `_s`, `_bytes`).
    `to_pandas` and `to_polars` give one as a data frame.
    """

    ledger = Table("A row per seed, flow, packet class, entry and reason: what became of the copies of packets.")
    copies = Table(
        "A row per seed and copy of a packet, from its beginning to its end; only of runs with `ledger=True`."
    )
    arrivals = Table('A row per seed and flow of a workload, only of workloads with `flows = "rows"`.')
    link_series = Table("A row per seed, sample and link: queues.")

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

    def _made(self, name: str) -> pa.Table:
        from farlink.tables import arrow

        if name in rows.KINDS:
            return arrow.measured(name, ((outcome.measured, outcome.seed) for outcome in self.outcomes))
        return arrow.series(self.seeds, [getattr(outcome, SAMPLES[name]) or [] for outcome in self.outcomes])

    @cached_property
    def summary(self) -> list[FlowSummary]:
        """Means over the seeds with 95 % intervals, a row per flow."""
        return summarise(self._rows("flows"))

    def _rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table as the document has them."""
        return [row for each in self.outcomes for row in rows.in_document(table, each.measured, each.seed)]

    def folded(self, remedy: str) -> tuple[list[FlowSummary], str]:
        """Give `summary` and `end_to_end` with flows of one kind in one row if there are too many, and a note on that.

        `remedy` says how to see every flow.
        """
        groups = flow_groups.folded(self.scenario.flow_labels, [self.scenario.resolved])
        pairs = summarise_end_to_end(self._rows("flows"), groups)
        return [*summarise(self._rows("flows"), groups), *pairs], flow_groups.note(groups, remedy)

    @cached_property
    def end_to_end(self) -> list[FlowSummary]:
        """What relays passed on, from the first sender to the receiver of the relay, a row per relay."""
        return summarise_end_to_end(self._rows("flows"))

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
            "flows": self._rows("flows"),
            "workloads": self._rows("workloads"),
            "drops": _sum_by_cause(part["drops"] for part in measured),
            "drops_by_node": self._rows("drops"),
            "failed_attempts": _sum_by_cause(part["failed_attempts"] for part in measured),
            "ledger": self._rows("ledger"),
            "links": self._rows("links"),
            "stations": self._rows("stations"),
            "airtime": self._rows("airtime"),
            "hops": self._rows("hops"),
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
                labels[index]: Plug.of(factory).identity for index, factory in self._congestion_control.items()
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
        tables, note = self._grids()
        lines = []
        for table in tables:
            for name, *cells in table.rows:
                measures = ", ".join(map(" ".join, zip(table.headings[1:], cells, strict=True)))
                lines.append(f"\n  {printable(f'{name}: {measures}')}")
        lines += [f"\n  {note}"] if note else []
        return f"<Run of {self.scenario.name}, seeds {list(self.seeds)}{''.join(lines)}>"

    def _repr_html_(self) -> str:
        from farlink.runs import notebook

        figure = self.plot() if self.outcomes and self.series.num_rows else None
        (table, *others), note = self._grids()
        caption = "; ".join(filter(None, [note, table.caption]))
        return notebook.run(self.scenario.name, [table._replace(caption=caption), *others], figure)

    def _grids(self) -> tuple[list[Grid], str]:
        """The tables of flows and of workloads, and a note on what is folded."""
        from farlink.runs import run_table, workload_table

        summaries, note = self.folded(EVERY_FLOW)
        workloads = self._rows("workloads")
        title, seeds = self.scenario.name, self.seeds
        tables = [run_table.of_flows(title, summaries, seeds)] if summaries or not workloads else []
        return tables + ([workload_table.of_workloads(title, workloads, seeds)] if workloads else []), note


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
    sums: Counter[str] = Counter()
    for part in parts:
        sums.update(part)
    return dict(sorted(sums.items()))
