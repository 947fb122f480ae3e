import json
import re
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from farlink.studies import explanation, settings
from farlink.studies.multiverse import design
from farlink.studies.multiverse.running import Space
from farlink.studies.runs import MissingError
from farlink.studies.study import Study, load
from farlink.studies.verdict import accepts
from farlink.tables import parameters
from farlink_studies.route_failure import explanations, movement, timeline
from farlink_studies.route_failure.experiments import controlled
from farlink_studies.route_failure.findings import MEASURES, find_all
from farlink_studies.route_failure.movement import Absence
from farlink_studies.route_failure.ns2 import record
from farlink_studies.route_failure.runs import (
    FIVE,
    FSR,
    LONG,
    LONG_REPAIR,
    NONE,
    ONE,
    RANDOM,
    RENO,
    SHORT,
    TCP_F,
    TWO,
    TWO_CACHED,
    Case,
    Runs,
    SeedResult,
    TimeSeries,
)

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[1]
FAILURE = Absence(30.0, 32.0)


def series(
    phases: list[tuple[float, str]], *, slope: float = 50, until_s: float = 40, threshold: float = 20
) -> TimeSeries:
    """A run whose sender is in these phases from these times on, and sends while it is not frozen."""
    time_s = np.arange(0, until_s, 0.01)
    phase = np.full(len(time_s), "open", dtype=object)
    for start, name in phases:
        phase[time_s >= start - 1e-9] = name
    sent = np.cumsum(np.where(phase == "frozen", 0.0, slope * 0.01))
    whole = np.full(len(time_s), 20.0)
    ssthresh = np.full(len(time_s), threshold)
    for start, name in phases:
        if name == "timeout":
            ssthresh[time_s >= start] = 2
    return TimeSeries(time_s, phase, whole, ssthresh, np.full(len(time_s), 0.25), sent - 1, sent, sent - 1)


def one(made: TimeSeries, throughput: float = 100) -> SeedResult:
    return SeedResult(throughput, 0, 0, 0, 0, 0, 0.0, {}, 1.0, absences=[FAILURE], series=made)


def test_every_claim_has_a_measure_and_bounds():
    claims = load("route_failure").claims
    assert len(claims) == 32 and list(MEASURES) == [each.id for each in claims]
    assert sum(each.counted for each in claims) == 26
    assert all((each.at_least, each.at_most) != (None, None) for each in claims)


def test_published_sequence_numbers_lie_within_their_bounds():
    by_id = {each.id: each for each in load("route_failure").claims}
    for number in range(10, 19):
        claim = by_id[f"Z-{number}"]
        half = 0.15 if number < 13 else 0.2 if number < 16 else 0.25
        published = float(claim.published)
        assert (claim.at_least, claim.at_most) == pytest.approx((published * (1 - half), published * (1 + half)))


def test_the_chains_break_when_and_for_as_long_as_the_settings_say():
    study = load("route_failure")
    of = {
        name: movement.out_of_range_times(sweep.tasks()[0].scenario.validated.resolved)
        for name, sweep in study.settings.grids("quick")
        if name != RANDOM
    }
    expected = {SHORT: [(30, 40)], LONG: [(30, 75)], TWO: [(30, 32.2)], ONE: [(30, 32.2)], LONG_REPAIR: [(30, 70)]}
    expected[FIVE] = [(30 + 6.5 * cycle, 32.2 + 6.5 * cycle) for cycle in range(5)]
    for name, times in expected.items():
        assert np.array(of[name]) == pytest.approx(np.array(times), abs=0.01), name
    assert of[NONE] == ()


def test_every_level_is_accepted_and_the_route_of_figure_7_is_down_and_up_for_as_long_as_its_levels_say():
    space = Space(load("route_failure"), "quick")
    for universe in design.one_at_a_time(space.factors):
        assert space.checked_sweeps(universe)
    names = [factor.name for factor in space.factors.items]
    timing = [names.index(each) for each in ("downtime", "up-time", "time after the last repair")]
    for levels in product(*(range(len(space.factors.items[place].levels)) for place in timing)):
        universe = list(space.factors.base)
        for place, level in zip(timing, levels, strict=True):
            universe[place] = level
        named = space.factors.names(tuple(universe))
        down_s, up_s = (float(named[each].removesuffix(" s")) for each in ("downtime", "up-time"))
        resolved = space.sweeps(tuple(universe))[FIVE].tasks()[0].scenario.validated.resolved
        absences = movement.out_of_range_times(resolved)
        starts = [30 + number * (down_s + up_s) for number in range(5)]
        assert np.array(absences) == pytest.approx(np.array([[at, at + down_s] for at in starts]), abs=5e-3)
        tail_s = parameters.si_number(parameters.flatten(resolved), "duration") - absences[-1].repaired_s
        assert tail_s == pytest.approx(
            20 if named["time after the last repair"] == "20 s" else 4.3 * 5 - 4 * up_s, abs=0.05
        )


