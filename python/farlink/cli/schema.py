"""`farlink schema`."""

from __future__ import annotations

import click

from farlink import _farlink


@click.command()
def schema() -> None:
    """Print the JSON Schema of a scenario file."""
    click.echo(_farlink.schema().rstrip("\n"))
