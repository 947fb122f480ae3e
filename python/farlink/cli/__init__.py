"""The command line: one file per command, one place for exit statuses.

0 done; 2 bad usage or scenario; 1 anything else; 130 interrupted.
"""

from __future__ import annotations

import sys

import click

from farlink import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="farlink")
def cli() -> None:
    """A laboratory for TCP over hard links."""


def main() -> None:
    """Run the command line and leave with its exit status."""
    try:
        cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)
