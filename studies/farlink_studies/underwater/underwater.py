"""The study as a whole: every claim judged, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable
from farlink.studies.claims import Claim
from farlink.studies.experiments import Experiments
from farlink.studies.inputs import Inputs
from farlink.studies.verdict import Finding
from farlink.studies.written import half_width, mean_cells

from farlink_studies.underwater import experiments, explanations, findings
from farlink_studies.underwater import runs as reading
from farlink_studies.underwater.runs import NAMES, Case, Runs, SeedResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIPE = "uw_pipe"
"""The case of the settings that is the other combination that agrees with the paper's text."""
METRICS: Mapping[str, Callable[[SeedResult], float]] = {
    "throughput_kbps": lambda one: one.throughput,
    "arrival_percent": lambda one: one.arrival,
    "rtt_mean_s": lambda one: one.rtt_mean_s,
    "rtt_max_s": lambda one: one.rtt_max_s,
    "timer_rtt_max_s": lambda one: one.timer_rtt_max_s,
    "timeouts": lambda one: one.timeouts,
    "fast_retransmits": lambda one: one.fast_retransmits,
    "retransmitted": lambda one: one.repeated,
    "queue_full": lambda one: one.drops.get("queue_full", 0),
    "link_failure": lambda one: one.drops.get("link_failure", 0),
}
"""What is shown of every case."""


class Underwater(Inputs[Runs]):
    """What the runs of the study say."""

    read_results = staticmethod(reading.of_results)
    find_all = staticmethod(findings.find_all)
    metrics = METRICS

    @staticmethod
    def case_columns(case: Case) -> dict[str, Any]:
        """The columns of tables that name a case."""
        return {
            "hops": case.hops,
            "variant": NAMES[case.variant],
            "size_bytes": case.size,
            "window_packets": case.window,
        }

    @cached_property
    def _facts(self) -> dict[str, str]:
        return explanations.of_runs(self.runs) | (experiments.facts(self._additional) if self.has_experiments else {})

    def facts(self, claim: Claim, others: Mapping[str, Finding]) -> Mapping[str, str]:
        """The numbers of every case and of the experiments."""
        return self._facts

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 3 and 4, redrawn."""
        from farlink_studies.underwater import drawing

        yield from drawing.figures(self.runs)
        if PIPE in self.others:
            yield from drawing.figures(self.others[PIPE], f" with {PIPE}")

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """What every case did, the claims with uw_pipe, and under every other setting."""
        cases = [self.case_columns(case) | mean_cells(numbers) for case, numbers in self.runs.numbers(METRICS)]
        yield "Every case, mean and 95 % CI", ReportTable.of(cases)
        yield "Every claim in both combinations and under every other setting", ReportTable.of(self._sensitivity_rows())

    def experiments(self) -> Experiments | None:
        """What the additional experiments gave; None where they were not run."""
        return experiments.report(self._additional) if self.has_experiments else None

    def _sensitivity_rows(self) -> Iterator[dict[str, Any]]:
        for claim in self.claims.values():
            found = self.found_otherwise(claim)
            row = {"claim": claim.id, "as committed (uw_csma)": half_width(self.found[claim.id].value)}
            yield row | {name: half_width(found[name].value) if name in found else "-" for name in self.others}
