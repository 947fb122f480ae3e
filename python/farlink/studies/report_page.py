"""A study's report: its verdicts, with tables, figures and what people write about them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from farlink._farlink import __version__
from farlink.results.report_table import ReportTable
from farlink.studies import pages
from farlink.studies.experiments import Experiments
from farlink.studies.multiverse.classes import Advice
from farlink.studies.pages import FIGURES, TABLES, Picture
from farlink.studies.verdict import Judgement, Verdict
from farlink.system.files import read_text

if TYPE_CHECKING:
    from farlink.studies.study import Outcome

KEPT = ("headline", "analysis", "notes")
"""The parts of `report.md` that people write, each between two markers."""


def write(outcome: Outcome, folder: Path) -> None:
    """Write `report.html`, `report.md` and the folders `figures` and `tables` (CSV) into `folder`.

    An earlier `report.md` there keeps the parts `KEPT`.
    """
    for part in (FIGURES, TABLES):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for name, table in _report_tables(outcome):
        table.save(folder / TABLES / f"{name}.csv")
    experiments = outcome.measured.experiments() or Experiments([], [])
    figures = [Picture(*each) for each in outcome.measured.figures()]
    more = [Picture(*each) for each in experiments.figures]
    values = {
        "outcome": outcome,
        "settings": outcome.study.settings,
        "judgements": outcome.judgements,
        "command": command_line(outcome),
        "farlink": __version__,
        "verdicts": count_verdicts(outcome.judgements),
        "unsure": sum(each.claim.counted and each.is_unsure for each in outcome.judgements),
        "undecided": sum(each.claim.counted and each.is_undecided for each in outcome.judgements),
        "single_runs": outcome.single_runs,
        "alone": _count_single_runs(outcome),
        "corrected": {each.claim.id: each for each in outcome.corrected},
        "corrected_verdicts": count_verdicts(outcome.corrected),
        **_readings(folder / "multiverse.json"),
        "figures": figures,
        "tables": [(caption, table.render("github")) for caption, table in outcome.measured.tables()],
        "findings": experiments.findings,
        "experiment_figures": more,
        "experiment_tables": [(caption, table.render("github")) for caption, table in experiments.tables],
    }
    pages.write(folder, "report", values, [*figures, *more], KEPT)


def _readings(path: Path) -> dict[str, dict[str, str] | dict[str, int]]:
    """By claim, the advice of a multiverse analysis with the share it rests on; how many claims have each advice."""
    found: list[dict[str, Any]] = json.loads(read_text(path))["claims"] if path.exists() else []
    return {
        "readings": {each["claim"]: format_reading(each) for each in found},
        "advice": count_advice(each["advice"] for each in found if each["counted"]),
    }


def count_advice(given: Iterable[Advice | None]) -> dict[str, int]:
    """How many claims have which advice; every advice is named."""
    counts = Counter(given)
    return {advice: counts[advice] for advice in get_args(Advice)}


def format_reading(claim: Mapping[str, Any]) -> str:
    """Write what a multiverse analysis says of a claim: advice, share and class; a dash where it gives no advice."""
    if not claim["advice"]:
        return "-"
    decided = f" {claim['decides']}" if claim["decides"] else ""
    return f"{claim['advice']}: {claim['share']:.1%}, {claim['class']}{decided}"


def _report_tables(outcome: Outcome) -> Iterator[tuple[str, ReportTable]]:
    rows = [
        {
            "figure": each.claim.figure,
            "of": each.claim.variants,
            **each.row(),
            **_single_runs_row(outcome, each),
            **_corrected_row(outcome, each),
        }
        for each in outcome.judgements
    ]
    yield "claims", ReportTable.of(rows)
    yield from outcome.measured.data()


def _single_runs_row(outcome: Outcome, judgement: Judgement) -> dict[str, int | None]:
    found = outcome.single_runs.get(judgement.claim.id)
    return {"single_runs_met": found.met if found else None, "single_runs": found.of if found else None}


def _corrected_row(outcome: Outcome, judgement: Judgement) -> dict[str, object]:
    """What is measured with the corrections, where they were run."""
    if not outcome.corrected:
        return {}
    found = next((each.row() for each in outcome.corrected if each.claim == judgement.claim), {})
    return {f"corrected_{key}": found.get(key) for key in ("measured", "low", "high", "verdict")}


def count_verdicts(judgements: Sequence[Judgement]) -> dict[str, int]:
    """How many counted claims got which verdict; every verdict is named."""
    found = Counter(judgement.verdict for judgement in judgements if judgement.claim.counted)
    return {verdict: found[verdict] for verdict in get_args(Verdict)}


def command_line(outcome: Outcome) -> str:
    """What made the runs."""
    experiments = " --experiments" if outcome.measured.experiments() else ""
    corrected = " --corrected" if outcome.corrected else ""
    return f"farlink study run {outcome.study.name} --{outcome.effort}{experiments}{corrected}"


def _count_single_runs(outcome: Outcome) -> dict[str, int]:
    """How many counted claims hold in all single runs, in some, and in none."""
    shares = [
        outcome.single_runs[each.claim.id].share
        for each in outcome.judgements
        if each.claim.counted and each.claim.id in outcome.single_runs
    ]
    return {
        "all": sum(share == 1 for share in shares),
        "some": sum(0 < share < 1 for share in shares),
        "none": sum(share == 0 for share in shares),
    }
