"""Which runs a tuning makes, round by round: a batch of points, the better half of it, .. and the best once more.

What comes next depends on what was measured only, never on which run was finished first: a tuning started again goes
through the same steps, and finds in the store what it has run already.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from farlink.errors import UsageError
from farlink.results import comparison, no_arrival
from farlink.runs.scenario import Scenario
from farlink.statistics import Interval
from farlink.sweeps.plan import Plan
from farlink.sweeps.until import Values
from farlink.sweeps.work import Point
from farlink.tables.parameters import toml_value
from farlink.tables.workload_columns import (
    PERCENTILES,
    is_of_completion,
    is_of_workload,
    percent_of,
    percentile,
    place,
    value_of_all,
)
from farlink.tuning import halving
from farlink.tuning.proposer import Proposer
from farlink.tuning.space import Setting

WORST = -math.inf
"""The score of a point with a run that has no value, such as a transfer that was not completed."""


def value_of_arrivals(row: Mapping[str, Any], column: str) -> float | None:
    """Give a value of all flows of a class, or of a flow; None if it is of what arrived, and nothing did."""
    return None if no_arrival.is_meaningless(row, column) else value_of_all(row, column)


@dataclass(frozen=True)
class Goal:
    """What is to become as large or as small as possible: a measure of a flow, or its mean over all flows."""

    measure: str
    flow: str | None = None
    is_large: bool = True

    def value(self, flows: Values) -> float | None:
        """Give what a run is worth, in the measure's unit; None if a flow has no value."""
        found = list(flows.values()) if self.flow is None else [flows[self.flow]]
        known = [value for value in found if value is not None and value < math.inf]
        return math.fsum(known) / len(known) if len(known) == len(found) else None

    @property
    def without_value(self) -> str:
        """What a run is that has no value, and what to do."""
        if not is_of_completion(self.measure):
            return f"without {self.measure}{self._or_without_arrival}; let it run longer"
        percent = percent_of(self.measure)
        what = "which a mean leaves out" if percent is None else f"and one of them is p{percent}"
        lower = [percentile(self.measure, each) for each in PERCENTILES if each < (percent or math.inf)]
        instead = f", or take {lower[-1]}" if lower else ""
        return f"with unfinished transfers, {what}; let it run longer, or `stop` the workload earlier{instead}"

    @property
    def _or_without_arrival(self) -> str:
        """What else a run may be that has no value."""
        if is_of_workload(self.measure):
            is_counted, what = place(self.measure)[2] in no_arrival.OF_ARRIVALS, "of which no payload arrived"
        else:
            is_counted, what = self.measure in no_arrival.OF_ARRIVALS, "with a flow of which no packet arrived"
        return "" if is_counted else f", or {what}"

    def score(self, values: Sequence[float | None]) -> float:
        """Say how good a point with these runs is; more is better."""
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return WORST
        mean = math.fsum(known) / len(known)
        return mean if self.is_large else -mean


@dataclass(eq=False)
class Entry:
    """A point that was tried."""

    setting: Setting
    point: Point
    scores: dict[int, float] = field(default_factory=dict)
    """How good it was after each round, by the seeds it then had."""
    seeds: int = 0
    """How many of the seeds it was given."""


@dataclass(frozen=True)
class TriedPoint:
    """A point: its mean over the seeds it was given, and how far that is from the best one's over the same seeds."""

    settings: Mapping[str, str]
    seeds: int
    is_finished: bool
    """Whether it had all seeds."""
    interval: Interval | None
    """None if a run has no value."""
    behind: Interval | None
    """Of the paired differences to the best point; None for that point itself."""

    @property
    def may_be_best(self) -> bool:
        """Whether its runs do not tell it from the best point."""
        return self.behind is not None and comparison.verdict(self.behind) in (None, "not significant", "equal")


