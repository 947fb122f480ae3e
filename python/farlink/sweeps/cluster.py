"""Runs on a Dask cluster: one that listens at a URL, or one of local processes.

A cluster may vanish at any moment, in part or as a whole. Every wait for it has a bound; where one is exceeded the
sweep ends with what was finished.
"""

from __future__ import annotations

import asyncio
import logging
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from farlink.errors import GUARD, ExecutorError, UsageError
from farlink.sweeps.cancellation import Cancellation, ignoring_interrupts
from farlink.sweeps.drive import OnFinished, drive
from farlink.sweeps.plan import Plan
from farlink.sweeps.work import Finished, Task, run
from farlink.system import interrupts

if TYPE_CHECKING:
    from distributed import Client, Future

AHEAD = 1000
"""Runs handed to the scheduler at a time."""
CONNECT_S = 15.0
"""How long a scheduler may take to accept a client."""
ANSWER_S = 5.0
"""How long one question to the scheduler may take."""
BETWEEN_S = 2.0
"""From one question about the workers to the next."""
CLOSE_S = 15.0
"""How long the end of a cluster of this machine is waited for."""
ALIVE_S = 60.0
"""How long a cluster may go without an answer, or without a worker."""
TIMEOUTS = (TimeoutError, asyncio.TimeoutError)  # two until Python 3.11


def execute(plan: Plan, on_finished: OnFinished, jobs: int, scheduler: str | None, cancellation: Cancellation) -> None:
    """Run on the cluster. A worker that dies costs what it was running: the scheduler gives it anew."""
    try:
        from distributed import Client  # noqa: F401 - heavy; refused here where it is missing
    except ImportError:
        raise UsageError("the dask executor is an extra: pip install 'farlink[dask]'") from None

    with ExitStack() as stack:
        stack.enter_context(_quiet_logs())
        address = scheduler or stack.enter_context(_local_cluster(jobs))
        cluster = Cluster(stack.enter_context(_connected_client(address)), scheduler)
        drive(
            cluster.submit,
            cluster.give_up,
            AHEAD,
            plan,
            on_finished,
            cancellation,
            result=cluster.result,
            check=cluster.check,
        )


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, client: Client, url: str | None) -> None:
        self.name = f"the Dask scheduler at {url}" if url else "the Dask cluster on this machine"
        self.lost = f"{self.name} ended, or the connection to it was lost"
        self._client = client
        self._asked_s = self._alive_s = time.monotonic()

    def submit(self, tasks: list[Task]) -> Sequence[Future[Finished]]:
        """Hand tasks over."""
        if not tasks:
            return []
        try:
            return self._client.map(run, tasks, key=[task.key for task in tasks], pure=False)
        except _lost_scheduler_errors() as error:
            raise ExecutorError(self.lost) from error

    def result(self, future: Future[Finished]) -> Finished:
        """What came of a run. Where a worker died with the result, the run is made again meanwhile."""
        from distributed import KilledWorker

        while True:
            try:
                finished: Finished = future.result(timeout=ANSWER_S)
                return finished
            except TIMEOUTS:
                self.check()
            except KilledWorker as error:
                raise ExecutorError(
                    "several workers died, one after the other, while they made the same run"
                ) from error
            except _lost_scheduler_errors() as error:
                raise ExecutorError(self.lost) from error

    def give_up(self, pending: Sequence[Future[Finished]]) -> None:
        """Call off what has not begun; everything where the scheduler does not answer."""
        try:
            stacks = self._ask_scheduler("call_stack", keys=None)
        except ExecutorError:
            stacks = {}
        running = {key for keys in stacks.values() for key in keys}
        with suppress(*_lost_scheduler_errors()):  # where the connection is lost, all are cancelled already
            self._client.cancel([each for each in pending if each.key not in running])

    def check(self) -> None:
        """Raise `ExecutorError` where the scheduler no longer answers, or has had no worker for a while."""
        now_s = time.monotonic()
        if now_s - self._asked_s < BETWEEN_S:
            return
        self._asked_s = now_s
        try:
            workers = self._ask_scheduler("ncores")
            reason = f"{self.name} has had no worker for {ALIVE_S:g} s (one that lacks this farlink ends)"
        except ExecutorError:
            workers = {}
            reason = f"{self.name} has not answered for {ALIVE_S:g} s"
        if workers:
            self._alive_s = time.monotonic()
        elif time.monotonic() - self._alive_s > ALIVE_S:
            raise ExecutorError(reason)

    def _ask_scheduler(self, question: str, **arguments: Any) -> Any:
        scheduler = self._client.scheduler
        if scheduler is None or self._client.status != "running":
            raise ExecutorError(self.lost)
        gone: tuple[type[Exception], ...] = (*TIMEOUTS, *_lost_scheduler_errors())
        try:
            return self._client.sync(getattr(scheduler, question), callback_timeout=ANSWER_S, **arguments)
        except gone as error:
            raise ExecutorError(self.lost) from error


