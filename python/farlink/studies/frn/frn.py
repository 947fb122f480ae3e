"""The study as a whole: every claim judged, the figures, what happened in the air, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from farlink import statistics, tables
from farlink.sheet import Sheet
from farlink.studies import explanation
from farlink.studies.claims import Claim
from farlink.studies.frn import causes
from farlink.studies.frn import runs as reading
from farlink.studies.frn.experiments import beyond
from farlink.studies.frn.findings import MEASURES, Measure
from farlink.studies.frn.runs import MissingError, One, Runs
from farlink.studies.given import Given
from farlink.studies.study import Beyond
from farlink.studies.verdict import Finding, Judgement, accepts, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Frn(Given):
    """What the runs of the study say."""

    @cached_property
    def runs(self) -> Runs:
        """The runs under the study's settings."""
        return reading.of_results(self._committed().values())

    @cached_property
    def others(self) -> dict[str, Runs]:
        """The runs of every other setting."""
        return {case: reading.of_results(found.values()) for case, found in self._otherwise_set().items()}

    @cached_property
    def recognised(self) -> Runs:
        """The counts of retransmissions where duplicates are recognised, as far as they were run."""
        return reading.of_results(found for name, found in self._more.items() if name.startswith("recognised"))

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(causes.WORDS)
        facts = causes.facts(self.runs)
        found = []
        for claim in claims:
            measure = MEASURES[claim.id]
            others = dict(self._otherwise(measure))
            known = {**facts, **causes.of_others(others), **causes.where_recognised(measure, self.recognised)}
            found.append(
                judge(
                    claim,
                    measure.find(self.runs),
                    cause=explanation.told(words.get(claim.id, ()), known),
                    otherwise=[name for name, other in others.items() if accepts(claim, other.value)],
                )
            )
        return found

    def _otherwise(self, measure: Measure) -> Iterator[tuple[str, Finding]]:
        """The same claim under the settings that have the runs it needs."""
        for name, other in self.others.items():
            try:
                yield name, measure.find(other)
            except MissingError:
                continue

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 6 to 10 and 14 to 23, redrawn."""
        from farlink.studies.frn import drawing

        return drawing.figures(self.runs)

    def tables(self) -> Iterator[tuple[str, Sheet]]:
        """What happened in the air, and the claims under every other setting."""
        yield "What happened in the air, ACK per packet", _sheet(list(causes.in_the_air(self.runs)))
        yield "Open points another way: what is measured for each claim", _sheet(list(self._changes()))

    def beyond(self) -> Beyond | None:
        """What the thesis did not ask."""
        return beyond(self._more)

    def data(self) -> Iterator[tuple[str, Sheet]]:
        """Every case with its means, under the study's settings and under every other."""
        rows = [{"setting": "as committed", **row} for row in _rows(self.runs)]
        for name, other in self.others.items():
            rows += [{"setting": name, **row} for row in _rows(other)]
        yield "cases", _sheet(rows)

    def _changes(self) -> Iterator[dict[str, Any]]:
        """A row per claim that some other setting can tell about."""
        for id_, measure in MEASURES.items():
            base = measure.find(self.runs).value.mean
            row = {"claim": id_, "as committed": f"{base:.3g}"}
            found = {name: f"{other.value.mean:.3g}" for name, other in self._otherwise(measure)}
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
            "failed_tries": sum(sum(one.failed.values()) for one in ones.values()) / len(ones),
            "dropped": sum(sum(one.drops.values()) for one in ones.values()) / len(ones),
        }


def _mean(ones: dict[int, One], name: str) -> float:
    return sum(float(getattr(one, name)) for one in ones.values()) / len(ones)


def _sheet(rows: list[dict[str, Any]]) -> Sheet:
    return Sheet(tables.from_rows(rows))
