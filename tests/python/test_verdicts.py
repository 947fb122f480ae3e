import dataclasses
import re
from pathlib import Path

import pytest
from farlink.errors import UsageError
from farlink.statistics import Interval
from farlink.studies import claims
from farlink.studies.claims import Claim
from farlink.studies.study import load
from farlink.studies.verdict import Finding, accepts, judge


def claim(kind: str = "value", at_least: float | None = 10, at_most: float | None = 20) -> Claim:
    return Claim("X-01", "1", "all", "always", "15", kind, "so it is", "Mbit/s", at_least, at_most, True, "")


def measured(mean: float, half: float = 1) -> Interval:
    return Interval(mean, mean - half, mean + half, 3, "t")


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(10, "reproduced"), (15, "reproduced"), (20, "reproduced"), (9.9, "not reproduced"), (20.1, "not reproduced")],
)
def test_a_value_is_reproduced_when_its_mean_lies_within_the_bounds(value, verdict):
    assert judge(claim(), Finding(measured(value, half=5))).verdict == verdict


def test_an_order_is_reproduced_only_when_its_whole_interval_is_beyond_the_bound():
    order = claim("ordering", at_least=1, at_most=None)
    assert accepts(order, measured(1.5, 0.4))
    assert not accepts(order, measured(1.5, 0.6))
    assert not accepts(order, measured(0.5, 0.1))
    assert accepts(order, Interval(1.1, None, None, 1, "single"))


def test_a_coarser_statement_that_holds_gives_the_direction_only():
    assert judge(claim(), Finding(measured(5), True, "less than")).verdict == "direction only"
    assert judge(claim(), Finding(measured(5), False, "less than")).verdict == "not reproduced"


def test_what_ns2_misses_too_is_not_reproducible():
    finding = Finding(measured(5), True, "less than")
    missed = judge(claim(), finding, peer=Finding(measured(6)))
    assert missed.verdict == "not reproducible" and "6 Mbit/s" in missed.reason
    assert judge(claim(), finding, peer=Finding(measured(15))).verdict == "direction only"
    assert judge(claim(), Finding(measured(15)), peer=Finding(measured(5))).verdict == "reproduced"


def test_few_runs_of_ns2_do_not_make_a_claim_irreproducible():
    unsure = judge(claim(), Finding(measured(5)), peer=Finding(measured(6, half=5)))
    assert unsure.verdict == "not reproduced" and "may meet it" in unsure.reason
    order = claim("ordering", at_least=1, at_most=None)
    unsure = judge(order, Finding(measured(0.9)), peer=Finding(measured(1.2, half=5)))
    assert unsure.verdict == "not reproduced" and "meets it" in unsure.reason
    assert judge(order, Finding(measured(0.9)), peer=Finding(measured(0.8, half=0.1))).verdict == "not reproducible"


def test_an_interval_that_is_too_wide_is_named_as_the_cause():
    order = claim("ordering", at_least=1, at_most=None)
    assert "the mean is within, the interval of 3 runs is not" in judge(order, Finding(measured(1.5))).reason
    assert "interval of" not in judge(order, Finding(measured(0.5, 0.1))).reason
    undecided = judge(claim(), Finding(measured(5, half=6)))
    assert undecided.is_undecided and "too few runs to decide" in undecided.reason
    assert not judge(claim(), Finding(measured(5))).is_undecided


def test_a_mean_that_may_lie_within_by_chance_is_reported():
    assert judge(claim(), Finding(measured(15, half=9))).is_unsure
    assert not judge(claim(), Finding(measured(15))).is_unsure
    assert not judge(claim(), Finding(measured(5, half=9))).is_unsure
    assert not judge(claim(), Finding(Interval(15, None, None, 1, "single"))).is_unsure


def test_no_verdict_is_typed():
    """Every verdict follows the numbers: whatever is measured, it is what the rule gives for it."""
    for each in load("satellite").claims:
        bound = next(bound for bound in (each.at_least, each.at_most) if bound is not None)
        inside = each.at_least * 1.001 if each.at_least is not None else bound * 0.5
        outside = each.at_least * 0.5 if each.at_least is not None else bound * 2
        good, bad = (Finding(Interval(value, value, value, 3, "t"), direction=True) for value in (inside, outside))
        assert judge(each, good).verdict == "reproduced"
        assert judge(each, bad).verdict == "direction only"
        assert judge(each, dataclasses.replace(bad, direction=False)).verdict == "not reproduced"
        assert judge(each, bad, peer=bad).verdict == "not reproducible"
        assert judge(each, bad, peer=good).verdict == "direction only"


def test_a_reason_names_the_bounds_the_cause_and_what_would_reproduce():
    names = ["preset rfc", "no copies, timeouts of 3 s"]
    reason = judge(claim(), Finding(measured(5)), cause="limited by recovery 90%", otherwise=names).reason
    assert "10 to 20 Mbit/s" in reason and "limited by recovery 90%" in reason
    assert reason.endswith('; reproduced with "preset rfc", "no copies, timeouts of 3 s"')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such file"),
        ("id,figure\nX-1,2\n", "the column `variants` is missing"),
        (
            "id,figure,variants,condition,published,kind,claim,unit,at_least,at_most,counted,why_not_counted\n"
            "X-1,2,a,b,c,value,d,ratio,abc,,yes,\n",
            "line 2: at_least: 'abc' is no number",
        ),
    ],
)
def test_what_is_no_table_of_claims_is_refused_with_its_place(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "claims.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=f"^{re.escape(str(path))}.*{re.escape(message)}"):
        claims.read(path)
