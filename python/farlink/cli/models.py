"""`farlink list` and `farlink schema`: what a scenario may have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

import farlink._farlink as engine
from farlink.cli.options import json_option
from farlink.cli.terminal import console
from farlink.errors import UsageError
from farlink.printable import printable
from farlink.runs.saved import to_json

if TYPE_CHECKING:
    from farlink.system.entry_points import Addition

SCENARIOS, CONTROLS = "scenarios", "congestion_control"
"""The lists that installed packages add to."""
Row = dict[str, Any]


def _kinds() -> list[str]:
    """The lists there are."""
    return [SCENARIOS, *dict.fromkeys(model["kind"] for model in json.loads(engine.models()))]


def _complete_kind(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Offer the lists."""
    del context, parameter
    return [kind for kind in _kinds() if kind.startswith(incomplete)]


@click.command("list")
@click.argument("kind", required=False, shell_complete=_complete_kind)
@json_option
def models(kind: str | None, as_json: bool) -> None:
    """List scenarios and models, built in and of installed packages, with parameters and source; KIND chooses one list.

    \b
    farlink list scenarios
    farlink list congestion_control
    farlink list --json
    """
    kinds = _kinds()
    if kind is not None and kind not in kinds:
        raise UsageError(f"there is no list `{kind}`; lists: {', '.join(kinds)}")
    lists = {chosen: _rows(chosen) for chosen in (kinds if kind is None else [kind])}
    if as_json:
        click.echo(to_json(lists), nl=False)
        return
    for chosen, rows in lists.items():
        _print_list(chosen, rows)


@click.command()
def schema() -> None:
    """Print the JSON Schema of a scenario file."""
    click.echo(engine.schema().rstrip("\n"))


def _rows(kind: str) -> list[Row]:
    """Give what is built in, then what packages add."""
    if kind == SCENARIOS:
        built_in: list[Row] = [{"name": name, "summary": summary} for name, summary, _ in engine.built_in()]
        return [{**row, "package": None} for row in built_in] + _scenarios_of_packages()
    rows = [{**model, "package": None} for model in json.loads(engine.models()) if model["kind"] == kind]
    return rows + (_controls_of_packages() if kind == CONTROLS else [])


def _scenarios_of_packages() -> list[Row]:
    from farlink.runs.libraries import GROUP, files_of, summary

    def rows(library: Addition) -> list[Row]:
        files = files_of(library).items()
        return [{"name": f"{library.name}/{name}", "summary": summary(path)} for name, path in files]

    return _of_packages(GROUP, rows, {"summary": ""})


def _controls_of_packages() -> list[Row]:
    from farlink.execution import packaged

    def rows(addition: Addition) -> list[Row]:
        if addition.name in packaged.built_in():
            raise packaged.built_in_error(addition)
        doc = (packaged.loaded(addition).factory.__doc__ or "").strip().partition("\n")[0]
        return [{"kind": CONTROLS, "name": addition.name, "doc": doc, "source": addition.entry.value, "parameters": []}]

    return _of_packages(packaged.GROUP, rows, {"kind": CONTROLS, "doc": "", "source": "", "parameters": []})


def _of_packages(group: str, rows: Callable[[Addition], list[Row]], empty: Row) -> list[Row]:
    """Give the rows of every entry point; of one that is of no use, a row with the reason."""
    from farlink.system.entry_points import additions, find

    made: list[Row] = []
    for each in additions(group):
        try:
            find(group, each.name)  # refuses a name of two packages
            made += [{**row, "package": each.package} for row in rows(each)]
        except UsageError as error:
            made.append({"name": each.name, **empty, "package": each.package, "error": str(error)})
    return made


def _print_list(kind: str, rows: list[Row]) -> None:
    """Print a table; the column of packages is there if there are any, and what is broken has a line below."""
    from rich.table import Table
    from rich.text import Text

    columns: dict[str, Callable[[Row], str]] = {"name": lambda row: row["name"]}
    if kind == SCENARIOS:
        columns["what it shows"] = lambda row: row["summary"]
    else:
        columns["what it is"] = lambda row: row["doc"]
        columns["parameters"] = lambda row: "\n".join(
            f"{each['name']} = {each['default']}" for each in row["parameters"]
        )
        columns["source"] = lambda row: row["source"]
    if any(row["package"] for row in rows):
        columns["package"] = lambda row: row["package"] or ""
    table = Table(*columns, title=kind, title_justify="left", show_lines=kind != SCENARIOS)
    table.columns[0].no_wrap = True
    for row in rows:
        if "error" not in row:
            texts = [cell(row) for cell in columns.values()]
            table.add_row(*(Text(printable(text) if row["package"] else text) for text in texts))
    console().print(table)
    for row in rows:
        if "error" in row:
            click.echo(f"broken: {row['error']}")
