"""The command line: a file per command, and one place for exit statuses.

0 done; 2 bad usage or scenario; 1 anything else; 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import os
import sys
from typing import cast

import click

from farlink import (
    EventLimitError,
    IncompleteError,
    MemoryLimitError,
    ScenarioError,
    StoreError,
    UsageError,
    __version__,
)
from farlink.cli.check import check
from farlink.cli.explain import explain
from farlink.cli.models import models
from farlink.cli.movement import movement
from farlink.cli.run import run
from farlink.cli.schema import schema
from farlink.cli.study import study
from farlink.cli.sweep import compare, export, plot, sweep
from farlink.cli.terminal import print_line
from farlink.cli.tune import tune


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="farlink")
def cli() -> None:
    """A laboratory for TCP over hard links."""


for command in (run, sweep, tune, study, compare, plot, export, check, explain, movement, models, schema):
    cli.add_command(command)


def main() -> int:
    """Run the command line; its exit status."""
    try:
        status = cli.main(prog_name="farlink", standalone_mode=False)
        if sys.stdout:  # None where it was closed from the start
            sys.stdout.flush()
    except click.ClickException as error:
        _tell(error)
        status = 2
    except (ScenarioError, UsageError) as error:
        click.echo(f"farlink: {error}", err=True)
        status = 2
    except (EventLimitError, MemoryLimitError, StoreError) as error:
        print_line(f"farlink: {error}", err=True)
        status = 1
    except IncompleteError as error:
        again = "the same command without --no-resume" if "--no-resume" in sys.argv else "the same command"
        print_line(f"farlink: {error.told(f'{again} resumes')}", err=True)
        status = 1
    except (KeyboardInterrupt, click.Abort):
        click.echo("farlink: interrupted; what was not finished is not kept", err=True)
        status = 130
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python would complain once more while closing it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print_line(f"farlink: {place}{error.strerror or error}", err=True)
        status = 1
    return cast("int", status)


def _tell(error: click.ClickException) -> None:
    """Say in one line what was wrong with the usage, and where the right one stands."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = " ".join(error.format_message().split()).rstrip(".")
    command = context.command_path if context else "farlink"
    print_line(f"farlink: {message}; see {command} --help", err=True)
