"""`farlink movement`."""

from __future__ import annotations

from pathlib import Path

import click

from farlink.cli.options import Changes, Place, loaded, scenario_argument, seed_option
from farlink.execution.outputs import refuse_inputs
from farlink.system.files import check_target, write_text


@click.command()
@scenario_argument
@seed_option
@click.option("--shift", default="0 m", metavar="DISTANCE", help="Move all coordinates to the east and north.")
@click.option("--out", type=Place(), metavar="FILE", help="Write a file, not standard output.")
def movement(scenario: str, settings: Changes, seed: int | None, shift: str, out: Path | None) -> None:
    """Write how the nodes of SCENARIO move, as a movement file of ns-2."""
    if out:
        check_target(out)
    made = loaded(scenario, settings)
    refuse_inputs(made.files, (out,))
    text = made.ns2_movement(seed=seed, shift=shift)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(out, text)
