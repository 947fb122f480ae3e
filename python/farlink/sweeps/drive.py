"""Keeps an executor busy with the tasks of a plan. Whoever runs them, this decides what runs and when to end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from farlink.sweeps.cancellation import Cancellation
from farlink.sweeps.plan import Plan
from farlink.sweeps.work import Finished, Task

PATIENCE_S = 0.1
"""Between looks for a Ctrl-C."""

OnFinished = Callable[[Sequence[Finished]], None]
"""Keeps runs that have ended, together: each call syncs the disk once."""


Running: TypeAlias = Any
"""A run that was handed over: a future of `concurrent.futures` or of Dask."""


def drive(
    submit: Callable[[list[Task]], Sequence[Running]],
    give_up: Callable[[Sequence[Running]], None],
    ahead: int,
    plan: Plan,
    on_finished: OnFinished,
    cancellation: Cancellation,
    *,
    result: Callable[[Running], Finished] = Future.result,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Hand over tasks, up to `ahead` of them and anew when half are done, until all are done.

    After a Ctrl-C, or when a run fails, `give_up` gets what was handed over, to call off what has not begun yet;
    what runs is waited for and taken. `result` gives what came of a run that has ended, or raises what it raised. While
    runs are awaited, `check` may raise `ExecutorError`: none will end.
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
            batch = [ended.get(timeout=PATIENCE_S)]
            batch += [ended.get() for _ in range(ended.qsize())]
        except Empty:
            batch = []
        finished: list[Finished] = []
        for running in batch:
            pending.remove(running)
            try:
                if not (is_ending and running.cancelled()):
                    finished.append(result(running))
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
