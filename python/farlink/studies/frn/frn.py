"""The study as a whole: every claim judged, the figures, what happened in the air, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink import statistics, tables
from farlink.sheet import Sheet
from farlink.studies import claims, explanation
from farlink.studies.claims import Claim
from farlink.studies.frn import causes, isolated
from farlink.studies.frn import runs as reading
from farlink.studies.frn.experiments import beyond
from farlink.studies.frn.findings import MEASURES
from farlink.studies.frn.measuring import Measure
from farlink.studies.frn.runs import MissingError, One, Runs
from farlink.studies.given import Given
from farlink.studies.study import Beyond
from farlink.studies.verdict import Finding, Judgement, accepts, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CLAIMS = Path(__file__).parent / "claims.csv"
AGE = "tries of the last 5 s"
ASK = "why: `--beyond` runs the experiments that say so"
WITHOUT_START = "the first 2 000 slots not counted"


class Frn(Given):
    """What the runs of the study say."""

    @cached_property
    def runs(self) -> Runs:
        """The runs under the study's settings."""
        return reading.of_results(self._committed().values())

    @cached_property
    def others(self) -> dict[str, Runs]:
        """The runs of every other setting."""
        found = {case: reading.of_results(parts.values()) for case, parts in self._otherwise_set().items()}
        if AGE in found:
            # Fixed intervals look at no tries, so that their age changes nothing.
            found[AGE] = found[AGE].with_fixed(self.runs)
        for case, runs in self._of_causes.items():
            if case.startswith(isolated.ELSEWHERE):
                name = case.removeprefix(isolated.ELSEWHERE)
                found[name] = found[name].besides(runs) if name in found else runs
        if isolated.START in self.experiments:
            found[WITHOUT_START] = self.runs.without_start(self.experiments[isolated.START])
        return found

    @cached_property
    def experiments(self) -> dict[str, Runs]:
        """The runs of every experiment that isolates a cause."""
        made = self._of_causes.items()
        return {case: runs for case, runs in made if not case.startswith(isolated.ELSEWHERE)}

    @cached_property
    def _of_causes(self) -> dict[str, Runs]:
        """The runs of all that stands in `causes.toml`."""
        return {case: reading.of_results(parts.values()) for case, parts in self._isolated().items()}

    @cached_property
    def _by_setting(self) -> dict[str, Runs]:
        """The runs under the study's settings and in every experiment."""
        experiments = {name: runs for name, runs in self.experiments.items() if name != isolated.START}
        return {"as committed": self.runs, **experiments}

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(causes.WORDS)
        facts = causes.facts(self.runs, self.experiments) | isolated.of_combining(self._by_setting)
        facts |= isolated.of_changing(self.runs, self.experiments) | isolated.of_random(self.runs)
        found = []
        for claim in claims:
            measure = MEASURES[claim.id]
            others = dict(self._otherwise(measure))
            known = {**facts, **causes.of_others(others), **isolated.of_claim(claim.id, self.experiments)}
            found.append(
                judge(
                    claim,
                    measure.find(self.runs),
                    cause=explanation.told(words.get(claim.id, ()), known) or (ASK if claim.id in words else ""),
                    otherwise=[name for name, other in others.items() if accepts(claim, other.value)],
                )
            )
        return found

    def _otherwise(self, measure: Measure) -> Iterator[tuple[str, Finding]]:
        """The same claim under the settings that have the runs it needs."""
        experiments = {name: runs for name, runs in self.experiments.items() if name in isolated.SWITCHED}
        for name, other in {**self.others, **experiments}.items():
            try:
                yield name, measure.find(other)
            except MissingError:
                continue

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 6 to 10 and 14 to 23, redrawn, and some of them without copies."""
        from farlink.studies.frn import drawing

        yield from drawing.figures(self.runs)
        try:
            yield from drawing.without_copies(self.experiments.get(isolated.NO_COPIES, Runs({})))
        except MissingError:
            return

    def tables(self) -> Iterator[tuple[str, Sheet]]:
        """What happened in the air, and the claims under every other setting."""
        yield "What happened in the air, ACK per packet", _sheet(list(causes.in_the_air(self.runs)))
        yield "Open points another way: what is measured for each claim", _sheet(list(self._changes()))
        for caption, rows in self._experiments():
            if rows:
                yield caption, _sheet(rows)

    def _experiments(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Causes by themselves."""
        yield (
            "Causes switched off, * where the claim holds then",
            list(isolated.claims_otherwise(claims.read(CLAIMS), self.experiments)),
        )
        yield (
            "What makes copies, 3-17, at most four retransmissions",
            list(isolated.copies(self.runs, self.experiments)),
        )
        yield "What combined frames save, 3-17, ACK per packet", list(isolated.combining(self._by_setting))
        yield "Random connections, 3-17", list(isolated.at_random(self.runs))
        named = {"as committed": self.runs}
        if isolated.NO_COPIES in self.experiments:
            named[isolated.NO_COPIES] = self.experiments[isolated.NO_COPIES]
        yield "Intervals that change against fixed ones", list(isolated.changing(named))

    def beyond(self) -> Beyond | None:
        """What the thesis did not ask."""
        return beyond(self._more)

    def data(self) -> Iterator[tuple[str, Sheet]]:
        """Every case with its means, under the study's settings and under every other."""
        rows = [{"setting": "as committed", **row} for row in _rows(self.runs)]
        for name, other in {**self.others, **self.experiments}.items():
            rows += [{"setting": name, **row} for row in _rows(other)]
        yield "cases", _sheet(rows)

    def _changes(self) -> Iterator[dict[str, Any]]:
        """A row per claim that some other setting can tell about."""
        for id_, measure in MEASURES.items():
            base = measure.find(self.runs).value.mean
            row = {"claim": id_, "as committed": f"{base:.3g}"}
            found = {name: f"{other.value.mean:.3g}" for name, other in self._otherwise(measure) if name in self.others}
            if found:
                yield row | {name: found.get(name, "-") for name in self.others}


def _rows(runs: Runs) -> Iterator[dict[str, Any]]:
    """A row per case."""
    for case, ones in runs.all():
        throughput = statistics.estimate([one.throughput for one in ones.values()])
        assert throughput is not None, "every case has a run"
        yield {
            **case._asdict(),
            "runs": len(ones),
            "packets_per_slot": throughput.mean,
            "half_width": throughput.half_width,
            "timeouts": _mean(ones, "timeouts"),
            "frames": _mean(ones, "frames"),
            "tries": _mean(ones, "tries"),
            "frames_combined": _mean(ones, "combined"),
            "packets_again": _mean(ones, "again"),
            "failed_attempts": sum(sum(one.failed.values()) for one in ones.values()) / len(ones),
            "dropped": sum(sum(one.drops.values()) for one in ones.values()) / len(ones),
        }


def _mean(ones: dict[int, One], name: str) -> float:
    return sum(float(getattr(one, name)) for one in ones.values()) / len(ones)


def _sheet(rows: list[dict[str, Any]]) -> Sheet:
    return Sheet(tables.from_rows(rows))
