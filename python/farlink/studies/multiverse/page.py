"""The report of a multiverse: its answers as a page, JSON and CSV."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from farlink._farlink import __version__
from farlink.errors import UsageError
from farlink.results.report_table import ReportTable
from farlink.studies import pages
from farlink.studies.multiverse import drawing, folded
from farlink.studies.multiverse.classes import Answer
from farlink.studies.multiverse.multiverse import Best, Multiverse
from farlink.studies.pages import FIGURES, TABLES, Picture
from farlink.studies.report_page import count_advice
from farlink.studies.study import Study
from farlink.system.files import read_text, write_text

AGREEING = 0.9
"""The share of judgements by short and by longer runs that are the same, below which a claim is listed."""
KEPT = ("conclusion", "details", "notes")
"""The parts of `multiverse.md` that people write, each between two markers."""


def write(made: Multiverse, folder: Path) -> None:
    """Write `multiverse.html`, `multiverse.md`, `multiverse.json`, and into the folders `figures` and `tables`.

    An earlier `multiverse.md` there keeps the parts `KEPT`.
    """
    for part in (FIGURES, TABLES):
        (folder / part).mkdir(parents=True, exist_ok=True)
    ReportTable.of([answer.row() for answer in made.answers]).save(folder / TABLES / "multiverse.csv")
    rows = [*made.alone, *made.sample, *made.searched, *made.full, *made.committed]
    folded.write(folder / TABLES / "universes.csv", made.space.factors, made.space.study.claims, rows)
    pictures = [Picture(*each) for each in drawing.figures(made)]
    known = document(made)
    write_text(folder / "multiverse.json", json.dumps(known, indent=1, ensure_ascii=False) + "\n")
    values = {
        "study": made.space.study,
        "heading": heading(made.space.study),
        "factors": made.space.factors,
        "corrections": made.space.study.corrections,
        "made": made,
        "farlink": __version__,
        "counts": count_classes(made),
        "advice": count_advice(answer.advice for answer in made.answers),
        "sizes": made.space.factors.sizes,
        "figures": pictures,
    }
    filters = {"decides": format_decides, "disagreeing": disagreeing}
    pages.write(folder, "multiverse", values, pictures, KEPT, filters)


def count_classes(made: Multiverse) -> dict[str, int]:
    """How many counted claims are of which class."""
    return dict(Counter(answer.kind for answer in made.answers if answer.claim.counted))


def document(made: Multiverse) -> dict[str, Any]:
    """What `farlink study multiverse --json` prints."""
    return {
        "study": made.space.study.name,
        **made.space.made_with,
        "effort": made.asked.effort,
        "universes": len(made.sample),
        "classes": count_classes(made),
        "claims": [answer.row() for answer in made.answers],
        "best": [_best_row(made, each) for each in made.bests],
        "agreement": vars(made.agreement) if made.agreement else None,
    }


def _best_row(made: Multiverse, best: Best) -> dict[str, Any]:
    return {
        "chosen_on": best.half.figures_chosen_on,
        "levels": made.space.factors.names(best.row.universe),
        "tied": len(best.tied),
        "met_by_tied": best.range,
        "met": best.row.met(best.half.chosen_on),
        "met_full": best.met_full,
        "scores": [vars(score) for score in best.scores],
        "of": len(best.half.judged_on),
    }


def check_target(study: Study, folder: Path) -> None:
    """Refuse a folder with the report of another study, whose conclusion would be kept; raises `UsageError`."""
    path = folder / "multiverse.md"
    if path.exists() and read_text(path).partition("\n")[0] != heading(study):
        raise UsageError(f"{path}: the report of another study; choose another folder")


def heading(study: Study) -> str:
    """The first line of `multiverse.md`."""
    return f"# {study.settings.title}: multiverse analysis"


def disagreeing(by_claim: Mapping[str, tuple[int, int]]) -> list[str]:
    """The claims of which fewer than nine of ten judgements agree."""
    return [claim for claim, (same, of) in by_claim.items() if same < AGREEING * of]


def format_decides(answer: Answer) -> str:
    """Write the factors that explain most, and the share of the variance."""
    if answer.strongest is None:
        return "-"
    share = answer.strongest.explained
    if not share.low:
        return "none is established"
    return f"{' and '.join(answer.strongest.factors)}: {share.mean:.0%} ({share.low:.0%} to {share.high:.0%})"
