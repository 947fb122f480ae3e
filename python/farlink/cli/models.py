"""`farlink list`."""

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


def _complete_kind(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Offer the lists."""
    del context, parameter
    kinds = [SCENARIOS, *dict.fromkeys(model["kind"] for model in json.loads(engine.models()))]
    return [kind for kind in kinds if kind.startswith(incomplete)]


@click.command("list", short_help="List every model with its parameters and source.")
@click.argument("kind", required=False, shell_complete=_complete_kind)
@json_option
def models(kind: str | None, as_json: bool) -> None:
    """List scenarios and models, built in and of installed packages, with parameters and source; KIND chooses one list.

    \b
    farlink list scenarios
    farlink list congestion_control
    farlink list --json
    """
    registered: list[Row] = json.loads(engine.models())
    kinds = [SCENARIOS, *dict.fromkeys(model["kind"] for model in registered)]
    if kind is not None and kind not in kinds:
        raise UsageError(f"there is no list `{kind}`; lists: {', '.join(kinds)}")
    lists = {chosen: _rows(chosen, registered) for chosen in (kinds if kind is None else [kind])}
    if as_json:
        click.echo(to_json(lists), nl=False)
        return
    for chosen, rows in lists.items():
        _print_scenarios(rows) if chosen == SCENARIOS else _print_models(chosen, rows)


def _rows(kind: str, registered: list[Row]) -> list[Row]:
    """Give what is built in, then what packages add."""
    if kind == SCENARIOS:
        built_in: list[Row] = [{"name": name, "summary": summary} for name, summary, _ in engine.built_in()]
        return [{**row, "package": None} for row in built_in] + _scenarios_of_packages()
    rows = [{**model, "package": None} for model in registered if model["kind"] == kind]
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
        doc = (packaged.loaded(addition).made.__doc__ or "").strip().partition("\n")[0]
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


def _print_scenarios(rows: list[Row]) -> None:
    _print_table(SCENARIOS, ["what it shows"], rows, lambda row: [row["summary"]])


def _print_models(kind: str, rows: list[Row]) -> None:
    def cells(model: Row) -> list[str]:
        parameters = "\n".join(f"{each['name']} = {each['default']}" for each in model["parameters"])
        return [model["doc"], parameters, model["source"]]

    _print_table(kind, ["what it is", "parameters", "source"], rows, cells, show_lines=True)


def _print_table(
    title: str, headings: list[str], rows: list[Row], cells: Callable[[Row], list[str]], show_lines: bool = False
) -> None:
    """Print a table; the column of packages is there if there are any, and what is broken has a line below."""
    from rich.table import Table
    from rich.text import Text

    is_packaged = any(row["package"] for row in rows)
    table = Table(title=title, title_justify="left", show_lines=show_lines)
    table.add_column("name", no_wrap=True)
    for heading in [*headings, "package"] if is_packaged else headings:
        table.add_column(heading)
    for row in rows:
        if "error" not in row:
            texts = [row["name"], *cells(row), *([row["package"] or ""] if is_packaged else [])]
            table.add_row(*(Text(printable(text) if row["package"] else text) for text in texts))
    console().print(table)
    for row in rows:
        if "error" in row:
            click.echo(f"broken: {row['error']}")
