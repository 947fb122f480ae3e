"""`farlink explain`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from farlink.cli.options import (
    EVERY_FLOW,
    Changes,
    all_flows_option,
    json_option,
    loaded,
    quiet_option,
    scenario_argument,
    strict_option,
    warn_of_implausible,
)
from farlink.cli.terminal import console, print_line, progress
from farlink.printable import printable
from farlink.runs import implausible, saved
from farlink.runs.explanation import advice_of_group, folded_explanation
from farlink.runs.run import Interrupted
from farlink.tables import flow_groups
from farlink.tables.rows import grouped

MOST_PLACES = 12
"""Of dropped packets, in a table."""

if TYPE_CHECKING:
    from rich.table import Table

    from farlink.runs.run import Run
    from farlink.runs.scenario import Scenario


@click.command()
@scenario_argument
@json_option
@all_flows_option
@strict_option
@quiet_option
def explain(scenario: str, settings: Changes, as_json: bool, all_flows: bool, strict: bool, quiet: bool) -> int:
    """Show what limited the throughput of each flow, and where its packets were dropped.

    SCENARIO is a folder that `farlink run --out` wrote, or a scenario, which is then run with its own seed. If a
    window or a queue limited a flow of a scenario, the run is repeated with that value doubled, with up to five seeds.
    The change is advised only if goodput rises significantly.
    """
    folder = Path(scenario)
    if folder.is_dir():
        if settings:
            raise click.UsageError("--set changes a scenario, not a folder of results")
        saved_run = saved.SavedRun.open(folder)
        rows, texts = saved_run.explanation(), [saved_run.scenario_text()]
        found = saved_run.document()["warnings"]
        warn_of_implausible(scenario, list(map(implausible.line_of, found)), strict)
        _print_explanations(rows, {}, found, as_json, all_flows, texts)
        return 0
    made = loaded(scenario, settings)
    warn_of_implausible(made.origin, made.warnings, strict)
    with progress(made.validated.name, quiet) as report:
        run = made.run(series=False, progress=report)
    advice, status = _advice_by_flow(made, run, quiet)
    found = implausible.rows(made.warnings)
    _print_explanations(run.explanation, advice, found, as_json, all_flows, [run.scenario.resolved])
    return status


def _print_explanations(
    rows: list[dict[str, Any]],
    advice: dict[str, list[str]],
    found: Sequence[Mapping[str, Any]],
    as_json: bool,
    all_flows: bool,
    texts: Sequence[str],
) -> None:
    """Print a block for every flow and seed; flows of one kind have one together where there are too many."""
    if not rows:
        print_line("farlink: nothing to explain: the scenario has no [[flows]], only workloads", err=True)
    if as_json:
        made = [{**row, "advice": advice.get(row["flow"], [])} for row in rows]
        click.echo(saved.to_json({"flows": made, "warnings": found}), nl=False)
        return
    groups = {} if all_flows else flow_groups.folded((row["flow"] for row in rows), texts)
    blocks = grouped(((groups.get(row["flow"], row["flow"]), row["seed"]), row) for row in rows)
    for (name, seed), members in blocks.items():
        if len(members) == 1:
            _print_explanation(members[0], advice.get(members[0]["flow"], []))
        else:
            lines = advice_of_group([row["flow"] for row in members], advice)
            _print_explanation(folded_explanation(name, seed, members), lines)
    if note := flow_groups.note(groups, EVERY_FLOW):
        print_line(f"farlink: {note}", err=True)


def _advice_by_flow(scenario: Scenario, run: Run, quiet: bool) -> tuple[dict[str, list[str]], int]:
    """What trials gave, by flow, and the exit status."""
    from farlink.runs import advice

    if advice.is_too_long(run):
        click.echo("farlink: no change was tried: the scenario takes too many events; shorten `duration`", err=True)
        return {}, 0
    try:
        with progress(f"{scenario.validated.name}, trials", quiet) as report:
            trials = advice.try_changes(scenario, run, report)
            return grouped((trial.flow, trial.text) for trial in trials), 0
    except Interrupted:
        click.echo("farlink: interrupted; changes were not tried to the end, and none is advised", err=True)
        return {}, 130


def _print_explanation(row: dict[str, Any], advice: list[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    out.print(Text(printable(f"{row['flow']}, seed {row['seed']}"), style="bold"))
    for text in (row["text"], *advice):
        out.print(Text(printable(text)))
    # The bottleneck is in the text: it is busy while windows limit the sender, whose shares alone add up to 100 %.
    table = Table("limit of the sender", "share of the time")
    table.columns[1].justify = "right"
    for cause, share in row["limited_by"].items():
        if share > 0:
            table.add_row(printable(cause).replace("_", " "), f"{100 * share:.1f} %")
    if table.row_count:  # without TCP there is no window to limit a flow
        out.print(table)
    if drops := row["drops"]:
        out.print(_drops_table(drops))


def _drops_table(drops: list[dict[str, Any]]) -> Table:
    """Give where packets were dropped, the places of most of them first."""
    from rich.table import Table

    table = Table("packets dropped at", "cause", "packets")
    table.columns[2].justify = "right"
    total = sum(each["packets"] for each in drops)
    for each in drops[:MOST_PLACES]:
        place = "before a route was chosen" if each["place"] is None else printable(each["place"])
        share = f"{each['packets']} ({100 * each['packets'] / total:.0f} %)"
        table.add_row(place, printable(each["cause"]).replace("_", " "), share)
    if rest := drops[MOST_PLACES:]:
        table.add_row(f"{len(rest)} others", "", str(sum(each["packets"] for each in rest)))
    return table
