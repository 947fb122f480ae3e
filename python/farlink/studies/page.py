"""A study's report: one self-contained HTML page, and Markdown with pictures beside it."""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink import _farlink
from farlink.files import write_text
from farlink.studies.verdict import Judgement

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

    from farlink.studies.study import Outcome

TEMPLATES = Path(__file__).parent / "templates"
FIGURES = "figures"
DPI = 110


def write(outcome: Outcome, folder: Path) -> None:
    """Write `report.html`, `report.md` and the folder `figures` into `folder`."""
    pictures = [(caption, _png(figure)) for caption, figure in outcome.measured.figures()]
    target = folder / FIGURES
    target.mkdir(parents=True, exist_ok=True)
    names = [f"{caption.partition(':')[0].lower().replace(' ', '-')}.png" for caption, _ in pictures]
    for name, (_, picture) in zip(names, pictures, strict=True):
        (target / name).write_bytes(picture)
    tables = list(outcome.measured.tables())
    said = _said(outcome)
    environment = _environment()
    html = environment.get_template("report.html").render(
        **said,
        figures=[(caption, base64.b64encode(picture).decode()) for caption, picture in pictures],
        tables=[(caption, sheet.render("html")) for caption, sheet in tables],
    )
    markdown = environment.get_template("report.md").render(
        **said,
        figures=[(caption, f"{FIGURES}/{name}") for name, (caption, _) in zip(names, pictures, strict=True)],
        tables=[(caption, sheet.render("github")) for caption, sheet in tables],
    )
    write_text(folder / "report.html", html)
    write_text(folder / "report.md", markdown)


def tally(judgements: Sequence[Judgement]) -> dict[str, int]:
    """How many counted claims got which verdict."""
    return dict(Counter(judgement.verdict for judgement in judgements if judgement.claim.counted))


def _said(outcome: Outcome) -> dict[str, Any]:
    counted = tally(outcome.judgements)
    return {
        "study": outcome.study.name,
        "settings": outcome.study.settings,
        "effort": outcome.effort,
        "command": f"farlink study run {outcome.study.name} --{outcome.effort}",
        "farlink": _farlink.__version__,
        "judgements": outcome.judgements,
        "tally": counted,
        "reproduced": counted.get("reproduced", 0),
        "reproducible": sum(counted.values()) - counted.get("not reproducible", 0),
    }


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = _number
    environment.filters["interval"] = _interval
    return environment


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _interval(judgement: Judgement) -> str:
    value = judgement.finding.value
    unit = "" if judgement.claim.unit == "ratio" else f" {judgement.claim.unit}"
    if value.low is None or value.high is None:
        return f"{_number(value.mean)}{unit}"
    return f"{_number(value.mean)}{unit} ({_number(value.low)} to {_number(value.high)})"


def _png(figure: Figure) -> bytes:
    sink = io.BytesIO()
    figure.savefig(sink, format="png", dpi=DPI, metadata={"Software": None})
    return sink.getvalue()
