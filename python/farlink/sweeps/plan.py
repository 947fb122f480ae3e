"""Which runs are to be made: every point's seeds, and further rounds of them where a stopping rule asks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Container, Mapping, Sequence
from itertools import zip_longest

from farlink.sweeps.until import Until, Values
from farlink.sweeps.work import Finished, Point, Task


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
        self._keys: dict[str, dict[int, str]] = {point.identified: {} for point in points}
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
        self._decide_further_rounds(self._point_of[key])

    @property
    def share(self) -> float:
        """How much of what is planned so far is done; further rounds make it smaller."""
        return self.done / max(self.size, 1)

    @property
    def size(self) -> int:
        """How many runs are planned so far."""
        return sum(map(len, self._keys.values()))

    def written(self, keys: Container[str]) -> dict[str, str]:
        """How the scenarios of those runs were written that have these names, by name."""
        return {key: point.written for key, point in self._point_of.items() if key in keys}

    @property
    def keys(self) -> list[str]:
        """The names of all runs, seed by seed."""
        rounds = zip_longest(*(keys.values() for keys in self._keys.values()))
        return [key for each in rounds for key in each if key is not None]

    @property
    def unsettled(self) -> int:
        """How many points spent a budget before their means were known as well as asked for."""
        return sum(1 for point in self.points if self._until and not self._until.is_met(self._values_of_point(point)))

    def _request_run(self, point: Point, seed: int) -> None:
        task = Task(point.key(seed), point, seed, self._series, self._max_events)
        self._keys[point.identified][seed] = task.key
        self._point_of[task.key] = point
        if task.key in self._known:
            self.done += 1
        else:
            self._waiting.append(task)

    def _decide_further_rounds(self, point: Point) -> None:
        """Ask for further rounds as long as what is known says so."""
        keys = self._keys[point.identified]
        while self._until and all(key in self._known for key in keys.values()):
            further = self._until.further(list(keys), self._values_of_point(point))
            # What an earlier, longer sweep has found costs no time.
            is_late = time.monotonic() > self._ends_s and any(point.key(seed) not in self._known for seed in further)
            if not further or is_late:
                return
            for seed in further:
                self._request_run(point, seed)

    def _values_of_point(self, point: Point) -> list[Values]:
        return [self._known[key] for key in self._keys[point.identified].values()]
