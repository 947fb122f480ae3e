import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from string import Formatter

import numpy as np
import pytest
from farlink import statistics
from farlink.errors import UsageError
from farlink.statistics import Interval
from farlink.studies import explanation, single_runs
from farlink.studies.study import Study, load
from farlink.studies.verdict import accepts
from farlink.tables import parameters
from farlink_studies.manet import explanations, findings, nearness, ranking
from farlink_studies.manet.experiments import controlled
from farlink_studies.manet.findings import MEASURES, find_all
from farlink_studies.manet.manet import Manet
from farlink_studies.manet.ns2 import record
from farlink_studies.manet.readings import percent_change
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
)

MANET = Path(__file__).parents[1]
LEVELS = {
    ERRORS: (0.05, 0.2, 0.4, 0.6),
    SPEED: (1.0, 2.0, 3.0, 4.0, 5.0),
    NODES: (100.0, 200.0, 300.0),
    CONNECTIONS: (2.0, 4.0, 6.0, 8.0),
}
FALLS = {ERRORS: 0.05, SPEED: 0.5, NODES: 90.0, CONNECTIONS: 0.65}
"""What is left of the throughput at the last level, as published but for rounding."""


def pretended(falls: dict[str, float], seeds: int = 5) -> Runs:
    """Runs in which throughput falls evenly to a share of itself; drops and delay go the other way, a little less."""
    cases: dict[Case, dict[int, SeedResult]] = {}
    for sweep, levels in LEVELS.items():
        for place, level in enumerate(levels):
            left = falls[sweep] ** (place / (len(levels) - 1))
            for variant, seed in product(VARIANTS, range(1, seeds + 1)):
                noise = 1 + 0.01 * seed + 0.001 * VARIANTS.index(variant)
                drops = {"link_failure": round(10_000 * noise / left**0.7), "queue_full": 10}
                cases.setdefault(Case(sweep, level, variant), {})[seed] = SeedResult(
                    100 * left * noise, 90 * left * noise, noise / left**0.6, 1000, drops, 2, 1, 3, {"timeout": 1.0}
                )
    return Runs(cases)


def switched_off() -> dict[str, Runs]:
    """Pretended experiments, each over all sweeps, of the one who sends in it."""
    made = {}
    for name in controlled.WORDS.values():
        sender = STEADY if "constant bit rate" in name else "reno"
        cases = pretended(FALLS).all()
        made[name] = Runs({case._replace(variant=sender): ones for case, ones in cases if case.variant == "reno"})
    return made


def test_every_claim_has_a_measure_and_bounds():
    claims = load("manet").claims
    assert [each.id for each in claims] == [f"M-{number:02}" for number in range(1, 23)]
    assert list(MEASURES) == [each.id for each in claims]
    assert all((each.at_least, each.at_most) != (None, None) for each in claims)
    for each in claims[:16]:
        published = float(each.published.removesuffix(" %"))
        assert each.at_least == pytest.approx(max(-100, published - 25))
        assert each.at_most == pytest.approx(min(100, published + 25))


def test_runs_as_published_meet_the_claims_and_runs_that_go_the_other_way_miss_them():
    by_id = {each.id: each for each in load("manet").claims}
    meets, misses = pretended(FALLS), pretended({sweep: 1 / left for sweep, left in FALLS.items()})
    for number, measure in MEASURES.items():
        found = measure.find(meets)
        assert accepts(by_id[number], found.value) or number in ("M-11", "M-12"), (number, found)
        assert found.direction in (True, None)
        if number != "M-17":
            assert not accepts(by_id[number], measure.find(misses).value), number


def test_a_change_is_of_the_larger_and_nothing_to_nothing_is_none():
    assert percent_change(100, 25) == -75 and percent_change(25, 100) == 75
    assert percent_change(0, 5) == 100 and percent_change(5, 0) == -100 and percent_change(0, 0) == 0
    assert percent_change(1, float("inf")) == 100 and percent_change(float("inf"), 1) == -100


