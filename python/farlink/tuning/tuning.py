"""A scenario, what may be tried with it, and what is to become as large or as small as possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from farlink.arguments import CALLABLE, FLAG, TABLE, TEXT, WHOLE, check_argument_types
from farlink.errors import UsageError
from farlink.execution.execute import Progress
from farlink.results.result_store import ResultStore
from farlink.runs import implausible
from farlink.runs.scenario import Scenario, load
from farlink.runs.seeds import check_seeds, chosen_seeds
from farlink.store import Store
from farlink.sweeps import measure
from farlink.sweeps.into_store import ARGUMENTS, Executor, IntoStore
from farlink.tuning import halving, space
from farlink.tuning.proposer import Proposer
from farlink.tuning.race import Goal, Race
from farlink.tuning.space import Space, Written
from farlink.tuning.tuned import Tuned


@dataclass(frozen=True)
class Tuning:
    """Runs of a scenario at points that are chosen by what earlier ones gave."""

    scenario: Scenario
    space: Space
    goal: Goal
    trials: int
    seeds: Sequence[int]

    def __post_init__(self) -> None:
        """Refuse a measure that the scenario does not have, and too few trials or seeds."""
        check_seeds(self.seeds)
        if len(self.seeds) < halving.FEWEST:
            raise UsageError(f"{len(self.seeds)} seeds are too few to choose by; give {halving.FEWEST} or more")
        if self.trials < 1:
            raise UsageError(f"trials = {self.trials}: at least one is needed")
        if self.fresh_seeds[-1] >= 2**64:
            raise UsageError(f"seed {max(self.seeds)} leaves no room for further ones")
        measure.check_measure(self.scenario, self.goal.measure, self.goal.flow)

    @property
    def fresh_seeds(self) -> range:
        """Seeds that have no part in choosing the best point, as many as the others."""
        return range(max(self.seeds) + 1, max(self.seeds) + 1 + len(self.seeds))

    @check_argument_types(**ARGUMENTS | {"progress": CALLABLE})
    def run(
        self,
        *,
        out: str | Path | None = None,
        jobs: int | None = None,
        executor: Executor = "local",
        scheduler: str | None = None,
        max_events: int | None = None,
        progress: Progress | None = None,
        fresh: bool = False,
        repair: bool = False,
        resuming: Callable[[int, int | None], None] | None = None,
    ) -> Tuned:
        """Run what the store in `out` does not hold yet, on `jobs` cores (all by default).

        Ctrl-C finishes what runs, keeps it and raises `KeyboardInterrupt`; the same tuning run again resumes.
        A second Ctrl-C leaves what runs. Without `out` the store lies in a temporary folder. A run that needs more than
        `max_events` events ends the tuning with `EventLimitError`; the store keeps the finished runs.
        Where the executor fails before all is run, `IncompleteError` has the results so far.
        `fresh` deletes what the store holds; `repair` moves its damaged files aside and makes their runs again.
        `resuming` gets how many runs the store holds already, if any, and None.
        """
        implausible.announce(self.scenario.warnings)
        proposer = Proposer(self.space, self.trials, self.seeds[0] % 2**32)

        def begin(store: Store) -> Race:
            known = store.values(self.goal.measure, Race.VALUE_OF)
            if resuming and known:
                resuming(len(known), None)
            return Race(self.scenario, proposer, self.goal, self.seeds, self.fresh_seeds, known, max_events)

        into = IntoStore(out, jobs, executor, scheduler, max_events, progress, fresh, repair)
        race, folder = into.run(begin)
        return Tuned.of(race, ResultStore(folder, race.keys))

    def __repr__(self) -> str:
        names = ", ".join(parameter.path for parameter in self.space.parameters)
        return f"<Tuning of {names} in {self.scenario.origin}: {self.trials} trials, up to {len(self.seeds)} seeds>"


@check_argument_types(parameters=TABLE, log=FLAG, maximize=TEXT, minimize=TEXT, flow=TEXT, trials=WHOLE)
def tune(
    scenario: str | Path | Scenario,
    parameters: Mapping[str, Written],
    *,
    log: bool = False,
    maximize: str | None = None,
    minimize: str | None = None,
    flow: str | None = None,
    trials: int = 32,
    seeds: int | Sequence[int] = 20,
) -> Tuning:
    """Describe the search for the best values of `parameters`.

    `parameters` gives, for dotted paths, a range (`"1..10 packets"`, or its two ends), or choices (`"hybla,cubic"`, or
    a list); with `log` ranges are searched by ratios. `maximize` or `minimize` names a measure of `flow`, or of all
    flows on average; without either it is the largest `goodput_bps`. `trials` points are tried, each with up to
    `seeds` seeds (how many, or which), the worse of them with fewer.
    """
    base = scenario if isinstance(scenario, Scenario) else load(scenario)
    if maximize is not None and minimize is not None:
        raise UsageError("maximize or minimize, not both")
    goal = Goal(minimize or maximize or "goodput_bps", flow, is_large=minimize is None)
    chosen = chosen_seeds(seeds)
    return Tuning(base, space.space(base, parameters, log=log), goal, trials, chosen)
