"""`farlink sweep` and `farlink compare`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from farlink.cli.completion import complete_path, complete_scenario
from farlink.cli.into_store import IntoStore, into_store_options
from farlink.cli.options import (
    Changes,
    Place,
    all_flows_option,
    choice_option,
    options,
    pairs,
    question_options,
    seeds_option,
    set_option,
    warn_of_implausible,
)
from farlink.cli.terminal import print_line
from farlink.errors import UsageError
from farlink.results import comparison
from farlink.results.measure import MEASURES
from farlink.results.result_store import ResultStore
from farlink.runs import implausible
from farlink.spelling import counted
from farlink.store.missing import naming_packages
from farlink.sweeps.until import Until

if TYPE_CHECKING:
    from farlink.results.report_table import ReportTable
    from farlink.sweeps.sweep import Sweep

FORMATS = {"markdown": "github", "latex": "latex"}

table_options = options(
    question_options,
    all_flows_option,
    choice_option("--format", ["text", *FORMATS, "csv", "json"], "How to print.", into="form"),
)


@click.command()
@click.argument("description", metavar="SWEEP", shell_complete=complete_scenario)
@click.option(
    "--vary",
    "variations",
    multiple=True,
    metavar="PATH=a,b,c",
    callback=pairs("PATH=a,b,c", "write all its values in one"),
    shell_complete=complete_path,
    help="Of a scenario: values to compare.",
)
@set_option("Set a value at every point.")
@seeds_option("Seeds of every point: how many, or which; default: 10.")
@click.option("--series", is_flag=True, help="Keep the time series of every run, for `farlink plot --kind time`.")
@into_store_options
@click.option("--half-width", metavar="W", help="Add seeds until every 95 % CI has half-width W: '5 %', '10 kbit/s'.")
@click.option("--measure", metavar="COLUMN", help="Measure that --half-width applies to.")
@click.option("--seeds-at-most", type=click.IntRange(min=1), metavar="N", help="Seeds a point gets at most.")
@click.option("--time-at-most", metavar="T", help="Begin no further round of seeds after this time: '10 min'.")
@click.option(
    "--show",
    metavar="NAMES",
    help="Measures of the table: goodput,completion:p95,jain,total_goodput,airtime.NODE.busy_share.",
)
@table_options
def sweep(
    description: str,
    variations: dict[str, str],
    settings: Changes,
    seeds: list[int] | None,
    series: bool,
    into: IntoStore,
    show: str | None,
    where: dict[str, str],
    labels: dict[str, str],
    interval: str,
    all_flows: bool,
    form: str,
    **rule: Any,
) -> None:
    """Run a scenario over a grid, by seeds, into a store. SWEEP is a TOML file, or a scenario with --vary.

    \b
    farlink sweep satellite --vary flows.0.tcp.congestion_control=cubic,hybla,bbr --seeds 10
    farlink sweep my.toml --vary links.0.error.rate=0,1e-7 --vary links.0.rate='1 Mbit/s','10 Mbit/s'
    farlink sweep sweep.toml --out results/sweep
    farlink sweep satellite --vary flows.0.tcp.congestion_control=cubic,hybla --series

    The first of these as a file:

    \b
    scenario = "satellite"       # or a file beside this one
    seeds = 10
    series = false               # true: keep time series, as --series does
    [cross]                      # each with each
    "flows.0.tcp.congestion_control" = ["cubic", "hybla", "bbr"]

    The store is beside a file, or results/sweep-NAME of a built-in scenario. Killed or interrupted and started again,
    it resumes. With --half-width, or `[until]` in the file, points get more seeds until the 95 % CI of their means is
    that narrow.
    """
    from farlink.cli import variation

    given = {key: value for key, value in rule.items() if value is not None}
    with naming_packages(into.out or variation.folder_beside(description)):
        made = _with_rule(variation.read(description, variations, settings, seeds), given)
    if series:
        made = replace(made, series=True)
    folder = into.out or variation.default_folder(description, made)
    with naming_packages(folder):
        found = made.warnings
    measures = [name.strip() for name in show.split(",")] if show else None
    made.check_question(measures, where)
    into.warn(description, found, made.estimate())
    results = into.run(made.run, folder, Path(description).stem)
    folds = form == "text" and not all_flows
    try:
        table = results.summary(measures, where=where, labels=labels, fold=folds, interval=interval)
    except UsageError as error:
        raise UsageError(f"{error}; the runs are kept in {folder}: the sweep with this corrected takes them") from None
    _print_table(table, form, {"warnings": implausible.rows([*found, *results.warnings])})
    is_crossed = not (made.grid.zip or made.grid.overrides or made.grid.derive)
    if is_crossed and (varied := results.varied):  # what varies along with others is not compared
        command = shlex.join(["farlink", "compare", str(folder), "--by", varied[0]])
        print_line(f"to compare the variants seed by seed: {command}", err=True)
    print_line(f"{counted(results.runs.num_rows, 'run')} in {folder}", err=True)
    if (points := made.grid.count) > (different := len(set(results.runs["resolved"].to_pylist()))):
        same = f"{points} points are {counted(different, 'scenario')}: points with equal scenarios are one row"
        print_line(f"farlink: {same}", err=True)
    _warn(results, table)
    if results.note:
        print_line(results.note, err=True)


def _with_rule(made: Sweep, rule: dict[str, Any]) -> Sweep:
    """Set the options of the stopping rule over the file's."""
    if not rule:
        return made
    if made.until is None and "half_width" not in rule:
        raise UsageError("how well shall the mean be known? give --half-width, such as --half-width '5 %'")
    return replace(made, until=replace(made.until, **rule) if made.until else Until(**rule))


