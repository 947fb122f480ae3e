"""Several sweeps into one store: a run that several ask for is made once."""

from __future__ import annotations

from collections.abc import Sequence

from farlink.errors import UsageError
from farlink.results.result_store import ResultStore
from farlink.store import Store
from farlink.sweeps.into_store import IntoStore
from farlink.sweeps.plan import SweepPlan
from farlink.sweeps.sweep import Sweep
from farlink.sweeps.until import Values


def run_together(sweeps: Sequence[Sweep], into: IntoStore) -> list[ResultStore]:
    """Run sweeps that have the same seeds, and give the results of each; raises like `Sweep.run`."""
    if len({(tuple(sweep.seeds), sweep.series, sweep.until) for sweep in sweeps}) > 1:
        raise UsageError("sweeps that run together need the same seeds, and series for all or none")
    points = {point.identified: point for sweep in sweeps for point in sweep.points()}
    first = sweeps[0]

    def begin(store: Store) -> SweepPlan:
        known: dict[str, Values] = {key: {} for key in store.keys}
        plan = SweepPlan(list(points.values()), first.seeds, known, series=first.series, max_events=into.max_events)
        store.keep_written(plan.written(store.keys))
        return plan

    _, folder = into.run(begin)
    return [ResultStore(folder, [task.key for task in sweep.tasks()]) for sweep in sweeps]