class Race(Plan):
    """The runs of a tuning."""

    VALUE_OF = staticmethod(value_of_arrivals)

    def __init__(
        self,
        base: Scenario,
        proposer: Proposer,
        goal: Goal,
        seeds: Sequence[int],
        fresh: Sequence[int],
        known: Mapping[str, Values],
        max_events: int | None = None,
    ) -> None:
        super().__init__([], known, goal.measure, max_events=max_events)
        self.tried: list[Entry] = []
        self.best: Entry | None = None
        self.base = base
        self._proposer = proposer
        self.space = proposer.space
        self.goal = goal
        self.seeds = seeds
        self.fresh = fresh
        self._rounds = halving.seeds_per_round(len(seeds))
        self._round = 0
        self._batch: list[Entry] = []
        self._running: list[Entry] = []
        self.decide()

    def decide(self, point: Point | None = None) -> None:
        """Begin further rounds as long as all their runs are known."""
        del point
        while not self._unfinished and self.best is None:
            if self._running:
                self._end_round()
            elif settings := self._proposer.batch():
                self._batch = [Entry(each, self._point_of_setting(each)) for each in settings]
                self.tried += self._batch
                self.points += [entry.point for entry in self._batch]
                self._begin_round(self._batch, 0)
            else:
                self.best = self._best_entry()
                for seed in self.fresh:
                    self.request_run(self.best.point, seed)

    @property
    def expected(self) -> int:
        """How many runs are to be expected besides those asked for."""
        if self.best is not None:
            return 0
        batches = sum(halving.largest_run_count(size, len(self.seeds)) for size in self._proposer.batches)
        going_on = halving.largest_run_count(math.ceil(len(self._running) / 2), len(self.seeds), self._round + 1)
        return len(self.fresh) + batches + going_on

    def values(self, entry: Entry) -> list[float | None]:
        """Give what the runs of a point were worth, in the order of the seeds."""
        return self._known_values(entry, self.seeds[: entry.seeds])

    def fresh_values(self) -> list[float | None]:
        """Give what the best point's runs were worth that had no part in choosing it."""
        return [] if self.best is None else self._known_values(self.best, self.fresh)

    def _known_values(self, entry: Entry, seeds: Iterable[int]) -> list[float | None]:
        return [self.goal.value(self._known[entry.point.key(seed)]) for seed in seeds]

    def _point_of_setting(self, setting: Setting) -> Point:
        varied = {each.path: toml_value(text) for each, text in zip(self.space.parameters, setting, strict=True)}
        return Point.of(self.space.apply(self.base, setting), varied)

    def _begin_round(self, entries: list[Entry], number: int) -> None:
        self._running, self._round = entries, number
        for seed in self.seeds[: self._rounds[number]]:  # so that an interrupted tuning has some of every point
            for entry in entries:
                self.request_run(entry.point, seed)
        for entry in entries:
            entry.seeds = self._rounds[number]

    def _end_round(self) -> None:
        """Rank; the better half goes on, and after the last round the proposer learns of the whole batch."""
        count = self._rounds[self._round]
        for entry in self._running:
            entry.scores[count] = self.goal.score(self.values(entry))
        ranked = [entry for entry in self.tried if count in entry.scores]
        better, ahead = (
            halving.better_half(each, lambda entry: entry.scores[count]) for each in (self._running, ranked)
        )
        good = [entry for entry in better if entry in ahead and entry.scores[count] > WORST]
        if good and count < self._rounds[-1]:
            self._begin_round(good, self._round + 1)
            return
        self._running = []
        for entry in self._batch:
            self._proposer.learn(entry.setting, entry.scores, is_finished=self._is_finished(entry))

    def _is_finished(self, entry: Entry) -> bool:
        """Whether a point had all seeds, and each run a value."""
        return entry.scores.get(self._rounds[-1], WORST) > WORST

    def _best_entry(self) -> Entry:
        """The best of those that had all seeds."""
        finished = [entry for entry in self.tried if self._is_finished(entry)]
        if not finished:
            raise UsageError(f"at every point there is a run {self.goal.without_value}")
        return max(finished, key=lambda entry: entry.scores[self._rounds[-1]])
