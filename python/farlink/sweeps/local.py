"""Runs on this machine: a thread each, for the engine runs without the GIL.

A congestion control in Python needs the GIL all the time; its runs get a process each.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait

from farlink.sweeps.work import Finished, Task, run

AHEAD = 4
"""Runs handed over per worker, so that none waits for the next."""


def execute(tasks: Iterator[Task], take: Callable[[Finished], None], jobs: int, in_processes: bool) -> None:
    """Run the tasks, handing over what is finished. `tasks` may end early; what runs is then finished."""
    with _pool(jobs, in_processes) as pool:
        pending: set[Future[Finished]] = set()
        try:
            while True:
                while len(pending) < AHEAD * jobs and (task := next(tasks, None)):
                    pending.add(pool.submit(run, task))
                if not pending:
                    return
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in finished:
                    take(future.result())
        except BaseException:
            for future in pending:
                future.cancel()
            for future in pending:
                if not future.cancelled() and not future.exception():
                    take(future.result())
            raise


def _pool(jobs: int, in_processes: bool) -> Executor:
    if in_processes:
        return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    return ThreadPoolExecutor(jobs)
