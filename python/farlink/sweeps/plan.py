"""Which runs are to be made: every point's seeds, and further rounds of them where a stopping rule asks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Container, Mapping, Sequence
from itertools import zip_longest

from farlink.sweeps.until import Until, Values
from farlink.sweeps.work import Finished, Point, Task
from farlink.tables.workload_columns import ValueOf, value_of


class Plan:
    """Tasks come out, finished runs go in, and may make further tasks. What is known already is not made again.

    `known` has by key what runs gave that were made before; of others `measure` is kept.
    """

    VALUE_OF: ValueOf = staticmethod(value_of)
    """What is kept of a workload."""

    def __init__(
        self,
        points: Sequence[Point],
        known: Mapping[str, Values],
        measure: str | None = None,
        *,
        series: bool = False,
        max_events: int | None = None,
    ) -> None:
        self.points = list(points)
        self._known = dict(known)
        self._measure = measure
        self._series = series
        self._max_events = max_events
        self._point_of: dict[str, Point] = {}
        """Of every run that was asked for."""
        self._unfinished: set[str] = set()
        self._waiting: deque[Task] = deque()

    def request_run(self, point: Point, seed: int) -> None:
        """Ask for a run."""
        key = point.key(seed)
        self._point_of[key] = point
        if key not in self._known and key not in self._unfinished:
            self._unfinished.add(key)
            self._waiting.append(Task(key, point, seed, self._series, self._max_events))

    def next(self) -> Task | None:
        """Give the next run to be made; None while there is none, though what runs now may add more."""
        return self._waiting.popleft() if self._waiting else None

    def take(self, finished: Finished) -> None:
        """Count a run, which may add more."""
        key = finished.record.key
        self._known[key] = finished.values(self._measure, self.VALUE_OF) if self._measure else {}
        self._unfinished.remove(key)
        self.decide(self._point_of[key])

    def decide(self, point: Point) -> None:
        """Ask for further runs when one of this point was finished."""

    @property
    def expected(self) -> int:
        """How many runs are to be expected besides those asked for."""
        return 0

    @property
    def size(self) -> int:
        """How many runs are planned so far."""
        return len(self._point_of)

    @property
    def done(self) -> int:
        """How many of them are finished."""
        return self.size - len(self._unfinished)

    @property
    def share(self) -> float:
        """How much is done of what is to be expected; further rounds make it smaller."""
        return self.done / max(self.size + self.expected, 1)

    @property
    def keys(self) -> list[str]:
        """The names of all runs."""
        return list(self._point_of)


class SweepPlan(Plan):
    """The runs of a sweep."""

    def __init__(
        self,
        points: Sequence[Point],
        seeds: Sequence[int],
        known: Mapping[str, Values],
        until: Until | None = None,
        *,
        series: bool = False,
        max_events: int | None = None,
    ) -> None:
        super().__init__(points, known, until.measure if until else None, series=series, max_events=max_events)
        self._keys: dict[str, dict[int, str]] = {point.identified: {} for point in points}
        self._until = until
        self._ends_s = time.monotonic() + (until.time_s if until else 0.0)
        # Seed by seed, so that an interrupted sweep has something of every point.
        for seed in seeds:
            for point in points:
                self.request_run(point, seed)
        for point in points:
            self.decide(point)

    def request_run(self, point: Point, seed: int) -> None:
        """Ask for a run."""
        self._keys[point.identified][seed] = point.key(seed)
        super().request_run(point, seed)

    def decide(self, point: Point) -> None:
        """Ask for further rounds as long as what is known says so."""
        keys = self._keys[point.identified]
        while self._until and all(key in self._known for key in keys.values()):
            further = self._until.further(list(keys), self._values_of_point(point))
            # What an earlier, longer sweep has found costs no time.
            is_late = time.monotonic() > self._ends_s and any(point.key(seed) not in self._known for seed in further)
            if not further or is_late:
                return
            for seed in further:
                self.request_run(point, seed)

    def written(self, keys: Container[str]) -> dict[str, str]:
        """How the scenarios of those runs were written that have these names, by name."""
        return {key: point.written for key, point in self._point_of.items() if key in keys}

    @property
    def keys(self) -> list[str]:
        """The names of all runs, seed by seed: in what order further rounds came depends on what was finished first."""
        rounds = zip_longest(*(keys.values() for keys in self._keys.values()))
        return [key for each in rounds for key in each if key is not None]

    @property
    def unsettled(self) -> int:
        """How many points spent a budget before their means were known as well as asked for."""
        return sum(1 for point in self.points if self._until and not self._until.is_met(self._values_of_point(point)))

    def _values_of_point(self, point: Point) -> list[Values]:
        return [self._known[key] for key in self._keys[point.identified].values()]
