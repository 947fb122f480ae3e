"""Runs of a plan into a store, whatever executes them: a run that is missing afterwards is an error."""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from farlink.arguments import CALLABLE, FLAG, PLACE, PROGRESS, TEXT, WHOLE
from farlink.errors import ExecutorError, UsageError
from farlink.execution.execute import Progress, cores
from farlink.results.result_store import ResultStore
from farlink.runs.scenario import check_limits
from farlink.store import Store
from farlink.sweeps import local
from farlink.sweeps.cancellation import Cancellation, cancellable
from farlink.sweeps.plan import Plan
from farlink.sweeps.work import Finished
from farlink.system.files import check_folder


class IncompleteError(RuntimeError):
    """Runs are missing because their executor failed; the finished ones are in `folder`, and in `results` if any."""

    def __init__(self, done: int, asked: int, folder: Path, cause: str, results: ResultStore | None) -> None:
        super().__init__(done, asked, folder, cause, results)
        self.done = done
        self.asked = asked
        self.folder = folder
        self.cause = cause
        self.results = results

    def message(self, remedy: str) -> str:
        """Give the message with the remedy."""
        return f"{self.done} of {self.asked} runs are finished and kept in {self.folder}; {self.cause}; {remedy}"

    def __str__(self) -> str:
        return self.message("the same call resumes")


class SweepInterrupted(KeyboardInterrupt):
    """Ctrl-C, or the interrupt of a notebook, in a sweep: the finished runs are kept in `folder`.

    The same sweep with `out=folder` resumes.
    """

    def __init__(self, done: Sequence[str], asked: int, folder: Path) -> None:
        super().__init__(
            f"{len(done)} of {asked} runs are finished, in `results` of this exception; "
            f"the same sweep resumes with out={str(folder)!r}"
        )
        self.folder = folder
        self.done = len(done)
        self.asked = asked
        self._done = done

    @property
    def results(self) -> ResultStore | None:
        """The finished runs, if any."""
        return ResultStore(self.folder, self._done) if self._done else None


Executor = Literal["local", "dask"]
ARGUMENTS = {
    "out": PLACE,
    "jobs": WHOLE,
    "executor": TEXT,
    "scheduler": TEXT,
    "max_events": WHOLE,
    "progress": PROGRESS,
    "fresh": FLAG,
    "repair": FLAG,
    "resuming": CALLABLE,
}
"""What a call that runs into a store may give."""
AnyPlan = TypeVar("AnyPlan", bound=Plan)


@dataclass(frozen=True)
class IntoStore:
    """Where runs go, and how they are made; see `Sweep.run`."""

    out: str | Path | None
    jobs: int | None
    executor: Executor
    scheduler: str | None
    max_events: int | None
    progress: Progress | None
    fresh: bool
    repair: bool

    def run(self, begin: Callable[[Store], AnyPlan]) -> tuple[AnyPlan, Path]:
        """Run what `begin` plans for the store; gives the plan and the store's folder.

        Raises `IncompleteError` where a planned run is missing in the store afterwards, and `SweepInterrupted` on
        Ctrl-C.
        """
        leave_if_imported()
        self._check()
        folder = Path(tempfile.mkdtemp(prefix="farlink-")) if self.out is None else Path(self.out)
        cause = "its executor ended before the others were made"
        is_interrupted = False
        plan: AnyPlan | None = None
        try:
            with Store(folder, fresh=self.fresh, repair=self.repair) as store, cancellable() as cancellation:
                plan = begin(store)
                try:
                    self._execute(plan, store, cancellation)
                except ExecutorError as error:
                    cause = str(error)
        except KeyboardInterrupt:
            if plan is None:
                raise
            is_interrupted = True
        planned = plan.keys
        done = [key for key in planned if key in store.keys]
        if is_interrupted:
            raise SweepInterrupted(done, len(planned), folder)
        if len(done) < len(planned):
            raise IncompleteError(len(done), len(planned), folder, cause, ResultStore(folder, done) if done else None)
        return plan, folder

    def _check(self) -> None:
        """Refuse options that cannot be meant."""
        check_limits(self.jobs, self.max_events)
        if self.executor not in ("local", "dask"):
            raise UsageError(f"executor {self.executor!r}: choose local or dask")
        if self.scheduler is not None and (self.executor != "dask" or not self.scheduler):
            raise UsageError(
                f"scheduler {self.scheduler!r}: it needs the executor dask, and a URL such as tcp://host:8786"
            )
        if self.out is not None:
            check_folder(Path(self.out))

    def _execute(self, plan: Plan, store: Store, cancellation: Cancellation) -> None:
        """Make the runs of a plan; the store keeps each that is finished."""

        def on_finished(finished: Sequence[Finished]) -> None:
            store.add([(each.record, each.series) for each in finished])
            for each in finished:
                plan.take(each)
                if self.progress:
                    self.progress(plan.share)

        workers = self.jobs or cores()
        if self.executor == "dask":
            from farlink.sweeps import cluster  # with asyncio, which no other command needs

            cluster.execute(plan, on_finished, workers, self.scheduler, cancellation)
        elif any(point.plugs for point in plan.points):
            local.in_processes(plan, on_finished, workers, cancellation)
        else:
            local.in_threads(plan, on_finished, workers, cancellation)


def leave_if_imported() -> None:
    """End a process that a sweep started and that has come here by importing the script which started it.

    Such a script has its sweep outside of `if __name__ == "__main__":`; the first process tells the user.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit(1)
