"""Numbers as they stand in reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.intervals import judged


def interval(values: Sequence[float]) -> Interval:
    """The mean of at least one value, with its interval."""
    found = judged(values)
    assert found is not None, "there is a value"
    return found


def half_width(value: Interval | None, sign: str = "") -> str:
    """Write a mean and half the width of its interval: `1.23 ± 0.45`."""
    if value is None:
        return "-"
    half = "" if value.low is None or value.high is None else f" ± {(value.high - value.low) / 2:.2g}"
    return f"{value.mean:{sign}.3g}{half}"


def ends(value: Interval, sign: str = "", unit: str = "") -> str:
    """Write a mean and both ends of its interval: `1.23 kbit/s (0.78 to 1.68)`."""
    mean = f"{value.mean:{sign}.3g}{unit}"
    return mean if value.low is None or value.high is None else f"{mean} ({value.low:.3g} to {value.high:.3g})"


def t_interval(values: Sequence[float]) -> Interval:
    """The mean of at least one value, with its interval by Student's t."""
    found = statistics.estimate(values)
    assert found is not None, "there is a value"
    low, high = (None if found.half_width is None else found.mean + sign * found.half_width for sign in (-1, 1))
    return Interval(found.mean, low, high, len(values), "t")


def t_half_width(values: Sequence[float]) -> str:
    """Write the mean of values and half the width of its interval by Student's t; `-` without values."""
    found = statistics.estimate(values)
    if found is None:
        return "-"
    return f"{found.mean:.3g}" + (f" ± {found.half_width:.2g}" if found.half_width else "")


def means(numbers: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean of each column, for programs."""
    return {name: sum(values) / len(values) for name, values in numbers.items()}


def mean_cells(numbers: Mapping[str, Sequence[float]]) -> dict[str, str]:
    """The mean of each column with half the width of its interval by Student's t, for people."""
    return {name.replace("_", " "): t_half_width(values) for name, values in numbers.items()}
