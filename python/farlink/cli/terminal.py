"""Colour, width and progress: on a terminal only, and without colour where NO_COLOR is set."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from farlink.printable import printable
from farlink.system import interrupts

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from farlink.execution.execute import Progress
    from farlink.runs.grid import Grid

WIDTH_OF_A_FILE, WIDTH_UNKNOWN = 120, 80
"""Characters to a line where there is no terminal to ask, and where the terminal does not know."""
OVERRIDES = {"FORCE_COLOR", "TTY_COMPATIBLE"}
"""What tells `rich` that its output is a terminal, or none."""


def console() -> Console:
    """The console that tables are printed to."""
    from rich.console import Console

    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return Console(width=None if on_terminal else WIDTH_OF_A_FILE, highlight=False)


def print_table(table: Grid) -> None:
    """Print a table; with `rich` where lines have to be broken or the output is unusual."""
    width = _plain_width()
    text = None if width is None else table.plain(width, bold=sys.stdout.isatty())
    if text is None:
        out = console()
        narrow = table.narrow(out.width)
        # A line that the terminal breaks is hard to read; a number that is cut off is lost.
        out.width = max(out.width, narrow.least_width())
        out.print(narrow.for_terminal())
    else:
        click.echo(text)


def _plain_width() -> int | None:
    """The characters to a line of standard output; None where only `rich` knows what it can show."""
    if not sys.stdout or OVERRIDES & os.environ.keys():
        return None
    if not (sys.stdout.encoding or "utf-8").lower().startswith("utf"):
        return None
    if not sys.stdout.isatty():
        return WIDTH_OF_A_FILE
    if os.name == "nt" or os.environ.get("TERM", "").lower() in ("dumb", "unknown"):
        return None
    columns = os.environ.get("COLUMNS", "")
    return (int(columns) if columns.isdigit() else os.get_terminal_size(sys.stdout.fileno()).columns) or WIDTH_UNKNOWN


def print_line(text: str, *, err: bool = False) -> None:
    """Print one line, whatever names from outside are in it."""
    click.echo(printable(text), err=err)


@contextmanager
def resumable(store: Path) -> Iterator[None]:
    """If the block is interrupted, say how many runs in `store` are finished and which command resumes, and exit."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        from farlink.sweeps.into_store import SweepInterrupted

        kept = f"what was finished is kept in {store}"
        if isinstance(interruption, SweepInterrupted):
            done, asked = interruption.done, interruption.asked
            kept = f"{done} of {asked} runs are finished and kept in {store}, {asked - done} are left"
        command = shlex.join(["farlink", *(each for each in sys.argv[1:] if each != "--no-resume")])
        interrupts.report_interruption(printable(f"interrupted; {kept}; to resume: {command}"))
        raise click.exceptions.Exit(130) from None


BEFORE_A_BAR_S = 0.3
"""What ends earlier shows no bar, whose libraries would take as long to import."""
BETWEEN_LINES_S = 10.0
"""Between two lines of progress."""


@contextmanager
def progress(title: str, quiet: bool = False, each: str = "", simulated_s: float = 0.0) -> Iterator[Progress | None]:
    """Show a bar and the time left on standard error while the block runs, if that is a terminal.

    With `each`, the word for what is done at every report, it shows how many per second; with `simulated_s`, the
    simulated time of all runs together, how much of that passes in a second. With either, lines are written now and
    then where there is no terminal.
    """
    if quiet or not sys.stderr or not (each or simulated_s or sys.stderr.isatty()):
        yield None
        return
    show = _progress_bar if sys.stderr.isatty() else _progress_lines
    with show(printable(title), Pace(each, simulated_s)) as report:
        yield report


@contextmanager
def _progress_bar(title: str, pace: Pace) -> Iterator[Progress]:
    """Show a bar once there was something to wait for."""
    began_s = time.monotonic()
    with ExitStack() as stack:
        show: Progress | None = None

        def report(share: float) -> None:
            nonlocal show
            pace.reach(share)
            if show is None and time.monotonic() - began_s >= BEFORE_A_BAR_S:
                show = stack.enter_context(_bar(title, pace))
            if show is not None:
                show(share)

        yield report


@contextmanager
def _bar(title: str, pace: Pace) -> Iterator[Progress]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    percent = TextColumn("{task.percentage:>3.0f} %")
    columns = [TextColumn("{task.description}"), BarColumn(), percent, TextColumn("{task.fields[speed]}")]
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(title), total=1.0, speed="")
        yield lambda share: bar.update(task, completed=share, speed=pace.speed)


@contextmanager
def _progress_lines(title: str, pace: Pace) -> Iterator[Progress]:
    """Write a line now and then; if there was any, the last one says that all is done."""
    written_s, written = time.monotonic(), 1.0

    def report(share: float) -> None:
        nonlocal written_s, written
        pace.reach(share)
        now_s = time.monotonic()
        if now_s - written_s >= BETWEEN_LINES_S:
            written_s, written = now_s, share
            print(f"{title}: {100 * share:.3g} %, {pace}", file=sys.stderr, flush=True)

    yield report
    if written < 1:
        print(f"{title}: 100 %", file=sys.stderr, flush=True)


class Pace:
    """How much was done since it was made, how fast, and how long the rest takes at that rate."""

    def __init__(self, each: str, simulated_s: float) -> None:
        self._each = each
        self._simulated_s = simulated_s
        self._began_s = time.monotonic()
        self._count = 0
        self._first = self._share = 0.0

    def reach(self, share: float) -> None:
        """Count a report."""
        self._count += 1
        self._share = share
        if self._each and self._count == 1:
            # What a store held before took no time.
            self._first = share

    @property
    def speed(self) -> str:
        """What is done in a second, on average."""
        passed_s = max(time.monotonic() - self._began_s, 1e-9)
        if self._each:
            return f"{self._count / passed_s:.3g} {self._each}/s"
        if not self._simulated_s:
            return ""
        return f"{self._share * self._simulated_s / passed_s:.3g} s simulated per s"

    def __str__(self) -> str:
        done = self._share - self._first
        if done <= 0:
            return self.speed
        left_s = (1 - self._share) / done * (time.monotonic() - self._began_s)
        return f"{self.speed}, {timedelta(seconds=round(left_s))} left"
