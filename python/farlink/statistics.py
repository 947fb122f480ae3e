"""Means, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with the half width of its 95 % interval; `half_width` is None for a single value."""

    mean: float
    half_width: float | None


def estimate(values: Sequence[float]) -> Estimate | None:
    """Estimate a mean by Student's t, taking `values` as independent draws; None without values."""
    count = len(values)
    if count == 0:
        return None
    mean = math.fsum(values) / count
    if count == 1:
        return Estimate(mean, None)
    from scipy.special import stdtrit  # heavy

    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    quantile = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
    return Estimate(mean, quantile * math.sqrt(variance / count))
