"""`farlink lab`."""

from __future__ import annotations

import webbrowser
from contextlib import suppress

import click

from farlink.cli.completion import complete_scenario
from farlink.cli.terminal import print_line


@click.command()
@click.argument("file", required=False, shell_complete=complete_scenario)
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Default: any that is free.")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def lab(file: str | None, port: int, no_browser: bool) -> None:
    """Serve the laboratory to this machine, and open it in the browser. Ctrl-C ends it.

    FILE is a scenario, a built-in scenario's name, or a folder that `farlink run --out` wrote. The page runs scenarios
    by itself, with the results of `farlink run`; it needs no network.
    """
    from farlink.lab import server  # with http.server, which no other command needs

    pages = server.folder()
    if file is None:
        opened = None
    else:
        from farlink.lab.opened import opened as read

        opened = read(file)
    serving = server.bind(pages, server.index(pages, opened), port)
    address = server.address(serving)
    print_line(f"farlink lab: {address} (Ctrl-C ends it)")
    if not no_browser:
        webbrowser.open(address)
    with serving, suppress(KeyboardInterrupt):
        serving.serve_forever()
