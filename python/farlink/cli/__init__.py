"""The command line: a file per command, and one place for exit statuses.

0 done; 2 bad usage or scenario; 1 anything else; 130 interrupted.
"""

from __future__ import annotations

import os
import sys

import click

from farlink import ScenarioError, UsageError, __version__
from farlink.cli.check import check
from farlink.cli.explain import explain
from farlink.cli.models import models
from farlink.cli.run import run
from farlink.cli.schema import schema
from farlink.cli.study import study
from farlink.cli.sweep import compare, export, plot, sweep


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="farlink")
def cli() -> None:
    """A laboratory for TCP over hard links."""


for command in (run, sweep, study, compare, plot, export, check, explain, models, schema):
    cli.add_command(command)


def main() -> None:
    """Run the command line and leave with its exit status."""
    try:
        status = cli.main(standalone_mode=False)
        if sys.stdout:  # None where it was closed from the start
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = 2
    except (ScenarioError, UsageError) as error:
        click.echo(f"farlink: {error}", err=True)
        status = 2
    except (KeyboardInterrupt, click.Abort):
        status = 130
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python would complain once more while closing it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"farlink: {place}{error.strerror or error}", err=True)
        status = 1
    sys.exit(status)
