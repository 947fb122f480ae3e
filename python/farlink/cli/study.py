"""`farlink study`: reproduce a published study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from farlink.cli.options import Place, repair_option
from farlink.cli.terminal import console, interrupted, print_line, progress
from farlink.system.files import check_folder

if TYPE_CHECKING:
    from farlink.studies.settings import Effort
    from farlink.studies.study import Outcome

out_option = click.option(
    "--out", type=Place(file_okay=False), metavar="DIR", help="Where its runs are kept; default: results/NAME."
)


def _refuse_beyond(context: click.Context, option: click.Parameter, given: bool) -> None:
    if given:
        raise click.UsageError("--beyond is now --experiments")


@click.group()
def study() -> None:
    """Reproduce a published study: published against measured, claim by claim."""


@study.command("list")
def list_() -> None:
    """List the studies."""
    from farlink.studies.study import studies

    for name, each in studies().items():
        click.echo(f"{name}: {each.settings.title}; {len(each.claims)} claims of {each.settings.paper}")


@study.command()
@click.argument("name")
@click.option("--quick", "effort", flag_value="quick", default=True, help="Minutes on two cores (default).")
@click.option("--full", "effort", flag_value="full", help="All seeds; may take hours, and can be interrupted.")
@click.option("--experiments", is_flag=True, help="Also run control and additional experiments.")
@click.option("--beyond", is_flag=True, hidden=True, expose_value=False, callback=_refuse_beyond)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at the same time; default: all cores.")
@out_option
@repair_option
def run(
    name: str, effort: Effort, experiments: bool, as_json: bool, jobs: int | None, out: Path | None, repair: bool
) -> int:
    """Run a study. A run that was stopped resumes."""
    from farlink.studies.study import load

    found = load(name)
    folder = out or Path("results") / name
    check_folder(folder)
    try:
        with progress(f"{name}, {effort}") as report:
            outcome = found.run(effort, folder, experiments=experiments, jobs=jobs, progress=report, repair=repair)
    except KeyboardInterrupt:
        return interrupted(folder, no_resume=False)
    if as_json:
        click.echo(json.dumps(outcome.document, indent=1, ensure_ascii=False))
    else:
        _print_outcome(outcome)
    return 0


@study.command()
@click.argument("name")
@out_option
@click.option("--to", type=Place(file_okay=False), metavar="DIR", help="Where to write; default: beside the runs.")
def report(name: str, out: Path | None, to: Path | None) -> None:
    """Write report.html, report.md, figures/ and tables/ (CSV).

    The text between the markers `headline` and `analysis` of an earlier report.md is kept.
    """
    from farlink.studies import report_page
    from farlink.studies.study import load

    folder = out or Path("results") / name
    check_folder(to or folder)
    target = to or folder
    report_page.write(load(name).outcome(folder), target)
    print_line(f"{target / 'report.html'}")


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
