"""Experiments of the MANET study besides its sweeps: suggestions, opening, many seeds, causes switched off."""

from dataclasses import replace
from itertools import product

import pytest
from farlink.studies.study import load
from farlink.tables import parameters
from farlink_studies.manet import explanations
from farlink_studies.manet.experiments import connectivity, controlled, many_seeds, suggestions
from farlink_studies.manet.findings import MEASURES
from farlink_studies.manet.runs import (
    CONNECTIONS,
    ERRORS,
    NODES,
    SPEED,
    STEADY,
    VARIANTS,
    Case,
    Runs,
    SeedResult,
    _parse_setting,
)
from test_study_manet import FALLS, LEVELS, pretended, switched_off


def test_a_suggestion_is_compared_seed_by_seed():
    other = suggestions.Trial(100, 2, 0.0, suggestions.BOUND, "drop-tail")
    base = other.base
    ones = {seed: SeedResult(10.0 * seed, 10.0 * seed, 1.0, 100, {}, 2) for seed in (1, 2, 3)}
    more = {seed: SeedResult(20.0 * seed, 20.0 * seed, 1.0, 100, {}, 2) for seed in (1, 2, 3)}
    gained = suggestions.goodput_gain({base: ones, other: more}, other)
    assert gained is not None
    assert (gained.mean, gained.low, gained.high) == pytest.approx((100, 100, 100))
    said = list(suggestions._finding_sentences({base: ones, other: more}))
    assert "+100 ± 0 %" in said[0] and said[1].startswith("In 0 of 1 trials")


def test_experiments_on_opening_tell_how_many_connections_deliver():
    found = connectivity.Connecting.__new__(connectivity.Connecting)
    one = SeedResult(10.0, 10.0, 1.0, 100, {"no_route": 3}, 8, 2)
    found.ways = {way: {1: one, 2: one} for way in connectivity.WAYS}
    found.densities = {
        connectivity.Density(exponent, shadows, nodes): {1: replace(one, goodput=nodes / exponent), 2: one}
        for exponent, shadows, nodes in product((2.3, 2.7), (connectivity.COMMITTED, connectivity.LASTING), (100, 300))
    }
    said = found.report().findings
    assert f"4 of 16 ({connectivity.NO_RTS})" in said[0]
    assert "Exponent 2.7" in said[-1] and "rises in 1 of 2 seeds" in said[-1]
    assert found.facts()["dense_open_first"] == "4 of 16"


def test_the_grids_on_opening_vary_what_they_say():
    additional = dict(load("manet").settings.additional())
    flats = {
        name: [
            parameters.flatten(task.scenario.validated.resolved) for task in additional[name].tasks() if task.seed == 1
        ]
        for name in (connectivity.OPENING, connectivity.DENSITY)
    }
    assert sorted(connectivity._shadowing_name(values) for values in flats[connectivity.OPENING]) == sorted(
        connectivity.WAYS
    )
    assert len(flats[connectivity.DENSITY]) == 12


def of_one(falls: dict[str, float], seeds: int) -> Runs:
    cases = pretended(falls, seeds).all()
    return Runs(
        {case: ones for case, ones in cases if case.variant == many_seeds.VARIANT and case.sweep in many_seeds.SWEEPS}
    )


def test_many_seeds_of_one_variant_measure_the_same_claims():
    found = many_seeds.Many({})
    assert found.report() is None and found.facts(MEASURES["M-05"]) == {}
    found._runs = {many_seeds.COMMITTED: of_one(FALLS, 60), many_seeds.LASTING: of_one({**FALLS, SPEED: 2}, 30)}
    assert found.facts(MEASURES["M-05"]) == {
        "many": "-50 (-50 to -50) % with 60 seeds",
        "many_lasting": "+50 (50 to 50) % with 30 seeds",
    }
    made = found.report()
    assert made is not None
    [(_, table)] = made.tables
    assert len(table.table) == len(many_seeds.SWEEPS) * len(many_seeds.READINGS)


