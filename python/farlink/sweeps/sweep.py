"""A scenario over a grid, by seeds, into a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from pathlib import Path

from farlink._farlink import ScenarioError, ScenarioWarning
from farlink.arguments import FLAG, LIST, TABLE, check_argument_types
from farlink.errors import UsageError
from farlink.execution.estimate import Estimate
from farlink.execution.execute import Progress
from farlink.execution.progress import reporting
from farlink.results import notes
from farlink.results.result_store import ResultStore
from farlink.runs import implausible
from farlink.runs.scenario import Scenario, load
from farlink.runs.seeds import check_seeds, chosen_seeds
from farlink.spelling import counted
from farlink.store import Store
from farlink.store.missing import naming_packages
from farlink.sweeps import measure
from farlink.sweeps.grid import ZIP, Axes, Grid, Override
from farlink.sweeps.into_store import ARGUMENTS, Executor, IntoStore
from farlink.sweeps.overlay import Overlay
from farlink.sweeps.plan import SweepPlan
from farlink.sweeps.until import Until, Values
from farlink.sweeps.work import Point, Task

MOST_RUNS = 1_000_000
"""Of a sweep: each waits in memory."""


@dataclass(frozen=True)
class Sweep:
    """Runs of a scenario. Every point gets the same seeds: common random numbers pair the differences."""

    scenario: Scenario
    grid: Grid
    seeds: Sequence[int]
    series: bool = False
    until: Until | None = None

    def __post_init__(self) -> None:
        """Refuse seeds that are none, and a rule that does not suit the scenario."""
        check_seeds(self.seeds)
        if (runs := self.grid.count * len(self.seeds)) > MOST_RUNS:
            raise UsageError(f"{runs} runs; a sweep has at most {MOST_RUNS}")
        _ = self.overlay  # refuses paths that set the same value
        if self.until:
            self.until.check(self.scenario, self.seeds)

    @cached_property
    def overlay(self) -> Overlay:
        """The grid over the scenario."""
        return Overlay(self.scenario, self.grid)

    def points(self) -> list[Point]:
        """Every different scenario of the grid, without seeds yet; raises `ScenarioError`."""
        return self._points

    @cached_property
    def _points(self) -> list[Point]:
        """Each made and checked once."""
        points = starmap(Point.of, self.overlay.scenarios())
        try:
            return list({point.identified: point for point in points}.values())
        except ScenarioError as error:
            self._explain(error)
            raise

    def _explain(self, error: ScenarioError) -> None:
        """Add to the error of a node that a topology of the sweep does not have what a sweep over it needs."""
        topologies = [path for path in self.overlay.axes if path.split(".")[0] == "topology"]
        if topologies and "unknown node" in error.message:
            more = f"{error.remedy}; give the path values along with {topologies[0]}, by [zip] or [derive] of a file"
            error.args = (str(error).replace(error.remedy, more, 1),)
            error.remedy = more

    def tasks(self) -> list[Task]:
        """The runs of the first round, which are all of them without `until`."""
        plan = SweepPlan(self._points, self.seeds, {}, series=self.series)
        return list(iter(plan.next, None))

    def check_question(self, measures: Sequence[str] | None, where: Mapping[str, str]) -> None:
        """Refuse, before anything runs, measures and a choice of flows that its results will not have."""
        measure.check_question([point.scenario for point in self._points], measures, where)

    def estimate(self) -> Estimate:
        """Estimate what the longest of its runs takes, and the one that needs most memory."""
        estimates = [point.scenario.estimate(series=self.series) for point in self._points]
        longest = max(estimates, key=lambda each: each.events.total)
        largest = max(estimates, key=lambda each: each.bytes.total)
        return Estimate(longest.events, largest.bytes, largest.certain_bytes)

    @cached_property
    def warnings(self) -> list[ScenarioWarning]:
        """What is implausible at its points, each once; raises `ScenarioError`.

        `run` issues them, and those of its results.
        """
        found = (warning for point in self._points for warning in point.scenario.warnings)
        return list({str(warning): warning for warning in found}.values())

    @check_argument_types(**ARGUMENTS)
    def run(
        self,
        *,
        out: str | Path | None = None,
        jobs: int | None = None,
        executor: Executor = "local",
        scheduler: str | None = None,
        max_events: int | None = None,
        progress: Progress | bool | None = None,
        fresh: bool = False,
        repair: bool = False,
        resuming: Callable[[int, int | None], None] | None = None,
    ) -> ResultStore:
        """Run what the store in `out` does not hold yet, on `jobs` cores (all by default).

        With `series`, runs that the store holds without their time series are made again.

        `progress` gets the share that is done, from 0 to 1; True shows a bar, False none; by default there is one in a
        notebook. Ctrl-C, or a notebook's interrupt, finishes what runs, keeps it and raises `SweepInterrupted`, which
        has the `results` so far; the same sweep run again resumes. A second one leaves what runs. Without `out`
        the store is a folder `farlink-*` among the temporary files of the system (`tempfile.gettempdir()`), named by
        `folder` of the results; it stays there until it is deleted.
        A run that needs more than `max_events` events ends the sweep with `EventLimitError`; the store keeps the
        finished runs. Where the executor fails before all is run, `IncompleteError` has the results so far.
        `fresh` deletes what the store holds; `repair` moves its damaged files aside and makes their runs again.
        `resuming` gets how many runs the store holds already, if any, and how many the sweep has.
        """
        with naming_packages(None if out is None else Path(out)):
            if any(point.plugs for point in self._points):  # may name those of packages that are missing
                del self.__dict__["_points"]  # sources may have changed since the sweep was described
        implausible.announce(self.warnings)

        def begin(store: Store) -> SweepPlan:
            store.keep_order(self.overlay.axes)
            usable = store.keys_with_series() if self.series else store.keys
            values = store.values(self.until.measure) if self.until else {}
            known = {key: values.get(key, {}) for key in usable}
            plan = SweepPlan(self._points, self.seeds, known, self.until, series=self.series, max_events=max_events)
            store.keep_written(plan.written(store.keys))
            if resuming and plan.done:
                resuming(plan.done, plan.size)
            return plan

        with reporting(progress, len(self._points) * len(self.seeds)) as report:
            into = IntoStore(out, jobs, executor, scheduler, max_events, report, fresh, repair)
            plan, folder = into.run(begin)
        results = ResultStore(folder, plan.keys, note=self._stopping_note(plan, folder))
        if self.grid.count > 1:
            implausible.announce(results.warnings)
        return results

    def _stopping_note(self, plan: SweepPlan, folder: Path) -> str:
        """What became of the stopping rule, and which transfers its measure leaves out."""
        if not self.until:
            return ""
        settled = len(plan.points) - plan.unsettled
        known = f"{self.until.measure} is known to {self.until.half_width}"
        note = f"{known} at {settled} of {len(plan.points)} points, with {plan.size} runs in all"
        return "; ".join(filter(None, [note, notes.unfinished_in(ResultStore(folder, plan.keys), self.until.measure)]))

    def __repr__(self) -> str:
        points, seeds = counted(self.grid.count, "point"), counted(len(self.seeds), "seed")
        return f"<Sweep of {self.scenario.origin}: {points} by {seeds}>"


@check_argument_types(cross=TABLE, zip=ZIP, overrides=LIST, derive=TABLE, series=FLAG)
def sweep(
    scenario: str | Path | Scenario,
    cross: Axes | None = None,
    *,
    seeds: int | Sequence[int] = 10,
    zip: Axes | Sequence[Axes] | None = None,  # noqa: A002 - the word of Python for going along
    overrides: Sequence[Override] = (),
    derive: Mapping[str, str] | None = None,
    series: bool = False,
    until: Until | None = None,
) -> Sweep:
    """Describe runs of `scenario` over a grid.

    `cross` gives values for dotted paths, each with each; the values of `zip` go along with each other, as do those of
    each mapping in a list of them. An override sets more for the points it names. `derive` gives templates such as
    `"{links.0.rate * links.0.delay / 12000:.0f} packets"`. `seeds` is a number of seeds, or which;
    `until` adds more to the points whose means need them. `series` keeps the time series of every run.
    """
    base = scenario if isinstance(scenario, Scenario) else load(scenario)
    chosen = chosen_seeds(seeds)
    return Sweep(base, Grid(cross or {}, zip or {}, overrides, derive or {}), chosen, series, until)


def run_together(sweeps: Sequence[Sweep], into: IntoStore) -> list[ResultStore]:
    """Run sweeps that have the same seeds into one store, a run that several ask for once; raises like `Sweep.run`."""
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
