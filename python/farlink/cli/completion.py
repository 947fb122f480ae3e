"""`farlink completion`, and what a shell offers where a scenario is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from farlink._farlink import built_in

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

VARIABLE = "_FARLINK_COMPLETE"
"""Set by the shell where it completes a command."""
SHELLS = ("bash", "zsh", "fish")


@click.command(short_help="Print a script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete commands, options, built-in scenarios and files.

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
    click.echo(script.source_template % script.source_vars())


def complete_built_in(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the built-in scenarios."""
    from click.shell_completion import CompletionItem

    del context, parameter
    return [CompletionItem(name, help=summary) for name, summary, _ in built_in() if name.startswith(incomplete)]


def complete_scenario(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the built-in scenarios, and files."""
    from click.shell_completion import CompletionItem

    # First: in bash a list of files empties what was offered before.
    return [CompletionItem(incomplete, type="file"), *complete_built_in(context, parameter, incomplete)]
