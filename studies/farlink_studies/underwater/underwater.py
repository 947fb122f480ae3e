"""The study as a whole: every claim judged, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies import explanation
from farlink.studies.claims import Claim
from farlink.studies.inputs import Inputs
from farlink.studies.measured import Experiments
from farlink.studies.verdict import Judgement, accepts, judge
from farlink.studies.written import half_width, t_half_width

from farlink_studies.underwater import experiments, explanations, findings
from farlink_studies.underwater import runs as reading
from farlink_studies.underwater.findings import MEASURES
from farlink_studies.underwater.runs import NAMES, Case, Runs, SeedResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIPE = "uw_pipe"
"""The case of the settings that is the other combination that agrees with the paper's text."""


class Underwater(Inputs[Runs]):
    """What the runs of the study say."""

    find_all = staticmethod(findings.find_all)

    def read_results(self, parts: Mapping[str, ResultStore]) -> Runs:
        """The runs by case."""
        return reading.of_results(parts)

    @cached_property
    def _has_experiments(self) -> bool:
        return set(self._additional) == {name for name, _ in self._settings.additional()}

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(explanations.WORDS)
        facts = explanations.of_runs(self.runs)
        if self._has_experiments:
            facts |= experiments.facts(self._additional)
        return [self._judge_claim(claim, explanation.text(words.get(claim.id, ()), facts)) for claim in claims]

    def _judge_claim(self, claim: Claim, cause: str) -> Judgement:
        find = MEASURES[claim.id]
        others = self._findings_of_cases(find, self.others)
        otherwise = [name for name, found in others.items() if accepts(claim, found.value)]
        return judge(claim, find(self.runs), cause=cause, otherwise=otherwise)

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 3 and 4, redrawn."""
        from farlink_studies.underwater import drawing

        yield from drawing.figures(self.runs)
        if PIPE in self.others:
            yield from drawing.figures(self.others[PIPE], f" with {PIPE}")

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """What every case did, the claims with uw_pipe, and under every other setting."""
        yield "Every case, mean and 95 % CI", ReportTable.of(_case_rows(self.runs, written=True))
        yield "Every claim in both combinations and under every other setting", ReportTable.of(self._sensitivity_rows())

    def experiments(self) -> Experiments | None:
        """What the additional experiments gave; None where they were not run."""
        return experiments.report(self._additional) if self._has_experiments else None

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """Every case with its means, under the study's settings and under every other."""
        rows = [{"setting": "as committed", **row} for row in _case_rows(self.runs)]
        for name, other in self.others.items():
            rows += [{"setting": name, **row} for row in _case_rows(other)]
        yield "cases", ReportTable.of(rows)

    def _sensitivity_rows(self) -> Iterator[dict[str, Any]]:
        for id_, find in MEASURES.items():
            row = {"claim": id_, "as committed (uw_csma)": half_width(find(self.runs).value)}
            found = self._findings_of_cases(find, self.others)
            yield row | {name: half_width(found[name].value) if name in found else "-" for name in self.others}


def _case_rows(runs: Runs, *, written: bool = False) -> Iterator[dict[str, Any]]:
    """A row per case: means of what was counted, for people with their intervals."""
    for case, ones in runs.all():
        numbers = _metric_values(list(ones.values()))
        if written:
            yield {
                **_case_columns(case),
                **{name.replace("_", " "): t_half_width(values) for name, values in numbers.items()},
            }
        else:
            means = {name: sum(values) / len(values) for name, values in numbers.items()}
            yield {**_case_columns(case), "runs": len(ones), **means}


def _case_columns(case: Case) -> dict[str, Any]:
    return {"hops": case.hops, "variant": NAMES[case.variant], "size_bytes": case.size, "window_packets": case.window}


def _metric_values(ones: Sequence[SeedResult]) -> dict[str, list[float]]:
    return {
        "throughput_kbps": [one.throughput for one in ones],
        "arrival_percent": [one.arrival for one in ones],
        "rtt_mean_s": [one.rtt_mean_s for one in ones],
        "rtt_max_s": [one.rtt_max_s for one in ones],
        "timer_rtt_max_s": [one.timer_rtt_max_s for one in ones],
        "timeouts": [float(one.timeouts) for one in ones],
        "fast_retransmits": [float(one.fast_retransmits) for one in ones],
        "retransmitted": [float(one.repeated) for one in ones],
        "queue_full": [float(one.drops.get("queue_full", 0)) for one in ones],
        "link_failure": [float(one.drops.get("link_failure", 0)) for one in ones],
    }