@click.command()
@click.argument("store", type=Place(), metavar="STORE")
@click.option("--by", required=True, metavar="PATH", help="The parameter whose values are compared.")
@click.option(
    "--measure",
    default=MEASURES[0],
    show_default=True,
    metavar="COLUMN",
    help="What is compared; completion:p95 is a percentile, jain and total_goodput are values of a run.",
)
@click.option("--baseline", metavar="VALUE", help="Value to compare with; default: the first that the sweep lists.")
@table_options
def compare(
    store: Path,
    by: str,
    measure: str,
    baseline: str | None,
    all_flows: bool,
    form: str,
    **asked: Any,
) -> None:
    """Compare variants seed by seed: paired differences and ratios with their 95 % CI.

    \b
    farlink compare STORE --by flows.0.tcp.congestion_control --measure completion:p95 --where 'flow=web*'
    """
    results = ResultStore(store)
    folds = form == "text" and not all_flows
    made = results.compare(by, measure, baseline=baseline, fold=folds, **asked)
    _print_table(made, form)
    print_line(comparison.reading(made.table["verdict"].to_pylist()), err=True)
    _warn(results, made)


def _warn(results: ResultStore, table: ReportTable) -> None:
    """Print lines where seeds gave equal results, which have no interval, and for what is implausible."""
    if table.remark:
        print_line(f"farlink: {table.remark}", err=True)
    warn_of_implausible(str(results.folder), results.warnings, strict=False)


def _print_table(table: ReportTable, form: str, more: Mapping[str, Any] | None = None) -> None:
    """Print a table; `more` is in the JSON document only."""
    if form == "text":
        click.echo(table.narrow())
    elif form == "csv":
        from farlink.tables import arrow

        click.echo(arrow.to_csv(table.table), nl=False)
    elif form == "json":
        from farlink.runs.saved import to_json

        click.echo(to_json({"rows": table.table.to_pylist(), "intervals": table.caption, **(more or {})}), nl=False)
    else:
        click.echo(table.render(FORMATS[form]))
    if table.caption:
        print_line(table.caption, err=True)
