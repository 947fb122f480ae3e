"""`farlink check`."""

from __future__ import annotations

import click

from farlink.cli.options import loaded, scenario_argument


@click.command()
@scenario_argument
def check(scenario: str, settings: tuple[str, ...]) -> None:
    """Validate SCENARIO, run nothing, and say what it holds."""
    made = loaded(scenario, settings)
    validated = made.validated
    flows = ", ".join(validated.flow_labels)
    click.echo(f"{made.origin}: valid; {validated.duration_ns / 1e9:g} s, flows: {flows}")
