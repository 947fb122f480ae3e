"""The study as a whole: every claim judged, the ranking, the figures, the open points another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable
from farlink.studies.claims import Claim
from farlink.studies.experiments import Experiments
from farlink.studies.inputs import AS_COMMITTED, Inputs
from farlink.studies.runs import MissingError
from farlink.studies.single_runs import SingleRuns
from farlink.studies.verdict import Finding
from farlink.studies.written import half_width, t_half_width

from farlink_studies.manet import explanations, findings, ranking
from farlink_studies.manet import runs as reading
from farlink_studies.manet.experiments import controlled, suggestions
from farlink_studies.manet.experiments.connectivity import DENSITY, OPENING, Connecting
from farlink_studies.manet.experiments.many_seeds import GRIDS, SWEEPS, Many, grid_name
from farlink_studies.manet.findings import COUNT, MEASURES, change_over_sweep, experiment_count
from farlink_studies.manet.nearness import Pairs
from farlink_studies.manet.readings import ALTERNATIVES, PER_CONNECTION, PER_PACKET
from farlink_studies.manet.runs import METRICS, NAMES, UNITS, VARIANTS, Case, Metric, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEWEST_OF_PEER = 10
"""Seeds of ns-2 below which it is not asked: changes of what two or three pairs do are alike by chance."""


class Manet(Inputs[Runs]):
    """What the runs of the study say."""

    read_results = staticmethod(reading.of_results)
    find_all = staticmethod(findings.find_all)
    data_name = "metrics"
    peer_runs = "runs of 100 s"

    @cached_property
    def peer(self) -> Runs:
        """What ns-2 was recorded to do at the ends of the sweeps."""
        return reading.of_ns2(self.folder / "ns2" / "measured.json").estimated_by(self._settings.estimator)

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

    @cached_property
    def found(self) -> dict[str, Finding]:
        """What the runs say of each claim; the number of experiments, too."""
        return {**self.find_all(self.runs, {}), COUNT: experiment_count(self.runs)}

    def finding(self, claim: Claim) -> Finding:
        """What the runs say of a claim, and in how many single seeds it holds."""
        found = super().finding(claim)
        if not claim.counted:
            return found
        return replace(found, note=f"{found.note}; {self._single_seeds[claim.id]} single seeds meet it")

    @cached_property
    def _single_seeds(self) -> dict[str, SingleRuns]:
        """Every claim by each seed alone."""
        return self.single_runs([*self.claims.values()])

    @cached_property
    def found_by_peer(self) -> dict[str, Finding]:
        """The claims in ns-2, where it was recorded often enough to tell anything."""
        found = self.find_all(self.peer, {})
        return {claim: each for claim, each in found.items() if each.value.count >= FEWEST_OF_PEER}

    def reproduced_with(self, claim: Claim, others: Mapping[str, Finding]) -> list[str]:
        """The other settings that meet a claim."""
        # Of a trend other settings have the ends only, which cannot show that no step goes back.
        return [] if claim.kind == "trend" else super().reproduced_with(claim, others)

    def facts(self, claim: Claim, others: Mapping[str, Finding]) -> Mapping[str, str]:
        """The numbers that the explanation of a claim may name."""
        measure, readings = MEASURES[claim.id], ALTERNATIVES["packets dropped"]
        per_packet, per_connection = (
            change_over_sweep(self.runs, readings[how], measure.of) for how in (PER_PACKET, PER_CONNECTION)
        )
        return {
            **explanations.of_sweep(self.runs, self.pairs, measure.of),
            **explanations.of_seeds(self._single_seeds[claim.id]),
            **explanations.of_others(others),
            **explanations.of_same_pairs(self.runs),
            **(self.connecting.facts() if self.connecting else {}),
            **explanations.of_delay(self.runs, measure.of),
            **self.many.facts(measure),
            **controlled.of_claim(measure, self.controlled),
            "per_packet": f"{per_packet.value.mean:+.3g}",
            "per_connection": f"{per_connection.value.mean:+.3g}",
        }

    @property
    def tried(self) -> dict[str, Runs]:
        """The runs of all settings, and of ns-2."""
        return {AS_COMMITTED: self.runs, **self.others, "in ns-2, 100 s": self.peer}

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Figures 2 to 5, redrawn, and the ranking."""
        from farlink_studies.manet import drawing

        yield from drawing.figures(self.runs)
        points = self.runs.points()
        groups = {"all points": points} | {
            f"over {UNITS[sweep]}": [point for point in points if point[0] == sweep] for sweep in UNITS
        }
        ranked = {name: ranking.rank_variants(self.runs, METRICS["goodput"], group) for name, group in groups.items()}
        caption = "Figure 6: goodput of each variant against the mean of the seven (not in the paper)"
        yield caption, drawing.draw_ranking(ranked)
        caption = "Figure 7: goodput of every connection over the time its ends are near each other (not in the paper)"
        yield caption, drawing.draw_nearness(self.pairs)

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """The ranking, the four metrics, and the changes under every other setting and reading."""
        yield (
            "Ranking by goodput: rank, and excess over the mean of the seven, with its 95 % interval (*: significant)",
            ReportTable.of(ranking.ranking_rows(self.runs, METRICS["goodput"])),
        )
        for name, metric in METRICS.items():
            unit = {"packets dropped": "packets per run", "delay": "s"}.get(name, "kbit/s")
            yield f"{name.capitalize()} [{unit}], mean and 95 % CI", ReportTable.of(self._metric_rows(metric))
        yield "State at the ends of the sweeps", ReportTable.of(explanations.sender_states(self.runs))
        caption = f"One seed per point, as in the paper: the claims by each of {len(self.runs.seeds())} seeds alone"
        yield caption, ReportTable.of(self._single_seed_rows())
        caption = "Alternative settings: change from the lowest to the highest level [%]"
        yield caption, ReportTable.of(self._sensitivity_rows())
        if self.controlled:
            named = {"nothing": self.many.committed, **self.controlled}
            yield (
                "Control experiments: change from the lowest to the highest level [%], NewReno unless noted, runs of "
                "100 s; * where the claim then holds",
                ReportTable.of(controlled.metric_rows(self.claims, named)),
            )

    def experiments(self) -> Experiments | None:
        """The paper's two suggestions, tried, and why connections open; what of it was run."""
        others = {OPENING, DENSITY, *(grid_name(how, sweep) for how in GRIDS for sweep in SWEEPS)}
        tried = {name: results for name, results in self._additional.items() if name not in others}
        parts = (
            suggestions.report(tried, self.runs) if tried else None,
            self.connecting.report() if self.connecting else None,
            self.many.report(),
        )
        return Experiments.of([part for part in parts if part])

    def case_rows(self, runs: Runs) -> Iterator[dict[str, Any]]:
        """Every case with its means, intervals and drops."""
        for case, ones in runs.all():
            row: dict[str, Any] = {**case._asdict(), "runs": len(ones)}
            for name, metric in METRICS.items():
                made = runs.estimator(runs.known(case, metric))
                label = {"packets dropped": "packets_dropped", "delay": "delay_s"}.get(name, f"{name}_kbps")
                ends = {f"{label}_low": made and made.low, f"{label}_high": made and made.high}
                row |= {label: made and made.mean, **ends}
            for of in sorted(reading.GIVEN_UP):
                row[f"dropped_{of}"] = sum(one.drops.get(of, 0) for one in ones.values()) / len(ones)
            yield row

    def _single_seed_rows(self) -> Iterator[dict[str, Any]]:
        for claim in self.claims.values():
            if claim.counted:
                found = self._single_seeds[claim.id]
                yield {
                    "claim": claim.id,
                    "published": claim.published,
                    "lowest seed": f"{min(found.means):.3g}",
                    "median": f"{median(found.means):.3g}",
                    "highest": f"{max(found.means):.3g}",
                    "seeds that meet it": str(found),
                }

    def _metric_rows(self, metric: Metric) -> Iterator[dict[str, str]]:
        for sweep, level in self.runs.points():
            known = {NAMES[name]: self.runs.known(Case(sweep, level, name), metric) for name in VARIANTS}
            cells = {name: t_half_width(values) for name, values in known.items()}
            yield {"condition": f"{level:g} {UNITS[sweep]}", **cells}

    def _sensitivity_rows(self) -> Iterator[dict[str, Any]]:
        for sweep in UNITS:
            for name, metric in METRICS.items():
                alternatives = {how: (self.runs, other) for how, other in ALTERNATIVES.get(name, {}).items()}
                settings = {setting: (runs, metric) for setting, runs in self.tried.items()}
                made = {AS_COMMITTED: settings.pop(AS_COMMITTED), **alternatives, **settings}
                for setting, (runs, of) in made.items():
                    try:
                        found = change_over_sweep(runs, of, sweep)
                    except MissingError:
                        continue
                    change = f"{half_width(found.value, '+')} ({found.first:.3g} to {found.last:.3g})"
                    yield {"over": UNITS[sweep], "metric": name, "setting": setting, "change": change}
