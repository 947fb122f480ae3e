"""Intervals where values are alike, few, or not normal."""

import pytest
from farlink import statistics


@pytest.mark.filterwarnings("error")
def test_values_all_alike_have_an_interval_without_width():
    # Their sum is rounded, so that none equals the mean.
    found = statistics.interval([0.3] * 10)
    assert found is not None
    assert found.method == "t"
    assert (found.low, found.high) == (pytest.approx(0.3), pytest.approx(0.3))


def test_values_that_are_not_normal_are_bootstrapped():
    found = statistics.interval([1.0] * 9 + [100.0])
    assert found is not None
    assert found.method == "bootstrap"
    assert found.low is not None
    assert found.low >= 1.0


def test_a_single_value_has_no_interval():
    assert statistics.interval([5.0]) == statistics.Interval(5.0, None, None, 1, "single")
    assert statistics.interval([]) is None
