"""Comparisons that claims demand: how sure one is, and the weakest of several.

A claim that demands several rests on the weakest: by interval for a verdict, by mean in a universe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

from farlink import statistics
from farlink.statistics import Interval


@dataclass(frozen=True)
class Weakest:
    """Of several comparisons."""

    name: str
    value: Interval
    """That of which the interval reaches furthest against the claim."""
    mean: float
    """The mean that is furthest against the claim, which may be of another comparison."""


def lower_end(value: Interval) -> float:
    """The lower end of an interval; the mean where there is none."""
    return value.mean if value.low is None else value.low


def upper_end(value: Interval) -> float:
    """The upper end of an interval; the mean where there is none."""
    return value.mean if value.high is None else value.high


def is_sure(value: Interval, sign: int = 1, *, above: float = 0.0) -> bool:
    """Whether the whole interval lies above a number; below it where `sign` is negative."""
    return lower_end(value) > above if sign > 0 else upper_end(value) < above


def percent_gain(mine: float, theirs: float) -> float:
    """By how many per cent the one exceeds the other; 100 over nothing."""
    return 100 * (mine - theirs) / (theirs or mine or 1)


def mean_gain(rows: Sequence[Sequence[float]]) -> Interval:
    """By how many per cent the mean of the first column exceeds that of the second, seeds together."""
    return statistics.jackknife(rows, lambda row: percent_gain(row[0], row[1]))


def column_means(rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean of each column."""
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's; 0 where the second are all equal."""
    from scipy.stats import spearmanr  # heavy

    return float(spearmanr(first, second).statistic) if len(set(second)) > 1 else 0.0


def mean_difference(first: Sequence[float], second: Sequence[float]) -> Interval:
    """By how much the mean of the first exceeds that of the second; they have nothing in common."""
    width = hypot(*(statistics.half_width(values) or 0.0 for values in (first, second)))
    mean = statistics.mean_of(first) - statistics.mean_of(second)
    return Interval(mean, mean - width, mean + width, len(first), "t")


def list_means(found: Mapping[str, Interval], form: str = ".1f", unit: str = "") -> str:
    """Write the mean of each: `chain 4.0 %, cross 3.1 %`."""
    return ", ".join(f"{name} {each.mean:{form}}{unit}" for name, each in found.items())


def lowest(found: Mapping[str, Interval]) -> Weakest:
    """The weakest where all are to be high."""
    name, value = min(found.items(), key=lambda each: lower_end(each[1]))
    return Weakest(name, value, min(each.mean for each in found.values()))


def highest(found: Mapping[str, Interval]) -> Weakest:
    """The weakest where all are to be low."""
    name, value = max(found.items(), key=lambda each: upper_end(each[1]))
    return Weakest(name, value, max(each.mean for each in found.values()))
