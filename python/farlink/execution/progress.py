"""A bar that shows how much of some runs is done: in a notebook, or on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from farlink.execution.execute import Progress
from farlink.spelling import counted

BETWEEN_UPDATES_S = 0.2
"""Of a bar in a notebook: each is a message to the browser."""


@contextmanager
def reporting(progress: Progress | bool | None, runs: int) -> Iterator[Progress | None]:
    """Give the function that gets the share of the work that is done, if any.

    A function is given as it is. True shows a bar while the block runs, False none; None shows one of several runs in a
    notebook.
    """
    if callable(progress):
        yield progress
        return
    in_notebook = is_notebook()
    if not (progress or (progress is None and runs > 1 and in_notebook)):
        yield None
        return
    bar: AbstractContextManager[Progress] = _notebook_bar(runs) if in_notebook else _terminal_bar(runs)
    with bar as report:
        yield report


def part_of(progress: Progress | None, before: float, part: float, whole: float) -> Progress | None:
    """Report the progress of a part as that of the whole, `before` of which is done."""
    return None if progress is None else lambda share: progress((before + share * part) / whole)


def is_notebook() -> bool:
    """Whether the kernel of a notebook runs this."""
    made = sys.modules.get("IPython")
    return made is not None and getattr(made.get_ipython(), "kernel", None) is not None


@contextmanager
def _notebook_bar(runs: int) -> Iterator[Progress]:
    # Rich's bar needs ipywidgets in a notebook; an element of HTML that is updated needs IPython only.
    from IPython.display import HTML, display

    def html(share: float) -> Any:
        return HTML(f'<progress max="1" value="{share:.4f}"></progress> {_text(share, runs, began_s)}')

    began_s = updated_s = time.monotonic()
    handle = display(html(0.0), display_id=True)

    def report(share: float) -> None:
        nonlocal updated_s
        if time.monotonic() - updated_s >= BETWEEN_UPDATES_S:
            updated_s = time.monotonic()
            handle.update(html(share))

    try:
        yield report
    finally:
        handle.update(HTML(""))


@contextmanager
def _terminal_bar(runs: int) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(counted(runs, "run"), total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _text(share: float, runs: int, began_s: float) -> str:
    """How much is done, and how long the rest takes at that rate."""
    passed_s = time.monotonic() - began_s
    left = f", {passed_s * (1 - share) / share:.0f} s left" if share > 0.01 else ""
    return f"{100 * share:.0f} % of {counted(runs, 'run')}{left}"
