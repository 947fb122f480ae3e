import hashlib
import json
from pathlib import Path

import farlink as fl
import numpy as np
import pytest
from farlink.studies.runs import MissingError
from farlink.studies.study import load
from farlink.studies.verdict import accepts
from farlink.sweeps.grid import Grid
from farlink_studies.satellite import findings, runs
from farlink_studies.satellite.experiments import fairness, start_up
from farlink_studies.satellite.runs import Case, Runs, SeedResult, TimeSeries

pytestmark = pytest.mark.slow

SATELLITE = Path(__file__).parents[1]


def flat_runs(**goodput: float) -> Runs:
    """Runs in which every variant has one goodput everywhere."""
    cases: dict[Case, dict[int, SeedResult]] = {}
    for variant, value in goodput.items():
        for rate in (0, *findings.RATES):
            cases[Case(variant, rate)] = {seed: SeedResult(value * (1 - 0.01 * seed)) for seed in (1, 2, 3)}
        for rtt in findings.RTTS_S:
            cases[Case(variant, 1e-8, rtt)] = {seed: SeedResult(value * (1 - 0.01 * seed)) for seed in (1, 2, 3)}
        for rate in (0, 1e-8, 1e-7):
            for size in findings.SIZES:
                cases[Case(variant, rate, size_bytes=size)] = {
                    1: SeedResult(value, is_censored=size == findings.SIZES[-1])
                }
    return Runs(cases)


PUBLISHED = {"westwood": 17.0, "hybla": 12.0, "enhanced_hybla": 95.0}


SWAPPED = {"westwood": 95.0, "hybla": 12.0, "enhanced_hybla": 17.0}


@pytest.mark.parametrize("number", ["S-10", "S-18", "S-23", "S-31", "S-32", "S-33", "S-34"])
def test_a_finding_can_meet_its_claim_and_miss_it(number):
    by_id = {each.id: each for each in load("satellite").claims}
    meets = findings.MEASURES[number].find(flat_runs(**PUBLISHED))
    assert accepts(by_id[number], meets.value) or number == "S-18"
    spoiled = flat_runs(**SWAPPED)
    for variant in SWAPPED:
        spoiled._cases[Case(variant, 1e-6)] = {1: SeedResult(1.0)}
        spoiled._cases[Case(variant, 1e-8, 0.1)] = {1: SeedResult(1.0), 2: SeedResult(1.0), 3: SeedResult(1.0)}
        for size in findings.SIZES:
            spoiled._cases[Case(variant, 1e-8, size_bytes=size)] = {1: SeedResult(40.0)}
            spoiled._cases[Case(variant, 1e-7, size_bytes=size)] = {1: SeedResult(40.0)}
    assert not accepts(by_id[number], findings.MEASURES[number].find(spoiled).value)


def test_every_claim_has_a_measure_and_bounds():
    satellite = load("satellite")
    assert [each.id for each in satellite.claims] == [f"S-{number:02}" for number in range(1, 35)]
    assert list(findings.MEASURES) == [each.id for each in satellite.claims]
    assert all((each.at_least, each.at_most) != (None, None) for each in satellite.claims)


def test_ratios_are_paired_by_seed():
    found = Runs({}).ratio({1: 2.0, 2: 20.0}, {1: 1.0, 2: 10.0})
    assert (found.mean, found.low, found.high) == (pytest.approx(2), pytest.approx(2), pytest.approx(2))
    assert Runs({}).ratio({1: 4.0}, {1: 1.0, 2: 2.0, 3: 4.0}).mean == pytest.approx(2)


def test_runs_that_were_not_made_are_missing_and_nothing_else():
    with pytest.raises(MissingError):
        findings.MEASURES["S-34"].find(flat_runs(westwood=1))


def test_a_file_that_was_not_finished_is_said_to_be():
    assert "1 of 1 sizes not finished" in findings.MEASURES["S-32"].find(flat_runs(**PUBLISHED)).note