def test_transfer_is_normal_when_the_source_has_recovered_or_when_data_arrive():
    frozen = one(series([(30.1, "frozen"), (32.1, "open")]))
    recovering = one(series([(30.1, "frozen"), (32.1, "open"), (32.3, "fast"), (32.8, "open")]))
    runs = Runs({Case(TWO, TCP_F): {1: recovering}, Case(TWO, FSR): {1: frozen}})
    recovered, arriving = (find_all(runs, reading)["Z-26"].value.mean for reading in ({}, {"normal": "arriving"}))
    assert recovered > arriving == 0


def test_the_events_of_a_failure_are_those_of_table_1():
    found = timeline.repair_timeline(
        series([(30.1, "frozen"), (32.3, "open"), (32.6, "fast"), (32.9, "open")]), FAILURE, 40
    )
    assert (found.frozen, found.repaired, found.resumed) == pytest.approx((0.1, 2.0, 2.3))
    assert (found.fast, found.recovered, found.normal) == pytest.approx((2.6, 2.9, 2.9))
    assert found.timed_out is None and found.arriving == pytest.approx(2.3, abs=0.02)


def test_who_goes_on_with_its_window_is_normal_at_once_and_who_times_out_is_not():
    kept = series([(30.1, "frozen"), (32.3, "timeout"), (33, "open")], threshold=2)
    cut = series([(30.1, "frozen"), (32.3, "timeout"), (33, "open")])
    assert timeline.repair_timeline(kept, FAILURE, 40).normal == pytest.approx(2.3)
    assert timeline.repair_timeline(cut, FAILURE, 40).normal == pytest.approx(3.0)


def test_a_retransmission_before_the_notification_means_a_late_one():
    in_time = timeline.repair_timeline(series([(30.1, "frozen"), (32.3, "open")]), FAILURE, 40)
    late = timeline.repair_timeline(series([(30.4, "timeout"), (30.6, "frozen"), (32.3, "open")]), FAILURE, 40)
    assert (in_time.is_late, late.is_late) == (False, True)


def test_a_failure_that_is_not_repaired_has_no_events_and_none_has_none():
    assert timeline.repair_timelines(series([]), []) == []
    assert timeline.repair_timelines(series([], until_s=31), [Absence(30.0, 31.0)]) == []


def pretended(lead_s: float) -> Runs:
    """TCP-F repairs for so long after it resumes, TCP-FSR does not."""
    fast = [(30.1, "frozen"), (32.3, "open"), (32.5, "fast"), (32.3 + lead_s, "open")]
    slow = [(30.1, "frozen"), (32.3, "open")]
    return Runs(
        {
            Case(experiment, variant): {seed: one(series(phases)) for seed in (1, 2, 3)}
            for experiment in (TWO, TWO_CACHED, FIVE)
            for variant, phases in ((TCP_F, fast), (FSR, slow), (RENO, slow))
        }
    )


def test_a_lead_is_counted_in_round_trips():
    by_id = {each.id: each for each in load("route_failure").claims}
    assert accepts(by_id["Z-26"], MEASURES["Z-26"].find(pretended(0.5)).value)
    assert MEASURES["Z-26"].find(pretended(0.5)).value.mean == pytest.approx(2, abs=0.1)
    assert not accepts(by_id["Z-26"], MEASURES["Z-26"].find(pretended(1.0)).value)
    assert accepts(by_id["Z-25"], MEASURES["Z-25"].find(pretended(0.5)).value)


def speeds(values: dict[str, list[float]]) -> Runs:
    return Runs(
        {
            Case(RANDOM, variant, speed): {
                seed: SeedResult(value * (1 + 0.001 * seed), 0, 0, 0, 0, 0, 0.0, {}, 1.0) for seed in range(1, 6)
            }
            for variant, row in values.items()
            for speed, value in zip((2.0, 5.0, 10.0, 15.0, 20.0, 30.0), row, strict=True)
        }
    )


