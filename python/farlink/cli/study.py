"""`farlink study`: reproduce a published study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from farlink.cli.options import (
    choice_option,
    executor_options,
    folder_option,
    jobs_option,
    json_option,
    quiet_option,
    repair_option,
)
from farlink.cli.terminal import console, print_line, progress, resumable
from farlink.errors import UsageError
from farlink.system.files import check_folder, read_text
from farlink.system.folders import REMEDY, is_run, is_store

if TYPE_CHECKING:
    from farlink.studies.multiverse.multiverse import Multiverse
    from farlink.studies.settings import Effort
    from farlink.studies.study import Outcome

out_option = folder_option("--out", "Where its runs are kept; default: results/NAME.")

REPORTS = {"report.md": "<!-- headline -->", "multiverse.md": "<!-- conclusion -->"}
"""Of each kind of report a file, and what is written in it."""


def _check_for_report(folder: Path) -> None:
    """Refuse a folder where a report would replace files that belong to none."""
    check_folder(folder)
    for name, mark in REPORTS.items():
        if (folder / name).is_file() and mark in read_text(folder / name):
            return
    names = ("report.md", "report.html", "multiverse.md", "multiverse.html", "multiverse.json", "figures", "tables")
    taken = [name for name in names if (folder / name).exists()]
    if taken or is_run(folder) or is_store(folder):
        held = f" (there is {taken[0]})" if taken else ""
        raise UsageError(f"{folder}: not the folder of a report{held}; {REMEDY}")


@click.group()
def study() -> None:
    """Reproduce a published study: published against measured, claim by claim."""


@study.command("list")
def list_() -> None:
    """List the installed studies, each with its package."""
    from farlink.studies.study import GROUP, NO_STUDY, load
    from farlink.system.entry_points import additions

    known = {each.name: each.package for each in additions(GROUP)}
    if not known:
        raise UsageError(NO_STUDY)
    for name, package in known.items():
        try:
            found = load(name)
            counted = f"{len(found.claims)} claims of {found.settings.paper}"
            click.echo(f"{name}: {found.settings.title}; {counted} ({package})")
        except UsageError as error:
            click.echo(f"{name}: broken: {error}")


@study.command()
@click.argument("name")
@click.option("--quick", "effort", flag_value="quick", default=True, help="Minutes on two cores (default).")
@click.option("--full", "effort", flag_value="full", help="All seeds; may take hours, and can be interrupted.")
@click.option("--experiments", is_flag=True, help="Also run control and additional experiments.")
@click.option("--corrected", is_flag=True, help="Also run the corrected settings, with the runs of --quick.")
@json_option
@jobs_option
@out_option
@repair_option
def run(name: str, effort: Effort, as_json: bool, out: Path | None, **asked: Any) -> None:
    """Run a study. A run that was stopped resumes."""
    from farlink.studies.study import load

    found = load(name)
    folder = out or Path("results") / name
    check_folder(folder)
    with resumable(folder), progress(f"{name}, {effort}") as report:
        outcome = found.run(effort, folder, progress=report, **asked)
    if as_json:
        click.echo(json.dumps(outcome.document, indent=1, ensure_ascii=False))
    else:
        _print_outcome(outcome)


@study.command()
@click.argument("name")
@choice_option(
    "--effort",
    ["quick", "short"],
    "Runs of each universe: the fewest that measure the claims, or as many as a sample of hundreds affords.",
)
@click.option(
    "--universes",
    type=click.IntRange(min=2),
    metavar="N",
    help="In the sample; default: 30 with quick, 200 with short.",
)
@click.option(
    "--search", type=click.IntRange(min=0), metavar="N", help="Searched for each half of the figures; default: 0, 30."
)
@click.option(
    "--repeat", type=click.IntRange(min=0), metavar="N", help="Of the sample, repeated with full runs; default: 0, 10."
)
@json_option
@jobs_option
@executor_options
@folder_option("--out", "Where its runs are kept; default: results/NAME-multiverse.")
@folder_option("--to", "Where to write the report, or replace an earlier one; default: --out.")
@quiet_option
def multiverse(
    name: str,
    effort: Literal["quick", "short"],
    universes: int | None,
    search: int | None,
    repeat: int | None,
    as_json: bool,
    jobs: int | None,
    executor: Literal["local", "dask"],
    scheduler: str | None,
    out: Path | None,
    to: Path | None,
    quiet: bool,
) -> None:
    """Vary what the paper leaves open: which claims hold under every plausible reading, under some, under none.

    Each point of the paper that is open is a factor, each plausible answer a level (factors.toml); a universe takes one
    level of each. Runs a sample of the joint space; with short also each level alone, and a search for the universe
    that meets most claims. Writes multiverse.html, multiverse.md, multiverse.json, figures/ and tables/ (CSV).
    A multiverse that was stopped resumes.
    """
    from farlink.studies.multiverse import multiverse as analysis
    from farlink.studies.multiverse import page
    from farlink.studies.multiverse.running import Runner, Space
    from farlink.studies.study import load

    space = Space(load(name), effort)
    folder = out or Path("results") / f"{name}-multiverse"
    check_folder(folder)
    _check_for_report(to or folder)
    page.check_target(space.study, to or folder)
    asked = analysis.Asked(
        effort,
        analysis.UNIVERSES[effort] if universes is None else universes,
        analysis.SEARCHED[effort] if search is None else search,
        analysis.REPEATED[effort] if repeat is None else repeat,
    )
    with resumable(folder), progress(f"{name}, {effort}", quiet) as report:
        made = analysis.run(asked, Runner(space, folder, jobs, executor, scheduler), report)
    page.write(made, to or folder)
    if as_json:
        click.echo(json.dumps(page.document(made), indent=1, ensure_ascii=False))
    else:
        _print_answers(made)
        print_line(f"{(to or folder) / 'multiverse.html'}")


@study.command()
@click.argument("name")
@out_option
@folder_option("--to", "Where to write, or replace an earlier report; default: beside the runs.")
def report(name: str, out: Path | None, to: Path | None) -> None:
    """Write report.html, report.md, figures/ and tables/ (CSV).

    What people wrote between the markers of an earlier report.md is kept.
    """
    from farlink.studies import report_page
    from farlink.studies.study import load

    folder = out or Path("results") / name
    target = to or folder
    _check_for_report(target)
    report_page.write(load(name).outcome(folder), target)
    print_line(f"{target / 'report.html'}")


def _print_answers(made: Multiverse) -> None:
    from rich.table import Table

    from farlink.studies.multiverse.page import count_classes, format_decides

    table = Table("claim", "class", "holds in", "95 % CI", "strongest factors: share of variance")
    for answer in made.answers:
        share = answer.holds
        held = ("-", "-") if share is None else (f"{share.mean:.0%}", f"{share.low:.0%} to {share.high:.0%}")
        table.add_row(answer.claim.id, answer.kind, *held, format_decides(answer))
    out = console()
    out.print(table)
    counts = ", ".join(f"{kind} {count}" for kind, count in count_classes(made).items())
    out.print(f"{len(made.sample)} universes in the sample; counted claims: {counts}")


def _print_outcome(outcome: Outcome) -> None:
    from rich.table import Table

    table = Table("claim", "published", "measured", "verdict", "reason")
    for judgement in outcome.judgements:
        value = judgement.finding.value
        table.add_row(
            judgement.claim.id, judgement.claim.published, f"{value.mean:.3g}", judgement.verdict, judgement.reason
        )
    out = console()
    out.print(table)
    out.print(f"settings {outcome.study.settings.sha256}")
