"""What `farlink sweep` and `farlink tune` have in common: options for runs that go into a store."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from farlink.cli.options import (
    Bounds,
    executor_options,
    folder_option,
    jobs_option,
    max_events_option,
    options,
    quiet_option,
    repair_option,
    strict_option,
    warn,
    warn_of_implausible,
    warn_option,
)
from farlink.cli.terminal import print_line, progress, resumable
from farlink.execution.execute import cores

if TYPE_CHECKING:
    from farlink._farlink import ScenarioWarning
    from farlink.execution.estimate import Estimate

Result = TypeVar("Result")
OF_RUN = ("jobs", "executor", "scheduler", "max_events", "fresh", "repair")
"""Options that are arguments of `Sweep.run` and `Tuning.run`."""


@dataclass(frozen=True)
class IntoStore:
    """The values of the options."""

    out: Path | None
    bounds: tuple[Bounds, ...]
    strict: bool
    quiet: bool
    of_run: dict[str, Any]

    def warn(self, origin: str, found: list[ScenarioWarning], estimate: Estimate) -> None:
        """Print a line for everything that is implausible, and for whatever is above its bound."""
        warn_of_implausible(origin, found, self.strict)
        warn(origin, estimate, self.bounds, self.of_run["jobs"] or cores())

    def run(self, run: Callable[..., Result], folder: Path, title: str) -> Result:
        """Call the `run` of a sweep or a tuning, showing progress."""

        def resuming(found: int, planned: int | None) -> None:
            counts = f"{found} runs found" if planned is None else f"{found} of {planned} runs found"
            rest = "" if planned is None else f", {planned - found} to run"
            print_line(f"farlink: {folder}: {counts}{rest}", err=True)

        with resumable(folder), progress(title, self.quiet, each="runs") as report:
            return run(out=folder, progress=report, resuming=resuming, **self.of_run)


OPTIONS = options(
    jobs_option,
    executor_options,
    folder_option("--out", "The store, new or an earlier one; default: above."),
    click.option("--no-resume", "fresh", is_flag=True, help="Delete what the store holds."),
    repair_option,
    max_events_option,
    warn_option,
    strict_option,
    quiet_option,
)


def into_store_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command gets their values as `into`."""

    @functools.wraps(command)
    def call(*, out: Path | None, bounds: tuple[Bounds, ...], strict: bool, quiet: bool, **others: Any) -> None:
        of_run = {name: others.pop(name) for name in OF_RUN}
        command(into=IntoStore(out, bounds, strict, quiet, of_run), **others)

    return OPTIONS(call)
