"""The study as a whole: every claim judged, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from farlink import statistics, tables
from farlink.results import Results
from farlink.sheet import Sheet
from farlink.studies import explanation
from farlink.studies.claims import Claim
from farlink.studies.given import Read
from farlink.studies.study import Beyond
from farlink.studies.underwater import causes, findings, further
from farlink.studies.underwater import runs as reading
from farlink.studies.underwater.findings import MEASURES, Find
from farlink.studies.underwater.runs import NAMES, Case, MissingError, One, Runs
from farlink.studies.verdict import Finding, Judgement, accepts, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIPE = "uw_pipe"
"""The case of the settings that is the other combination that agrees with the paper's text."""


class Underwater(Read[Runs]):
    """What the runs of the study say."""

    def _read(self, parts: Mapping[str, Results]) -> Runs:
        return reading.of_results(parts)

    @cached_property
    def _has_beyond(self) -> bool:
        return set(self._more) == {name for name, _ in self._settings.beyond()}

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(causes.WORDS)
        facts = causes.of_runs(self.runs)
        if self._has_beyond:
            facts |= further.facts(self._more)
        return [self._judge(claim, explanation.told(words.get(claim.id, ()), facts)) for claim in claims]

    def _judge(self, claim: Claim, cause: str) -> Judgement:
        find = MEASURES[claim.id]
        return judge(
            claim,
            find(self.runs),
            cause=cause,
            otherwise=[name for name, found in self._otherwise(find) if accepts(claim, found.value)],
        )

    def _otherwise(self, find: Find) -> Iterator[tuple[str, Finding]]:
        """The same claim under the settings that have the runs it needs."""
        for name, other in self.others.items():
            if found := _found(find, other):
                yield name, found

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 3 and 4, redrawn."""
        from farlink.studies.underwater import drawing

        yield from drawing.figures(self.runs)
        if PIPE in self.others:
            yield from drawing.figures(self.others[PIPE], f" with {PIPE}")

    def tables(self) -> Iterator[tuple[str, Sheet]]:
        """What every case did, the claims with uw_pipe, and under every other setting."""
        yield "Every case, mean and half-width of the 95 % interval", _sheet(list(_rows(self.runs, told=True)))
        yield "Every claim in both combinations and under every other setting", _sheet(list(self._changes()))

    def beyond(self) -> Beyond | None:
        """What the paper did not ask; None where that was not run."""
        return further.beyond(self._more) if self._has_beyond else None

    def data(self) -> Iterator[tuple[str, Sheet]]:
        """Every case with its means, under the study's settings and under every other."""
        rows = [{"setting": "as committed", **row} for row in _rows(self.runs)]
        for name, other in self.others.items():
            rows += [{"setting": name, **row} for row in _rows(other)]
        yield "cases", _sheet(rows)

    def _changes(self) -> Iterator[dict[str, Any]]:
        for id_, find in MEASURES.items():
            row = {"claim": id_, "as committed (uw_csma)": findings.written(find(self.runs).value)}
            found = dict(self._otherwise(find))
            yield row | {name: findings.written(found[name].value) if name in found else "-" for name in self.others}


def _found(find: Find, runs: Runs) -> Finding | None:
    try:
        return find(runs)
    except MissingError:
        return None


def _rows(runs: Runs, *, told: bool = False) -> Iterator[dict[str, Any]]:
    """A row per case: means of what was counted, for people with their intervals."""
    for case, ones in runs.all():
        numbers = _numbers(list(ones.values()))
        if told:
            yield {**_head(case), **{name.replace("_", " "): _cell(values) for name, values in numbers.items()}}
        else:
            means = {name: sum(values) / len(values) for name, values in numbers.items()}
            yield {**_head(case), "runs": len(ones), **means}


def _head(case: Case) -> dict[str, Any]:
    return {
        "hops": case.hops,
        "variant": NAMES[case.variant],
        "size_bytes": case.size,
        "window_packets": case.window,
    }


def _numbers(ones: Sequence[One]) -> dict[str, list[float]]:
    return {
        "throughput_kbps": [one.throughput for one in ones],
        "arrival_percent": [one.arrival for one in ones],
        "rtt_mean_s": [one.rtt_mean_s for one in ones],
        "rtt_max_s": [one.rtt_max_s for one in ones],
        "timeouts": [float(one.timeouts) for one in ones],
        "fast_retransmits": [float(one.fast_retransmits) for one in ones],
        "sent_again": [float(one.repeated) for one in ones],
        "queue_full": [float(one.drops.get("queue_full", 0)) for one in ones],
        "link_failure": [float(one.drops.get("link_failure", 0)) for one in ones],
    }


def _cell(values: Sequence[float]) -> str:
    found = statistics.estimate(values)
    assert found is not None, "every case has a seed"
    return f"{found.mean:.3g}" + (f" ± {found.half_width:.2g}" if found.half_width else "")


def _sheet(rows: list[dict[str, Any]]) -> Sheet:
    return Sheet(tables.from_rows(rows))
