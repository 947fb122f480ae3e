"""The command line: a file per command, and one place for exit statuses.

0 done; 2 bad usage or scenario; 1 anything else; 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from typing import cast

import click

from farlink._farlink import ScenarioError, ScenarioWarning, __version__
from farlink.cli.terminal import print_line
from farlink.errors import EventLimitError, MemoryLimitError, StoreError, UsageError
from farlink.system import interrupts

VARIABLE = "_FARLINK_COMPLETE"
"""Set by the shell where it completes a command."""

COMMANDS = {
    "init": ("built_in.init", "Write a scenario file to begin from."),
    "show": ("built_in.show", "Print the text of a scenario."),
    "check": ("check.check", "Validate a scenario; estimate its events and memory."),
    "run": ("run.run", "Run a scenario with one or many seeds."),
    "explain": ("explain.explain", "Show what limited the throughput of each flow."),
    "sweep": ("sweep.sweep", "Run a scenario over a grid, by seeds, into a store."),
    "compare": ("sweep.compare", "Compare variants seed by seed."),
    "plot": ("plot.plot", "Draw a measure over a parameter or over time."),
    "export": ("export.export", "Write results as lines of JSON, CSV or Parquet."),
    "tune": ("tune.tune", "Find the best values of some parameters."),
    "study": ("study.study", "Reproduce a published study, claim by claim."),
    "lab": ("lab.lab", "Open the laboratory in the browser."),
    "movement": ("movement.movement", "Write a movement file of ns-2."),
    "list": ("models.models", "List every model with its parameters and source."),
    "schema": ("models.schema", "Print the JSON Schema of a scenario file."),
    "completion": ("completion.completion", "Print a script that completes commands in a shell."),
}
"""The function of every command, and what it does, by the command's name: `--help` imports none of them."""


class Commands(Mapping[str, click.Command]):
    """The commands by name; each is imported when it is asked for, as `farlink run` needs nothing of stores."""

    def __getitem__(self, name: str) -> click.Command:
        place, summary = COMMANDS[name]
        module, _, function = place.partition(".")
        command = cast("click.Command", getattr(import_module(f"farlink.cli.{module}"), function))
        command.short_help = summary
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class CommandLine(click.Group):
    """The group of all commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands as `click` does, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in sorted(COMMANDS.items())])


@click.group(cls=CommandLine, commands=Commands(), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="farlink")
def cli() -> None:
    """Simulate TCP over challenged links: satellite, lossy radio, multi-hop ad hoc, underwater."""


def main() -> int:
    """Run the command line; its exit status."""
    try:
        status = _run_command()
        sys.stdout.flush()
        return status
    except Exception as error:
        # A library may turn an interrupt into another error. After the command's own message an error is a failure.
        if interrupts.exit_status() is None or interrupts.is_reported():
            return report_failure(error)
    except KeyboardInterrupt:
        pass
    interrupts.report_interruption("interrupted; what was not finished is not kept")
    return 130


def _run_command() -> int:
    if instruction := os.environ.get(VARIABLE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "farlink", VARIABLE, instruction)
    warnings.simplefilter("ignore", ScenarioWarning)  # the commands print them
    try:
        # Not `cli.main`, which writes an empty line when it is interrupted.
        with cli.make_context("farlink", sys.argv[1:]) as context:
            return cast("int | None", cli.invoke(context)) or 0
    except click.exceptions.Exit as ended:
        return ended.exit_code


def report_failure(error: Exception) -> int:
    """Say in one line what was wrong, and give the exit status."""
    from farlink.sweeps.into_store import IncompleteError

    match error:
        case click.ClickException():
            _print_usage_error(error)
            return 2
        case ScenarioError() | UsageError():
            click.echo(f"farlink: {error}", err=True)  # escaped where it is made; it may have a second line
            return 2
        case EventLimitError() | MemoryLimitError() | StoreError():
            message = str(error)
        case IncompleteError():
            again = "the same command without --no-resume" if "--no-resume" in sys.argv else "the same command"
            message = error.message(f"{again} resumes")
        case BrokenPipeError():
            return 1  # the reader of the output closed it
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            message = f"{place}{error.strerror or error}"
        case MemoryError():
            message = "out of memory"
        case _:
            message = f"internal error: {type(error).__name__}: {' '.join(str(error).split())}{_place_of_defect(error)}"
    print_line(f"farlink: {message}", err=True)
    return 1


def _place_of_defect(error: Exception) -> str:
    """Where a defect shows: the last line of this package that the error passed."""
    import traceback
    from pathlib import Path

    package = Path(__file__).parents[1]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if package in Path(frame.filename).parents:
            return f" ({Path(frame.filename).relative_to(package)}:{frame.lineno})"
    return ""


KEYS = {
    **dict.fromkeys(("--cc", "--congestion-control", "--tcp"), "flows.*.tcp.congestion_control"),
    **dict.fromkeys(("--duration", "--time", "--sim-time"), "duration"),
    **dict.fromkeys(("--rate", "--bandwidth"), "links.0.rate"),
    **dict.fromkeys(("--delay", "--latency"), "links.0.delay"),
    "--loss": "links.0.error",
    "--routing": "routing",
}
"""Options of other tools, and the keys of a scenario that they stand for."""


def _value_of(option: str) -> str:
    """Give what was written after an option, or a name for it."""
    for argument, following in pairwise([*sys.argv[1:], "-"]):
        if argument.startswith(f"{option}="):
            return argument.partition("=")[2]
        if argument == option and not following.startswith("-"):
            return following
    return "VALUE"


def _print_usage_error(error: click.ClickException) -> None:
    """Say in one line what was wrong with the usage, and where the right one stands."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = " ".join(error.format_message().split()).rstrip(".")
    if isinstance(error, click.exceptions.NoSuchOption) and (path := KEYS.get(error.option_name)):
        option = "--vary" if context and context.info_name == "sweep" else "--set"
        setting = shlex.quote(f"{path}={_value_of(error.option_name)}")
        message = f"no option {error.option_name}; write {option} {setting}"
    command = context.command_path if context else "farlink"
    print_line(f"farlink: {message}; see {command} --help", err=True)
