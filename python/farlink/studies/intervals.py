"""The intervals with which claims were judged: Student's t, or the BCa bootstrap where a test rejects normality.

Everything else has Student's t: choosing the method by a test makes a 95 % interval hold the mean less often. The
verdicts keep the method, so that they stay comparable with those in the reports.
"""

from __future__ import annotations

from collections.abc import Sequence

from farlink import statistics
from farlink.statistics import Interval

NORMALITY = 0.05
"""Below this p of the Shapiro-Wilk test, values do not count as normal."""


def judged(values: Sequence[float]) -> Interval | None:
    """Estimate a mean as the claims were judged; None without values."""
    return statistics.interval(values) if _is_normal(values) else statistics.bca(values)


def _is_normal(values: Sequence[float]) -> bool:
    if len(values) < statistics.FEWEST or min(values) == max(values):
        return True
    from scipy.stats import shapiro  # heavy

    return float(shapiro(values).pvalue) >= NORMALITY
