"""Numbers as they stand in reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from farlink import statistics
from farlink.statistics import Interval


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


def t_half_width(values: Sequence[float]) -> str:
    """Write the mean of values and half the width of its interval by Student's t; `-` without values."""
    if not values:
        return "-"
    half = statistics.half_width(values)
    return f"{statistics.mean_of(values):.3g}" + (f" ± {half:.2g}" if half else "")


def means(numbers: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean of each column, for programs."""
    return {name: sum(values) / len(values) for name, values in numbers.items()}


def mean_cells(numbers: Mapping[str, Sequence[float]]) -> dict[str, str]:
    """The mean of each column with half the width of its interval by Student's t, for people."""
    return {name.replace("_", " "): t_half_width(values) for name, values in numbers.items()}
