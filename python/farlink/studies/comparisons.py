"""A claim that demands several comparisons rests on the weakest: by interval for a verdict, by mean in a universe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


def lowest(found: Mapping[str, Interval]) -> Weakest:
    """The weakest where all are to be high."""
    name, value = min(found.items(), key=lambda each: lower_end(each[1]))
    return Weakest(name, value, min(each.mean for each in found.values()))


def highest(found: Mapping[str, Interval]) -> Weakest:
    """The weakest where all are to be low."""
    name, value = max(found.items(), key=lambda each: upper_end(each[1]))
    return Weakest(name, value, max(each.mean for each in found.values()))
