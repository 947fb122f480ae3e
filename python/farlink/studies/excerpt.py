"""The claim table in another page, between two markers, so that nobody types it."""

from __future__ import annotations

from pathlib import Path

from farlink.errors import UsageError
from farlink.files import read_text, write_text
from farlink.studies import page
from farlink.studies.claims import Claim
from farlink.studies.study import Outcome
from farlink.studies.verdict import Judgement


def insert(outcome: Outcome, path: Path) -> None:
    """Put the table between the markers in `path`."""
    first, last = markers(outcome)
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    before, found, rest = text.partition(first)
    _, ended, after = rest.partition(last)
    if not (found and ended):
        raise UsageError(f"{path}: mark the place of the table with a line {first} and below it a line {last}")
    write_text(path, f"{before}{first}\n{table(outcome)}\n{last}{after}")


def markers(outcome: Outcome) -> tuple[str, str]:
    """The lines between which the table stands."""
    return f"<!-- study {outcome.study.name} -->", f"<!-- end of study {outcome.study.name} -->"


def table(outcome: Outcome) -> str:
    """A row per claim, and how it was made."""
    rows = [f"| {' | '.join(_row(each))} |" for each in outcome.judgements]
    reproduced, reproducible = page.score(outcome.judgements)
    score = f"{reproduced} of {reproducible} counted and reproducible claims are reproduced"
    told = f"Made by `{page.command(outcome)}`: {score}."
    return "\n".join([told, "", "| claim | published | measured | verdict |", "|---|---|---|---|", *rows])


def _row(judgement: Judgement) -> list[str]:
    claim = judgement.claim
    return [f"{claim.id} {_words(claim)}", claim.published, _measured(judgement), judgement.verdict]


def _words(claim: Claim) -> str:
    return f"{claim.variants}, {claim.condition}: {claim.claim}"


def _measured(judgement: Judgement) -> str:
    value, unit = judgement.finding.value, judgement.claim.unit
    half = "" if value.low is None or value.high is None else f" ± {(value.high - value.low) / 2:.2g}"
    return f"ratio {value.mean:.3g}{half}" if unit == "ratio" else f"{value.mean:.3g}{half} {unit}"