def test_a_mean_that_steps_back_ends_a_trend_whatever_the_whole_does():
    runs = pretended(FALLS)
    for variant in VARIANTS:
        runs._cases[Case(SPEED, 3.0, variant)] = runs._cases[Case(SPEED, 1.0, variant)]
    found = MEASURES["M-19"].find(runs)
    assert found.value.mean < 0 and found.direction is True
    assert "from 2 to 3" in found.note and MEASURES["M-05"].find(runs).value.mean == pytest.approx(-50, abs=0.1)


def test_every_variant_counts_in_a_trend_per_variant():
    runs = pretended(FALLS)
    levels = LEVELS[ERRORS]
    for level in levels:
        runs._cases[Case(ERRORS, level, "vegas")] = runs._cases[Case(ERRORS, levels[0], "vegas")]
    found = MEASURES["M-18"].find(runs)
    assert found.value.mean == 0 and "vegas" in found.note and found.direction is False


def test_what_delivers_nothing_has_an_endless_delay():
    runs = pretended(FALLS)
    for variant in VARIANTS:
        runs._cases[Case(ERRORS, 0.6, variant)] = {
            seed: SeedResult(0.0, 0.0, None, 0, {}, 2, 0, 0, {"handshake": 1.0}) for seed in range(1, 6)
        }
    found = MEASURES["M-04"].find(runs)
    assert found.value.mean == 100 and "inf" in found.note
    _, last = [row for row in explanations.sender_states(runs) if "errors" in row["condition"]]
    assert last["connections that deliver"] == "0%" and last["dropped per packet sent"] == "-"


def test_universes_read_the_runs_otherwise():
    runs = pretended(FALLS)
    assert set(find_all(runs, {})) == set(MEASURES) - {"M-17"}
    as_committed, found = MEASURES["M-07"].find(runs).value, find_all(runs, {})["M-07"].value
    assert found == as_committed and found.mean > 0
    for reading, claim, expected in (
        ({"change": "of the first"}, "M-07", 100 / (1 - found.mean / 100) - 100),
        ({"dropped": "per packet sent"}, "M-07", found.mean),
        ({"throughput": "sum"}, "M-05", MEASURES["M-05"].find(runs).value.mean),
    ):
        assert find_all(runs, reading)[claim].value.mean == pytest.approx(expected), reading
    with pytest.raises(UsageError, match="dropped"):
        find_all(runs, {"dropped": "per frame"})


def test_a_trend_of_the_ends_may_step_back_between_them():
    runs = pretended(FALLS)
    for variant in VARIANTS:
        runs._cases[Case(SPEED, 3.0, variant)] = runs._cases[Case(SPEED, 1.0, variant)]
    assert find_all(runs, {})["M-19"].value.mean < 0
    assert find_all(runs, {"trend": "ends"})["M-19"].value.mean > 0


def test_a_run_that_delivers_nothing_has_at_least_its_duration_or_is_left_out_at_both_levels():
    runs = pretended(FALLS)
    first, last = (runs.of(Case(SPEED, level, "reno")) for level in (1.0, 5.0))
    silent = SeedResult(0.0, 0.0, None, 0, {}, 2, 0, lasted_s=100.0)
    for variant in VARIANTS:
        runs._cases[Case(SPEED, 1.0, variant)] = {1: silent, 2: first[2]}
        runs._cases[Case(SPEED, 5.0, variant)] = {1: last[1], 2: last[2]}
    late, early = last[2].delay_s, first[2].delay_s

    def delay(how: str) -> float:
        return find_all(runs, {"delay": how})["M-08"].value.mean

    assert delay("same runs") == pytest.approx(100 * (late - early) / late)
    both = (100 + early) / 2
    assert delay("every run") == pytest.approx(100 * ((last[1].delay_s + late) / 2 - both) / both)
    assert delay("runs that deliver") > 0 > delay("every run")
    for variant in VARIANTS:
        runs._cases[Case(SPEED, 1.0, variant)] = {1: silent, 2: silent}
    assert "M-08" not in find_all(runs, {"delay": "same runs"})


