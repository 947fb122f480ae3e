"""How the mean of runs is estimated: by the method that `since.toml` names, if not by Student's t.

The first studies were judged by Student's t, or by the BCa bootstrap where a test rejects normality. They keep that
method, so that verdicts stay comparable with those in the reports. New ones have Student's t: choosing the method by a
test makes a 95 % interval hold the mean less often.
"""

from __future__ import annotations

from collections.abc import Sequence

from farlink import statistics
from farlink.statistics import Estimator, Interval

NORMALITY = 0.05
"""Below this p of the Shapiro-Wilk test, values do not count as normal."""


def t_or_bca(values: Sequence[float]) -> Interval | None:
    """Estimate a mean by Student's t, or by the BCa bootstrap where values are not normal; None without values."""
    return statistics.interval(values) if _is_normal(values) else statistics.bca(values)


METHODS: dict[str, Estimator] = {"t": statistics.interval, "t_or_bca": t_or_bca}
"""By their names in `since.toml`."""


def _is_normal(values: Sequence[float]) -> bool:
    if len(values) < statistics.FEWEST or min(values) == max(values):
        return True
    from scipy.stats import shapiro  # heavy

    return float(shapiro(values).pvalue) >= NORMALITY
