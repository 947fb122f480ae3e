"""`farlink completion`, and what a shell offers where a scenario is expected."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from farlink._farlink import ScenarioError, built_in
from farlink.cli import VARIABLE
from farlink.errors import UsageError
from farlink.runs import libraries
from farlink.runs.paths import keys_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")
BASH_WORD = "COMPREPLY+=($value)"
"""Where click's script for bash takes a word."""


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete commands, options, scenarios, files, and paths of --set and --vary.

    \b
    source <(farlink completion bash)          # in ~/.bashrc; bash 4.4 or newer
    source <(farlink completion zsh)           # in ~/.zshrc, after compinit
    farlink completion fish > ~/.config/fish/completions/farlink.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None, "click knows these shells"
    root = context.find_root()
    script = made(root.command, {}, "farlink", VARIABLE)
    # Not `source`, which runs bash to ask for its version.
    text = script.source_template % script.source_vars()
    # A value follows a path at once.
    click.echo(text.replace(BASH_WORD, f"{BASH_WORD}\n            [[ $value == *= ]] && compopt -o nospace"))


def complete_built_in(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the built-in scenarios."""
    from click.shell_completion import CompletionItem

    del context, parameter
    return [CompletionItem(name, help=summary) for name, summary, _ in built_in() if name.startswith(incomplete)]


def complete_scenario(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the built-in scenarios, those of packages, and files."""
    from click.shell_completion import CompletionItem

    of_packages = [CompletionItem(name) for name in libraries.names() if name.startswith(incomplete)]
    # First: in bash a list of files empties what was offered before.
    return [CompletionItem(incomplete, type="file"), *complete_built_in(context, parameter, incomplete), *of_packages]


def complete_path(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the paths that `--set` and `--vary` take: keys of the scenario that was named, and of its models."""
    from click.shell_completion import CompletionItem

    del parameter
    # Without the option's value click leaves the arguments before it unread.
    given = [each for each in context.args if not each.startswith("-")]
    name = context.params.get("scenario") or context.params.get("description") or next(iter(given), None)
    table = incomplete.rpartition(".")[0]
    keys = [f"{table}.{key}" if table else key for key in keys_of(table)]
    found = dict.fromkeys([*_paths_of_scenario(name), *keys])
    return [CompletionItem(f"{path}=") for path in found if path.startswith(incomplete)]


def _paths_of_scenario(name: str | None) -> list[str]:
    """The paths to all values of a scenario, or of a sweep's: those in its text first, then the defaults."""
    from farlink.runs import kind
    from farlink.runs.scenario import load
    from farlink.sweeps import description
    from farlink.tables import parameters

    if not name or name == "-":
        return []
    try:
        made = load(name)
        made = description.read(Path(name)).scenario if kind.is_sweep(made.text) else made
        defaults = parameters.flatten(made.validated.resolved)
        text = parameters.flatten(made.to_toml())
    except (UsageError, ScenarioError):
        return []
    # Nodes and links of a topology are no items of lists.
    written = {path.partition(".")[0] for path in text}
    usable = [path for path in defaults if not re.match(r"\w+\.\d", path) or path.partition(".")[0] in written]
    paths = [*text, *usable]
    return [*paths, *(re.sub(r"^(\w+)\.\d+\.", r"\1.*.", path) for path in paths)]
