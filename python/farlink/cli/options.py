"""Options and arguments of several commands."""

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


class Place(click.Path):
    """A file or a folder; an empty name, which would be the current folder, is refused."""

    def __init__(self, *, file_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty name."""
        if not str(value):
            self.fail("an empty name", param, ctx)
        return super().convert(value, param, ctx)


def _change(text: str) -> Change:
    """Take `PATH=VALUE` apart at the first equals sign."""
    path, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text}: write PATH=VALUE")
    return Change(path.strip(), value.strip())


def set_option(words: str) -> Callable[[Command], Command]:
    """Give --set, which is explained by `words`."""
    return click.option(
        "--set",
        "settings",
        type=_change,
        multiple=True,
        metavar="PATH=VALUE",
        shell_complete=complete_path,
        help=words,
    )


def scenario_argument(command: Command) -> Command:
    """Add SCENARIO and --set."""
    argument = click.argument("scenario", metavar="SCENARIO", shell_complete=complete_scenario)
    return argument(set_option("Set a value over the scenario's: flows.0.tcp.congestion_control=hybla")(command))


def _seeds(text: str) -> list[int]:
    try:
        return parse_seeds(text)
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


def seeds_option(words: str, **more: Any) -> Callable[[Command], Command]:
    """Give --seeds: `20`, how many; `1..20` (both ends included), `1,3,7`, or both."""
    return click.option("--seeds", type=_seeds, metavar="N|A..B", help=words, **more)


def folder_option(name: str, words: str) -> Callable[[Command], Command]:
    """Give an option that names a folder."""
    return click.option(name, type=Place(file_okay=False), metavar="DIR", help=words)


def choice_option(
    name: str, values: Sequence[str], words: str, into: str | None = None
) -> Callable[[Command], Command]:
    """Give an option that takes one of some values; the first is its default."""
    names = [name] if into is None else [name, into]
    return click.option(*names, type=click.Choice(list(values)), default=values[0], show_default=True, help=words)


def pairs(shape: str, if_twice: str = "leave one out") -> Callable[..., dict[str, str]]:
    """Give a callback that takes the values of an option apart at their first equals sign."""

    def take_apart(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
        made: dict[str, str] = {}
        for each in given:
            path, equals, value = (part.strip() for part in each.partition("="))
            if not (path and equals and value):
                raise click.UsageError(f"{option.opts[0]} {each}: write {shape}")
            if path in made:
                raise UsageError(f"{option.opts[0]} {path} is given twice; {if_twice}")
            made[path] = value
        return made

    return take_apart


def options(*each: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Give several options as one, in the order in which --help shows them."""

    def add(command: Command) -> Command:
        for option in reversed(each):
            command = option(command)
        return command

    return add


question_options = options(
    click.option(
        "--where",
        multiple=True,
        metavar="PATH=VALUE",
        callback=pairs("PATH=VALUE"),
        help="Only these flows; also seed=1, flow=LABEL; 'flow=web*' pools the flows of a group.",
    ),
    click.option(
        "--label",
        "labels",
        multiple=True,
        metavar="OLD=NEW",
        callback=pairs("OLD=NEW"),
        help="Call a value NEW, such as cubic=CUBIC, or a column by its path.",
    ),
    choice_option("--interval", list(ESTIMATORS), "95 % CI of means: Student's t, or the BCa bootstrap."),
)
"""Which runs and flows of a store are used, and how; the arguments of the same names of `ResultStore`."""

seed_option = click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="One seed; by default the scenario's own.")
jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at the same time; default: all cores."
)
executor_options = options(
    choice_option("--executor", ["local", "dask"], "Threads and processes of this machine, or a Dask cluster."),
    click.option("--scheduler", metavar="URL", help="Address of the Dask scheduler; default: a local cluster."),
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
EVERY_FLOW = "--all-flows shows each"
all_flows_option = click.option(
    "--all-flows", is_flag=True, help=f"Show every flow, also where there are more than {MOST_SHOWN}."
)
max_events_option = click.option(
    "--max-events",
    type=click.IntRange(min=1),
    metavar="N",
    help="Stop a run that needs more than N events, with exit status 1.",
)
strict_option = click.option(
    "--strict", is_flag=True, help="Refuse a scenario that is valid but implausible, with exit status 2."
)
repair_option = click.option(
    "--repair", is_flag=True, help="Move damaged files of the store aside, and make their runs again."
)


def _bound(text: str) -> Bounds:
    """Read a number of events, or a size."""
    try:
        number, kind = float(text), "most_events"
    except ValueError:
        size = quantity(text)
        if size is None or size[1] != "bytes":
            raise click.BadParameter(
                f"{text}: write a number of events such as 1e10, or a size such as '8 GB'"
            ) from None
        number, kind = size[0], "most_bytes"
    if not number > 0:
        raise click.BadParameter(f"{text}: write more than 0")
    return {kind: number}


warn_option = click.option(
    "--warn-above",
    "bounds",
    type=_bound,
    multiple=True,
    metavar="N|SIZE",
    help="Warn of more events, or of more memory; default: 1e10 and '8 GB'.",
)


def warn(origin: str, estimate: Estimate, bounds: tuple[Bounds, ...], runs: int = 1) -> None:
    """Print a line for whatever is above its bound; `runs` are made at the same time."""
    for warning in estimate.warnings(**{key: value for bound in bounds for key, value in bound.items()}, runs=runs):
        print_line(f"farlink: warning: {origin}: {warning}", err=True)


MOST_WARNINGS = 10
"""Of a scenario, or of all points of a sweep, that are printed."""


def warn_of_implausible(origin: str, found: Sequence[ScenarioWarning | str], strict: bool) -> None:
    """Print a line for everything that is implausible; with `strict` refuse it."""
    for warning in found[:MOST_WARNINGS]:
        click.echo(f"farlink: warning: {warning}", err=True)  # escaped where it is made
    if rest := found[MOST_WARNINGS:]:
        print_line(f"farlink: warning: {origin}: {counted(len(rest), 'further warning')}", err=True)
    if strict and found:
        raise UsageError(f"{origin}: {counted(len(found), 'warning')}; refused because of --strict")


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


def is_saved_run(folder: Path) -> bool:
    """Whether a folder is a saved run, not a store; refuse one that is neither."""
    if is_store(folder):
        return False
    if not is_run(folder):
        made = "a store is what `farlink sweep --out` makes, a run what `farlink run --out` does"
        raise UsageError(f"{folder}: neither a store of results nor a saved run; {made}{suggest_store(folder)}")
    return True


def print_left_out(text: str) -> None:
    """Say that a panel that was asked for is not in the figure."""
    print_line(f"farlink: {text}", err=True)
