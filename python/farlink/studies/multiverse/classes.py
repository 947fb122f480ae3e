"""The answer for each claim: whether it holds under every plausible reading of the paper, under some, or under none.

What decides is found by analysis of variance: the share of the variance of "the claim holds" that the levels of a
factor, or of two factors together, explain. The share is epsilon squared (Kelley 1935), which unlike eta squared does
not grow with the number of levels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from farlink.statistics import CONFIDENCE
from farlink.studies.claims import Claim
from farlink.studies.multiverse.factors import Factors
from farlink.studies.multiverse.folded import Row

Class: TypeAlias = Literal[
    "robust", "refuted within the space", "a matter of chance", "depends on", "undecided", "not measured"
]
Advice: TypeAlias = Literal["rely", "likely", "open", "unlikely", "refuted"]
Column: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
Levels: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"

ROBUST = 0.95
"""A claim that holds in at least this share of the universes is robust; in at most the rest, refuted."""
CHANCE = (0.2, 0.8)
"""Shares of single runs between which it is chance whether a single run meets a claim."""
LIKELY = (0.2, 0.8)
"""Shares of universes below which a claim is unlikely, and from which it is likely."""
MOST = 0.5
"""The share of universes above which chance, and of the variance from which a factor, decides."""
FEWEST_OF_LEVEL = 5
"""Universes of each level, on average, without which levels explain nothing: fewer may agree by chance."""
FEWEST_OF_OUTCOME = 5
"""Universes in which a claim holds, and in which it does not, without which nothing decides: of many factors and pairs
one would explain so few by chance.
"""
RESAMPLES = 199
SEED = 1


@dataclass(frozen=True)
class Share:
    """A share with both ends of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Strongest:
    """One or two factors, and the share of the variance that they explain."""

    factors: tuple[str, ...]
    explained: Share


@dataclass(frozen=True)
class Answer:
    """What the sample says of a claim."""

    claim: Claim
    kind: Class
    universes: int
    """Those that measure the claim."""
    holds: Share | None
    single: float | None
    """The mean share of single runs that meet the claim."""
    strongest: Strongest | None
    """The factors that explain most; also where they do not explain enough for a class."""

    @property
    def advice(self) -> Advice | None:
        """How far a reader may rely on it, whatever decides it; None for a claim that does not count or was not run."""
        if self.holds is None or not self.claim.counted:
            return None
        if self.holds.mean >= ROBUST:
            return "rely"
        if self.holds.mean >= LIKELY[1]:
            return "likely"
        if self.holds.mean <= 1 - ROBUST:
            return "refuted"
        return "open" if self.holds.mean >= LIKELY[0] else "unlikely"

    def row(self) -> dict[str, object]:
        """As it stands in `tables/multiverse.csv`."""
        strongest = " and ".join(self.strongest.factors) if self.strongest else None
        return {
            "claim": self.claim.id,
            "counted": self.claim.counted,
            "class": self.kind,
            "share": self.holds and self.holds.mean,
            "low": self.holds and self.holds.low,
            "high": self.holds and self.holds.high,
            "decides": strongest if self.kind == "depends on" else None,
            "strongest": strongest,
            "explained": self.strongest and self.strongest.explained.mean,
            "explained_low": self.strongest and self.strongest.explained.low,
            "single_runs": self.single,
            "universes": self.universes,
            "advice": self.advice,
        }


def classify(claim: Claim, factors: Factors, rows: Sequence[Row]) -> Answer:
    """Classify a claim by the rows of a sample; the rules are tried in the order of `Class`."""
    measured = [row for row in rows if claim.id in row.claims]
    holds = np.array([row.holds(claim) for row in measured], dtype=np.float64)
    if not measured:
        return Answer(claim, "not measured", 0, None, None, None)
    share = proportion(int(holds.sum()), len(holds))
    single = [found for row in measured if (found := row.claims[claim.id].single) is not None]
    mean_single = float(np.mean(single)) if single else None
    is_split = min(holds.sum(), len(holds) - holds.sum()) >= FEWEST_OF_OUTCOME
    strongest = _strongest(factors, measured, holds) if is_split else None
    kind: Class = "undecided"
    if share.mean >= ROBUST:
        kind = "robust"
    elif share.mean <= 1 - ROBUST:
        kind = "refuted within the space"
    elif single and np.mean([CHANCE[0] <= each <= CHANCE[1] for each in single]) > MOST:
        kind = "a matter of chance"
    elif strongest and strongest.explained.low >= MOST:
        kind = "depends on"
    return Answer(claim, kind, len(holds), share, mean_single, strongest)


def proportion(count: int, of: int) -> Share:
    """A share of universes with Wilson's interval."""
    from scipy.stats import binomtest

    found = binomtest(count, of).proportion_ci(CONFIDENCE, method="wilson")
    return Share(count / of, float(found.low), float(found.high))


def _strongest(factors: Factors, rows: Sequence[Row], holds: Column) -> Strongest | None:
    """The factor that explains enough; else the one or two whose lower end is highest; None where none explains any."""
    levels: Mapping[str, Levels] = {
        factor.name: np.array([row.universe[place] for row in rows], dtype=np.int64)
        for place, factor in enumerate(factors.items)
        if len(factor.levels) > 1
    }
    best = max(levels, key=lambda name: explained(levels[name], holds))
    alone = Strongest((best,), _with_interval(levels[best], holds))
    if alone.explained.low >= MOST or len(levels) == 1:
        return alone
    joint = {pair: _joined(levels[pair[0]], levels[pair[1]]) for pair in combinations(levels, 2)}
    pair = max(joint, key=lambda each: explained(joint[each], holds))
    both = Strongest(pair, _with_interval(joint[pair], holds))
    if both.explained.low > alone.explained.low:
        return both
    return alone if alone.explained.mean else None


def _joined(first: Levels, second: Levels) -> Levels:
    """Each pair of levels as a level of its own."""
    return first * (int(second.max()) + 1) + second


def explained(levels: Levels, values: Column) -> float:
    """The share of the variance of values that their level explains, epsilon squared, from F of a one-way ANOVA."""
    from scipy.stats import f_oneway

    groups = [values[levels == level] for level in np.unique(levels)]
    between, within = len(groups) - 1, len(values) - len(groups)
    if between < 1 or len(values) < FEWEST_OF_LEVEL * len(groups) or values.min() == values.max():
        return 0.0
    if all(group.min() == group.max() for group in groups):
        return 1.0
    found = float(f_oneway(*groups).statistic)
    return max(0.0, between * (found - 1) / (between * found + within))


def _with_interval(levels: Levels, values: Column) -> Share:
    """The share explained, with its bootstrap interval (universes drawn with replacement)."""
    from scipy.stats import bootstrap

    def statistic(places: Levels) -> float:
        return explained(levels[places], values[places])

    mean = explained(levels, values)
    if mean == 1.0:
        return Share(1.0, 1.0, 1.0)
    drawn = bootstrap(
        (np.arange(len(values)),),
        statistic,
        n_resamples=RESAMPLES,
        vectorized=False,
        method="basic",  # resampling finds too much explained, which this reflects
        confidence_level=CONFIDENCE,
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return Share(mean, max(0.0, float(drawn.low)), min(1.0, float(drawn.high)))
