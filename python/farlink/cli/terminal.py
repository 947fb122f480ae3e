"""Colour, width and progress: on a terminal only, and without colour where NO_COLOR is set."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from farlink.execution import Progress

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_OF_A_FILE = 120
"""Characters to a line where there is no terminal to ask."""


def console() -> Console:
    """Where tables are printed."""
    from rich.console import Console

    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return Console(width=None if on_terminal else WIDTH_OF_A_FILE, highlight=False)


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Progress | None]:
    """Show a bar on standard error while the block runs, if that is a terminal."""
    if quiet or not sys.stderr or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda share: bar.update(task, completed=share)
