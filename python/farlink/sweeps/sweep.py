"""A scenario over a grid, by seeds, into a store."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from farlink.congestion import Factory
from farlink.errors import UsageError
from farlink.execution import Progress, cores
from farlink.results import Results
from farlink.scenario import Scenario, load
from farlink.store import Store, record
from farlink.sweeps import cluster, local
from farlink.sweeps.grid import Axes, Grid, Override
from farlink.sweeps.work import Finished, Task

Executor = Literal["local", "dask"]


@dataclass(frozen=True)
class Sweep:
    """Runs of a scenario. Every point gets the same seeds, and so the same luck: differences are paired."""

    scenario: Scenario
    grid: Grid
    seeds: Sequence[int]
    series: bool = False

    def tasks(self) -> list[Task]:
        """Every run, seed by seed, so that an interrupted sweep has something of every point."""
        points = list(self._points())
        return [
            Task(record.run_key(identified, seed), scenario, seed, self.series, plugs)
            for seed in self.seeds
            for scenario, identified, plugs in points
        ]

    def _points(self) -> Iterator[tuple[Scenario, str, dict[int, Factory]]]:
        for scenario in self.grid.scenarios(self.scenario):
            named, plugs = scenario.plugged()
            yield named, record.identified(named.validated, plugs), plugs

    def run(
        self,
        *,
        out: str | Path | None = None,
        jobs: int | None = None,
        executor: Executor = "local",
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Run what the store in `out` does not hold yet, on `jobs` cores (all by default).

        Ctrl-C finishes what runs, keeps it and raises `KeyboardInterrupt`; the same sweep run again goes on.
        Without `out` the store lies in a temporary folder.
        """
        if executor not in ("local", "dask"):
            raise UsageError(f"executor {executor!r}: choose local or dask")
        if jobs is not None and jobs < 1:
            raise UsageError(f"jobs = {jobs}: at least one is needed")
        folder = Path(tempfile.mkdtemp(prefix="farlink-")) if out is None else Path(out)
        tasks = self.tasks()
        with Store(folder) as store:
            missing = [task for task in tasks if task.key not in store.keys]
            made = 0

            def take(finished: Finished) -> None:
                nonlocal made
                store.add(finished.record, finished.series)
                made += 1
                if progress:
                    progress(1 - (len(missing) - made) / len(tasks))

            workers = jobs or cores()
            if executor == "dask":
                cluster.execute(iter(missing), take, workers, scheduler)
            else:
                in_processes = any(task.plugs for task in missing)
                local.execute(iter(missing), take, workers, in_processes)
        return Results(folder, [task.key for task in tasks])

    def __repr__(self) -> str:
        points = sum(1 for _ in self.grid.points())
        return f"<Sweep of {self.scenario.origin}: {points} points by {len(self.seeds)} seeds>"


def sweep(
    scenario: str | Path | Scenario,
    cross: Axes | None = None,
    *,
    seeds: int | Sequence[int] = 10,
    zip: Axes | None = None,  # noqa: A002 - the word of Python for going along
    overrides: Sequence[Override] = (),
    derive: Mapping[str, str] | None = None,
    series: bool = False,
) -> Sweep:
    """Describe runs of `scenario` over a grid.

    `cross` gives values for dotted paths, each with each; the values of `zip` go along with each other. An
    override sets more for the points it names. `derive` gives templates such as
    `"{links.0.rate * links.0.delay / 12000:.0f} packets"`. `seeds` is a number of seeds, or which.
    """
    base = scenario if isinstance(scenario, Scenario) else load(scenario)
    chosen = range(1, seeds + 1) if isinstance(seeds, int) else seeds
    if not chosen:
        raise UsageError("no seed to run")
    return Sweep(base, Grid(cross or {}, zip or {}, overrides, derive or {}), tuple(chosen), series)
