"""The study as a whole: every claim judged, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies.claims import Claim
from farlink.studies.inputs import Inputs
from farlink.studies.measured import Experiments
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding, Judgement, accepts, judge
from farlink.studies.written import t_half_width

from farlink_studies.satellite import findings
from farlink_studies.satellite import runs as reading
from farlink_studies.satellite.explanations import limiting_cause
from farlink_studies.satellite.findings import ENHANCED, HYBLA, MEASURES, NAMES, WESTWOOD, Measure
from farlink_studies.satellite.runs import Case, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NS2 = Path(__file__).parent / "ns2" / "measured.json"
PAPER = (WESTWOOD, HYBLA, ENHANCED)
RATES = (1e-8, 1e-7, 1e-6, 1e-5)


class Satellite(Inputs[Runs]):
    """What the runs of the study say."""

    find_all = staticmethod(findings.find_all)

    def read_results(self, parts: Mapping[str, ResultStore]) -> Runs:
        """The runs by case."""
        return reading.of_results(parts.values())

    @cached_property
    def peer(self) -> Runs:
        """What ns-2 was recorded to do under the same settings."""
        return reading.of_ns2(NS2)

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        return [self._judge_claim(claim) for claim in claims]

    def _judge_claim(self, claim: Claim) -> Judgement:
        measure = MEASURES[claim.id]
        return judge(
            claim,
            measure.find(self.runs),
            peer=_find_or_none(measure, self.peer),
            cause=limiting_cause(self.runs, measure.concerns, NAMES[measure.concerns.variant]),
            otherwise=[name for name, found in self._findings_elsewhere(measure) if accepts(claim, found.value)],
        )

    def _findings_elsewhere(self, measure: Measure) -> Iterator[tuple[str, Finding]]:
        """The same claim under the settings that have the runs it needs."""
        for name, other in self.others.items():
            # A parameter of Enhanced Hybla leaves the others as they are, and says nothing without losses.
            whole = other if Case(HYBLA, RATES[0]) in other else other.besides(self.runs)
            if measure.concerns in other and (found := _find_or_none(measure, whole)):
                yield name, found

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 2 to 11, redrawn."""
        from farlink_studies.satellite import drawing

        return drawing.figures(self.runs)

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """Goodput of every variant, of ns-2, and under every other setting."""
        variants = list(NAMES)
        base = [self._goodput_row({"variant": NAMES[variant]}, self.runs, variant) for variant in variants]
        yield "Goodput over 600 s [Mbit/s], mean and 95 % CI", ReportTable.of(base)
        peer = [self._goodput_row({"variant in ns-2": NAMES[variant]}, self.peer, variant) for variant in PAPER]
        yield (
            "ns-2.35 with the initial threshold at its largest window (recorded): goodput over 600 s [Mbit/s]",
            ReportTable.of(peer),
        )
        rows = []
        for variant in PAPER:
            rows.append(self._goodput_row({"variant": NAMES[variant], "setting": "as committed"}, self.runs, variant))
            rows += [
                self._goodput_row({"variant": NAMES[variant], "setting": name}, other, variant)
                for name, other in self.others.items()
                if Case(variant, RATES[0]) in other
            ]
        yield "Alternative settings: goodput over 600 s [Mbit/s]", ReportTable.of(rows)

    def experiments(self) -> Experiments | None:
        """Fairness, and the start at high error rates."""
        from farlink_studies.satellite.experiments import fairness, start_up

        if set(self._additional) != {name for name, _ in self._settings.additional()}:
            return None
        shared = fairness.of_results(results for name, results in self._additional.items() if name != start_up.GRID)
        starts = start_up.of_results(self._additional[start_up.GRID])
        return Experiments.of((fairness.report(shared), start_up.report(starts)))

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """Every case with its mean, interval and seeds: ours, ns-2's, and those of every other setting."""
        rows = [{"setting": "as committed", **row} for row in self.runs.rows()]
        for name, other in self.others.items():
            rows += [{"setting": name, **row} for row in other.rows()]
        yield "goodput", ReportTable.of(rows)
        yield "goodput-in-ns2", ReportTable.of(self.peer.rows())

    def _goodput_row(self, head: dict[str, Any], runs: Runs, variant: str) -> dict[str, Any]:
        rates = [rate for rate in (0.0, 1e-10, *RATES) if Case(variant, rate) in runs]
        return head | {
            f"BER {rate:g}": t_half_width(list(runs.goodput(Case(variant, rate)).values())) for rate in rates
        }


def _find_or_none(measure: Measure, runs: Runs) -> Finding | None:
    try:
        return measure.find(runs)
    except MissingError:
        return None
