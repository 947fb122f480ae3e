"""The study as a whole: every claim judged, the ranking, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink import statistics, tables
from farlink.results import Results
from farlink.sheet import Sheet
from farlink.studies import explanation
from farlink.studies.claims import Claim
from farlink.studies.claims import read as read_claims
from farlink.studies.given import Read
from farlink.studies.manet import causes, isolated, ranking, suggestions
from farlink.studies.manet import runs as reading
from farlink.studies.manet.alone import Alone, alone
from farlink.studies.manet.connecting import DENSITY, OPENING, Connecting
from farlink.studies.manet.findings import MEASURES, Change, Measure, over
from farlink.studies.manet.many import GRIDS, SWEEPS, Many, grid
from farlink.studies.manet.nearness import Pairs
from farlink.studies.manet.runs import METRICS, NAMES, UNITS, VARIANTS, Case, Metric, MissingError, One, Runs
from farlink.studies.study import Beyond
from farlink.studies.verdict import Finding, Judgement, accepts, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NS2 = Path(__file__).parent / "ns2" / "measured.json"
CLAIMS = Path(__file__).parent / "claims.csv"
FEWEST_OF_PEER = 10
"""Seeds of ns-2 below which it is not asked: changes of what two or three pairs do are alike by luck."""
PEER_RUNS = "runs of 100 s"
PER_PACKET = "per packet of data sent"
PER_CONNECTION = "mean over the connections"
READINGS: Mapping[str, Mapping[str, Metric]] = {
    "throughput": {"sum over the connections": lambda one: one.throughput * one.connections},
    "packets dropped": {
        PER_CONNECTION: lambda one: one.dropped / one.connections,
        PER_PACKET: lambda one: one.dropped / one.sent if one.sent else None,
    },
}
"""What else the paper may mean by its metrics."""


class Manet(Read[Runs]):
    """What the runs of the study say."""

    def _read(self, parts: Mapping[str, Results]) -> Runs:
        return reading.of_results(parts)

    @cached_property
    def peer(self) -> Runs:
        """What ns-2 was recorded to do at the ends of the sweeps."""
        return reading.of_ns2(NS2)

    @cached_property
    def pairs(self) -> Pairs:
        """Every connection with how near its ends were."""
        return Pairs(self.runs, self._settings.scenario(self._effort))

    @cached_property
    def connecting(self) -> Connecting | None:
        """The experiments on why connections open; None where they were not run."""
        if not {OPENING, DENSITY} <= set(self._more):
            return None
        return Connecting(self._more[OPENING], self._more[DENSITY])

    @cached_property
    def many(self) -> Many:
        """One variant with many seeds."""
        return Many(self._more)

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(causes.WORDS)
        return [self._judge(claim, words.get(claim.id, ())) for claim in claims]

    def _judge(self, claim: Claim, sentences: Sequence[str]) -> Judgement:
        measure = MEASURES[claim.id]
        others = dict(self._otherwise(measure))
        finding = measure.find(self.runs)
        if claim.counted:
            singles = alone(self.runs, claim, measure)
            finding = replace(finding, note=f"{finding.note}; {singles.tally} seeds alone meet it")
        return judge(
            claim,
            finding,
            peer=self._of_peer(measure),
            peer_runs=PEER_RUNS,
            cause=explanation.told(sentences, self._facts(claim, measure, others)) if sentences else "",
            # Of a trend other settings have the ends only, which cannot show that no step goes back.
            otherwise=[name for name, found in others.items() if claim.kind != "trend" and accepts(claim, found.value)],
        )

    def _facts(self, claim: Claim, measure: Measure, others: Mapping[str, Finding]) -> dict[str, str]:
        """The numbers that the explanation of a claim may name."""
        readings = READINGS["packets dropped"]
        per_packet, per_connection = (
            over(self.runs, readings[how], measure.sweep) for how in (PER_PACKET, PER_CONNECTION)
        )
        return {
            **causes.of_sweep(self.runs, self.pairs, measure.sweep),
            **causes.of_seeds(alone(self.runs, claim, measure)),
            **causes.of_others(others),
            **causes.of_same_pairs(self.runs),
            **(self.connecting.facts() if self.connecting else {}),
            **causes.of_delay(self.runs, measure.sweep),
            **self.many.facts(measure),
            **isolated.of_claim(measure, self.experiments),
            "per_packet": f"{per_packet.value.mean:+.3g}",
            "per_connection": f"{per_connection.value.mean:+.3g}",
        }

    def _of_peer(self, measure: Measure) -> Finding | None:
        """The same claim in ns-2, where it was recorded often enough to tell anything."""
        found = _found(measure, self.peer) if measure.sweep else None
        return found if found and found.value.count >= FEWEST_OF_PEER else None

    def _otherwise(self, measure: Measure) -> Iterator[tuple[str, Finding]]:
        """The same claim under the settings that have the runs it needs."""
        for name, other in self.others.items():
            if found := _found(measure, other):
                yield name, found

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 2 to 5, redrawn, and the ranking."""
        from farlink.studies.manet import drawing

        yield from drawing.figures(self.runs)
        points = self.runs.points()
        groups = {"all points": points} | {
            f"over {UNITS[sweep]}": [point for point in points if point[0] == sweep] for sweep in UNITS
        }
        ranked = {name: ranking.ranked(self.runs, METRICS["goodput"], group) for name, group in groups.items()}
        yield (
            "Figure 6: goodput of each variant against the mean of the seven (not in the paper)",
            drawing.ranks(ranked),
        )
        yield (
            "Figure 7: goodput of every connection over the time its ends are near each other (not in the paper)",
            drawing.nearness(self.pairs),
        )

    def tables(self) -> Iterator[tuple[str, Sheet]]:
        """The ranking, the four metrics, and the changes under every other setting and reading."""
        yield (
            "Ranking by goodput: place, and by how much a variant exceeds the mean of the seven, with its 95 % "
            "interval (*: for sure)",
            _sheet(ranking.rows(self.runs, METRICS["goodput"])),
        )
        for name, metric in METRICS.items():
            unit = {"packets dropped": "packets per run", "delay": "s"}.get(name, "kbit/s")
            yield f"{name.capitalize()} [{unit}], mean and half-width of the 95 % interval", self._metric(metric)
        yield "What the ends of the sweeps are made of", _sheet(list(causes.states(self.runs)))
        yield (
            f"One seed per point, as in the paper: the claims by each of {len(self.runs.seeds())} seeds alone",
            _sheet([each.row() for each in self._alone()]),
        )
        yield "Open points another way: change from the lowest to the highest level [%]", _sheet(list(self._changes()))
        if self.experiments:
            named = {"nothing": self.many.committed, **self.experiments}
            yield (
                "Causes switched off: change from the lowest to the highest level [%], NewReno unless said, runs of "
                "100 s; * where the claim holds then",
                _sheet(list(isolated.rows(read_claims(CLAIMS), named))),
            )

    def _alone(self) -> Iterator[Alone]:
        for claim in read_claims(CLAIMS):
            if claim.counted:
                yield alone(self.runs, claim, MEASURES[claim.id])

    def beyond(self) -> Beyond | None:
        """The paper's two suggestions, tried, and why connections open; what of it was run."""
        causes = {OPENING, DENSITY, *(grid(how, sweep) for how in GRIDS for sweep in SWEEPS)}
        tried = {name: results for name, results in self._more.items() if name not in causes}
        parts = [suggestions.beyond(tried)] if tried else []
        if self.connecting:
            parts.append(self.connecting.beyond())
        if told := self.many.beyond():
            parts.append(told)
        return Beyond.of(parts)

    def data(self) -> Iterator[tuple[str, Sheet]]:
        """Every case with its means, intervals and drops: under the study's settings, and under every other."""
        rows = list(_rows("as committed", self.runs))
        for name, other in {**self.others, "in ns-2, 100 s": self.peer}.items():
            rows += _rows(name, other)
        yield "metrics", _sheet(rows)

    def _metric(self, metric: Metric) -> Sheet:
        rows = []
        for sweep, level in self.runs.points():
            row: dict[str, Any] = {"condition": f"{level:g} {UNITS[sweep]}"}
            for variant in VARIANTS:
                row[NAMES[variant]] = _cell(self.runs.of(Case(sweep, level, variant)), metric)
            rows.append(row)
        return _sheet(rows)

    def _changes(self) -> Iterator[dict[str, Any]]:
        for sweep in UNITS:
            readings = {name: {"as committed": metric, **READINGS.get(name, {})} for name, metric in METRICS.items()}
            for name, metrics in readings.items():
                for how, metric in metrics.items():
                    found = over(self.runs, metric, sweep)
                    yield {"over": UNITS[sweep], "metric": name, "setting": how, "change": _change(found)}
                for setting, other in {**self.others, "in ns-2, 100 s": self.peer}.items():
                    try:
                        found = over(other, METRICS[name], sweep)
                    except MissingError:
                        continue
                    yield {"over": UNITS[sweep], "metric": name, "setting": setting, "change": _change(found)}