def test_settings_are_hashed_as_a_file_and_every_grid_is_valid():
    found = load("satellite").settings
    assert found.sha256 == hashlib.sha256((SATELLITE / "settings.toml").read_bytes()).hexdigest()
    for effort, least in (("quick", 1), ("full", 10)):
        for name, sweep in found.grids(effort):
            rates = {task.scenario.validated.resolved.count("rate = 0.0") for task in sweep.tasks()}
            assert len(sweep.seeds) >= least or ("no errors" in name and rates)


def test_what_ns2_was_recorded_to_do_belongs_to_these_settings():
    document = json.loads((SATELLITE / "ns2" / "measured.json").read_text())
    assert document["settings_sha256"] == load("satellite").settings.sha256
    peer = runs.of_ns2(SATELLITE / "ns2" / "measured.json")
    assert findings.MEASURES["S-05"].find(peer).value.count >= 5


def series(goodput_mbps: float) -> TimeSeries:
    time_s = np.arange(0, 61, 0.2)
    nothing = np.full(len(time_s), np.nan)
    return TimeSeries(time_s, goodput_mbps * 1e6 / 8 * np.maximum(time_s - 5, 0), nothing, nothing)


def test_a_start_is_measured_in_bytes_and_in_the_time_until_a_share_of_the_capacity():
    assert start_up.bytes_arrived(series(80), 10) == pytest.approx(50e6)
    assert start_up.time_to_goodput(series(80), 40) == pytest.approx(10)
    assert start_up.time_to_goodput(series(80), 79) is None
    assert start_up.capacity_mbps(1e-5) == pytest.approx(96.533 * 0.88692, rel=1e-4)
    starts = {
        start_up.Start(1e-5, scheme): {1: series(goodput), 2: series(goodput + 1)}
        for scheme, goodput in zip(start_up.SCHEMES, (40, 60, 30, 80), strict=True)
    }
    found = start_up.report(starts, Runs({}))
    assert ["more than" in said or "less than" in said for said in found.findings] == [True, True, True]
    assert "both kept" in found.findings[2] and "1.99 times" in found.findings[2]


def test_two_that_get_the_same_share_evenly_and_two_that_do_not_do_not():
    together = fairness.Pair(fairness.TOGETHER, "Enhanced Hybla", "CUBIC", 0.0)
    even = fairness.Shares([40.0, 41.0, 40.0], [40.0, 40.0, 41.0])
    assert even.jain == pytest.approx([1, 1, 1], abs=1e-3) and even.share == pytest.approx([0.5, 0.5, 0.5], abs=0.01)
    uneven = fairness.Shares([90.0, 91.0, 90.0], [1.0, 1.0, 2.0])
    assert max(uneven.jain) < 0.55
    interval = Runs({}).interval
    assert "evenly" in fairness.report({together: even}, interval).findings[0]
    assert "unevenly" in fairness.report({together: uneven}, interval).findings[0]
    assert "gets 99%" in fairness.report({together: uneven}, interval).findings[0]


def test_additional_experiments_read_their_own_runs(tmp_path):
    for name, sweep in load("satellite").settings.additional():
        is_start = name == start_up.GRID
        scenario = sweep.tasks()[0].scenario.set("duration", "3 s" if is_start else "120 s")
        for flow in range(1 if is_start else 2):
            scenario = scenario.set(f"flows.{flow}.tcp.max_window", "20 packets")
        found = fl.Sweep(scenario, Grid(), (1,), series=True).run(out=tmp_path / name)
        if is_start:
            assert list(start_up.of_results(found)) == [start_up.Start(1e-7, "as published")]
            continue
        (pair, shares), *more = fairness.of_results([found]).items()
        assert not more and pair[1:] == ("Enhanced Hybla", "Enhanced Hybla", 0.0)
        # 20 packets per round trip each: 0.39 Mbit/s in 600 ms, twice that in 300 ms.
        assert shares.together == pytest.approx([1.16 if "300 ms" in pair.when else 0.77], rel=0.03)
