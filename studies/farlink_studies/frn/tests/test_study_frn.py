from pathlib import Path

import pytest
from farlink.statistics import Interval
from farlink.studies import explanation, written
from farlink.studies.runs import MissingError
from farlink.studies.study import load
from farlink.studies.verdict import accepts
from farlink_studies.frn import drawing, explanations
from farlink_studies.frn.experiments import additional, controlled
from farlink_studies.frn.findings import MEASURES, at_best, find_all
from farlink_studies.frn.frn import AGE, WITHOUT_START
from farlink_studies.frn.retries import CHAINS, CHANGING, ERROR, LIMIT, SHORT, fall_from_best
from farlink_studies.frn.runs import HISTORIES, HOPS, INTERVALS, LIMITS, LOADS, Case, Runs, SeedResult

PLACES = ("chain 4", "chain 6", "chain 8", "cross 4", "cross 8", "mesh")


def ones(throughput: float) -> dict[int, SeedResult]:
    """Two runs close to each other."""
    one = {seed: throughput * (1 + seed / 1e4) for seed in (1, 2)}
    known = {"combined": 50, "again": 20, "stations": {"n0": 0.1, "n1": 0.2}, "near": throughput / 2}
    return {
        seed: SeedResult(value, 1000, 3, 500, 400, {"collision": 40}, {"lifetime": 7}, **known)
        for seed, value in one.items()
    }


def made(better: float = 1.2) -> Runs:
    """Every case the claims need: combined frames carry more by a factor, 3-13 is best, as is a count of four."""
    cases: dict[Case, dict[int, SeedResult]] = {}
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
    found = {id_: measure(runs).value for id_, measure in MEASURES.items()}
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
            measure(some)


def test_a_gain_is_that_at_the_best_interval_of_the_first_half():
    assert at_best([1, 3, 2, 1, 2, 4]) == pytest.approx(50)
    assert fall_from_best([1, 4, 3, 2, 5, 1]) == pytest.approx(80) and fall_from_best([1, 2, 4]) == 0
    assert CHAINS == ("chain 4", "chain 6", "chain 8")


def test_explanations_name_facts_that_exist_or_are_left_out():
    words = explanation.read(Path(explanations.__file__).with_suffix(".toml"))
    without = {name: made() for name in (controlled.NO_COPIES, controlled.MANY_ATTEMPTS)}
    facts = explanations.facts(made()) | controlled.of_combining({"as committed": made()})
    facts |= controlled.of_changing(made(), without) | controlled.of_random(made())
    assert facts["plain_collisions"] == "10.0"
    for claim, sentences in words.items():
        assert claim in MEASURES
        switched = [*controlled.SWITCHED.values(), *(f"{word}_note" for word in controlled.SWITCHED.values())]
        known = facts | dict.fromkeys([*explanations.OTHER_SETTINGS, *switched], "1")
        assert explanation.text(sentences, known).count("{") == 0
        assert len(explanation.text(sentences, {name: "{" + name + "}" for name in known})) == len(
            "cause: " + " ".join(sentences)
        )


def test_settings_name_the_cases_that_explanations_speak_of():
    study = load("frn")
    names = {case.name for case, _ in study.settings.sensitivity_cases("full")}
    assert set(explanations.OTHER_SETTINGS.values()) - {WITHOUT_START} <= names
    isolating = {case.name for case, _ in study.settings.controlled_cases()}
    named = {*controlled.SWITCHED, *controlled.COPIES.values(), controlled.MANY_ATTEMPTS, controlled.START} - {""}
    elsewhere = {name for name in isolating if name.startswith(controlled.ELSEWHERE)}
    assert named == isolating - elsewhere
    assert {name.removeprefix(controlled.ELSEWHERE) for name in elsewhere} == names - {AGE}
    grids = dict(study.settings.additional())
    assert {f"both, {place}" for place in additional.PLACES} <= set(grids)


def test_what_combined_frames_save_is_their_share_of_all():
    assert controlled.frames_saved_percent(ones(0.1)) == pytest.approx(10)
    rows = {row["place"]: row for row in controlled.combining_rows({"as committed": made()})}
    assert set(rows) == {"chain 4", "cross 4", "mesh"}
    assert rows["chain 4"]["worth [%]"] == "10.0" and float(rows["chain 4"]["gain [%]"].split()[0]) == pytest.approx(20)
    assert rows["chain 4"]["combined frames per packet"] == f"{50 / (0.1 * 0.95 * 1.2 * 1000):.2f}"


def test_the_start_is_taken_off_run_by_run():
    case = Case("chain 4")
    whole, start = (
        Runs({case: {1: SeedResult(0.1, 1000, 0, 0, 0, {}), 2: SeedResult(0.2, 1000, 0, 0, 0, {})}}),
        SeedResult(0.05, 200, 0, 0, 0, {}),
    )
    rest = whole.without_start(Runs({case: {1: start}}))
    assert rest.of(case)[1].throughput == pytest.approx((100 - 10) / 800) and list(rest.of(case)) == [1]


def test_a_run_that_is_broken_off_early_is_the_beginning_of_the_whole_one():
    scenario = load("frn").settings.scenario("quick", "chain.toml")
    bits = [
        scenario.set("duration", f"{seconds} s").set("record.interval", "10 s").run(seed=1).series.to_pylist()
        for seconds in (20, 40)
    ]
    short, long = ({row["time_s"]: row["received_bytes"] for row in rows} for rows in bits)
    assert short[20] == long[20] > 0


def test_a_changing_interval_is_compared_with_a_fixed_one_as_long_as_its_mean():
    runs = made()
    case = Case("chain 4", longest=SHORT, loaded=25, limit=LIMIT)
    # A tenth of the attempts fails, so that it adapts up to 3-7, half way between 3-5 and 3-9.
    longest, over = controlled.over_fixed(runs, case)
    fixed = 0.1 * (0.6 + 0.9) / 2
    assert longest == pytest.approx(7) and over.mean == pytest.approx(100 * (0.11 * 0.7 / fixed - 1))
    assert controlled.among_nodes(runs.of(case)) == pytest.approx((10, 20))


def test_claims_are_marked_that_hold_without_a_cause():
    found = find_all(made(), {})
    others = {each: {controlled.NO_COPIES: found[each.id]} for each in load("frn").claims}
    rows = {row["claim"]: row for row in controlled.claims_otherwise(others)}
    assert rows["F-34"][controlled.NO_COPIES] == "4 *" and rows["F-34"][controlled.LINES] == "-"
    assert not rows["F-01"][controlled.NO_COPIES].endswith("*")
    row = controlled.of_claim({controlled.NO_COPIES: found["F-34"]})
    assert row["no_copies"] == "4" and row["no_copies_note"].startswith("chain 4 3-5: 4,") and len(row) == 2
    assert written.ends(Interval(1.0, 0.5, 1.5, 3, "t")) == "1 (0.5 to 1.5)"


def test_the_age_of_attempts_is_judged_though_fixed_intervals_look_at_none():
    changing = {case: ones for case, ones in made().all() if case.loaded is not None}
    with pytest.raises(MissingError):
        MEASURES["F-40"](Runs(changing))
    assert MEASURES["F-40"](Runs(changing).with_fixed(made())).value.mean == pytest.approx(10)


def test_figures_without_copies_need_their_runs():
    assert len(list(drawing.without_copies(made()))) == 3
    with pytest.raises(MissingError):
        list(drawing.without_copies(Runs({})))
