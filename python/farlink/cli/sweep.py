"""`farlink sweep`, and what can be asked of its store: `compare`, `plot`, `export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from farlink.cli.terminal import progress
from farlink.files import check_target
from farlink.results import MEASURES, Results

if TYPE_CHECKING:
    from farlink.figures import Kind
    from farlink.sheet import Sheet
    from farlink.sweeps.sweep import Executor

FIGURES = (".png", ".svg", ".pdf")
SHEETS = {"text": "simple", "markdown": "github", "latex": "latex_booktabs"}

store_argument = click.argument("store", type=click.Path(path_type=Path), metavar="STORE")
format_option = click.option(
    "--format", "form", type=click.Choice([*SHEETS, "csv"]), default="text", show_default=True, help="How to print."
)


@click.command()
@click.argument("description", type=click.Path(path_type=Path), metavar="SWEEP")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at the same time; default: all cores.")
@click.option("--executor", type=click.Choice(["local", "dask"]), default="local", show_default=True, help="Who runs.")
@click.option("--scheduler", metavar="URL", help="Of the Dask cluster; default: one of processes on this machine.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The store; default: beside SWEEP."
)
@click.option("--no-resume", is_flag=True, help="Forget what the store holds.")
@format_option
def sweep(
    description: Path,
    jobs: int | None,
    executor: str,
    scheduler: str | None,
    out: Path | None,
    no_resume: bool,
    form: str,
) -> int:
    """Run SWEEP, a TOML file: a scenario over a grid, by seeds, into a store.

    Killed or interrupted and started again, it goes on where it was.
    """
    from farlink.store import forget
    from farlink.sweeps import description as descriptions

    made = descriptions.read(description)
    folder = out or description.with_suffix(".results")
    if no_resume:
        forget(folder)
    try:
        with progress(description.stem) as report:
            results = made.run(
                out=folder, jobs=jobs, executor=cast("Executor", executor), scheduler=scheduler, progress=report
            )
    except KeyboardInterrupt:
        click.echo(
            f"farlink: interrupted; what was finished is kept in {folder}: run the same command to go on", err=True
        )
        return 130
    _print(results.summary(), form)
    click.echo(f"{results.runs.num_rows} runs in {folder}", err=True)
    return 0


@click.command()
@store_argument
@click.option("--by", required=True, metavar="PATH", help="The parameter whose values are compared.")
@click.option("--measure", default=MEASURES[0], show_default=True, metavar="COLUMN", help="What is compared.")
@click.option("--baseline", metavar="VALUE", help="Against which value; default: the first in order.")
@format_option
def compare(store: Path, by: str, measure: str, baseline: str | None, form: str) -> None:
    """Compare variants seed by seed: paired differences and ratios with 95 % intervals."""
    _print(Results(store).compare(by, measure, baseline=baseline), form)


@click.command()
@store_argument
@click.option("--x", required=True, metavar="PATH", help="The parameter along the axis.")
@click.option("--y", default=MEASURES[0], show_default=True, metavar="COLUMN", help="The measure.")
@click.option("--by", metavar="PATH", help="A line or bar for every value of this parameter.")
@click.option("--kind", type=click.Choice(["line", "bar", "cdf"]), default="line", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="F", help=".png, .svg or .pdf")
def plot(store: Path, x: str, y: str, by: str | None, kind: str, output: Path) -> None:
    """Draw a measure over a parameter."""
    check_target(output, FIGURES)
    Results(store).plot(x, y, by=by, kind=cast("Kind", kind), path=output)


@click.command()
@store_argument
@click.option("--sorted", "is_sorted", is_flag=True, help="Always so; equal stores give equal dumps.")
def export(store: Path, is_sorted: bool) -> None:
    """Dump every run, sorted, as lines of JSON."""
    del is_sorted
    from farlink.store import check, export

    check(store)
    for line in export(store):
        click.echo(line)


def _print(sheet: Sheet, form: str) -> None:
    if form == "csv":
        import io

        import pyarrow.csv

        sink = io.BytesIO()
        pyarrow.csv.write_csv(sheet.table, sink)
        click.echo(sink.getvalue().decode(), nl=False)
    else:
        click.echo(sheet.render(SHEETS[form]))
