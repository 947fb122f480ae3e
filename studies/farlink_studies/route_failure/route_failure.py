"""The study as a whole: every claim judged, Table 1 event by event, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies import claims, explanation
from farlink.studies.claims import Claim
from farlink.studies.inputs import Inputs
from farlink.studies.measured import Experiments
from farlink.studies.verdict import Judgement, accepts, judge
from farlink.studies.written import t_half_width

from farlink_studies.route_failure import explanations, findings, timeline
from farlink_studies.route_failure import runs as reading
from farlink_studies.route_failure.experiments import controlled
from farlink_studies.route_failure.experiments.windows import Windows
from farlink_studies.route_failure.findings import MEASURES
from farlink_studies.route_failure.runs import FSR, NAMES, TCP_F, TWO, TWO_CACHED, Case, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIMS = Path(__file__).parent / "claims.csv"
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


class RouteFailure(Inputs[Runs]):
    """What the runs of the study say."""

    find_all = staticmethod(findings.find_all)

    def read_results(self, parts: Mapping[str, ResultStore]) -> Runs:
        """The runs by case."""
        return reading.of_results(parts)

    @cached_property
    def windows(self) -> Windows:
        """What a window is worth."""
        return Windows(self._additional)

    @cached_property
    def _facts_by_grid(self) -> dict[str, dict[str, str]]:
        """What explanations name, by the grid that a claim is measured on."""
        alike = {**explanations.of_ns2(), **self.windows.facts()}
        grids = sorted({measure.experiment for measure in MEASURES.values()})
        return {
            grid: {**alike, **explanations.of_experiment(self.runs, grid), **controlled.facts(grid, self.controlled)}
            for grid in grids
        }

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(explanations.WORDS)
        return [self._judge_claim(claim, words.get(claim.id, ())) for claim in claims]

    def _judge_claim(self, claim: Claim, sentences: Sequence[str]) -> Judgement:
        measure = MEASURES[claim.id]
        others = self._findings_of_cases(measure.find, {**self.others, **self.controlled})
        facts = {**self._facts_by_grid[measure.experiment], **explanations.of_others(others)}
        return judge(
            claim,
            measure.find(self.runs),
            cause=explanation.text(sentences, facts),
            otherwise=[name for name, found in others.items() if accepts(claim, found.value)],
        )

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 3, 4, 7 and 8, redrawn."""
        from farlink_studies.route_failure import drawing

        return drawing.figures(self.runs)

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """Table 1, what every case did, and the claims under every other setting."""
        for experiment in (TWO, TWO_CACHED):
            yield (
                f"Table 1, measured: {experiment} [s after the break; share of the runs where not all]",
                ReportTable.of(self._event_rows(experiment)),
            )
        yield "Every case, mean of the runs", ReportTable.of(_case_rows(self.runs, written=True))
        yield "Alternative settings: what is measured for each claim", ReportTable.of(self._sensitivity_rows())
        if self.controlled:
            by_id = {claim.id: claim for claim in claims.read(CLAIMS)}
            rows = controlled.claims_otherwise(by_id, self.runs, self.controlled)
            yield "Control experiments: causes disabled or forced; * where the claim then holds", ReportTable.of(rows)
            yield (
                "Which of node 3's links breaks first",
                ReportTable.of(controlled.by_order(self.runs, self.controlled)),
            )

    def experiments(self) -> Experiments | None:
        """What a window is worth."""
        return self.windows.report()

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """Every case with its means, under the study's settings and under every other."""
        rows = [{"setting": "as committed", **row} for row in _case_rows(self.runs)]
        for name, other in {**self.others, **self.controlled}.items():
            rows += [{"setting": name, **row} for row in _case_rows(other)]
        yield "cases", ReportTable.of(rows)

    def _event_rows(self, experiment: str) -> Iterator[dict[str, Any]]:
        columns = {
            variant: [
                events
                for one in self.runs.of(Case(experiment, variant)).values()
                for events in timeline.repair_timelines(one.path, one.absences)
            ]
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
        for id_, measure in MEASURES.items():
            found = self._findings_of_cases(measure.find, self.others)
            base = measure.find(self.runs).value.mean
            for name, other in found.items():
                yield {
                    "claim": id_,
                    "setting": name,
                    "measured": f"{other.value.mean:.3g}",
                    "as committed": f"{base:.3g}",
                }


def _case_rows(runs: Runs, *, written: bool = False) -> Iterator[dict[str, Any]]:
    """A row per case: means, for people with their intervals, of what was counted."""
    for case, ones in runs.all():
        numbers: dict[str, list[float]] = {
            "throughput_kbps": [one.throughput for one in ones.values()],
            "timeouts": [one.timeouts for one in ones.values()],
            "fast_retransmits": [one.fast_retransmits for one in ones.values()],
            "freezes": [one.freezes for one in ones.values()],
            "frozen_share": [one.frozen for one in ones.values()],
            "route_probes": [one.probes for one in ones.values()],
            "packets_lost": [sum(one.drops.values()) for one in ones.values()],
            "energy_j": [one.energy_j for one in ones.values()],
        }
        head = {"experiment": case.experiment, "variant": NAMES[case.variant], "speed_mps": case.speed or None}
        if written:
            cells = {name.replace("_", " "): t_half_width(values) for name, values in numbers.items()}
            yield {**head, "speed_mps": f"{case.speed:g}" if case.speed else "-", **cells}
        else:
            yield {**head, "runs": len(ones), **{name: sum(each) / len(each) for name, each in numbers.items()}}
