"""`farlink schema`."""

from __future__ import annotations

import click

import farlink._farlink as engine


@click.command()
def schema() -> None:
    """Print the JSON Schema of a scenario file."""
    click.echo(engine.schema().rstrip("\n"))
