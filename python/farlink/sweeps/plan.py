"""Which runs are to be made: every point's seeds, and further rounds of them where a stopping rule asks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import farlink._farlink as engine
from farlink.execution.plug import Plug
from farlink.runs.scenario import Scenario
from farlink.store import record
from farlink.store.order import plain_value
from farlink.sweeps.grid import Settings
from farlink.sweeps.until import Until, Values
from farlink.sweeps.work import Finished, Task
from farlink.tables import parameters
from farlink.tables.coordinates import Written


@dataclass
class Point:
    """A scenario of the grid, and the seeds it is to be run with so far."""

    scenario: Scenario
    identified: str
    plugs: Mapping[int, Plug]
    varied: Settings
    """What the sweep varies, by path as in columns."""
    seeds: list[int] = field(default_factory=list)
    unfinished: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, scenario: Scenario, varied: Settings) -> Point:
        """Make the point of a scenario; raises `ScenarioError`."""
        named, classes = scenario.plugged()
        plugs = {index: Plug.of(factory) for index, factory in classes.items()}
        return cls(named, record.identifying_text(named.validated, plugs), plugs, varied)

    @cached_property
    def written(self) -> str:
        """How the scenario was written (`Written.to_text`)."""
        made = self.scenario
        keys = parameters.flatten(engine.to_toml(made.text, made.origin, made.settings))
        plugged = {f"flows.{index}.tcp.congestion_control": plug.name for index, plug in self.plugs.items()}
        varied = {path: plain_value(value) for path, value in self.varied.items()}
        return Written(varied, {**keys, **plugged}).to_text()

    def key(self, seed: int) -> str:
        """The name of a run."""
        return record.run_key(self.identified, seed)


class Plan:
    """Tasks come out, finished runs go in, and may make further tasks. What is known already is not made again."""

    def __init__(
        self,
        points: Sequence[Point],
        seeds: Sequence[int],
        known: Mapping[str, Values],
        *,
        until: Until | None = None,
        series: bool = False,
        max_events: int | None = None,
    ) -> None:
        self.points = points
        self.done = 0
        self._known = dict(known)
        self._until = until
        self._series = series
        self._max_events = max_events
        self._waiting: deque[Task] = deque()
        self._point_of: dict[str, Point] = {}
        self._ends_s = time.monotonic() + (until.time_s if until else 0.0)
        # Seed by seed, so that an interrupted sweep has something of every point.
        for seed in seeds:
            for point in points:
                self._request_run(point, seed)
        for point in points:
            self._decide_further_rounds(point)

    def next(self) -> Task | None:
        """Give the next run to be made; None while there is none, though what runs now may add more."""
        return self._waiting.popleft() if self._waiting else None

    def take(self, finished: Finished) -> None:
        """Count a run; the last one of a point's round decides on the next."""
        key = finished.record.key
        self._known[key] = finished.values(self._until.measure) if self._until else {}
        self.done += 1
        point = self._point_of[key]
        point.unfinished.remove(key)
        self._decide_further_rounds(point)

    @property
    def share(self) -> float:
        """How much of what is planned so far is done; further rounds make it smaller."""
        return self.done / max(self.size, 1)

    @property
    def size(self) -> int:
        """How many runs are planned so far."""
        return sum(len(point.seeds) for point in self.points)

    @property
    def written(self) -> dict[str, str]:
        """How the scenarios of all runs were written, by their names."""
        return {point.key(seed): point.written for point in self.points for seed in point.seeds}

    @property
    def keys(self) -> list[str]:
        """The names of all runs, seed by seed."""
        longest = max(len(point.seeds) for point in self.points)
        return [
            point.key(point.seeds[place])
            for place in range(longest)
            for point in self.points
            if place < len(point.seeds)
        ]

    @property
    def unsettled(self) -> int:
        """How many points spent a budget before their means were known as well as asked for."""
        return sum(1 for point in self.points if self._until and not self._until.is_met(self._values_of_point(point)))

    def _request_run(self, point: Point, seed: int) -> None:
        key = point.key(seed)
        point.seeds.append(seed)
        self._point_of[key] = point
        if key in self._known:
            self.done += 1
        elif key not in point.unfinished:
            point.unfinished.add(key)
            task = Task(key, point.scenario, seed, self._series, point.plugs, self._max_events, point.written)
            self._waiting.append(task)

    def _decide_further_rounds(self, point: Point) -> None:
        """Ask for further rounds as long as what is known says so."""
        while self._until and not point.unfinished:
            further = self._until.further(point.seeds, self._values_of_point(point))
            # What an earlier, longer sweep has found costs no time.
            is_late = time.monotonic() > self._ends_s and any(point.key(seed) not in self._known for seed in further)
            if not further or is_late:
                return
            for seed in further:
                self._request_run(point, seed)

    def _values_of_point(self, point: Point) -> list[Values]:
        return [self._known[point.key(seed)] for seed in point.seeds]
