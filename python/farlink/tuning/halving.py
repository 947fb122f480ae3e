"""How many seeds a point gets: successive halving.

Every point runs a few seeds; the better half goes on to twice as many, and so on. Of a later batch only those go on
that are also in the better half of all points that came so far. So no more is spent than is known beforehand, and most
of it on points that might be the best. All run the same seeds, so that common random numbers
rank them.

Z. Karnin, T. Koren, O. Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013; K. Jamieson,
A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS 2016.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
FEWEST = 3
"""Seeds of the first round: two may agree by accident."""


def seeds_per_round(seeds: int) -> list[int]:
    """Give how many seeds a point has after each round, the last of which has all."""
    found = [seeds]
    while math.ceil(found[0] / 2) >= FEWEST:
        found.insert(0, math.ceil(found[0] / 2))
    return found


def better_half(points: Sequence[T], score: Callable[[T], float]) -> list[T]:
    """Give the better half, rounded up; of equals the earlier goes on."""
    return sorted(points, key=lambda point: -score(point))[: math.ceil(len(points) / 2)]


def largest_run_count(points: int, seeds: int, begin: int = 0) -> int:
    """Give the most runs of this many points from the round `begin` on: half of them go on each time."""
    counts = [0, *seeds_per_round(seeds)]
    spent = 0
    for before, count in zip(counts[begin:], counts[begin + 1 :], strict=False):
        spent += points * (count - before)
        points = math.ceil(points / 2)
    return spent