def _found(measure: Measure, runs: Runs) -> Finding | None:
    try:
        return measure.find(runs)
    except MissingError:
        return None


def _change(found: Change) -> str:
    value = found.value
    half = "" if value.low is None or value.high is None else f" ± {(value.high - value.low) / 2:.2g}"
    return f"{value.mean:+.3g}{half} ({found.first:.3g} to {found.last:.3g})"


def _cell(ones: Mapping[int, One], metric: Metric) -> str:
    found = statistics.estimate([value for one in ones.values() if (value := metric(one)) is not None])
    if found is None:
        return "-"
    return f"{found.mean:.3g}" + (f" ± {found.half_width:.2g}" if found.half_width else "")


def _rows(setting: str, runs: Runs) -> Iterator[dict[str, Any]]:
    for case, ones in runs.all():
        row: dict[str, Any] = {"setting": setting, **case._asdict(), "runs": len(ones)}
        for name, metric in METRICS.items():
            made = statistics.interval([value for one in ones.values() if (value := metric(one)) is not None])
            label = {"packets dropped": "packets_dropped", "delay": "delay_s"}.get(name, f"{name}_kbps")
            row |= {
                label: made and made.mean,
                f"{label}_low": made and made.low,
                f"{label}_high": made and made.high,
            }
        for of in sorted(reading.GIVEN_UP):
            row[f"dropped_{of}"] = sum(one.drops.get(of, 0) for one in ones.values()) / len(ones)
        yield row


def _sheet(rows: list[dict[str, Any]]) -> Sheet:
    return Sheet(tables.from_rows(rows))
