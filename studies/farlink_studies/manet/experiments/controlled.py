"""Controlled experiments: causes of what is missed, each switched off, and what becomes of the claims then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from farlink.studies.claims import Claim
from farlink.studies.comparisons import is_sure
from farlink.studies.measures import Measure, find_each
from farlink.studies.runs import MissingError
from farlink.studies.verdict import accepts
from farlink.studies.written import ends

from farlink_studies.manet.findings import CHANGES, MEASURES, TRENDS, change_over_sweep
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


def metric_rows(claims: Mapping[str, Claim], named: Mapping[str, Runs]) -> Iterator[dict[str, Any]]:
    """What becomes of each metric over each sweep under each setting; `*` where the claim about it holds then."""
    for sweep in UNITS:
        head = {"over": UNITS[sweep]}
        numbers = {name: CHANGES[sweep, name] for name in METRICS}
        published = {name: claims[number].published for name, number in numbers.items()}
        yield {**head, "switched off": "(published)", **published, "all four": "", "seeds": ""}
        for setting, runs in named.items():
            found = find_each({number: MEASURES[number] for number in (*numbers.values(), TRENDS[sweep])}, runs)
            if len(found) <= len(numbers):
                continue
            values = {number: each.value for number, each in found.items()}
            stars = {number: " *" if accepts(claims[number], value) else "" for number, value in values.items()}
            whole = values[TRENDS[sweep]]
            cells = {name: ends(values[number], "+") + stars[number] for name, number in numbers.items()}
            count = whole.count if whole.count > 1 else min(values[number].count for number in numbers.values())
            all_four = stars[TRENDS[sweep]].strip()
            yield {**head, "switched off": setting, **cells, "all four": all_four, "seeds": str(count)}


def of_claim(measure: Measure[Runs, str], experiments: Mapping[str, Runs]) -> dict[str, str]:
    """What becomes of a claim, and of the four metrics over its sweep, in each experiment, by the word for it."""
    facts: dict[str, str] = {}
    for word, name in WORDS.items():
        if name not in experiments:
            continue
        runs = experiments[name]
        with suppress(MissingError):
            facts |= {f"{word}_{fact}": text for fact, text in _of_sweep(runs, measure.of)}
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
    levels = runs.levels_of(sweep)
    for word, level in (("first", levels[0]), ("last", levels[-1])):
        ones = [one for variant in variants for one in runs.of(Case(sweep, level, variant)).values()]
        yield f"open_{word}", f"{sum(one.delivering for one in ones)} of {sum(one.connections for one in ones)}"
        yield f"links_{word}", f"{_at_links(ones):.0%}"


def _at_links(ones: Sequence[SeedResult]) -> float:
    """The share of the drops that are neighbours who did not answer."""
    dropped = sum(one.dropped for one in ones)
    return sum(one.drops.get("link_failure", 0) for one in ones) / dropped if dropped else 0.0
