"""Variants against a baseline, seed by seed: what a row of a comparison says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from farlink import statistics
from farlink.errors import UsageError
from farlink.results.measure import Measure
from farlink.tables import labels, parameters

READING = "verdict: `higher` or `lower` than `against` where the 95 % CI of the difference excludes 0"
READING_OF_EXACT = "`exact` where all seeds of either side gave equal results"


def against(by: str) -> str:
    """The column of the baseline, in the unit of the parameter that is compared."""
    suffix = labels.suffix_of(by)
    return f"against_{suffix}" if suffix else "against"


def choose_baseline(by: str, variants: Sequence[Any], wanted: Any, place: Mapping[str, Any]) -> Any:
    """The variant that is meant, or the first."""
    if wanted is None:
        return variants[0]
    for variant in variants:
        if parameters.equals_written(wanted, variant):
            return variant
    where = f" where {', '.join(f'{name} = {value}' for name, value in place.items())}" if place else ""
    raise UsageError(f"baseline {wanted}: {by} has {', '.join(sorted(map(str, variants)))}{where}")


def columns_along(by: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Give the columns each of whose values goes with one value of `by` only, or all if no column does so alone."""
    rows = list(rows)
    return [column for column in columns if goes_along(by, column, rows)] or list(columns)


def nothing(by: str, others: Sequence[str], rows: Sequence[Mapping[str, Any]], asked: Measure, instead: str) -> str:
    """Say why there is nothing to compare; `instead` names other measures."""
    if all(row[asked.column] is None for row in rows):
        return "; ".join(filter(None, [f"no run has a value of {asked.name}", instead]))
    along = " or ".join(columns_along(by, others, rows))
    return f"wherever {by} differs, {along} differs, too; nothing to compare"


def goes_along(other: str, column: str, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether every value of `column` has one of `other`."""
    pairs = {(row[column], row[other]) for row in rows}
    return len(pairs) == len({value for value, _ in pairs})


def cells(
    measure: str,
    difference: statistics.Interval | None,
    ratio: statistics.Interval | None,
    *,
    is_exact: bool = False,
) -> dict[str, Any]:
    """What a row says of a measure: difference and ratio, and the verdict; intervals unless both sides are exact."""
    shown = [statistics.without_ends(each) if is_exact else each for each in (difference, ratio)]
    return (
        interval_cells(f"{measure}_difference", shown[0])
        | interval_cells(f"{measure}_ratio", shown[1])
        | {"verdict": verdict(difference, is_exact=is_exact)}
    )


def interval_cells(name: str, found: statistics.Interval | None) -> dict[str, Any]:
    """A mean with both ends of its interval."""
    if found is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}


def verdict(difference: statistics.Interval | None, *, is_exact: bool = False) -> str | None:
    """Whether the interval of a difference excludes 0, and on which side; None without an interval.

    A difference that is exact has no error: its mean is both ends. It is equal also where it is 0 at every seed.
    """
    if difference is None:
        return None
    low, high = (difference.mean, difference.mean) if is_exact else (difference.low, difference.high)
    if low is None or high is None:
        return None
    word = "higher" if low > 0 else "lower" if high < 0 else "equal" if is_exact or low == high else "not significant"
    return f"{word}, exact" if is_exact else word


def reading(verdicts: Iterable[str | None]) -> str:
    """Say what these verdicts mean."""
    has_exact = any(found is not None and found.endswith("exact") for found in verdicts)
    return f"{READING}; {READING_OF_EXACT}" if has_exact else READING
