"""The study as a whole: every claim judged, Table 1 event by event, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable
from farlink.studies.claims import Claim
from farlink.studies.experiments import Experiments
from farlink.studies.inputs import AS_COMMITTED, Inputs
from farlink.studies.verdict import Finding
from farlink.studies.written import mean_cells, t_half_width

from farlink_studies.route_failure import explanations, findings, timeline
from farlink_studies.route_failure import runs as reading
from farlink_studies.route_failure.experiments import controlled
from farlink_studies.route_failure.experiments.windows import Windows
from farlink_studies.route_failure.findings import MEASURES
from farlink_studies.route_failure.runs import FSR, NAMES, TCP_F, TWO, TWO_CACHED, Case, Runs, SeedResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EVENTS = {
    "frozen": "t3: the source freezes",
    "repaired": "node 3 is back",
    "resumed": "t6: the source resumes",
    "arriving": "data arrive in order again",
    "fast": "t7: it retransmits fast",
    "recovered": "t8: fast recovery is over",
    "timed_out": "the timer expires",
    "normal": "transfer is normal",
}
"""The rows of Table 1, in order."""
METRICS: Mapping[str, Callable[[SeedResult], float]] = {
    "throughput_kbps": lambda one: one.throughput,
    "timeouts": lambda one: one.timeouts,
    "fast_retransmits": lambda one: one.fast_retransmits,
    "freezes": lambda one: one.freezes,
    "frozen_share": lambda one: one.frozen,
    "route_probes": lambda one: one.probes,
    "packets_lost": lambda one: one.lost,
    "energy_j": lambda one: one.energy_j,
}
"""What is shown of every case."""


class RouteFailure(Inputs[Runs]):
    """What the runs of the study say."""

    read_results = staticmethod(reading.of_results)
    find_all = staticmethod(findings.find_all)
    metrics = METRICS

    @staticmethod
    def case_columns(case: Case) -> dict[str, Any]:
        """The columns of tables that name a case."""
        return {"experiment": case.experiment, "variant": NAMES[case.variant], "speed_mps": case.speed or None}

    @cached_property
    def windows(self) -> Windows:
        """What a window is worth."""
        return Windows(self._additional)

    @property
    def elsewhere(self) -> Mapping[str, Runs]:
        """The other settings and the control experiments."""
        return {**self.others, **self.controlled}

    @cached_property
    def _facts_by_grid(self) -> dict[str, dict[str, str]]:
        """What explanations name, by the grid that a claim is measured on."""
        alike = {**explanations.of_ns2(self.folder / "ns2" / "measured.json"), **self.windows.facts()}
        return {
            grid: {**alike, **explanations.of_experiment(self.runs, grid), **controlled.facts(grid, self.controlled)}
            for grid in sorted({measure.of for measure in MEASURES.values()})
        }

    def facts(self, claim: Claim, others: Mapping[str, Finding]) -> Mapping[str, str]:
        """The numbers that the explanation of a claim may name."""
        return {**self._facts_by_grid[MEASURES[claim.id].of], **explanations.of_others(others)}

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 3, 4, 7 and 8, redrawn."""
        from farlink_studies.route_failure import drawing

        return drawing.figures(self.runs)

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """Table 1, what every case did, and the claims under every other setting."""
        for experiment in (TWO, TWO_CACHED):
            caption = f"Table 1, measured: {experiment} [s after the break; share of the runs where not all]"
            yield caption, ReportTable.of(self._event_rows(experiment))
        cases = [
            {**self.case_columns(case), "speed_mps": f"{case.speed:g}" if case.speed else "-", **mean_cells(numbers)}
            for case, numbers in self.runs.numbers(METRICS)
        ]
        yield "Every case, mean of the runs", ReportTable.of(cases)
        yield "Alternative settings: what is measured for each claim", ReportTable.of(self._sensitivity_rows())
        if self.controlled:
            caption = "Control experiments: causes disabled or forced; * where the claim then holds"
            found = {claim: self.found_otherwise(claim) for claim in self.claims.values()}
            rows = controlled.claims_otherwise(self.found, found, self.controlled)
            yield caption, ReportTable.of(rows)
            order = controlled.by_order(self.runs, self.controlled)
            yield "Which of node 3's links breaks first", ReportTable.of(order)

    def experiments(self) -> Experiments | None:
        """What a window is worth."""
        return self.windows.report(self.runs)

    def _event_rows(self, experiment: str) -> Iterator[dict[str, Any]]:
        columns = {
            variant: [event for events in timeline.of_case(self.runs, Case(experiment, variant)) for event in events]
            for variant in (TCP_F, FSR)
        }
        for name, words in EVENTS.items():
            row = {"event": words}
            for variant, found in columns.items():
                times = [value for events in found if (value := getattr(events, name)) is not None]
                share = len(times) / len(found)
                row[NAMES[variant]] = t_half_width(times) + (f" ({share:.0%})" if 0 < share < 1 else "")
            yield row

    def _sensitivity_rows(self) -> Iterator[dict[str, Any]]:
        """A row per claim that some other setting can tell about."""
        for claim in self.claims.values():
            base = f"{self.found[claim.id].value.mean:.3g}"
            for name, other in self.found_otherwise(claim).items():
                if name in self.others:
                    row = {"claim": claim.id, "setting": name, "measured": f"{other.value.mean:.3g}"}
                    yield {**row, AS_COMMITTED: base}
