"""Colour, width and progress: on a terminal only, and without colour where NO_COLOR is set."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from farlink.execution import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

WIDTH_OF_A_FILE = 120
"""Characters to a line where there is no terminal to ask."""


def console() -> Console:
    """Where tables are printed."""
    from rich.console import Console

    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return Console(width=None if on_terminal else WIDTH_OF_A_FILE, highlight=False)


def interrupted(store: Path, no_resume: bool) -> int:
    """Tell how runs into a store go on, and give the exit status."""
    again = "the same command without --no-resume" if no_resume else "the same command"
    click.echo(f"farlink: interrupted; what was finished is kept in {store}: {again} goes on", err=True)
    return 130


BETWEEN_LINES_S = 10.0
"""Where progress is told in lines."""


@contextmanager
def progress(title: str, quiet: bool = False, each: str = "") -> Iterator[Progress | None]:
    """Show a bar on standard error while the block runs, if that is a terminal.

    With `each`, the word for what is done at every report, it shows how many per second, and elsewhere than on a
    terminal it writes a line now and then.
    """
    if quiet or not sys.stderr:
        yield None
    elif sys.stderr.isatty():
        with _bar(title, each) as report:
            yield report
    else:
        yield _lines(title, each) if each else None


@contextmanager
def _bar(title: str, each: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %")]
    if each:
        columns.append(TextColumn(f"{{task.fields[rate]:.3g}} {each}/s"))
    pace = Pace()
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0, rate=0.0)

        def report(share: float) -> None:
            pace.count += 1
            bar.update(task, completed=share, rate=pace.rate)

        yield report


def _lines(title: str, each: str) -> Progress:
    pace = Pace()
    first, told_s = 0.0, time.monotonic()

    def report(share: float) -> None:
        nonlocal first, told_s
        pace.count += 1
        if pace.count == 1:
            first = share
        now_s = time.monotonic()
        if now_s - told_s < BETWEEN_LINES_S:
            return
        told_s = now_s
        left = f", {_duration((1 - share) / (share - first) * pace.passed_s)} left" if share > first else ""
        print(f"{title}: {100 * share:.0f} %, {pace.rate:.3g} {each}/s{left}", file=sys.stderr, flush=True)

    return report


class Pace:
    """How much was done since it was made, and how fast."""

    def __init__(self) -> None:
        self.count = 0
        self._began_s = time.monotonic()

    @property
    def passed_s(self) -> float:
        """Since it was made."""
        return time.monotonic() - self._began_s

    @property
    def rate(self) -> float:
        """Per second, on average."""
        return self.count / max(self.passed_s, 1e-9)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
