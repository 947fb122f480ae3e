"""The study as a whole: every claim judged, the ranking, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies import explanation
from farlink.studies.claims import Claim
from farlink.studies.claims import read as read_claims
from farlink.studies.inputs import Inputs
from farlink.studies.intervals import judged
from farlink.studies.measured import Experiments
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding, Judgement, accepts, judge
from farlink.studies.written import half_width, t_half_width

from farlink_studies.manet import explanations, findings, ranking
from farlink_studies.manet import runs as reading
from farlink_studies.manet.experiments import controlled, suggestions
from farlink_studies.manet.experiments.connectivity import DENSITY, OPENING, Connecting
from farlink_studies.manet.experiments.many_seeds import GRIDS, SWEEPS, Many, grid_name
from farlink_studies.manet.findings import MEASURES, Change, Measure, change_over_sweep
from farlink_studies.manet.nearness import Pairs
from farlink_studies.manet.readings import ALTERNATIVES, PER_CONNECTION, PER_PACKET
from farlink_studies.manet.runs import METRICS, NAMES, UNITS, VARIANTS, Case, Metric, Runs, SeedResult
from farlink_studies.manet.single_seeds import Alone, judge_single_seeds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NS2 = Path(__file__).parent / "ns2" / "measured.json"
CLAIMS = Path(__file__).parent / "claims.csv"
FEWEST_OF_PEER = 10
"""Seeds of ns-2 below which it is not asked: changes of what two or three pairs do are alike by chance."""
PEER_RUNS = "runs of 100 s"


class Manet(Inputs[Runs]):
    """What the runs of the study say."""

    find_all = staticmethod(findings.find_all)

    def read_results(self, parts: Mapping[str, ResultStore]) -> Runs:
        """The runs by case."""
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
        if not {OPENING, DENSITY} <= set(self._additional):
            return None
        return Connecting(self._additional[OPENING], self._additional[DENSITY])

    @cached_property
    def many(self) -> Many:
        """One variant with many seeds."""
        return Many(self._additional)

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""
        words = explanation.read(explanations.WORDS)
        return [self._judge_claim(claim, words.get(claim.id, ())) for claim in claims]

    def _judge_claim(self, claim: Claim, sentences: Sequence[str]) -> Judgement:
        measure = MEASURES[claim.id]
        others = self._findings_of_cases(measure.find, self.others)
        finding = measure.find(self.runs)
        if claim.counted:
            singles = judge_single_seeds(self.runs, claim, measure)
            finding = replace(finding, note=f"{finding.note}; {singles.summary} single seeds meet it")
        return judge(
            claim,
            finding,
            peer=self._of_peer(measure),
            peer_runs=PEER_RUNS,
            cause=explanation.text(sentences, self._facts_of_claim(claim, measure, others)) if sentences else "",
            # Of a trend other settings have the ends only, which cannot show that no step goes back.
            otherwise=[name for name, found in others.items() if claim.kind != "trend" and accepts(claim, found.value)],
        )

    def _facts_of_claim(self, claim: Claim, measure: Measure, others: Mapping[str, Finding]) -> dict[str, str]:
        """The numbers that the explanation of a claim may name."""
        readings = ALTERNATIVES["packets dropped"]
        per_packet, per_connection = (
            change_over_sweep(self.runs, readings[how], measure.sweep) for how in (PER_PACKET, PER_CONNECTION)
        )
        return {
            **explanations.of_sweep(self.runs, self.pairs, measure.sweep),
            **explanations.of_seeds(judge_single_seeds(self.runs, claim, measure)),
            **explanations.of_others(others),
            **explanations.of_same_pairs(self.runs),
            **(self.connecting.facts() if self.connecting else {}),
            **explanations.of_delay(self.runs, measure.sweep),
            **self.many.facts(measure),
            **controlled.of_claim(measure, self.controlled),
            "per_packet": f"{per_packet.value.mean:+.3g}",
            "per_connection": f"{per_connection.value.mean:+.3g}",
        }

    def _of_peer(self, measure: Measure) -> Finding | None:
        """The same claim in ns-2, where it was recorded often enough to tell anything."""
        found = self._findings_of_cases(measure.find, {"ns-2": self.peer}).get("ns-2") if measure.sweep else None
        return found if found and found.value.count >= FEWEST_OF_PEER else None

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 2 to 5, redrawn, and the ranking."""
        from farlink_studies.manet import drawing

        yield from drawing.figures(self.runs)
        points = self.runs.points()
        groups = {"all points": points} | {
            f"over {UNITS[sweep]}": [point for point in points if point[0] == sweep] for sweep in UNITS
        }
        ranked = {name: ranking.rank_variants(self.runs, METRICS["goodput"], group) for name, group in groups.items()}
        yield (
            "Figure 6: goodput of each variant against the mean of the seven (not in the paper)",
            drawing.draw_ranking(ranked),
        )
        yield (
            "Figure 7: goodput of every connection over the time its ends are near each other (not in the paper)",
            drawing.draw_nearness(self.pairs),
        )

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """The ranking, the four metrics, and the changes under every other setting and reading."""
        yield (
            "Ranking by goodput: rank, and excess over the mean of the seven, with its 95 % interval (*: significant)",
            ReportTable.of(ranking.ranking_rows(self.runs, METRICS["goodput"])),
        )
        for name, metric in METRICS.items():
            unit = {"packets dropped": "packets per run", "delay": "s"}.get(name, "kbit/s")
            yield f"{name.capitalize()} [{unit}], mean and 95 % CI", self._metric_table(metric)
        yield "State at the ends of the sweeps", ReportTable.of(explanations.sender_states(self.runs))
        yield (
            f"One seed per point, as in the paper: the claims by each of {len(self.runs.seeds())} seeds alone",
            ReportTable.of([each.row() for each in self._single_seed_rows()]),
        )
        yield (
            "Alternative settings: change from the lowest to the highest level [%]",
            ReportTable.of(self._sensitivity_rows()),
        )
        if self.controlled:
            named = {"nothing": self.many.committed, **self.controlled}
            yield (
                "Control experiments: change from the lowest to the highest level [%], NewReno unless noted, runs of "
                "100 s; * where the claim then holds",
                ReportTable.of(list(controlled.metric_rows(read_claims(CLAIMS), named))),
            )

    def _single_seed_rows(self) -> Iterator[Alone]:
        for claim in read_claims(CLAIMS):
            if claim.counted:
                yield judge_single_seeds(self.runs, claim, MEASURES[claim.id])

    def experiments(self) -> Experiments | None:
        """The paper's two suggestions, tried, and why connections open; what of it was run."""
        others = {OPENING, DENSITY, *(grid_name(how, sweep) for how in GRIDS for sweep in SWEEPS)}
        tried = {name: results for name, results in self._additional.items() if name not in others}
        parts = [suggestions.report(tried)] if tried else []
        if self.connecting:
            parts.append(self.connecting.report())
        if made := self.many.report():
            parts.append(made)
        return Experiments.of(parts)

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """Every case with its means, intervals and drops: under the study's settings, and under every other."""
        rows = list(_case_rows("as committed", self.runs))
        for name, other in {**self.others, "in ns-2, 100 s": self.peer}.items():
            rows += _case_rows(name, other)
        yield "metrics", ReportTable.of(rows)

    def _metric_table(self, metric: Metric) -> ReportTable:
        rows = []
        for sweep, level in self.runs.points():
            row: dict[str, Any] = {"condition": f"{level:g} {UNITS[sweep]}"}
            for variant in VARIANTS:
                row[NAMES[variant]] = _metric_cell(self.runs.of(Case(sweep, level, variant)), metric)
            rows.append(row)
        return ReportTable.of(rows)

    def _sensitivity_rows(self) -> Iterator[dict[str, Any]]:
        for sweep in UNITS:
            readings = {
                name: {"as committed": metric, **ALTERNATIVES.get(name, {})} for name, metric in METRICS.items()
            }
            for name, metrics in readings.items():
                for how, metric in metrics.items():
                    found = change_over_sweep(self.runs, metric, sweep)
                    yield {"over": UNITS[sweep], "metric": name, "setting": how, "change": _format_change(found)}
                for setting, other in {**self.others, "in ns-2, 100 s": self.peer}.items():
                    try:
                        found = change_over_sweep(other, METRICS[name], sweep)
                    except MissingError:
                        continue
                    yield {"over": UNITS[sweep], "metric": name, "setting": setting, "change": _format_change(found)}


def _format_change(found: Change) -> str:
    value = found.value
    return f"{half_width(value, '+')} ({found.first:.3g} to {found.last:.3g})"


def _metric_cell(ones: Mapping[int, SeedResult], metric: Metric) -> str:
    return t_half_width([value for one in ones.values() if (value := metric(one)) is not None])


def _case_rows(setting: str, runs: Runs) -> Iterator[dict[str, Any]]:
    for case, ones in runs.all():
        row: dict[str, Any] = {"setting": setting, **case._asdict(), "runs": len(ones)}
        for name, metric in METRICS.items():
            made = judged([value for one in ones.values() if (value := metric(one)) is not None])
            label = {"packets dropped": "packets_dropped", "delay": "delay_s"}.get(name, f"{name}_kbps")
            row |= {label: made and made.mean, f"{label}_low": made and made.low, f"{label}_high": made and made.high}
        for of in sorted(reading.GIVEN_UP):
            row[f"dropped_{of}"] = sum(one.drops.get(of, 0) for one in ones.values()) / len(ones)
        yield row
