"""`farlink list`."""

from __future__ import annotations

import json
from typing import Any

import click

import farlink._farlink as engine
from farlink.cli.terminal import console
from farlink.errors import UsageError
from farlink.runs.saved import to_json

SCENARIOS = "scenarios"


def _complete_kind(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Offer the lists."""
    del context, parameter
    kinds = [SCENARIOS, *dict.fromkeys(model["kind"] for model in json.loads(engine.models()))]
    return [kind for kind in kinds if kind.startswith(incomplete)]


@click.command("list", short_help="List every model with its parameters and source.")
@click.argument("kind", required=False, shell_complete=_complete_kind)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
def models(kind: str | None, as_json: bool) -> None:
    """List the built-in scenarios and every registered model with its parameters and source; KIND chooses one list.

    \b
    farlink list scenarios
    farlink list congestion_control
    farlink list --json
    """
    registered: list[dict[str, Any]] = json.loads(engine.models())
    kinds = [SCENARIOS, *dict.fromkeys(model["kind"] for model in registered)]
    if kind is not None and kind not in kinds:
        raise UsageError(f"there is no list `{kind}`; lists: {', '.join(kinds)}")
    lists = kinds if kind is None else [kind]
    if as_json:
        _print_json(lists, registered)
        return
    for chosen in lists:
        if chosen == SCENARIOS:
            _print_scenarios()
        else:
            _print_models(chosen, [model for model in registered if model["kind"] == chosen])


def _print_json(lists: list[str], registered: list[dict[str, Any]]) -> None:
    made: dict[str, list[dict[str, Any]]] = {}
    for chosen in lists:
        if chosen == SCENARIOS:
            made[chosen] = [{"name": name, "summary": summary} for name, summary, _ in engine.built_in()]
        else:
            made[chosen] = [model for model in registered if model["kind"] == chosen]
    click.echo(to_json(made), nl=False)


def _print_scenarios() -> None:
    from rich.table import Table

    table = Table(title=SCENARIOS, title_justify="left")
    table.add_column("name", no_wrap=True)
    table.add_column("what it shows")
    for name, summary, _ in engine.built_in():
        table.add_row(name, summary)
    console().print(table)


def _print_models(kind: str, rows: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=kind, title_justify="left", show_lines=True)
    table.add_column("name", no_wrap=True)
    for heading in ("what it is", "parameters", "source"):
        table.add_column(heading)
    for model in rows:
        parameters = "\n".join(f"{each['name']} = {each['default']}" for each in model["parameters"])
        table.add_row(*(Text(cell) for cell in (model["name"], model["doc"], parameters, model["source"])))
    console().print(table)