def test_a_connection_that_delivers_nothing_counts_as_any_other():
    runs = pretended(FALLS)
    two = SeedResult(1.0, 1.0, 3.0, 10, {}, 2, 1, delays_s=[3.0, None], lasted_s=100.0)
    eight = SeedResult(1.0, 1.0, 3.0, 10, {}, 8, 4, delays_s=[3.0, None] * 4, lasted_s=100.0)
    for variant in VARIANTS:
        runs._cases[Case(CONNECTIONS, 2.0, variant)] = {1: two, 2: replace(two, delay_s=None, delays_s=[None, None])}
        runs._cases[Case(CONNECTIONS, 8.0, variant)] = {1: eight, 2: eight}

    def delay(how: str) -> float:
        return find_all(runs, {"delay": how})["M-16"].value.mean

    assert delay("every connection") == pytest.approx(100 * (51.5 - 75.75) / 75.75)
    assert delay("every run") == pytest.approx(100 * (3 - 51.5) / 51.5)


def test_single_seeds_are_judged_as_all_are():
    by_id = {each.id: each for each in load("manet").claims}
    runs = pretended(FALLS)
    for variant in VARIANTS:
        runs._cases[Case(SPEED, 5.0, variant)][2] = runs.of(Case(SPEED, 1.0, variant))[2]
    found = single_runs.of_claims([by_id["M-05"]], runs, lambda each: find_all(each, {}))["M-05"]
    assert str(found) == "4 of 5" and found.means[1] == max(found.means) == 0


def test_single_runs_are_those_of_every_seed():
    runs = pretended(FALLS, seeds=3)
    found = single_runs.of_claims(load("manet").claims, runs, lambda each: find_all(each, {}))
    assert set(found) == set(MEASURES) - {"M-17"}
    assert {each.of for each in found.values()} == {3} and found["M-05"].met == 3


def test_a_sentence_without_its_number_is_left_out():
    sentences = ["It is {so}.", "It is {otherwise}."]
    assert explanation.text(sentences, {"so": "1 %"}) == "cause: It is 1 %."
    assert explanation.text(sentences, {}) == ""


def test_every_claim_that_can_be_missed_is_explained_and_names_facts_that_there_are():
    words = explanation.read(MANET / "explanations.toml")
    claims = load("manet").claims
    assert set(words) == {each.id for each in claims if each.counted} - {"M-01", "M-02"}
    study = Manet(load("manet").settings, "quick", {}, {})
    runs, experiments = with_pairs(pretended(FALLS)), switched_off()
    study.__dict__.update(runs=runs, others={}, connecting=None, controlled=experiments)
    known = set(study.facts(claims[4], {})) | set(explanations.OTHER_SETTINGS)
    known |= {"dense_open_first", "dense_open_last", "dense_rising", "dense_first", "dense_last"}
    known |= {"many", "many_lasting"}
    for sentences in words.values():
        assert {name for text in sentences for _, name, _, _ in Formatter().parse(text) if name} <= known
    cases = {case.name for case, _ in load("manet").settings.sensitivity_cases("full")}
    assert set(explanations.OTHER_SETTINGS.values()) <= cases


def with_pairs(runs: Runs) -> Runs:
    for case, ones in runs.all():
        for seed, one in ones.items():
            count = int(case.level) if case.sweep == CONNECTIONS else 2
            ones[seed] = replace(one, connections=count, each=[10.0, *[2.0] * (count - 1)])
    return runs


def test_what_the_same_pairs_lose_is_not_what_other_pairs_get():
    runs = with_pairs(pretended(FALLS))
    assert explanations.of_same_pairs(runs) == {"same_pairs": "0 (0 to 0)"}
    for variant in VARIANTS:
        ones = runs._cases[Case(CONNECTIONS, 8.0, variant)]
        for seed, one in ones.items():
            ones[seed] = replace(one, each=[5.0, 1.0, *[100.0] * 6])
    assert explanations.of_same_pairs(runs) == {"same_pairs": "-50 (-50 to -50)"}


MOVEMENT = """\
$node_(0) set X_ 0.0
$node_(0) set Y_ 0.0
$node_(1) set X_ 0.0
$node_(1) set Y_ 200.0
$ns_ at 0.000000000 "$node_(0) setdest 0.0 100.0 10.0"
$ns_ at 5.000000000 "$node_(0) setdest 30.0 50.0 10.0"
"""


