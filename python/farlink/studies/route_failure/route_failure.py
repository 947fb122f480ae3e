"""The study as a whole: every claim judged, Table 1 event by event, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink import statistics, tables
from farlink.results import Results
from farlink.sheet import Sheet
from farlink.studies import claims, explanation
from farlink.studies.claims import Claim
from farlink.studies.given import Read
from farlink.studies.route_failure import causes, isolated, timeline
from farlink.studies.route_failure import runs as reading
from farlink.studies.route_failure.experiments import Windows
from farlink.studies.route_failure.findings import MEASURES, Measure
from farlink.studies.route_failure.runs import FSR, NAMES, TCP_F, TWO, TWO_CACHED, Case, MissingError, Runs
from farlink.studies.study import Beyond
from farlink.studies.verdict import Finding, Judgement, accepts, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIMS = Path(__file__).parent / "claims.csv"
EVENTS = {
    "frozen": "t3: the source stands still",
    "repaired": "node 3 is back",
    "thawed": "t6: the source goes on",
    "arriving": "data arrive in order again",
    "fast": "t7: it retransmits fast",
    "recovered": "t8: fast recovery is over",
    "timed_out": "the timer expires",
    "normal": "transfer is normal",
}
"""The rows of Table 1, in order."""


class RouteFailure(Read[Runs]):
    """What the runs of the study say."""

    def _read(self, parts: Mapping[str, Results]) -> Runs:
        return reading.of_results(parts)

    @cached_property
    def windows(self) -> Windows:
        """What a window is worth."""
        return Windows(self._more)

    @cached_property
    def _facts(self) -> dict[str, dict[str, str]]:
        """What explanations name, by the grid that a claim is measured on."""
        alike = {**causes.of_ns2(), **self.windows.facts()}
        grids = sorted({measure.experiment for measure in MEASURES.values()})
        return {
            grid: {**alike, **causes.of_experiment(self.runs, grid), **isolated.facts(grid, self.experiments)}
            for grid in grids
        }

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(causes.WORDS)
        return [self._judge(claim, words.get(claim.id, ())) for claim in claims]

    def _judge(self, claim: Claim, sentences: Sequence[str]) -> Judgement:
        measure = MEASURES[claim.id]
        others = dict(self._otherwise(measure))
        facts = {**self._facts[measure.experiment], **causes.of_others(others)}
        return judge(
            claim,
            measure.find(self.runs),
            cause=explanation.told(sentences, facts),
            otherwise=[name for name, found in others.items() if accepts(claim, found.value)],
        )

    def _otherwise(self, measure: Measure) -> Iterator[tuple[str, Finding]]:
        """The same claim under the settings and in the experiments that have the runs it needs."""
        for name, other in {**self.others, **self.experiments}.items():
            if found := _found(measure, other):
                yield name, found

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 3, 4, 7 and 8, redrawn."""
        from farlink.studies.route_failure import drawing

        return drawing.figures(self.runs)

    def tables(self) -> Iterator[tuple[str, Sheet]]:
        """Table 1, what every case did, and the claims under every other setting."""
        for experiment in (TWO, TWO_CACHED):
            yield (
                f"Table 1, measured: {experiment} [s after the break; share of the runs where not all]",
                _sheet(list(self._events(experiment))),
            )
        yield "Every case, mean of the runs", _sheet(list(_rows(self.runs, told=True)))
        yield "Open points another way: what is measured for each claim", _sheet(list(self._changes()))
        if self.experiments:
            by_id = {claim.id: claim for claim in claims.read(CLAIMS)}
            rows = isolated.claims_otherwise(by_id, self.runs, self.experiments)
            yield "Causes switched off or forced, * where the claim holds then", _sheet(list(rows))
            yield "Which of node 3's links breaks first", _sheet(list(isolated.by_order(self.runs, self.experiments)))

    def beyond(self) -> Beyond | None:
        """What a window is worth."""
        return self.windows.beyond()

    def data(self) -> Iterator[tuple[str, Sheet]]:
        """Every case with its means, under the study's settings and under every other."""
        rows = [{"setting": "as committed", **row} for row in _rows(self.runs)]
        for name, other in {**self.others, **self.experiments}.items():
            rows += [{"setting": name, **row} for row in _rows(other)]
        yield "cases", _sheet(rows)

    def _events(self, experiment: str) -> Iterator[dict[str, Any]]:
        columns = {
            variant: [
                events
                for one in self.runs.of(Case(experiment, variant)).values()
                for events in timeline.each(one.path, one.absences)
            ]
            for variant in (TCP_F, FSR)
        }
        for name, told in EVENTS.items():
            row = {"event": told}
            for variant, found in columns.items():
                times = [value for events in found if (value := getattr(events, name)) is not None]
                share = len(times) / len(found)
                row[NAMES[variant]] = _cell(times) + (f" ({share:.0%})" if 0 < share < 1 else "")
            yield row

    def _changes(self) -> Iterator[dict[str, Any]]:
        """A row per claim that some other setting can tell about."""
        for id_, measure in MEASURES.items():
            found = {name: other for name, other in self._otherwise(measure) if name in self.others}
            base = measure.find(self.runs).value.mean
            for name, other in found.items():
                yield {
                    "claim": id_,
                    "setting": name,
                    "measured": f"{other.value.mean:.3g}",
                    "as committed": f"{base:.3g}",
                }


def _found(measure: Measure, runs: Runs) -> Finding | None:
    try:
        return measure.find(runs)
    except MissingError:
        return None


def _rows(runs: Runs, *, told: bool = False) -> Iterator[dict[str, Any]]:
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
        if told:
            cells = {name.replace("_", " "): _cell(values) for name, values in numbers.items()}
            yield {**head, "speed_mps": f"{case.speed:g}" if case.speed else "-", **cells}
        else:
            yield {**head, "runs": len(ones), **{name: sum(each) / len(each) for name, each in numbers.items()}}


def _cell(values: Sequence[float]) -> str:
    found = statistics.estimate(values)
    if found is None:
        return "-"
    return f"{found.mean:.3g}" + (f" ± {found.half_width:.2g}" if found.half_width else "")


def _sheet(rows: list[dict[str, Any]]) -> Sheet:
    return Sheet(tables.from_rows(rows))
