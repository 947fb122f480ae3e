"""Runs on a Dask cluster: one that listens at a URL, or one of local processes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from farlink.errors import UsageError
from farlink.sweeps.drive import Take, drive
from farlink.sweeps.plan import Plan
from farlink.sweeps.stop import Stop
from farlink.sweeps.work import run

AHEAD = 1000
"""Runs handed to the scheduler at a time."""


def execute(plan: Plan, take: Take, jobs: int, scheduler: str | None, stop: Stop) -> None:
    """Run on the cluster. A worker that dies costs what it was running: the scheduler gives it anew."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError("the dask executor is an extra: pip install 'farlink[dask]'") from None

    with ExitStack() as stack:
        if scheduler is None:
            cluster = stack.enter_context(LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None))
            client = stack.enter_context(Client(cluster))
        else:
            client = stack.enter_context(Client(scheduler))

        def give_up(pending: Iterable[Any]) -> None:
            running = {key for keys in client.call_stack().values() for key in keys}
            client.cancel([future for future in pending if future.key not in running])

        drive(lambda task: client.submit(run, task, key=task.key, pure=False), give_up, AHEAD, plan, take, stop)