def test_nodes_go_where_a_movement_file_sends_them_and_turn_before_they_arrive():
    first, second = nearness._node_tracks(MOVEMENT, 2, np.asarray([0.0, 4.0, 5.0, 6.5, 8.0, 20.0]))
    assert first[0] == pytest.approx([0, 0, 0, 15, 30, 30])
    assert first[1] == pytest.approx([0, 40, 50, 50, 50, 50])
    assert list(second[1]) == [200] * 6


def test_how_long_ends_are_near_does_not_hang_on_the_number_of_nodes():
    scenario = load("manet").settings.scenario("quick").set("flows.*.tcp.congestion_control", "reno")
    few = nearness.near_shares(scenario, 1, 8)
    assert few == nearness.near_shares(scenario.set("topology.nodes", 300), 1, 8)
    assert all(0 <= share <= 1 for share in few)
    assert few != nearness.near_shares(scenario, 2, 8)


def test_the_jackknife_of_a_mean_is_students_t_and_of_a_ratio_takes_pairs_together():
    values = [1.0, 4.0, 2.0, 7.0]
    plain, left_out = statistics.interval(values), statistics.jackknife([[each] for each in values], lambda row: row[0])
    assert plain is not None
    assert (left_out.mean, left_out.low, left_out.high) == pytest.approx((plain.mean, plain.low, plain.high))
    paired = statistics.jackknife([[2 * each, each] for each in values], lambda row: row[0] / row[1])
    assert (paired.low, paired.high) == pytest.approx((2, 2))
    assert statistics.jackknife([[3.0]], lambda row: row[0]) == Interval(3.0, None, None, 1, "single")


def test_a_ranking_orders_by_goodput_and_tells_what_is_sure():
    runs = pretended(FALLS)
    order = ranking.rank_variants(runs, lambda one: one.goodput, runs.points())
    assert [name for name, _ in order] == list(reversed(VARIANTS))
    first, *_ = ranking.ranking_rows(runs, lambda one: one.goodput)
    assert first["Westwood"].startswith("1: +0") and first["Westwood"].endswith("*")
    del runs._cases[Case(SPEED, 1.0, "vegas")][5]
    assert dict(ranking.rank_variants(runs, lambda one: one.goodput, [(SPEED, 1.0)]))["bic"].count == 4


def test_the_study_runs_and_counts_connections_nodes_and_errors(tmp_path):
    text = (MANET / "settings.toml").read_text()
    for old, new in (
        ('{ quick = "1..5", full = "1..10" }', '{ full = "1..10" }'),
        ('{ quick = "1..2", full = "1..5" }', '{ full = "1..5" }'),
        ('duration = "100 s"', 'duration = "4 s"'),
        ('quick = "1..5"', 'quick = "1..2"'),
        ('start = "0 s..5 s"', 'start = "0 s..1 s"'),
        ('["bic", "cubic", "compound", "reno", "vegas", "veno", "westwood"]', '["reno"]'),
        ("exponent = 2.3", "exponent = 2.0"),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "settings.toml").write_text(text)
    (tmp_path / "claims.csv").write_text((MANET / "claims.csv").read_text())
    outcome = Study("manet", tmp_path).run("quick", tmp_path / "out")
    runs = outcome.measured.runs
    assert {case for case, _ in runs.all()} == {
        Case(sweep, level, "reno") for sweep, levels in LEVELS.items() for level in levels
    }
    assert {one.connections for one in runs.of(Case(CONNECTIONS, 8.0, "reno")).values()} == {8}
    assert [(each.asked, each.done, each.points) for each in outcome.coverages] == [(32, 32, 16)]
    assert runs.of(Case(NODES, 100.0, "reno")) == runs.of(Case(CONNECTIONS, 2.0, "reno"))


