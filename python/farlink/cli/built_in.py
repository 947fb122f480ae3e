"""`farlink init` and `farlink show`: the text of a scenario, to begin one's own from."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click

from farlink._farlink import built_in
from farlink.cli.completion import complete_built_in
from farlink.cli.options import Changes, loaded, scenario_argument
from farlink.cli.terminal import print_line
from farlink.errors import UsageError
from farlink.runs.toml_text import toml
from farlink.spelling import remedy
from farlink.system.files import create_text

ENDING = ".toml"
NAME = re.compile(r"^name = .*$", re.MULTILINE)
"""The first key of a built-in scenario."""


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--from",
    "source",
    default="satellite",
    show_default=True,
    metavar="BUILT_IN",
    shell_complete=complete_built_in,
    help="The built-in scenario to copy; `farlink list scenarios` prints all.",
)
def init(name: str, source: str) -> None:
    """Write NAME.toml, a copy of a built-in scenario with its comments.

    The scenario in it is called NAME. A file that exists is not replaced.

    \b
    farlink init mylink
    farlink init mylink --from leo
    farlink run mylink.toml
    """
    texts = {each: text for each, _, text in built_in()}
    if source not in texts:
        raise UsageError(f"--from {source}: there is no such built-in scenario; {remedy(source, list(texts))}")
    path = Path(name if name.endswith(ENDING) else f"{name}{ENDING}")
    if not path.name.removesuffix(ENDING).strip("."):  # `..` is a folder
        raise UsageError("a scenario without a name; write `farlink init NAME`")
    create_text(path, copied(texts[source], path.stem, source))
    word = shlex.quote(str(path))
    print_line(f"{path}: a copy of `{source}`; next: farlink check {word}, farlink run {word}", err=True)


def copied(text: str, name: str, source: str) -> str:
    """Give a built-in scenario's text under another name, with a note of its source."""
    keys = "`farlink schema` lists all keys, `farlink list` all models"
    note = f"# A copy of the built-in scenario `{source}`; {keys}.\n#\n"
    return note + NAME.sub(lambda _: f"name = {toml(name)}", text, count=1)


@click.command()
@scenario_argument
@click.option("--resolved", is_flag=True, help="Print every key, defaults included, with --set applied.")
def show(scenario: str, settings: Changes, resolved: bool) -> None:
    """Print SCENARIO, a built-in scenario or a file, as TOML.

    With --resolved it is the scenario that runs: topologies are nodes and links, presets and defaults are values.
    That text is a scenario file, too, and gives equal results.

    \b
    farlink show satellite
    farlink show satellite --resolved --set links.0.rate='10 Mbit/s'
    """
    if settings and not resolved:
        raise click.UsageError("--set is not part of the text; add --resolved to print the scenario with it")
    made = loaded(scenario, settings)
    click.echo(made.validated.resolved if resolved else made.text, nl=False)
