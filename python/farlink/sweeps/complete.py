"""Whatever ran a plan: a run that is missing in the store afterwards is an error."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from farlink.errors import ExecutorError, IncompleteError
from farlink.results import Results
from farlink.sweeps.drive import Plan, Take
from farlink.sweeps.stop import Stop

Execute = Callable[[Plan, Take, Stop], None]


def attempt(execute: Execute, plan: Plan, take: Take, stop: Stop) -> str:
    """Have a plan run; returns why the executor failed, if it did."""
    try:
        execute(plan, take, stop)
    except ExecutorError as error:
        return str(error)
    return "its executor ended before the others were made"


def check(folder: Path, planned: Sequence[str], kept: Collection[str], cause: str) -> None:
    """Raise `IncompleteError` with `cause` unless all the runs that were `planned` are `kept` in the store."""
    done = [key for key in planned if key in kept]
    if len(done) < len(planned):
        raise IncompleteError(len(done), len(planned), folder, cause, Results(folder, done) if done else None)
