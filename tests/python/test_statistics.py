"""Intervals where values are alike, few, or not normal."""

import pytest
from farlink import statistics
from farlink.studies.intervals import t_or_bca


@pytest.mark.filterwarnings("error")
def test_values_all_alike_have_an_interval_without_width():
    # Their sum is rounded, so that none equals the mean.
    found = statistics.interval([0.3] * 10)
    assert found is not None
    assert found.method == "t"
    assert (found.low, found.high) == (pytest.approx(0.3), pytest.approx(0.3))


SKEWED = [1.0] * 9 + [100.0]


def test_a_bootstrap_is_within_the_values_where_student_s_t_is_not():
    found, plain = statistics.bca(SKEWED), statistics.interval(SKEWED)
    assert found is not None and plain is not None
    assert (found.method, plain.method) == ("bca", "t") and found.mean == plain.mean
    assert found.low is not None and found.low >= 1.0 and plain.low is not None and plain.low < 0


def test_a_bootstrap_has_no_interval_of_few_values():
    assert statistics.bca(SKEWED[-7:]) == statistics.Interval(pytest.approx(106 / 7), None, None, 7, "few")
    assert statistics.bca([2.0] * 9) == statistics.Interval(2.0, 2.0, 2.0, 9, "bca")
    assert statistics.bca([2.0]) == statistics.interval([2.0]) and statistics.bca([]) is None


def test_the_claims_of_studies_keep_the_method_by_which_they_were_judged():
    assert t_or_bca(SKEWED) == statistics.bca(SKEWED)
    for values in (SKEWED[-7:], [2.0] * 9, [float(value) for value in range(9)], [2.0]):
        assert t_or_bca(values) == statistics.interval(values)


def test_a_single_value_has_no_interval():
    assert statistics.interval([5.0]) == statistics.Interval(5.0, None, None, 1, "single")
    assert statistics.interval([]) is None
