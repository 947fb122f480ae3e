"""The study as a whole: every claim judged, figures, events on the channel, open points with other settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink import statistics
from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies import claims, explanation
from farlink.studies.claims import Claim
from farlink.studies.inputs import Inputs
from farlink.studies.measured import Experiments
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding, Judgement, accepts, judge

from farlink_studies.frn import explanations
from farlink_studies.frn import runs as reading
from farlink_studies.frn.experiments import additional, controlled
from farlink_studies.frn.findings import MEASURES, find_all
from farlink_studies.frn.measuring import Measure
from farlink_studies.frn.runs import Runs, SeedResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CLAIMS = Path(__file__).parent / "claims.csv"
AGE = "attempts of the last 5 s"
ASK = "cause: `--experiments` runs the experiments that say so"
WITHOUT_START = "the first 2 000 slots not counted"


class Frn(Inputs[Runs]):
    """What the runs of the study say."""

    find_all = staticmethod(find_all)

    def read_results(self, parts: Mapping[str, ResultStore]) -> Runs:
        """The runs by case."""
        return reading.of_results(parts.values())

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

    @cached_property
    def _by_setting(self) -> dict[str, Runs]:
        """The runs under the study's settings and in every experiment."""
        experiments = {name: runs for name, runs in self.controlled.items() if name != controlled.START}
        return {"as committed": self.runs, **experiments}

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(explanations.WORDS)
        facts = explanations.facts(self.runs, self.controlled) | controlled.of_combining(self._by_setting)
        facts |= controlled.of_changing(self.runs, self.controlled) | controlled.of_random(self.runs)
        found = []
        for claim in claims:
            measure = MEASURES[claim.id]
            others = self._findings_elsewhere(measure)
            known = {**facts, **explanations.of_others(others), **controlled.of_claim(claim.id, self.controlled)}
            found.append(
                judge(
                    claim,
                    measure.find(self.runs),
                    cause=explanation.text(words.get(claim.id, ()), known) or (ASK if claim.id in words else ""),
                    otherwise=[name for name, other in others.items() if accepts(claim, other.value)],
                )
            )
        return found

    def _findings_elsewhere(self, measure: Measure) -> dict[str, Finding]:
        """The same claim under the settings that have the runs it needs."""
        switched = {name: runs for name, runs in self.controlled.items() if name in controlled.SWITCHED}
        return self._findings_of_cases(measure.find, {**self.others, **switched})

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 6 to 10 and 14 to 23, redrawn, and some of them without copies."""
        from farlink_studies.frn import drawing

        yield from drawing.figures(self.runs)
        try:
            yield from drawing.without_copies(self.controlled.get(controlled.NO_COPIES, Runs({})))
        except MissingError:
            return

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """The events on the channel, and the claims under every other setting."""
        yield "Channel events, ACK per packet", ReportTable.of(explanations.channel_events(self.runs))
        yield "Alternative settings: what is measured for each claim", ReportTable.of(self._sensitivity_rows())
        for caption, rows in self._controlled_experiments():
            if rows:
                yield caption, ReportTable.of(rows)

    def _controlled_experiments(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Causes by themselves."""
        yield (
            "Control experiments: causes disabled; * where the claim then holds",
            list(controlled.claims_otherwise(claims.read(CLAIMS), self.controlled)),
        )
        yield (
            "Causes of copies, 3-17, at most four retransmissions",
            list(controlled.duplicate_effects(self.runs, self.controlled)),
        )
        yield "Frames saved by combining, 3-17, ACK per packet", list(controlled.combining_rows(self._by_setting))
        yield "Random connections, 3-17", list(controlled.at_random(self.runs))
        named = {"as committed": self.runs}
        if controlled.NO_COPIES in self.controlled:
            named[controlled.NO_COPIES] = self.controlled[controlled.NO_COPIES]
        yield "Adaptive against fixed intervals", list(controlled.adaptive_interval_rows(named))

    def experiments(self) -> Experiments | None:
        """What the additional experiments gave."""
        return additional.report(self._additional)

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """Every case with its means, under the study's settings and under every other."""
        rows = [{"setting": "as committed", **row} for row in _case_rows(self.runs)]
        for name, other in {**self.others, **self.controlled}.items():
            rows += [{"setting": name, **row} for row in _case_rows(other)]
        yield "cases", ReportTable.of(rows)

    def _sensitivity_rows(self) -> Iterator[dict[str, Any]]:
        """A row per claim that some other setting can tell about."""
        for id_, measure in MEASURES.items():
            base = measure.find(self.runs).value.mean
            row = {"claim": id_, "as committed": f"{base:.3g}"}
            found = {
                name: f"{other.value.mean:.3g}"
                for name, other in self._findings_elsewhere(measure).items()
                if name in self.others
            }
            if found:
                yield row | {name: found.get(name, "-") for name in self.others}


def _case_rows(runs: Runs) -> Iterator[dict[str, Any]]:
    """A row per case."""
    for case, ones in runs.all():
        throughput = statistics.estimate([one.throughput for one in ones.values()])
        assert throughput is not None, "every case has a run"
        yield {
            **case._asdict(),
            "runs": len(ones),
            "packets_per_slot": throughput.mean,
            "half_width": throughput.half_width,
            "timeouts": _mean_of_runs(ones, "timeouts"),
            "frames": _mean_of_runs(ones, "frames"),
            "attempts": _mean_of_runs(ones, "attempts"),
            "frames_combined": _mean_of_runs(ones, "combined"),
            "packets_again": _mean_of_runs(ones, "again"),
            "failed_attempts": sum(sum(one.failed.values()) for one in ones.values()) / len(ones),
            "dropped": sum(sum(one.drops.values()) for one in ones.values()) / len(ones),
        }


def _mean_of_runs(ones: dict[int, SeedResult], name: str) -> float:
    return sum(float(getattr(one, name)) for one in ones.values()) / len(ones)
