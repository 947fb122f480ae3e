"""A study's report: one self-contained HTML page, and Markdown with pictures beside it."""

from __future__ import annotations

import base64
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from farlink._farlink import __version__
from farlink.results.report_table import ReportTable
from farlink.studies.experiments import Experiments
from farlink.studies.multiverse.classes import Advice
from farlink.studies.verdict import Judgement, Verdict
from farlink.system.files import read_text, write_bytes, write_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup
    from matplotlib.figure import Figure

    from farlink.studies.study import Outcome

TEMPLATES = Path(__file__).parent / "templates"
FIGURES = "figures"
TABLES = "tables"
DPI = 110
KEPT = ("headline", "analysis", "notes")
"""The parts of `report.md` that people write, each between two markers."""


def write(outcome: Outcome, folder: Path) -> None:
    """Write `report.html`, `report.md` and the folders `figures` and `tables` (CSV) into `folder`.

    An earlier `report.md` there keeps these parts.
    """
    for part in (FIGURES, TABLES):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for name, table in _report_tables(outcome):
        table.save(folder / TABLES / f"{name}.csv")
    experiments = outcome.measured.experiments() or Experiments([], [])
    figures = [Picture(*each) for each in outcome.measured.figures()]
    more = [Picture(*each) for each in experiments.figures]
    for picture in (*figures, *more):
        write_bytes(folder / picture.path, picture.png)
    tables = list(outcome.measured.tables())
    environment = template_environment([*figures, *more])
    for form, rendered, source in (("html", "html", "inline"), ("md", "github", "path")):
        text = environment.get_template(f"report.{form}").render(
            **_summary_document(outcome),
            **kept_parts(folder / "report.md"),
            **_readings(folder / "multiverse.json"),
            figures=[(each.caption, getattr(each, source)) for each in figures],
            tables=[(caption, table.render(rendered)) for caption, table in tables],
            findings=experiments.findings,
            experiment_figures=[(each.caption, getattr(each, source)) for each in more],
            experiment_tables=[(caption, table.render(rendered)) for caption, table in experiments.tables],
        )
        write_text(folder / f"report.{form}", text)


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


def kept_parts(path: Path, names: Sequence[str] = KEPT) -> dict[str, str]:
    """The text between the markers of each part that people write."""
    page = read_text(path) if path.exists() else ""
    return {name: page.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end of {name} -->")[0] for name in names}


class Picture:
    """A figure drawn, where it stands beside the Markdown, and how it stands in the HTML."""

    def __init__(self, caption: str, figure: Figure) -> None:
        self.caption = caption
        self.png = _figure_bytes(figure)
        self.path = f"{FIGURES}/{caption.partition(':')[0].lower().replace(' ', '-')}.png"
        self.inline = base64.b64encode(self.png).decode()


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


def _summary_document(outcome: Outcome) -> dict[str, Any]:
    return {
        "study": outcome.study.name,
        "settings": outcome.study.settings,
        "effort": outcome.effort,
        "command": command_line(outcome),
        "farlink": __version__,
        "coverages": outcome.coverages,
        "judgements": outcome.judgements,
        "verdicts": count_verdicts(outcome.judgements),
        "unsure": sum(each.claim.counted and each.is_unsure for each in outcome.judgements),
        "single_runs": outcome.single_runs,
        "alone": _count_single_runs(outcome),
        "undecided": sum(each.claim.counted and each.is_undecided for each in outcome.judgements),
        "corrected": {each.claim.id: each for each in outcome.corrected},
        "corrected_verdicts": count_verdicts(outcome.corrected),
        "corrections_date": outcome.study.corrections.date,
    }


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


def template_environment(pictures: Sequence[Picture]) -> Environment:
    """Where templates are read from, with the filters that they use."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = _format_number
    environment.filters["interval"] = _format_interval
    environment.filters["hypertext"] = partial(_hypertext, pictures)
    return environment


def _hypertext(pictures: Sequence[Picture], markdown: str) -> Markup:
    """Turn what people write in Markdown into HTML, with the pictures inside."""
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    text = MarkdownIt("js-default").render(markdown)
    for picture in pictures:
        text = text.replace(f'src="{picture.path}"', f'src="data:image/png;base64,{picture.inline}"')
    return Markup(text)


def _format_number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _format_interval(judgement: Judgement) -> str:
    value = judgement.finding.value
    unit = "" if judgement.claim.unit == "ratio" else f" {judgement.claim.unit}"
    if value.low is None or value.high is None:
        return f"{_format_number(value.mean)}{unit}"
    return f"{_format_number(value.mean)}{unit} ({_format_number(value.low)} to {_format_number(value.high)})"


def _figure_bytes(figure: Figure) -> bytes:
    sink = io.BytesIO()
    figure.savefig(sink, format="png", dpi=DPI, metadata={"Software": None})
    return sink.getvalue()
