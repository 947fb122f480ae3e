"""Runs on this machine: a thread each, for the engine runs without the GIL.

A congestion control in Python needs the GIL all the time; its runs get a process each.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

from farlink.sweeps.drive import Take, drive
from farlink.sweeps.plan import Plan
from farlink.sweeps.stop import Stop
from farlink.sweeps.work import Finished, run

AHEAD = 4
"""Runs handed over per worker, so that none waits for the next."""


def in_threads(plan: Plan, take: Take, jobs: int, stop: Stop) -> None:
    """Run in `jobs` threads. A second Ctrl-C makes them leave their runs."""
    halt = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            drive(
                lambda task: pool.submit(run, task, lambda _: not halt.is_set()),
                _cancel,
                AHEAD * jobs,
                plan,
                take,
                stop,
            )
        except BaseException:
            halt.set()
            pool.shutdown(cancel_futures=True)
            raise


def in_processes(plan: Plan, take: Take, jobs: int, stop: Stop) -> None:
    """Run in `jobs` processes, which do not hear Ctrl-C themselves."""
    others = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")
    ignore = (signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=signal.signal, initargs=ignore) as pool:
        try:
            drive(lambda task: pool.submit(run, task), _cancel, jobs, plan, take, stop)
        except KeyboardInterrupt:
            for child in set(multiprocessing.active_children()) - others:
                child.kill()
            raise


def _cancel(pending: Iterable[Future[Finished]]) -> None:
    for future in pending:
        future.cancel()
