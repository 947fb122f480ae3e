"""Controlled experiments: causes of what is missed, each switched off, and what becomes of the claims then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from farlink.studies.claims import Claim
from farlink.studies.runs import MissingError
from farlink.studies.verdict import accepts
from farlink.studies.written import ends

from farlink_studies.manet.findings import CHANGES, MEASURES, TRENDS, Measure, change_over_sweep, is_sure
from farlink_studies.manet.runs import METRICS, UNITS, Case, Runs, SeedResult

WORDS = {
    "calm": "no shadowing",
    "near": "ends 100 m apart",
    "apart": "ends 250 m apart",
    "calm_apart": "no shadowing, ends 250 m apart",
    "sender": "constant bit rate",
    "steady": "no shadowing, ends 250 m apart, constant bit rate",
    "small": "no shadowing, ends 250 m apart, windows of 4 packets",
    "thin": "no shadowing, ends 250 m apart, half the range",
    "thin_steady": "no shadowing, ends 250 m apart, half the range, constant bit rate",
    "near_steady": "ends 100 m apart, constant bit rate",
}
"""The experiments, by the word that explanations use."""
SHORT = {"throughput": "throughput", "goodput": "goodput", "packets dropped": "drops", "delay": "delay"}


def metric_rows(claims: Sequence[Claim], named: Mapping[str, Runs]) -> Iterator[dict[str, Any]]:
    """What becomes of each metric over each sweep under each setting; `*` where the claim about it holds then."""
    by_id = {claim.id: claim for claim in claims}
    for sweep in UNITS:
        published = {name: by_id[CHANGES[sweep, name]].published for name in METRICS}
        yield {"over": UNITS[sweep], "switched off": "(published)", **published, "all four": "", "seeds": ""}
        for setting, runs in named.items():
            try:
                values = {name: MEASURES[CHANGES[sweep, name]].find(runs).value for name in METRICS}
                whole = MEASURES[TRENDS[sweep]].find(runs).value
            except MissingError:
                continue
            is_met = {name: accepts(by_id[CHANGES[sweep, name]], value) for name, value in values.items()}
            yield {
                "over": UNITS[sweep],
                "switched off": setting,
                **{name: ends(value, "+") + (" *" if is_met[name] else "") for name, value in values.items()},
                "all four": "*" if accepts(by_id[TRENDS[sweep]], whole) else "",
                "seeds": str(whole.count if whole.count > 1 else min(value.count for value in values.values())),
            }


def of_claim(measure: Measure, experiments: Mapping[str, Runs]) -> dict[str, str]:
    """What becomes of a claim, and of the four metrics over its sweep, in each experiment, by the word for it."""
    facts: dict[str, str] = {}
    for word, name in WORDS.items():
        if name not in experiments:
            continue
        runs = experiments[name]
        with suppress(MissingError):
            facts |= {f"{word}_{fact}": text for fact, text in _of_sweep(runs, measure.sweep)}
        with suppress(MissingError):
            found = measure.find(runs)
            facts |= {word: ends(found.value, "+"), f"{word}_note": found.note}
    return facts


def _of_sweep(runs: Runs, sweep: str) -> Iterator[tuple[str, str]]:
    variants = runs.variants()
    for metric, short in SHORT.items():
        found = change_over_sweep(runs, METRICS[metric], sweep, variants)
        yield short, ends(found.value, "+")
        yield f"{short}_first", f"{found.first:.3g}"
        yield f"{short}_last", f"{found.last:.3g}"
    trend = MEASURES[TRENDS[sweep]].find(runs).value
    yield "whole", f"{'change' if is_sure(trend, 1) else 'do not all change'} significantly as published"
    levels = runs.levels(sweep)
    for word, level in (("first", levels[0]), ("last", levels[-1])):
        ones = [one for variant in variants for one in runs.of(Case(sweep, level, variant)).values()]
        yield f"open_{word}", f"{sum(one.delivering for one in ones)} of {sum(one.connections for one in ones)}"
        yield f"links_{word}", f"{_at_links(ones):.0%}"


def _at_links(ones: Sequence[SeedResult]) -> float:
    """The share of the drops that are neighbours who did not answer."""
    dropped = sum(one.dropped for one in ones)
    return sum(one.drops.get("link_failure", 0) for one in ones) / dropped if dropped else 0.0