def test_grids_of_the_full_study_are_valid_and_give_ten_seeds():
    settings = load("manet").settings
    for name, sweep in settings.grids("full"):
        assert len(sweep.seeds) >= 10 and len(sweep.tasks()) == 7 * len(LEVELS[name]) * len(sweep.seeds)
    assert len({case.name for case, _ in settings.sensitivity_cases("quick")}) == 2
    assert {case.name for case, _ in settings.sensitivity_cases("full")} >= {
        "path-loss exponent 2.7, 200 s",
        "preset rfc, 200 s",
    }
    assert all(sweep.tasks() for _, sweep in (*settings.sensitivity("full"), *settings.additional()))


def test_aodv_sends_its_own_requests_as_soon_as_they_are_due_as_when_the_settings_were_fixed():
    settings = load("manet").settings
    every = (*settings.grids("full"), *settings.sensitivity("full"), *settings.controlled(), *settings.additional())
    scenarios = [scenario for _, sweep in every for scenario, _ in sweep.overlay.scenarios()]
    found = {
        (values.get("routing.preset"), values.get("routing.jitter_own_requests"))
        for values in (parameters.flatten(scenario.validated.resolved) for scenario in scenarios)
    }
    assert found == {("ns2", False), ("rfc", False), (None, None)}


TRACE = """\
M 0.00000 0 (1.00, 2.00, 0.00), (3.00, 4.00), 1.00
s 0.500000000 _0_ AGT  --- 0 tcp 40 [0 0 0 0] ------- [0:0 1:0 32 0] [0 0] 0 0
r 0.600000000 _1_ AGT  --- 0 tcp 40 [0 0 0 0] ------- [0:0 1:0 32 1] [0 0] 1 0
s 1.000000000 _0_ AGT  --- 1 tcp 564 [0 0 0 0] ------- [0:0 1:0 32 0] [1 0] 0 0
D 1.100000000 _5_ RTR CBK 1 tcp 584 [0 0 0 0] ------- [0:0 1:0 32 0] [1 0] 0 0
s 3.000000000 _0_ AGT  --- 2 tcp 564 [0 0 0 0] ------- [0:0 1:0 32 0] [1 0] 0 0
r 3.500000000 _1_ AGT  --- 2 tcp 564 [0 0 0 0] ------- [0:0 1:0 32 1] [1 0] 1 0
D 3.600000000 _1_ IFQ --- 3 ack 60 [0 0 0 0] ------- [1:0 0:0 32 0] [1 0] 0 0
D 3.700000000 _9_ IFQ  ARP 0 AODV 44 [13a 38 38 800] ------- [1:255 0:255 29 59] [0x4 3 [1 12] 8.000000] (REPLY)
"""


def test_a_trace_of_ns2_gives_the_same_metrics():
    found = record.measure(TRACE.splitlines(), 1)
    assert found["drops"] == {"link_failure": 1, "queue_full": 1}
    assert found["delay_s"] == pytest.approx(2.5) and found["sent"] == 2 and found["delivering"] == 1
    assert found["goodput"] == pytest.approx(512 * 8 / (record.DURATION_S - 0.5) / 1e3)


def test_what_ns2_was_recorded_to_do_belongs_to_these_settings():
    document = json.loads((MANET / "ns2" / "measured.json").read_text())
    assert document["settings_sha256"] == load("manet").settings.sha256


def test_the_ends_of_every_sweep_are_asked_of_ns2():
    asked = {(case["sweep"], case["variant"]) for case in record.cases()}
    assert asked == set(product((ERRORS, SPEED, NODES, CONNECTIONS), VARIANTS))
    assert Path(record.HERE, "manet.tcl").exists() and findings.FALLS


def test_ns2_is_not_asked_before_it_has_ten_seeds():
    claim = next(each for each in load("manet").claims if each.id == "M-05")
    turned = {sweep: 1 / left for sweep, left in FALLS.items()}
    for seeds, verdict in ((9, "not reproduced"), (10, "not reproducible")):
        study = Manet(load("manet").settings, "quick", {}, {})
        study.__dict__.update(runs=with_pairs(pretended(turned)), others={}, controlled={})
        study.__dict__["peer"] = pretended(turned, seeds)
        (judgement,) = study.judge([claim])
        assert judgement.verdict == verdict and "0 of 5 single seeds meet it" in judgement.reason
        assert ("(runs of 100 s) misses it too" in judgement.reason) == (seeds == 10)
