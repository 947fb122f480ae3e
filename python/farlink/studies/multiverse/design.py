"""Which universes are run: each level alone, then a sample that fills the joint space."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from farlink.errors import UsageError
from farlink.studies.multiverse.factors import Factors, Universe

SEED = 1
"""Of the sample; a longer sample begins with a shorter one."""
MOST_DRAWN = 1000
"""Points drawn for each universe, before the space counts as exhausted."""


def one_at_a_time(factors: Factors) -> list[Universe]:
    """The settings with their corrections, and each other level alone; what contradicts them is left out."""
    made = [factors.base]
    for place, factor in enumerate(factors.items):
        for level in range(1, len(factor.levels)):
            made.append((*factors.base[:place], level, *factors.base[place + 1 :]))
    return [universe for universe in made if factors.contradicts(universe) is None]


def sample(factors: Factors, count: int) -> list[Universe]:
    """Different universes that fill the space evenly; all where there are fewer.

    A. Owen, "A randomized Halton algorithm in R", 2017.
    """
    drawn: dict[Universe, None] = {}
    for universe in islice(_points(factors), MOST_DRAWN * count):
        if factors.contradicts(universe) is None:
            drawn.setdefault(universe)
        if len(drawn) == count:
            break
    return list(drawn)


def _points(factors: Factors) -> Iterator[Universe]:
    from scipy.stats.qmc import Halton

    counts = [len(factor.levels) for factor in factors.items]
    if not counts:
        raise UsageError("a multiverse without factors")
    engine = Halton(len(counts), scramble=True, rng=SEED)
    while True:
        for point in engine.random(256):
            yield tuple(int(share * count) for share, count in zip(point, counts, strict=True))
