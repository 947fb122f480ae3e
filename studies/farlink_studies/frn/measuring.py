"""What measuring a claim of the thesis gives, and what all measures use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from farlink.statistics import Interval
from farlink.studies.comparisons import lower_end
from farlink.studies.verdict import Finding

from farlink_studies.frn.runs import Case, Runs

Find = Callable[[Runs], Finding]


@dataclass(frozen=True)
class Measure:
    """How a claim is measured, and which places explain it when it is missed."""

    find: Find
    places: Sequence[str] = ()


def of_means(value: float, count: int) -> Interval:
    """A number that is one of the means of so many, without an interval."""
    return Interval(value, None, None, count, "of means")


def is_sure(value: Interval) -> bool:
    """Whether the whole interval lies above zero."""
    return lower_end(value) > 0


def percent_gain(mine: float, theirs: float) -> float:
    """By how many per cent the one exceeds the other; 100 over nothing."""
    return 100 * (mine - theirs) / (theirs or mine or 1)


def best_of(xs: Sequence[int], cases: Sequence[Case], runs: Runs) -> int:
    """Where the mean is largest."""
    return xs[int(np.argmax(runs.means(cases)))]
