"""The study as a whole: every claim judged, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable
from farlink.studies.claims import Claim
from farlink.studies.experiments import Experiments
from farlink.studies.inputs import AS_COMMITTED, Inputs
from farlink.studies.verdict import Finding
from farlink.studies.written import t_half_width

from farlink_studies.satellite import findings
from farlink_studies.satellite import runs as reading
from farlink_studies.satellite.explanations import limiting_cause
from farlink_studies.satellite.findings import HYBLA, MEASURES, NAMES, PAPER
from farlink_studies.satellite.runs import Case, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATES = (1e-8, 1e-7, 1e-6, 1e-5)


class Satellite(Inputs[Runs]):
    """What the runs of the study say."""

    read_results = staticmethod(reading.of_results)
    find_all = staticmethod(findings.find_all)
    data_name = "goodput"

    @cached_property
    def peer(self) -> Runs:
        """What ns-2 was recorded to do under the same settings."""
        return reading.of_ns2(self.folder / "ns2" / "measured.json").estimated_by(self._settings.estimator)

    @cached_property
    def found_by_peer(self) -> dict[str, Finding]:
        """What ns-2 gives."""
        return self.find_all(self.peer, {})

    def cause(self, claim: Claim, sentences: Sequence[str], others: Mapping[str, Finding]) -> str:
        """What held the sender back in the case that the claim is about."""
        case = MEASURES[claim.id].of
        return limiting_cause(self.runs, case, NAMES[case.variant])

    @property
    def elsewhere(self) -> Mapping[str, Runs]:
        """The other settings."""
        # A parameter of Enhanced Hybla leaves the others as they are, and says nothing without losses.
        return {
            name: other if Case(HYBLA, RATES[0]) in other else other.besides(self.runs.for_variant_of(other))
            for name, other in self.others.items()
        }

    def found_otherwise(self, claim: Claim) -> dict[str, Finding]:
        """What a claim gives under the other settings that concern it."""
        found = super().found_otherwise(claim)
        return {name: each for name, each in found.items() if MEASURES[claim.id].of in self.others[name]}

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 2 to 11, redrawn."""
        from farlink_studies.satellite import drawing

        return drawing.figures(self.runs)

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """Goodput of every variant, of ns-2, and under every other setting."""
        base = [_goodput_row({"variant": NAMES[variant]}, self.runs, variant) for variant in NAMES]
        yield "Goodput over 600 s [Mbit/s], mean and 95 % CI", ReportTable.of(base)
        peer = [_goodput_row({"variant in ns-2": NAMES[variant]}, self.peer, variant) for variant in PAPER]
        caption = "ns-2.35 with the initial threshold at its largest window (recorded): goodput over 600 s [Mbit/s]"
        yield caption, ReportTable.of(peer)
        rows = [
            _goodput_row({"variant": NAMES[variant], "setting": name}, other, variant)
            for variant in PAPER
            for name, other in self.tried.items()
            if name == AS_COMMITTED or Case(variant, RATES[0]) in other
        ]
        yield "Alternative settings: goodput over 600 s [Mbit/s]", ReportTable.of(rows)

    def experiments(self) -> Experiments | None:
        """Fairness, and the start at high error rates."""
        from farlink_studies.satellite.experiments import fairness, start_up

        if not self.has_experiments:
            return None
        shared = fairness.of_results(results for name, results in self._additional.items() if name != start_up.GRID)
        starts = start_up.of_results(self._additional[start_up.GRID])
        return Experiments.of((fairness.report(shared, self.runs.interval), start_up.report(starts, self.runs)))

    def case_rows(self, runs: Runs) -> Iterator[dict[str, Any]]:
        """Every case with its mean, interval and seeds."""
        return runs.summaries()

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """Ours, those of every other setting, and those of ns-2."""
        yield from super().data()
        yield "goodput-in-ns2", ReportTable.of(self.peer.summaries())


def _goodput_row(head: dict[str, Any], runs: Runs, variant: str) -> dict[str, Any]:
    rates = [rate for rate in (0.0, 1e-10, *RATES) if Case(variant, rate) in runs]
    return head | {f"BER {rate:g}": t_half_width([*runs.goodput(Case(variant, rate)).values()]) for rate in rates}
