"""Runs on this machine: a thread each, for the engine runs without the GIL.

A congestion control in Python needs the GIL all the time; its runs get a process each.
"""

from __future__ import annotations

import math
import multiprocessing
import multiprocessing.process
import signal
import threading
import time
from collections.abc import Collection, Iterable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from farlink.errors import GUARD, ExecutorError, UsageError
from farlink.sweeps.cancellation import Cancellation, ignoring_interrupts
from farlink.sweeps.drive import OnFinished, drive
from farlink.sweeps.plan import Plan
from farlink.sweeps.work import Finished, Task, run

AHEAD = 32
"""Runs handed over per worker, so that none waits while the disk syncs those that ended."""
ENDING_S = 5.0
"""How long a process of a broken pool is waited for."""


def in_threads(plan: Plan, on_finished: OnFinished, jobs: int, cancellation: Cancellation) -> None:
    """Run in `jobs` threads. A second Ctrl-C makes them leave their runs."""
    halt = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:

        def submit(tasks: list[Task]) -> list[Future[Finished]]:
            return [pool.submit(run, task, lambda _: not halt.is_set()) for task in tasks]

        try:
            drive(submit, _cancel_futures, AHEAD * jobs, plan, on_finished, cancellation)
        finally:
            halt.set()
            pool.shutdown(cancel_futures=True)


def in_processes(plan: Plan, on_finished: OnFinished, jobs: int, cancellation: Cancellation) -> None:
    """Run in `jobs` processes, which do not hear Ctrl-C themselves."""
    others = set(multiprocessing.active_children())
    own: set[multiprocessing.process.BaseProcess] = set()
    died_s = math.inf
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:

        def submit(tasks: list[Task]) -> list[Future[Finished]]:
            with ignoring_interrupts():  # this starts the processes
                futures = [pool.submit(run, task) for task in tasks]
            own.update(set(multiprocessing.active_children()) - others)
            return futures

        def check() -> None:
            # Of a process killed while it writes a result the pool awaits the rest for ever.
            nonlocal died_s
            if any(process.exitcode is not None for process in own):
                died_s = min(died_s, time.monotonic())
            if time.monotonic() - died_s > ENDING_S:
                for process in own:
                    process.kill()
                pool._result_queue._writer.close()  # type: ignore[attr-defined]
                raise BrokenProcessPool

        def give_up(pending: Iterable[Future[Finished]]) -> None:
            # The thread of a broken pool sets an error on each future, and fails at one that is cancelled.
            if not pool._broken:
                _cancel_futures(pending)

        try:
            drive(submit, give_up, AHEAD * jobs, plan, on_finished, cancellation, check=check)
        except BrokenProcessPool:
            for process in own:  # those that live, where the thread of the pool failed
                process.terminate()
            raise _missing_process_error(own) from None
        except KeyboardInterrupt:
            for child in own | set(multiprocessing.active_children()) - others:
                child.kill()
            raise


def _missing_process_error(processes: Collection[multiprocessing.process.BaseProcess]) -> Exception:
    """Say why a process is missing. The pool has terminated the others by then."""
    deadline_s = time.monotonic() + ENDING_S
    # Another thread may have taken an exit status that it has not noted yet: `join` returns at once then.
    while any(process.exitcode is None for process in processes) and time.monotonic() < deadline_s:
        time.sleep(0.01)
    codes = {process.exitcode for process in processes}
    if codes & {1}:
        return UsageError(f"a process could not import what it is to run; {GUARD}")
    killed = sorted(-code for code in codes - {-signal.SIGTERM} if code is not None and code < 0)
    how = f" ({signal.Signals(killed[0]).name})" if killed else ""
    return ExecutorError(f"a process of the sweep was killed{how}, perhaps for want of memory")


def _cancel_futures(pending: Iterable[Future[Finished]]) -> None:
    for future in pending:
        future.cancel()