def _lost_scheduler_errors() -> tuple[type[Exception], ...]:
    """What Dask raises where the scheduler is gone."""
    from distributed.client import ClosedClientError
    from distributed.comm.core import CommClosedError

    return (ClosedClientError, CommClosedError, CancelledError, ConnectionError)


@contextmanager
def _connected_client(address: Any) -> Iterator[Client]:
    """Connect; what is still asked of the cluster at the end of the block is left."""
    from distributed import Client

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about versions: what matters is compared run by run
            if isinstance(address, str):
                _check_reachable(address)
            client = Client(address, timeout=CONNECT_S)
    except ValueError as error:
        raise UsageError(f"scheduler {address}: {error}; write a URL such as tcp://host:8786") from None
    except (OSError, ImportError, *TIMEOUTS) as error:
        raise ExecutorError(f"no Dask scheduler answers at {address}") from error
    try:
        yield client
    finally:
        with suppress(*TIMEOUTS, *_lost_scheduler_errors()):
            client.close(timeout=ANSWER_S)


def _check_reachable(address: str) -> None:
    """Connect and leave: a client waits without a bound for what accepts a connection and then says nothing."""
    from distributed.comm.core import connect

    async def greet() -> None:
        comm = await asyncio.wait_for(connect(address, timeout=CONNECT_S), CONNECT_S)
        await comm.close()

    # In a thread, for a notebook has a loop already.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, greet()).result()


@contextmanager
def _local_cluster(jobs: int) -> Iterator[Any]:
    from distributed import LocalCluster

    try:
        # What goes wrong comes back with the runs; the log of a worker would go across the progress.
        quiet: dict[str, Any] = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
        # The scheduler has an HTTP server all the same; at its usual port it warns where that is taken.
        quiet["scheduler_kwargs"] = {"dashboard_address": "127.0.0.1:0"}
        # One that is interrupted while it starts or ends complains at the interpreter's end.
        with ignoring_interrupts(), interrupts.Deferred():
            cluster = LocalCluster(n_workers=jobs, threads_per_worker=1, **quiet)
    except RuntimeError as error:
        raise UsageError(f"no cluster of processes could be started ({error}); {GUARD}") from None
    try:
        yield cluster
    finally:
        with interrupts.Deferred(), suppress(*TIMEOUTS):
            cluster.close(timeout=CLOSE_S)


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keep the logs of Dask and of what it stands on off standard error: what matters is raised."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado", "asyncio")]
    before = [(logger, logger.disabled) for logger in loggers]
    handlers = {handler: handler.level for logger in loggers for handler in logger.handlers}
    try:
        for handler in handlers:
            handler.setLevel(logging.CRITICAL + 1)
        for logger in loggers:
            logger.disabled = True
        yield
    finally:
        for logger, was in before:
            logger.disabled = was
        for handler, level in handlers.items():
            handler.setLevel(level)
