"""Means, ratios, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

CONFIDENCE = 0.95
FEWEST = 8
"""With fewer values a bootstrap is no better than Student's t."""
MANY = 1000
"""Degrees of freedom."""
RESAMPLES = 9999
RESAMPLES_OF_RUNS = 1999
"""For percentiles, each of which is sought in the values of many runs."""
VALUES_AT_ONCE = 4_000_000
"""Of all resamples together, in memory."""


@dataclass(frozen=True)
class Interval:
    """A mean (or a ratio) with both ends of its 95 % interval and how that was found; None for a single value.

    Neither are there ends where all runs are equal (`without_ends`).
    """

    mean: float
    low: float | None
    high: float | None
    count: int
    method: str
    is_cut: bool = False
    """Whether an end was beyond what the mean of a bounded measure can be."""


def mean_of(values: Sequence[float]) -> float:
    """Give the mean; of a single value, that value."""
    return values[0] if len(values) == 1 else math.fsum(values) / len(values)


def half_width(values: Sequence[float]) -> float | None:
    """Half the width of the interval of a mean by Student's t; None for fewer than two values."""
    count = len(values)
    if count < 2:
        return None
    mean = mean_of(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return t_quantile(count - 1, (1 + CONFIDENCE) / 2) * math.sqrt(variance / count)


@cache
def t_quantile(freedom: int, probability: float) -> float:
    """Give a quantile above the median of Student's t with so many degrees of freedom.

    Newton's method on the exact distribution, or from `MANY` degrees of freedom on the expansion about the normal
    quantile (M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 to 26.7.5). SciPy's differs by
    a relative 1e-12 at most for probabilities from 0.9 to 0.999, and takes ten times as long to import as a short run.
    """
    if freedom >= MANY:
        return _t_quantile_of_many(freedom, probability)
    gammas = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    angle, density = 0.0, 2 * gammas / math.sqrt(math.pi)
    # The share grows ever more slowly with the angle, so that no step goes too far.
    while True:
        missing = 2 * probability - 1 - _share_within(angle, freedom)
        before, angle = angle, angle + missing / (density * math.cos(angle) ** (freedom - 1))
        if angle <= before:
            return math.sqrt(freedom) * math.tan(before)


def _share_within(angle: float, freedom: int) -> float:
    """The probability of a value of Student's t between both signs of tan(angle) times the root of `freedom`."""
    sine, cosine, is_odd = math.sin(angle), math.cos(angle), freedom % 2
    term, terms = cosine if is_odd else 1.0, []
    for order in range(2 + is_odd, freedom + 1, 2):
        terms.append(term)
        term *= cosine * cosine * (order - 1) / order
    total = sine * math.fsum(terms)
    return 2 / math.pi * (angle + total) if is_odd else total


def _t_quantile_of_many(freedom: int, probability: float) -> float:
    from statistics import NormalDist

    z = NormalDist().inv_cdf(probability)
    square = z * z
    factors = (
        (square + 1) / 4,
        ((5 * square + 16) * square + 3) / 96,
        (((3 * square + 19) * square + 17) * square - 15) / 384,
        ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
    )
    return z * (1 + math.fsum(factor / freedom**power for power, factor in enumerate(factors, 1)))


def interval(values: Sequence[float]) -> Interval | None:
    """Estimate a mean by Student's t, taking `values` as independent draws; None without values."""
    if len(values) == 0:
        return None
    mean, half = mean_of(values), half_width(values)
    if half is None:
        return Interval(mean, None, None, 1, "single")
    return Interval(mean, mean - half, mean + half, len(values), "t")


def bca(values: Sequence[float]) -> Interval | None:
    """Estimate a mean by the BCa bootstrap (B. Efron, JASA 82 (397), 1987); None without values."""
    import numpy as np

    if len(values) < 2:
        return interval(values)
    mean = mean_of(values)
    if len(values) < FEWEST:
        return Interval(mean, None, None, len(values), "few")
    if min(values) == max(values):  # as every resample is
        return Interval(mean, mean, mean, len(values), "bca")
    from scipy.stats import bootstrap  # heavy

    # A fixed seed: the same values give the same interval.
    random = np.random.default_rng(1)
    made = bootstrap((values,), np.mean, confidence_level=CONFIDENCE, n_resamples=RESAMPLES, method="BCa", rng=random)
    low, high = made.confidence_interval
    return Interval(mean, float(low), float(high), len(values), "bca")


Estimator: TypeAlias = Callable[[Sequence[float]], "Interval | None"]
ESTIMATORS: dict[str, Estimator] = {"t": interval, "bca": bca}
"""Of means, by name."""


def of_measure(
    values: Sequence[float], bounds: tuple[float, float] = (0.0, math.inf), of: Estimator = interval
) -> Interval | None:
    """Estimate the mean of a measure, within its bounds; a negative value shows that there is no lower one."""
    least, most = bounds
    return within(of(values), -math.inf if values and min(values) < 0 else least, most)


def within(made: Interval | None, least: float, most: float) -> Interval | None:
    """Cut an interval off at what the mean can be at least and at most.

    What is cut off cannot hold the mean, so that the rest holds it as often as the whole (M. Mandelkern, "Setting
    confidence intervals for bounded parameters", Statistical Science 17(2), 2002).
    """
    if made is None or made.low is None or made.high is None or (made.low >= least and made.high <= most):
        return made
    return replace(made, low=max(made.low, least), high=min(made.high, most), is_cut=most < math.inf)


def without_ends(made: Interval | None) -> Interval | None:
    """Give an interval no ends: its values are equal in all runs, and say nothing of an error."""
    return made and replace(made, low=None, high=None, method="single")


def method(intervals: Iterable[Interval | None]) -> str:
    """Say in a line how intervals were found; empty if there is none."""
    found = [made for made in intervals if made is not None]
    methods = {made.method for made in found}
    at_ends = CUT if any(made.is_cut for made in found) else ""
    return "; ".join(filter(None, [*(words for each, words in METHODS.items() if each in methods), at_ends]))


CUT = "no interval is beyond what its measure can be"
METHODS = {
    "t": "95 % CI: Student's t",
    "bca": "95 % CI: BCa bootstrap",
    "runs": f"95 % CI of percentiles: bootstrap over the runs, {RESAMPLES_OF_RUNS} resamples",
    "few": f"bootstraps have a CI from {FEWEST} runs on",
}
"""How intervals were found, in words."""


def percentile(values: Iterable[float], percent: float) -> float:
    """Give the least value that so many per cent of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(math.ceil(percent * len(ordered) / 100 - 1e-9), 1) - 1]


def percentile_of_runs(runs: Sequence[Sequence[float]], percent: float) -> Interval | None:
    """Estimate a percentile of the values of all runs together; runs are independent, values of a run need not be.

    A value that is not known yet, such as the completion time of an unfinished transfer, is infinite. None where the
    percentile is one of these, or there is no value; the upper end is None where it is one of these.
    """
    return _of_percentiles([[run] for run in runs if run], percent, lambda found: found[0])


def percentile_difference(pairs: Sequence[tuple[Sequence[float], Sequence[float]]], percent: float) -> Interval | None:
    """Estimate the difference of percentiles of paired runs."""
    return _of_percentiles(pairs, percent, lambda found: found[0] - found[1])


def percentile_ratio(pairs: Sequence[tuple[Sequence[float], Sequence[float]]], percent: float) -> Interval | None:
    """Estimate the ratio of percentiles of paired runs; None where a value is not positive."""
    if any(value <= 0 for pair in pairs for run in pair for value in run):
        return None
    return _of_percentiles(pairs, percent, lambda found: found[0] / found[1])


def _of_percentiles(
    rows: Sequence[Sequence[Sequence[float]]], percent: float, function: Callable[[Sequence[Any]], Any]
) -> Interval | None:
    """Estimate a function of the percentiles of the columns by resampling rows, which are independent."""
    import numpy as np

    if not rows:
        return None
    columns = list(zip(*rows, strict=True))
    centres = [percentile((value for cell in column for value in cell), percent) for column in columns]
    if not all(map(math.isfinite, centres)):
        return None
    centre, count = float(function(centres)), len(rows)
    if count < FEWEST:
        return Interval(centre, None, None, count, "few" if count > 1 else "single")
    # A fixed seed: the same values give the same interval.
    draws = np.random.default_rng(1).multinomial(count, [1 / count] * count, RESAMPLES_OF_RUNS)
    with np.errstate(invalid="ignore"):
        made = function([_percentiles_of_resamples(column, percent, draws) for column in columns])
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(np.quantile(made, share, method="inverted_cdf")) for share in (tail, 1 - tail))
    ends = [end if math.isfinite(end) else None for end in (low, high)]
    return Interval(centre, ends[0], ends[1], count, "runs")


def _percentiles_of_resamples(runs: Sequence[Sequence[float]], percent: float, draws: Any) -> Any:
    """Give the percentile of each resample; `draws` says how often each run is in it."""
    import numpy as np

    values = np.concatenate([np.asarray(run, dtype=np.float64) for run in runs])
    order = np.argsort(values, kind="stable")
    run_of = np.repeat(np.arange(len(runs)), [len(run) for run in runs])[order]
    found = []
    for part in np.array_split(draws, max(1, math.ceil(draws.shape[0] * len(values) / VALUES_AT_ONCE))):
        below = np.cumsum(part[:, run_of], axis=1)
        wanted = np.maximum(np.ceil(percent * below[:, -1:] / 100 - 1e-9), 1)
        found.append(values[order][np.argmax(below >= wanted, axis=1)])
    return np.concatenate(found)


def difference(ours: Sequence[float], theirs: Sequence[float], of: Estimator = interval) -> Interval | None:
    """Estimate the mean difference of paired values."""
    return of([one - other for one, other in zip(ours, theirs, strict=True)])


def ratio(ours: Sequence[float], theirs: Sequence[float], of: Estimator = interval) -> Interval | None:
    """Estimate the geometric mean of the ratios of paired values; None where one is not positive."""
    if any(value <= 0 for value in (*ours, *theirs)):
        return None
    logs = of([math.log(one / other) for one, other in zip(ours, theirs, strict=True)])
    if logs is None:
        return None
    low, high = (None if end is None else math.exp(end) for end in (logs.low, logs.high))
    return Interval(math.exp(logs.mean), low, high, logs.count, logs.method)


def jackknife(rows: Sequence[Sequence[float]], function: Callable[[Sequence[float]], float]) -> Interval:
    """Estimate a function of the columns' means by leaving out one row at a time (Tukey's pseudo-values, Student's t).

    Rows are independent, columns of a row need not be.
    """
    import numpy as np

    count, whole = len(rows), np.sum(np.asarray(rows, dtype=np.float64), axis=0)
    centre = function([float(each) for each in whole / count])
    if count == 1:
        return Interval(centre, None, None, 1, "single")
    parts = [function([float(each) for each in (whole - np.asarray(row)) / (count - 1)]) for row in rows]
    half = half_width([count * centre - (count - 1) * part for part in parts])
    assert half is not None, "there are several rows"
    return Interval(centre, centre - half, centre + half, count, "jackknife")
