"""The study as a whole: every claim judged, figures, events on the channel, open points with other settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from farlink import statistics
from farlink.results.report_table import ReportTable
from farlink.studies.claims import Claim
from farlink.studies.experiments import Experiments
from farlink.studies.inputs import AS_COMMITTED, Inputs
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding
from farlink.studies.written import means

from farlink_studies.frn import explanations, findings
from farlink_studies.frn import runs as reading
from farlink_studies.frn.experiments import additional, controlled
from farlink_studies.frn.runs import METRICS, Runs, throughput

if TYPE_CHECKING:
    from matplotlib.figure import Figure


AGE = "attempts of the last 5 s"
ASK = "cause: `--experiments` runs the experiments that say so"
WITHOUT_START = "the first 2 000 slots not counted"


class Frn(Inputs[Runs]):
    """What the runs of the study say."""

    read_results = staticmethod(reading.of_results)
    find_all = staticmethod(findings.find_all)

    @cached_property
    def others(self) -> dict[str, Runs]:
        """The runs of every other setting."""
        found = self._runs_by_case(self._settings.sensitivity_cases(self._effort))
        if AGE in found:
            # Fixed intervals use no history, so that their age changes nothing.
            found[AGE] = found[AGE].with_fixed(self.runs)
        for case, runs in self._all_controlled.items():
            if case.startswith(controlled.ELSEWHERE):
                name = case.removeprefix(controlled.ELSEWHERE)
                found[name] = found[name].besides(runs) if name in found else runs
        if controlled.START in self.controlled:
            found[WITHOUT_START] = self.runs.without_start(self.controlled[controlled.START])
        return found

    @cached_property
    def controlled(self) -> dict[str, Runs]:
        """The runs of every controlled experiment."""
        made = self._all_controlled.items()
        return {case: runs for case, runs in made if not case.startswith(controlled.ELSEWHERE)}

    @cached_property
    def _all_controlled(self) -> dict[str, Runs]:
        return self._runs_by_case(self._settings.controlled_cases())

    @property
    def elsewhere(self) -> Mapping[str, Runs]:
        """The other settings, and the experiments that show what becomes of a claim."""
        switched = {name: runs for name, runs in self.controlled.items() if name in controlled.SWITCHED}
        return {**self.others, **switched}

    @cached_property
    def _by_setting(self) -> dict[str, Runs]:
        """The runs under the study's settings and in every experiment."""
        experiments = {name: runs for name, runs in self.controlled.items() if name != controlled.START}
        return {AS_COMMITTED: self.runs, **experiments}

    @cached_property
    def _facts(self) -> dict[str, str]:
        return {
            **explanations.facts(self.runs),
            **controlled.of_combining(self._by_setting),
            **controlled.of_changing(self.runs, self.controlled),
            **controlled.of_random(self.runs),
        }

    def facts(self, claim: Claim, others: Mapping[str, Finding]) -> Mapping[str, str]:
        """The numbers that the explanation of a claim may name."""
        return {**self._facts, **explanations.of_others(others), **controlled.of_claim(others)}

    def cause(self, claim: Claim, sentences: Sequence[str], others: Mapping[str, Finding]) -> str:
        """Why a claim may be missed, or how to learn it."""
        return super().cause(claim, sentences, others) or (ASK if sentences else "")

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 6 to 10 and 14 to 23, redrawn, and some of them without copies."""
        from farlink_studies.frn import drawing

        yield from drawing.figures(self.runs)
        try:
            yield from drawing.without_copies(self.controlled.get(controlled.NO_COPIES, Runs({})))
        except MissingError:
            return

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """The events on the channel, the claims under every other setting, and causes by themselves."""
        yield "Channel events, ACK per packet", ReportTable.of(explanations.channel_events(self.runs))
        yield "Alternative settings: what is measured for each claim", ReportTable.of(self._sensitivity_rows())
        found = {claim: self.found_otherwise(claim) for claim in self.claims.values()}
        named = {name: runs for name, runs in self._by_setting.items() if name in (AS_COMMITTED, controlled.NO_COPIES)}
        for caption, made in (
            ("Control experiments: causes disabled; * where the claim then holds", controlled.claims_otherwise(found)),
            (
                "Causes of copies, 3-17, at most four retransmissions",
                controlled.duplicate_effects(self.runs, self.controlled),
            ),
            ("Frames saved by combining, 3-17, ACK per packet", controlled.combining_rows(self._by_setting)),
            ("Random connections, 3-17", controlled.at_random(self.runs)),
            ("Adaptive against fixed intervals", controlled.adaptive_interval_rows(named)),
        ):
            if rows := [*made]:
                yield caption, ReportTable.of(rows)

    def experiments(self) -> Experiments | None:
        """What the additional experiments gave."""
        return additional.report(self._additional)

    def case_rows(self, runs: Runs) -> Iterator[dict[str, Any]]:
        """Every case with its means."""
        for case, numbers in runs.numbers(METRICS):
            values = runs.values(case, throughput)
            found = {"packets_per_slot": statistics.mean_of(values), "half_width": statistics.half_width(values)}
            yield {**case._asdict(), "runs": runs.count(case), **found, **means(numbers)}

    def _sensitivity_rows(self) -> Iterator[dict[str, Any]]:
        """A row per claim that some other setting can tell about."""
        for claim in self.claims.values():
            row = {"claim": claim.id, AS_COMMITTED: f"{self.found[claim.id].value.mean:.3g}"}
            others = self.found_otherwise(claim)
            found = {name: f"{others[name].value.mean:.3g}" for name in self.others if name in others}
            if found:
                yield row | {name: found.get(name, "-") for name in self.others}
