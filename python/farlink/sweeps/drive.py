"""Keeps an executor busy with the tasks of a plan. Whoever runs them, this decides what runs and when to end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from farlink.sweeps.cancellation import Cancellation
from farlink.sweeps.work import Finished, Point, Task

PATIENCE_S = 0.1
"""Between looks for a Ctrl-C."""

OnFinished = Callable[[Sequence[Finished]], None]
"""Keeps runs that have ended, together: each call syncs the disk once."""


class Plan(Protocol):
    """Knows what is to be run: of a sweep, of a tuning."""

    @property
    def points(self) -> Sequence[Point]:
        """The scenarios so far."""

    def next(self) -> Task | None:
        """Give the next run to be made; None while there is none, though what runs now may add more."""

    def take(self, finished: Finished) -> None:
        """Count a run, which may add more."""

    @property
    def share(self) -> float:
        """How much is done of what is planned so far."""

    @property
    def keys(self) -> Iterable[str]:
        """The names of all runs."""


class Running(Protocol):
    """A run that was handed over: a future of `concurrent.futures` or of Dask."""

    def cancelled(self) -> bool:
        """Whether it was given up before it began, or lost with its scheduler."""

    def result(self) -> Any:
        """What came of it; raises what it raised."""

    def add_done_callback(self, callback: Callable[[Any], object], /) -> None:
        """Have it call when it has ended."""


def drive(
    submit: Callable[[list[Task]], Sequence[Running]],
    give_up: Callable[[Iterable[Any]], None],
    ahead: int,
    plan: Plan,
    on_finished: OnFinished,
    cancellation: Cancellation,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Hand over tasks, up to `ahead` of them and anew when half are done, until all are done.

    After a Ctrl-C, or when a run fails, `give_up` gets what was handed over, to call off what has not begun yet;
    what runs is waited for and taken. While runs are awaited, `check` may raise `ExecutorError`: none will end.
    """
    ended: SimpleQueue[Running] = SimpleQueue()
    pending: set[Running] = set()
    failure: Exception | None = None
    is_ending = False
    while True:
        if not is_ending and len(pending) <= ahead // 2:
            for running in submit(list(islice(iter(plan.next, None), ahead - len(pending)))):
                pending.add(running)
                running.add_done_callback(ended.put)
        if not pending:
            break
        check()
        try:
            batch = [ended.get(timeout=PATIENCE_S), *_drain_queue(ended)]
        except Empty:
            batch = []
        finished: list[Finished] = []
        for running in batch:
            pending.remove(running)
            try:
                if not (is_ending and running.cancelled()):
                    finished.append(running.result())
            except Exception as error:
                failure = failure or error
        if finished:
            try:
                on_finished(finished)
            except Exception as error:
                failure = failure or error
        if not is_ending and (failure or cancellation.is_asked()):
            is_ending = True
            give_up(list(pending))
    if failure:
        raise failure


def _drain_queue(ended: SimpleQueue[Running]) -> Iterator[Running]:
    """Empty a queue."""
    while True:
        try:
            yield ended.get_nowait()
        except Empty:
            return