def test_an_order_at_each_speed_and_a_fall_can_be_met_and_missed():
    by_id = {each.id: each for each in load("route_failure").claims}
    falling = [600.0, 500, 450, 400, 380, 370]
    meets = speeds({RENO: falling, TCP_F: [1.1 * x for x in falling], FSR: [1.2 * x for x in falling]})
    misses = speeds({RENO: falling[::-1], TCP_F: [600.0, 610, 620, 630, 640, 300], FSR: falling})
    for number in ("Z-31", "Z-32", "Z-33"):
        assert accepts(by_id[number], MEASURES[number].find(meets).value), number
        assert not accepts(by_id[number], MEASURES[number].find(misses).value), number


def test_what_is_missing_is_said_to_be():
    with pytest.raises(MissingError):
        MEASURES["Z-13"].find(Runs({}))
    with pytest.raises(MissingError):
        Runs({}).speeds()


def chain_breaks_s(case: str, grid: str) -> list[float]:
    """When each link of the chain first breaks in an experiment."""
    scenario = dict(load("route_failure").settings.controlled())[f"{case}: {grid}"].tasks()[0].scenario
    time_s = np.arange(29, 31, 0.001)
    nodes = movement.node_positions(scenario.validated.resolved, time_s)
    apart = [np.hypot(*(one - other)) for one, other in pairwise(nodes)]
    return [float(time_s[np.argmax(reach > movement.RANGE_M)]) for reach in apart if (reach > movement.RANGE_M).any()]


@pytest.mark.parametrize("word", [word for word in controlled.ORDER if word])
def test_node_3_loses_one_link_as_long_before_the_other_as_the_experiment_is_called(word):
    for grid in (FIVE, TWO):
        back, onward = chain_breaks_s(controlled.WORDS[word], grid)
        first, sooner_s = (back, onward - back) if word.startswith("back") else (onward, back - onward)
        assert f"{1e3 * sooner_s:.0f}" == word.split("_")[1]
        assert first == pytest.approx(30, abs=0.1)


def test_the_route_is_there_for_as_long_as_the_experiment_is_called():
    made = dict(load("route_failure").settings.controlled())
    for word, there_s in (("there_2", 2), ("there_1", 1), ("there_half", 0.5)):
        scenario = made[f"{controlled.WORDS[word]}: {FIVE}"].tasks()[0].scenario
        expected = [(30 + (2.2 + there_s) * cycle, 32.2 + (2.2 + there_s) * cycle) for cycle in range(5)]
        assert np.array(movement.out_of_range_times(scenario.validated.resolved)) == pytest.approx(
            np.array(expected), abs=0.01
        )


def test_dsr_as_ns2_is_by_now_is_its_preset_but_for_replies_from_caches():
    made = dict(load("route_failure").settings.controlled())
    both = [
        [
            parameters.flatten(task.scenario.validated.resolved)
            for task in made[f"{controlled.WORDS[word]}: {FIVE}"].tasks()
        ]
        for word in ("today", "preset")
    ]
    for today, preset in zip(*both, strict=True):
        differ = {path for path in today.keys() | preset.keys() if today.get(path) != preset.get(path)}
        assert differ == {"routing.replies_from_cache"}


def test_the_claims_take_constants_from_preset_ns2_of_dsr_and_no_rule():
    constants = {"preset", "cache", "cache_size", "cache_timeout", "request_backoff", "max_requests", "hop_limit"}
    for _, sweep in load("route_failure").settings.grids("quick"):
        scenario = sweep.tasks()[0].scenario
        ns2, rfc = (
            parameters.flatten(each.validated.resolved) for each in (scenario, scenario.set("routing.preset", "rfc"))
        )
        differ = {path for path in ns2.keys() | rfc.keys() if ns2.get(path) != rfc.get(path)}
        assert differ == {f"routing.{name}" for name in constants}


def test_every_experiment_on_causes_has_a_word_for_explanations():
    named = {case.name for case, _ in load("route_failure").settings.controlled_cases()}
    assert named == set(controlled.WORDS.values())


def test_experiments_that_were_stopped_early_are_reported_as_far_as_they_went():
    complete = pretended(0.5)
    begun = Runs(
        {Case(FIVE, TCP_F): {1: complete.of(Case(FIVE, TCP_F))[1]}, Case(TWO, TCP_F): complete.of(Case(TWO, TCP_F))}
    )
    moving = Runs({Case(RANDOM, RENO, 2.0): {1: SeedResult(400, 0, 0, 0, 0, 0, 0.0, {}, 1.0)}})
    named = {controlled.WORDS["on_26"]: begun, controlled.WORDS["ideal_random"]: moving}
    for grid in (FIVE, TWO, RANDOM, LONG):
        found = controlled.facts(grid, named)
        assert ("on_26_tcp_f_notified" in found) == (grid in (FIVE, TWO))
    row, lead = list(controlled.by_order(complete, named))
    assert row["its lead, two links [RTT] (Z-26)"] == "2 ± 0" and lead["its lead, two links [RTT] (Z-26)"] == "-"


