from farlink.statistics import Interval
from farlink.studies.comparisons import highest, lower_end, lowest, upper_end
from farlink.studies.verdict import Finding

WIDE = Interval(10.0, -5.0, 25.0, 3, "t")
NARROW = Interval(2.0, 1.0, 3.0, 3, "t")
ALONE = Interval(4.0, None, None, 1, "t")


def test_the_weakest_interval_and_the_worst_mean_may_be_of_different_comparisons():
    found = lowest({"wide": WIDE, "narrow": NARROW, "alone": ALONE})
    assert (found.name, found.value, found.mean) == ("wide", WIDE, 2.0)
    found = highest({"wide": WIDE, "narrow": NARROW, "alone": ALONE})
    assert (found.name, found.value, found.mean) == ("wide", WIDE, 10.0)
    found = highest({"narrow": NARROW, "alone": ALONE})
    assert (found.name, found.mean) == ("alone", 4.0)


def test_a_value_without_interval_ends_at_its_mean():
    assert (lower_end(ALONE), upper_end(ALONE)) == (4.0, 4.0)
    assert (lower_end(WIDE), upper_end(WIDE)) == (-5.0, 25.0)


def test_an_end_at_zero_is_an_end():
    assert lower_end(Interval(3.0, 0.0, 6.0, 3, "t")) == 0.0


def test_where_means_decide_a_finding_gives_the_worst_of_its_comparisons():
    assert Finding(WIDE, worst=2.0).mean == 2.0
    assert Finding(WIDE, worst=0.0).mean == 0.0
    assert Finding(WIDE).mean == 10.0