def test_the_grids_of_many_seeds_are_the_ends_of_the_sweeps():
    additional = dict(load("manet").settings.additional())
    for how, sweep in product(many_seeds.GRIDS, many_seeds.SWEEPS):
        tasks = [task.scenario for task in additional[many_seeds.grid_name(how, sweep)].tasks() if task.seed == 1]
        settings = [_parse_setting(scenario.validated.resolved) for scenario in tasks]
        assert {each.levels[sweep] for each in settings} == {LEVELS[sweep][0], LEVELS[sweep][-1]}
        redraws = {str(each.values["channels.0.propagation.redraw"]) for each in settings}
        assert redraws == {"time" if how == many_seeds.LASTING else "frame"}


def test_a_mean_delay_that_hangs_on_one_run_is_reported():
    runs = pretended(FALLS, 10)
    for variant in VARIANTS:
        ones = runs._cases[Case(SPEED, 1.0, variant)]
        ones[3] = replace(ones[3], delay_s=91.0 * sum(one.delay_s for one in ones.values()))
    facts = explanations.of_delay(runs, SPEED)
    assert facts["slowest_first"] == "99%" and float(facts["median_first"]) < 2 < float(facts["median_last"]) + 1


def test_causes_switched_off_measure_the_same_claims_with_one_sender():
    found = controlled.of_claim(MEASURES["M-05"], switched_off())
    assert found["near"] == found["near_steady"] == found["near_throughput"] == "-50 (-50 to -50)"
    assert found["near_throughput_last"] == "51.6" and found["near_links_first"] == "100%"
    assert found["near_whole"] == "change significantly as published"
    against = {controlled.WORDS["near"]: pretended({sweep: 1 / left for sweep, left in FALLS.items()})}
    assert "not all" in controlled.of_claim(MEASURES["M-05"], against)["near_whole"]
    assert controlled.of_claim(MEASURES["M-22"], switched_off())["near_note"].startswith("falls: error rate 95 %")
    assert controlled.of_claim(MEASURES["M-05"], {}) == {}


def test_what_holds_where_a_cause_is_switched_off_has_a_star():
    claims = {each.id: each for each in load("manet").claims}
    rows = list(controlled.metric_rows(claims, {"nothing": pretended(FALLS), **switched_off()}))
    assert len(rows) == len(LEVELS) * (2 + len(controlled.WORDS))
    speed = [row for row in rows if row["over"] == "m/s"]
    assert speed[0]["throughput"] == "-49.38 %" and speed[1]["throughput"] == "-50 (-50 to -50) *"
    assert all(row["all four"] == "*" and row["seeds"] == "5" for row in speed[1:])
    reverse = pretended({sweep: 1 / left for sweep, left in FALLS.items()})
    assert not any(
        "*" in value for row in controlled.metric_rows(claims, {"nothing": reverse}) for value in row.values()
    )


def test_experiments_on_causes_leave_the_sweeps_as_they_are():
    settings = load("manet").settings
    assert {case.name for case, _ in settings.controlled_cases()} == set(controlled.WORDS.values())
    for name, sweep in settings.controlled():
        case, grid = name.rsplit(": ", 1)
        tasks = [task.scenario for task in sweep.tasks() if task.seed == 1]
        found = [_parse_setting(scenario.validated.resolved) for scenario in tasks]
        assert {each.levels[grid] for each in found} == set(LEVELS[grid]), name
        assert {each.variant for each in found} == {STEADY if "constant bit rate" in case else "reno"}
        assert {str(each.values["channels.0.propagation.deviation"]) for each in found} == {
            "0 dB" if case.startswith("no shadowing") else "4 dB"
        }
        others = {other: {each.levels[other] for each in found} for other in (ERRORS, NODES, CONNECTIONS)}
        committed = {ERRORS: {0.0}, NODES: {100.0}, CONNECTIONS: {2.0}}
        assert {other: levels for other, levels in others.items() if other != grid} == {
            other: levels for other, levels in committed.items() if other != grid
        }
