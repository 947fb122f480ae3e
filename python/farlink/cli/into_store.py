"""What `farlink sweep` and `farlink tune` have in common: options for runs that go into a store."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from farlink.cli.options import (
    Bounds,
    Place,
    max_events_option,
    quiet_option,
    repair_option,
    strict_option,
    warn,
    warn_of_implausible,
    warn_option,
)
from farlink.cli.terminal import print_line, progress
from farlink.execution.execute import cores

if TYPE_CHECKING:
    from farlink._farlink import ScenarioWarning
    from farlink.execution.estimate import Estimate

Result = TypeVar("Result", covariant=True)


class Runnable(Protocol[Result]):
    """A sweep or a tuning."""

    @property
    def run(self) -> Callable[..., Result]:
        """Run what the store does not hold yet."""


@dataclass(frozen=True)
class IntoStore:
    """The values of the options."""

    jobs: int | None
    executor: str
    scheduler: str | None
    out: Path | None
    no_resume: bool
    repair: bool
    max_events: int | None
    bounds: tuple[Bounds, ...]
    strict: bool
    quiet: bool

    def warn(self, origin: str, found: list[ScenarioWarning], estimate: Estimate) -> None:
        """Print a line for everything that is implausible, and for whatever is above its bound."""
        warn_of_implausible(origin, found, self.strict)
        warn(origin, estimate, self.bounds, self.jobs or cores())

    def run(self, described: Runnable[Result], folder: Path, title: str) -> Result:
        """Run what the store in `folder` does not hold yet, showing progress; Ctrl-C raises `KeyboardInterrupt`."""

        def resuming(found: int, planned: int | None) -> None:
            left = "" if planned is None else f" of {planned}"
            rest = "" if planned is None else f", {planned - found} to run"
            print_line(f"farlink: {folder}: {found}{left} runs found{rest}", err=True)

        with progress(title, self.quiet, each="runs") as report:
            return described.run(
                out=folder,
                jobs=self.jobs,
                executor=self.executor,
                scheduler=self.scheduler,
                max_events=self.max_events,
                progress=report,
                fresh=self.no_resume,
                repair=self.repair,
                resuming=resuming,
            )


OPTIONS = (
    click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Parallel runs; default: all cores."),
    click.option(
        "--executor",
        type=click.Choice(["local", "dask"]),
        default="local",
        show_default=True,
        help="Threads and processes of this machine, or a Dask cluster.",
    ),
    click.option("--scheduler", metavar="URL", help="Address of the Dask scheduler; default: a local cluster."),
    click.option(
        "--out",
        type=Place(file_okay=False),
        metavar="DIR",
        help="The store, new or an earlier one; default: above.",
    ),
    click.option("--no-resume", is_flag=True, help="Delete what the store holds."),
    repair_option,
    max_events_option,
    warn_option,
    strict_option,
    quiet_option,
)


def into_store_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options; the command gets their values as `into`."""
    names = list(IntoStore.__dataclass_fields__)

    @functools.wraps(command)
    def call(**arguments: Any) -> int:
        into = IntoStore(**{name: arguments.pop(name) for name in names})
        return command(into=into, **arguments)

    for option in reversed(OPTIONS):
        call = option(call)
    return call
