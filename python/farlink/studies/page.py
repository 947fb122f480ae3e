"""A study's report: one self-contained HTML page, and Markdown with pictures beside it."""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink import _farlink
from farlink.files import read_text, write_bytes, write_text
from farlink.studies.verdict import Judgement

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

    from farlink.sheet import Sheet
    from farlink.studies.study import Outcome

TEMPLATES = Path(__file__).parent / "templates"
FIGURES = "figures"
TABLES = "tables"
DPI = 110
KEPT = ("headline", "analysis")
"""The parts of `report.md` that people write, each between two markers."""


def write(outcome: Outcome, folder: Path) -> None:
    """Write `report.html`, `report.md` and the folders `figures` and `tables` (CSV) into `folder`.

    An earlier `report.md` there keeps its headline and analysis.
    """
    for part in (FIGURES, TABLES):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for name, sheet in _data(outcome):
        sheet.save(folder / TABLES / f"{name}.csv")
    beyond = outcome.measured.beyond()
    figures = [_Picture(*each) for each in outcome.measured.figures()]
    more = [_Picture(*each) for each in beyond.figures] if beyond else []
    for picture in (*figures, *more):
        write_bytes(folder / picture.path, picture.png)
    tables = list(outcome.measured.tables())
    said = _said(outcome)
    environment = _environment()
    html = environment.get_template("report.html").render(
        **said,
        figures=[(each.caption, each.inline) for each in figures],
        tables=[(caption, sheet.render("html")) for caption, sheet in tables],
        beyond=beyond and beyond.said,
        more_figures=[(each.caption, each.inline) for each in more],
        more_tables=[(caption, sheet.render("html")) for caption, sheet in beyond.tables] if beyond else [],
    )
    markdown = environment.get_template("report.md").render(
        **said,
        **_kept(folder / "report.md"),
        figures=[(each.caption, each.path) for each in figures],
        tables=[(caption, sheet.render("github")) for caption, sheet in tables],
        beyond=beyond and beyond.said,
        more_figures=[(each.caption, each.path) for each in more],
        more_tables=[(caption, sheet.render("github")) for caption, sheet in beyond.tables] if beyond else [],
    )
    write_text(folder / "report.html", html)
    write_text(folder / "report.md", markdown)


def _kept(path: Path) -> dict[str, str]:
    """The text between the markers of each part that people write."""
    page = read_text(path) if path.exists() else ""
    return {name: page.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end of {name} -->")[0] for name in KEPT}


class _Picture:
    """A figure drawn, where it stands beside the Markdown, and how it stands in the HTML."""

    def __init__(self, caption: str, figure: Figure) -> None:
        self.caption = caption
        self.png = _png(figure)
        self.path = f"{FIGURES}/{caption.partition(':')[0].lower().replace(' ', '-')}.png"
        self.inline = base64.b64encode(self.png).decode()


def _data(outcome: Outcome) -> Iterator[tuple[str, Sheet]]:
    from farlink import tables
    from farlink.sheet import Sheet

    rows = [{"figure": each.claim.figure, "of": each.claim.variants, **each.row()} for each in outcome.judgements]
    yield "claims", Sheet(tables.from_rows(rows))
    yield from outcome.measured.data()


def tally(judgements: Sequence[Judgement]) -> dict[str, int]:
    """How many counted claims got which verdict."""
    return dict(Counter(judgement.verdict for judgement in judgements if judgement.claim.counted))


def score(judgements: Sequence[Judgement]) -> tuple[int, int]:
    """How many counted claims are reproduced, of how many that are counted and reproducible."""
    counted = tally(judgements)
    return counted.get("reproduced", 0), sum(counted.values()) - counted.get("not reproducible", 0)


def command(outcome: Outcome) -> str:
    """What made the runs."""
    beyond = " --beyond" if outcome.measured.beyond() else ""
    return f"farlink study run {outcome.study.name} --{outcome.effort}{beyond}"


def _said(outcome: Outcome) -> dict[str, Any]:
    counted = tally(outcome.judgements)
    reproduced, reproducible = score(outcome.judgements)
    return {
        "study": outcome.study.name,
        "settings": outcome.study.settings,
        "effort": outcome.effort,
        "command": command(outcome),
        "farlink": _farlink.__version__,
        "extents": outcome.extents,
        "judgements": outcome.judgements,
        "tally": counted,
        "reproduced": reproduced,
        "reproducible": reproducible,
        "unsure": sum(each.claim.counted and each.is_unsure for each in outcome.judgements),
        "undecided": sum(each.claim.counted and each.is_undecided for each in outcome.judgements),
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
