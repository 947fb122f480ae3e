"""`farlink sweep`, and `compare`, which its store is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from farlink.cli.into_store import IntoStore, into_store_options
from farlink.cli.options import Place
from farlink.cli.terminal import interrupted, print_line
from farlink.errors import UsageError
from farlink.results.result_store import MEASURES, ResultStore
from farlink.sweeps.until import Until

if TYPE_CHECKING:
    from farlink.results.report_table import ReportTable
    from farlink.sweeps.sweep import Sweep

FORMATS = {"markdown": "github", "latex": "latex_booktabs"}

store_argument = click.argument("store", type=Place(), metavar="STORE")
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", *FORMATS, "csv", "json"]),
    default="text",
    show_default=True,
    help="How to print.",
)


@click.command(short_help="Run a scenario over a grid, by seeds, into a store.")
@click.argument("description", type=Place(), metavar="SWEEP")
@into_store_options
@click.option("--half-width", metavar="W", help="Add seeds until every 95 % CI has half-width W: '5 %', '10 kbit/s'.")
@click.option("--measure", metavar="COLUMN", help="Measure that --half-width applies to.")
@click.option("--seeds-at-most", type=click.IntRange(min=1), metavar="N", help="Seeds a point gets at most.")
@click.option("--time-at-most", metavar="T", help="Begin no further round of seeds after this time: '10 min'.")
@format_option
def sweep(description: Path, into: IntoStore, form: str, **rule: Any) -> int:
    """Run SWEEP, a TOML file: a scenario over a grid, by seeds, into a store, by default beside SWEEP.

    Killed or interrupted and started again, it resumes. With --half-width, or `[until]` in the file, points get more
    seeds until the 95 % CI of their means is that narrow.
    """
    from farlink.sweeps import description as descriptions

    made = _with_rule(descriptions.read(description), {key: value for key, value in rule.items() if value is not None})
    folder = into.out or description.with_suffix(".results")
    into.warn(str(description), made.estimate())
    try:
        results = into.run(made, folder, description.stem)
    except KeyboardInterrupt:
        return interrupted(folder, into.no_resume)
    _print_table(results.summary(), form)
    print_line(f"{results.runs.num_rows} runs in {folder}", err=True)
    if equal := results.equal_points:
        print_line(f"farlink: {equal}", err=True)
    if results.note:
        print_line(results.note, err=True)
    return 0


def _with_rule(made: Sweep, rule: dict[str, Any]) -> Sweep:
    """Set the options of the stopping rule over the file's."""
    if not rule:
        return made
    if made.until is None and "half_width" not in rule:
        raise UsageError("how well shall the mean be known? give --half-width, such as --half-width '5 %'")
    return replace(made, until=replace(made.until, **rule) if made.until else Until(**rule))


@click.command(short_help="Compare variants seed by seed.")
@store_argument
@click.option("--by", required=True, metavar="PATH", help="The parameter whose values are compared.")
@click.option("--measure", default=MEASURES[0], show_default=True, metavar="COLUMN", help="What is compared.")
@click.option("--baseline", metavar="VALUE", help="Value to compare with; default: the first that the sweep lists.")
@format_option
def compare(store: Path, by: str, measure: str, baseline: str | None, form: str) -> None:
    """Compare variants seed by seed: paired differences and ratios with their 95 % CI."""
    _print_table(ResultStore(store).compare(by, measure, baseline=baseline), form)


def _print_table(table: ReportTable, form: str) -> None:
    if form == "text":
        click.echo(table.narrow())
    elif form == "csv":
        from farlink.tables import arrow

        click.echo(arrow.to_csv(table.table), nl=False)
    elif form == "json":
        from farlink.runs.saved import to_json

        click.echo(to_json({"rows": table.table.to_pylist(), "intervals": table.caption}), nl=False)
    else:
        click.echo(table.render(FORMATS[form]))
    if table.caption:
        print_line(table.caption, err=True)
