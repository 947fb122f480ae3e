import dataclasses
from pathlib import Path

import pytest
from farlink.studies import explanation
from farlink.studies.multiverse.design import one_at_a_time
from farlink.studies.multiverse.running import Space
from farlink.studies.runs import MissingError
from farlink.studies.study import load
from farlink.studies.verdict import accepts
from farlink_studies.underwater import explanations, findings
from farlink_studies.underwater.findings import MEASURES
from farlink_studies.underwater.runs import (
    HOPS,
    HYBLA,
    NEWRENO,
    SIZES,
    WINDOWS,
    Case,
    Runs,
    SeedResult,
)
from farlink_studies.underwater.underwater import PIPE

ONE = SeedResult(
    throughput=1.0,
    arrival=100.0,
    rtt_mean_s=0.7,
    rtt_max_s=9.0,
    timer_rtt_max_s=6.0,
    sent=100,
    timeouts=0,
    fast_retransmits=0,
    carried=1.1,
    repeated=0,
    in_timeout=0.0,
    drops={},
    attempts=200,
    failed_attempts=2,
)
FREE = 64
UNLOADED = Case(1, NEWRENO, 512, 1)


def throughput_of(case: Case) -> float:
    """The paper's: Hybla ahead at 2 to 5 hops, and gains of 7, 54 and 35 % with the best of the limits."""
    if case.hops != 4:
        return 1.2 if case.variant == HYBLA and case.hops in (2, 3, 5) else 1.0
    if case.variant == HYBLA:
        return 1.02 if case.window == 3 else 1.0
    if case.window == FREE:
        return 0.9
    gain = {256: 1.07, 512: 1.54, 1024: 1.35}[case.size]
    return 0.9 * {1: 0.9 * gain, 2: gain}.get(case.window, 1.0)


def arrival_of(case: Case) -> float:
    if case.variant == HYBLA:
        return 100 - 10.0 * case.hops
    return 95.0 if case.window > 1 else 99.0


def published(hybla: float = 1.0) -> Runs:
    """Runs as the paper has them, with Hybla's throughput times something."""
    cases = {Case(hops, variant, 512, FREE) for hops in HOPS for variant in (NEWRENO, HYBLA)}
    cases |= {Case(4, NEWRENO, size, window) for size in SIZES for window in (*WINDOWS, FREE)}
    cases |= {Case(4, HYBLA, 512, window) for window in (*WINDOWS, FREE)} | {UNLOADED}

    def made(case: Case, seed: int) -> SeedResult:
        factor = (hybla if case.variant == HYBLA else 1.0) * (1 + seed / 1000)
        return dataclasses.replace(ONE, throughput=throughput_of(case) * factor, arrival=arrival_of(case))

    return Runs({case: {seed: made(case, seed) for seed in (1, 2, 3)} for case in cases}, UNLOADED)


def test_every_claim_has_a_measure_and_bounds_if_it_counts():
    claims = load("underwater").claims
    assert len(claims) == 15 and list(MEASURES) == [each.id for each in claims]
    assert sum(each.counted for each in claims) == 13
    assert all((each.at_least, each.at_most) != (None, None) for each in claims if each.counted)
    assert [each.id for each in claims if not each.counted] == ["U-03", "U-07"]


def test_runs_as_published_reproduce_every_claim():
    runs = published()
    for claim in load("underwater").claims:
        found = MEASURES[claim.id](runs)
        assert accepts(claim, found.value), (claim.id, found)


def test_a_slow_hybla_reproduces_neither_its_lead_nor_the_little_a_limit_does_to_it():
    claims = {each.id: each for each in load("underwater").claims}
    assert not accepts(claims["U-01"], MEASURES["U-01"](published(0.5)).value)
    assert not accepts(claims["U-02"], MEASURES["U-02"](published(0.5)).value)


def test_the_gain_is_that_of_the_best_limit_over_none():
    assert findings.gain_of_best_limit(published(), 512).mean == pytest.approx(54, abs=1e-6)
    assert findings.best_window(published(), 512) == 2
    assert findings.hybla_ratio(published(2.0), 3).mean == pytest.approx(2.4, abs=1e-6)


def test_readings_change_the_round_trip_the_baseline_and_the_throughput():
    runs = published()
    default = findings.find_all(runs, {})
    assert list(default) == list(MEASURES)
    assert default["U-04"].value.mean == 9 and findings.find_all(runs, {"rtt": "timer"})["U-04"].value.mean == 6
    over_512 = findings.find_all(runs, {"baseline": "512 B"})
    assert {claim for claim in MEASURES if over_512[claim] != default[claim]} <= {"U-08", "U-10", "U-11"}
    packets = findings.find_all(runs, {"throughput": "packets"})
    assert packets["U-09"].value.mean == pytest.approx(0) and packets["U-05"] == default["U-05"]


def test_gains_over_figure_3_are_over_the_only_size_it_has():
    runs = published()
    limited, free = Case(4, NEWRENO, 256, 2), Case(4, NEWRENO, 512, FREE)
    expected = 100 * (runs.of(limited)[1].throughput / runs.of(free)[1].throughput - 1)
    assert findings.gain_by_size(256, 512)(runs).value.mean == pytest.approx(expected)


def test_every_level_of_every_factor_is_a_valid_scenario():
    space = Space(load("underwater"), "quick")
    assert {choice.point for choice in space.study.settings.choices} < {each.point for each in space.factors.items}
    for universe in one_at_a_time(space.factors):
        assert space.checked_sweeps(universe)


def test_windows_that_carry_nothing_are_no_error():
    only = Runs({case: {1: dataclasses.replace(ONE, throughput=0.0)} for case, _ in published().all()}, UNLOADED)
    found = findings.find_all(only, {})
    assert list(found) == list(MEASURES)
    assert (found["U-09"].value.mean, found["U-12"].value.mean, found["U-14"].value.mean) == (0, 0, 0)


def test_what_was_not_run_is_missing():
    only = Runs({Case(1, NEWRENO, 512, FREE): {1: ONE}})
    for id_ in ("U-01", "U-03", "U-08"):
        with pytest.raises(MissingError):
            MEASURES[id_](only)


def test_explanations_name_facts_that_exist():
    facts = explanations.of_runs(published())
    words = explanation.read(Path(explanations.__file__).with_suffix(".toml"))
    assert set(words) <= set(MEASURES)
    for claim, sentences in words.items():
        own = [
            sentence for sentence in sentences if not any(word in sentence for word in ("quicker", "longer", "rtt0"))
        ]
        assert own or claim == "U-11"
        assert all(explanation.text([sentence], facts) for sentence in own), claim


def test_the_other_combination_is_run_for_all_grids():
    settings = load("underwater").settings
    grids = [name for name, _ in settings.grids("quick")]
    assert [grid.name for case, grid in settings.sensitivity_cases("quick") if case.name == PIPE] == [
        "hops",
        "unloaded",
        "windows",
        "windows of Hybla",
    ]
    assert set(grids) == {"hops", "unloaded", "windows", "windows of Hybla"}
