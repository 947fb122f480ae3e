import pytest
from farlink.studies import explanation
from farlink.studies.frn import causes, experiments
from farlink.studies.frn.findings import (
    CHAINS,
    CHANGING,
    ERROR,
    LIMIT,
    MEASURES,
    SHORT,
    at_best,
    fall,
)
from farlink.studies.frn.runs import HISTORIES, HOPS, INTERVALS, LIMITS, LOADS, Case, MissingError, One, Runs
from farlink.studies.study import load
from farlink.studies.verdict import accepts

PLACES = ("chain 4", "chain 6", "chain 8", "cross 4", "cross 8", "mesh")


def ones(throughput: float) -> dict[int, One]:
    """Two runs close to each other."""
    one = {seed: throughput * (1 + seed / 1e4) for seed in (1, 2)}
    return {seed: One(value, 1000, 3, 500, 400, {"collision": 40}, {"lifetime": 7}) for seed, value in one.items()}


def made(better: float = 1.2) -> Runs:
    """Every case the claims need: combined frames carry more by a factor, 3-13 is best, as is a count of four."""
    cases: dict[Case, dict[int, One]] = {}
    shape = dict(zip(INTERVALS, (0.6, 0.9, 1.0, 0.95, 0.8, 0.7), strict=True))
    limits = {limit: 1 - abs(limit - 4) / 100 for limit in LIMITS}
    for place in PLACES[:1] + PLACES[3:]:
        for is_combined in (True, False):
            for is_delayed in (True, False):
                for longest in INTERVALS:
                    value = 0.1 * shape[longest] * (better if is_combined else 1) * (1.1 if is_delayed else 1)
                    cases[Case(place, is_combined, is_delayed, longest)] = ones(value)
    for hops in HOPS:
        for is_combined in (True, False):
            for is_delayed in (True, False):
                gain = better - hops / 100 if is_combined else 1
                cases.setdefault(Case(f"chain {hops}", is_combined, is_delayed), ones(0.4 / hops * gain))
    for load_ in LOADS:
        for pattern in ("a", "b"):
            for is_combined in (True, False):
                for is_delayed in (True, False):
                    gain = better - load_ / 100 - is_delayed / 50 if is_combined else 1
                    cases[Case(f"random {load_}: {pattern}", is_combined, is_delayed)] = ones(0.1 * gain)
    for place in PLACES:
        for error in (0.0, ERROR):
            left = 1 - 2 * error
            for longest in INTERVALS:
                for limit in LIMITS:
                    value = 0.1 * left * shape[longest] * limits[limit]
                    cases[Case(place, longest=longest, limit=limit, error=error)] = ones(value)
            for loaded in CHANGING:
                value = 0.11 * left * shape[loaded]
                cases[Case(place, longest=SHORT, loaded=loaded, limit=LIMIT, error=error)] = ones(value)
    for history in HISTORIES:
        value = 0.11 - abs(history - 10) / 1e3
        cases[Case("chain 4", longest=SHORT, loaded=13, limit=LIMIT, history=history)] = ones(value)
    return Runs(cases)


def test_every_claim_has_a_measure_and_bounds():
    claims = load("frn").claims
    assert len(claims) == 42 and list(MEASURES) == [each.id for each in claims]
    assert all(each.counted for each in claims)
    assert all((each.at_least, each.at_most) != (None, None) for each in claims)


def test_every_claim_is_measured_as_the_numbers_say():
    runs = made()
    found = {id_: measure.find(runs).value for id_, measure in MEASURES.items()}
    assert found["F-02"].mean == 13 and found["F-05"].mean == 6
    assert found["F-03"].mean == pytest.approx(20) and found["F-22"].mean == pytest.approx(20)
    assert found["F-12"].mean == pytest.approx(17) and found["F-23"].mean == pytest.approx(9)
    assert found["F-19"].mean == pytest.approx(2) and found["F-20"].mean < -0.9
    assert (found["F-30"].mean, found["F-34"].mean, found["F-36"].mean, found["F-47"].mean) == (4, 4, 13, 10)
    assert found["F-40"].mean == pytest.approx(10 / 0.1 * 0.1) and found["F-48"].mean == pytest.approx(0)
    assert found["F-51"].mean == pytest.approx(10)
    claims = {claim.id: claim for claim in load("frn").claims}
    assert accepts(claims["F-07"], found["F-07"]) and not accepts(claims["F-01"], found["F-01"])


def test_what_was_not_run_is_missing_and_no_zero():
    some = Runs({Case("chain 4"): ones(0.1)})
    for measure in MEASURES.values():
        with pytest.raises(MissingError):
            measure.find(some)


def test_a_gain_is_that_at_the_best_interval_of_the_first_half():
    assert at_best([1, 3, 2, 1, 2, 4]) == pytest.approx(50)
    assert fall([1, 4, 3, 2, 5, 1]) == pytest.approx(80) and fall([1, 2, 4]) == 0
    assert CHAINS == ("chain 4", "chain 6", "chain 8")


def test_explanations_name_facts_that_exist_or_are_left_out():
    words = explanation.read(causes.WORDS)
    facts = causes.facts(made())
    assert facts["plain_collisions"] == "10.0"
    for claim, sentences in words.items():
        assert claim in MEASURES
        known = facts | dict.fromkeys(causes.OTHER_SETTINGS, "1")
        assert explanation.told(sentences, known).count("{") == 0
        assert len(explanation.told(sentences, known)) >= sum(len(each) for each in sentences) / 2


def test_settings_name_the_cases_that_explanations_speak_of():
    study = load("frn")
    names = {case for case, _ in study.settings.cases("full")}
    assert set(causes.OTHER_SETTINGS.values()) <= names
    grids = dict(study.settings.beyond())
    assert {f"both, {place}" for place in experiments.PLACES} <= set(grids)
