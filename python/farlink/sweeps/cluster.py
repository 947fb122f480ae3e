"""Runs on a Dask cluster: one that listens at a URL, or one of local processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice

from farlink.errors import UsageError
from farlink.sweeps.work import Finished, Task, run

AHEAD = 1000
"""Runs handed to the scheduler at a time."""


def execute(tasks: Iterator[Task], take: Callable[[Finished], None], jobs: int, scheduler: str | None) -> None:
    """Run the tasks on the cluster. A worker that dies costs what it was running: the scheduler gives it anew."""
    try:
        from distributed import Client, LocalCluster, as_completed
    except ImportError:
        raise UsageError("the dask executor is an extra: pip install 'farlink[dask]'") from None

    with ExitStack() as stack:
        if scheduler is None:
            cluster = stack.enter_context(LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None))
            client = stack.enter_context(Client(cluster))
        else:
            client = stack.enter_context(Client(scheduler))

        def submit(count: int) -> list[object]:
            fresh = list(islice(tasks, count))
            return client.map(run, fresh, key=[task.key for task in fresh], pure=False) if fresh else []

        running = as_completed(submit(AHEAD), with_results=True)
        for _, finished in running:
            take(finished)
            running.update(submit(1))
