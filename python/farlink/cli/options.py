"""What several commands take."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from farlink._farlink import ScenarioWarning, quantity
from farlink.cli.completion import complete_path, complete_scenario
from farlink.cli.terminal import print_line
from farlink.errors import UsageError
from farlink.execution.estimate import Estimate
from farlink.runs import kind
from farlink.runs.change import Change
from farlink.runs.scenario import Scenario, load
from farlink.runs.seeds import parse_seeds
from farlink.spelling import counted
from farlink.statistics import ESTIMATORS
from farlink.system.files import MOST_TEXT, decode_text
from farlink.system.folders import is_run, is_store, suggest_store
from farlink.tables.flow_groups import MOST_SHOWN

Command = TypeVar("Command", bound=Callable[..., Any])
Bounds = dict[str, float]
Changes = tuple[Change, ...]
FIGURES = (".png", ".svg", ".pdf")


class Setting(click.ParamType[Change]):
    """`PATH=VALUE`."""

    name = "setting"

    def convert(self, value: str | Change, param: click.Parameter | None, ctx: click.Context | None) -> Change:
        """Take it apart at the first equals sign."""
        if isinstance(value, Change):
            return value
        path, equals, text = value.partition("=")
        if not equals:
            self.fail(f"{value}: write PATH=VALUE", param, ctx)
        return Change(path.strip(), text.strip())


def set_option(words: str) -> Callable[[Command], Command]:
    """Give --set, which is explained by `words`."""
    return click.option(
        "--set",
        "settings",
        type=Setting(),
        multiple=True,
        metavar="PATH=VALUE",
        shell_complete=complete_path,
        help=words,
    )


def scenario_argument(command: Command) -> Command:
    """Add SCENARIO and --set."""
    argument = click.argument("scenario", metavar="SCENARIO", shell_complete=complete_scenario)
    return argument(set_option("Set a value over the scenario's: flows.0.tcp.congestion_control=hybla")(command))


def seed_option(command: Command) -> Command:
    """Add --seed."""
    option = click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="One seed; by default the scenario's own.")
    return option(command)


def quiet_option(command: Command) -> Command:
    """Add --quiet."""
    return click.option("-q", "--quiet", is_flag=True, help="Show no progress.")(command)


EVERY_FLOW = "--all-flows shows each"


def all_flows_option(command: Command) -> Command:
    """Add --all-flows."""
    shown = f"Show every flow, also where there are more than {MOST_SHOWN}."
    return click.option("--all-flows", is_flag=True, help=shown)(command)


where_option = click.option(
    "--where",
    multiple=True,
    metavar="PATH=VALUE",
    help="Only these flows; also seed=1, flow=LABEL; 'flow=web*' pools the flows of a group.",
)
label_option = click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="OLD=NEW",
    help="Call a value NEW, such as cubic=CUBIC, or a column by its path.",
)

interval_option = click.option(
    "--interval",
    type=click.Choice(list(ESTIMATORS)),
    default="t",
    show_default=True,
    help="95 % CI of means: Student's t, or the BCa bootstrap.",
)


def pairs(option: str, given: tuple[str, ...], shape: str) -> dict[str, str]:
    """Take the values of an option apart at their first equals sign."""
    made = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals:
            raise click.UsageError(f"{option} {each}: write {shape}")
        made[name.strip()] = value.strip()
    return made


def asked_of_store(where: tuple[str, ...], labels: tuple[str, ...]) -> dict[str, Any]:
    """Give what --where and --label ask for."""
    return {"where": pairs("--where", where, "PATH=VALUE"), "labels": pairs("--label", labels, "OLD=NEW")}


def max_events_option(command: Command) -> Command:
    """Add --max-events."""
    option = click.option(
        "--max-events",
        type=click.IntRange(min=1),
        metavar="N",
        help="Stop a run that needs more than N events, with exit status 1.",
    )
    return option(command)


def warn_option(command: Command) -> Command:
    """Add --warn-above."""
    option = click.option(
        "--warn-above",
        "bounds",
        type=Bound(),
        multiple=True,
        metavar="N|SIZE",
        help="Warn of more events, or of more memory; default: 1e10 and '8 GB'.",
    )
    return option(command)


def warn(origin: str, estimate: Estimate, bounds: tuple[Bounds, ...], runs: int = 1) -> None:
    """Print a line for whatever is above its bound; `runs` are made at the same time."""
    for warning in estimate.warnings(**{key: value for bound in bounds for key, value in bound.items()}, runs=runs):
        print_line(f"farlink: warning: {origin}: {warning}", err=True)


MOST_WARNINGS = 10
"""Of a scenario, or of all points of a sweep, that are printed."""


def strict_option(command: Command) -> Command:
    """Add --strict."""
    return click.option(
        "--strict", is_flag=True, help="Refuse a scenario that is valid but implausible, with exit status 2."
    )(command)


def warn_of_implausible(origin: str, found: Sequence[ScenarioWarning | str], strict: bool) -> None:
    """Print a line for everything that is implausible; with `strict` refuse it."""
    for warning in found[:MOST_WARNINGS]:
        click.echo(f"farlink: warning: {warning}", err=True)  # escaped where it is made
    if rest := found[MOST_WARNINGS:]:
        print_line(f"farlink: warning: {origin}: {counted(len(rest), 'further warning')}", err=True)
    if strict and found:
        raise UsageError(f"{origin}: {counted(len(found), 'warning')}; refused because of --strict")


def repair_option(command: Command) -> Command:
    """Add --repair."""
    return click.option(
        "--repair", is_flag=True, help="Move damaged files of the store aside, and make their runs again."
    )(command)


def loaded(scenario: str, settings: Changes, remedy: str = "") -> Scenario:
    """Load a scenario, from standard input if it is `-`, and set values over it; refuse a sweep with the remedy."""
    made = _from_standard_input() if scenario == "-" else load(scenario)
    if kind.is_sweep(made.text):
        raise UsageError(
            f"{made.origin}: a sweep, not a scenario; {remedy or f'`farlink sweep {made.origin}` runs it'}"
        )
    return made.changed(*settings)


def _from_standard_input() -> Scenario:
    name = "standard input"
    if not sys.stdin:  # None where it was closed from the start
        raise UsageError(f"{name}: closed; redirect a scenario to it, or name a file")
    return Scenario.from_toml(decode_text(name, sys.stdin.buffer.read(MOST_TEXT + 1)), origin=name)


def check_results(folder: Path) -> None:
    """Refuse a folder that is neither a store nor a saved run."""
    if not (is_run(folder) or is_store(folder)):
        made = "a store is what `farlink sweep --out` makes, a run what `farlink run --out` does"
        raise UsageError(f"{folder}: neither a store of results nor a saved run; {made}{suggest_store(folder)}")


def print_left_out(text: str) -> None:
    """Say that a panel that was asked for is not in the figure."""
    print_line(f"farlink: {text}", err=True)


class Place(click.Path):
    """A file or a folder; an empty name is refused, for it would be the folder one stands in."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty name."""
        if not str(value):
            self.fail("an empty name", param, ctx)
        return super().convert(value, param, ctx)


class Bound(click.ParamType[Bounds]):
    """A number of events, or a size."""

    name = "bound"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Bounds:
        """Parse; refuse what is neither."""
        if isinstance(value, dict):
            return value
        try:
            number, kind = float(value), "most_events"
        except ValueError:
            size = quantity(value)
            if size is None or size[1] != "bytes":
                self.fail(f"{value}: write a number of events such as 1e10, or a size such as '8 GB'", param, ctx)
            number, kind = size[0], "most_bytes"
        if not number > 0:
            self.fail(f"{value}: write more than 0", param, ctx)
        return {kind: number}


class Seeds(click.ParamType[list[int]]):
    """`20`, how many; `1..20` (both ends included), `1,3,7`, or both."""

    name = "seeds"

    def convert(self, value: str | list[int], param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        """Parse; refuse with what would be right."""
        if isinstance(value, list):
            return value
        try:
            return parse_seeds(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)
