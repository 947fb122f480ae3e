"""Runs on a Dask cluster: one that listens at a URL, or one of local processes."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from farlink.errors import GUARD, UsageError
from farlink.sweeps.drive import Plan, Take, drive
from farlink.sweeps.stop import Stop, deaf
from farlink.sweeps.work import Task, run

AHEAD = 1000
"""Runs handed to the scheduler at a time."""


def execute(plan: Plan, take: Take, jobs: int, scheduler: str | None, stop: Stop) -> None:
    """Run on the cluster. A worker that dies costs what it was running: the scheduler gives it anew."""
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("the dask executor is an extra: pip install 'farlink[dask]'") from None

    with ExitStack() as stack:
        client = stack.enter_context(Client(scheduler or stack.enter_context(_local_cluster(jobs))))

        def submit(tasks: list[Task]) -> list[Any]:
            return client.map(run, tasks, key=[task.key for task in tasks], pure=False) if tasks else []

        def give_up(pending: Iterable[Any]) -> None:
            running = {key for keys in client.call_stack().values() for key in keys}
            client.cancel([future for future in pending if future.key not in running])

        drive(submit, give_up, AHEAD, plan, take, stop)


def _local_cluster(jobs: int) -> AbstractContextManager[Any]:
    from distributed import LocalCluster

    try:
        # What goes wrong comes back with the runs; the log of a worker would go across the progress.
        quiet = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
        with deaf():
            return LocalCluster(n_workers=jobs, threads_per_worker=1, **quiet)
    except RuntimeError as error:
        raise UsageError(f"no cluster of processes could be started ({error}); {GUARD}") from None