def test_explanations_are_of_claims_and_name_only_facts_that_there_can_be():
    words = explanation.read(FOLDER / "explanations.toml")
    claims = load("route_failure").claims
    assert set(words) <= {each.id for each in claims}
    facts = explanations.of_experiment(pretended(0.5), TWO)
    assert "cause: The lead is 2 round trips in the 3 runs" in explanation.text(words["Z-26"], facts)


def test_the_study_runs_and_tells_the_variants_apart(tmp_path):
    text = (FOLDER / "settings.toml").read_text()
    for old, new in (
        ('quick = "1..10"', 'quick = "1..2"'),
        ('quick = "1..12"', 'quick = "1..2"'),
        ('{ quick = "1..3", full = "1..10" }', '{ full = "1..10" }'),
        ('duration = "100 s"\n[grid.zip]', 'duration = "30 s"\n[grid.zip]'),
        ('"record.interval" = "5 ms"', '"record.interval" = "20 ms"'),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "settings.toml").write_text(text)
    for name in ("claims.csv", "four.toml", "five.toml", "thirty.toml"):
        (tmp_path / name).write_text((FOLDER / name).read_text())
    experiments = (FOLDER / "experiments.toml").read_text()
    (tmp_path / "experiments.toml").write_text(re.sub(r'"1\.\.\d+"', '"1..2"', experiments))
    outcome = Study("route_failure", tmp_path).run("quick", tmp_path / "out", experiments=True)
    runs = outcome.measured.runs
    assert len(outcome.judgements) == 32
    assert all(each.timeouts > 0 and each.freezes == 0 for each in runs.of(Case(SHORT, RENO)).values())
    assert all(each.freezes > 0 for each in runs.of(Case(FIVE, FSR)).values())
    assert MEASURES["Z-30"].find(runs).value.mean == 0
    figures = [caption.partition(":")[0] for caption, _ in outcome.measured.figures()]
    assert figures == [f"Figure {number}" for number in (2, 5, 3, 4, 7, 8)]
    assert len(list(outcome.measured.tables())) == 6
    made = outcome.measured.experiments()
    assert made is not None and made.findings
    # What names a setting that was not run here is left out; nothing else is.
    words = explanation.read(FOLDER / "explanations.toml")
    for each in outcome.judgements:
        for sentence in words.get(each.claim.id, ()) if each.verdict != "reproduced" else ():
            if not any(f"{{{word}}}" in sentence for word in explanations.OTHER_SETTINGS):
                assert sentence.partition("{")[0] in each.reason, sentence


def test_grids_of_the_full_study_have_fifty_movements_of_every_speed():
    made = dict(load("route_failure").settings.grids("full"))[RANDOM]
    assert len(made.tasks()) == 6 * 3 * 50
    assert {task.scenario.validated.duration_ns for task in made.tasks()} == {300_000_000_000}
    assert all(sweep.tasks() for _, sweep in load("route_failure").settings.additional())


def test_a_grid_may_have_its_own_scenario_seeds_and_shorter_runs():
    quick, full = (dict(settings.read(FOLDER / "settings.toml").grids(effort)) for effort in ("quick", "full"))
    assert quick[RANDOM].tasks()[0].scenario.validated.duration_ns == 100_000_000_000
    assert len(full[SHORT].seeds) == 50 and len(quick[SHORT].seeds) == 10
    assert (
        len(quick[SHORT].tasks()[0].scenario.validated.nodes) == 4
        and len(quick[FIVE].tasks()[0].scenario.validated.nodes) == 5
    )


SAMPLES = """\
num_nodes is set 5
29.95 800 20.0 2.0 799
30.00 810 20.0 2.0 809
30.05 800 1.0 2.0 812
62.45 1400 4.0 2.0 1399
"""


def test_samples_of_ns2_give_the_sequence_numbers():
    assert record.measure(SAMPLES) == {"before": 810, "end": 1400}


def test_what_ns2_was_recorded_to_do_belongs_to_these_settings():
    document = json.loads((FOLDER / "ns2" / "measured.json").read_text())
    assert document["settings_sha256"] == load("route_failure").settings.sha256
    assert len(document["runs"]) == len(record.SEEDS)
