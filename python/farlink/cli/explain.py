"""`farlink explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from farlink.cli.options import loaded, quiet_option, scenario_argument
from farlink.cli.terminal import console, progress
from farlink.printable import printable


@click.command()
@scenario_argument
@quiet_option
def explain(scenario: str, settings: tuple[str, ...], quiet: bool) -> None:
    """Say why each flow was as fast as it was.

    SCENARIO is a folder that `farlink run --out` wrote, or a scenario, which is then run with its own seed.
    """
    folder = Path(scenario)
    if folder.is_dir():
        from farlink import saved

        if settings:
            raise click.UsageError("--set changes a scenario, not a folder of results")
        explanation = saved.explanation(folder)
    else:
        made = loaded(scenario, settings)
        with progress(made.validated.name, quiet) as report:
            explanation = made.run(series=False, progress=report).explanation
    for row in explanation:
        _print(row)


def _print(row: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    out.print(Text(printable(f"{row['flow']}, seed {row['seed']}"), style="bold"))
    out.print(Text(printable(row["text"])))
    table = Table("limited by", "share of the time")
    table.columns[1].justify = "right"
    for cause, share in row["limited_by"].items():
        if share > 0:
            table.add_row(printable(cause).replace("_", " "), f"{100 * share:.1f} %")
    if table.row_count:  # without TCP there is no window to limit a flow
        out.print(table)
