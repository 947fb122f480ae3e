"""Lines below tables and messages: what is pooled, over which times, and what to write instead."""

from pathlib import Path

import farlink as fl
import pytest
from conftest import Command
from farlink import statistics


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    """Two flows, one of which begins later."""
    base = fl.load("dumbbell").set("duration", "4 s").set("flows.1.start", "2 s")
    sweep = fl.sweep(base, {"links.0.rate": ["10 Mbit/s", "5 Mbit/s"]}, seeds=1, series=True)
    return sweep.run(out=tmp_path_factory.mktemp("late") / "store", jobs=1)


def test_flows_with_times_of_their_own_are_said_to_have_them(late: fl.Results) -> None:
    said = "goodput is over the time of each flow, 2 s to 4 s, also in jain; total_goodput is over the run"
    assert said in late.summary(["jain", "total_goodput", "goodput"]).caption
    assert said in late.compare("links.0.rate", "jain").caption
    assert said in late.plot("links.0.rate", "jain").axes[0].get_title(loc="left").replace("\n", " ")
    assert said not in late.summary(["goodput"]).caption and said not in late.compare("links.0.rate").caption
    assert said not in late.summary(["jain"], where={"flow": "first"}).caption


def test_a_figure_over_time_does_not_offer_to_pool_flows(late: fl.Results) -> None:
    where = {"links.0.rate": "5 Mbit/s", "flow": "*"}
    with pytest.raises(fl.UsageError, match="a figure over time pools no flows") as refused:
        late.plot(kind="time", where=where)
    assert "PATTERN" not in str(refused.value)
    with pytest.raises(fl.UsageError, match="flow=PATTERN"):
        late.plot("links.0.rate")


def test_a_figure_of_pooled_flows_names_in_what_they_differ(late: fl.Results, tmp_path: Path) -> None:
    base = fl.load("dumbbell").set("duration", "3 s").set("flows.1.tcp.congestion_control", "vegas")
    mixed = fl.sweep(base, {"links.0.rate": ["10 Mbit/s"]}, seeds=1).run(out=tmp_path / "store", jobs=1)
    for kind in ("bar", "cdf"):
        drawn = mixed.plot(None if kind == "cdf" else "seed", kind=kind, where={"flow": "*"})
        title = drawn.axes[0].get_title(loc="left").replace("\n", " ")
        assert "2 flows are pooled as * (tcp.congestion_control differs)" in title


def test_equal_values_are_no_reason_to_name_student() -> None:
    few, many = statistics.bca([0.0] * 5), statistics.bca([0.0] * statistics.FEWEST)
    assert few is not None and (few.low, few.method) == (None, "few")
    assert many is not None and (many.low, many.high, many.method) == (0.0, 0.0, "bca")


def test_a_pattern_finds_what_relays_pass_on_by_its_name(tmp_path: Path) -> None:
    base = fl.load("gateway_split").set("duration", "1 s")
    whole = {"flow": "*end to end"}
    sweep = fl.sweep(base, seeds=1)
    sweep.check_question(None, whole)
    [row] = sweep.run(out=tmp_path / "store", jobs=1).summary(["goodput"], where=whole).table.to_pylist()
    results = fl.Results(tmp_path / "store")
    [same] = results.summary(["goodput"], where={"flow": "wire to air, end to end"}).table.to_pylist()
    assert row["goodput_bps"] == same["goodput_bps"]
    with pytest.raises(fl.UsageError, match="wire, `wire to air, end to end`"):
        results.summary(where={"flow": "*end to ends"})
    with pytest.raises(fl.UsageError, match=r"known: .*wire to air, end to end"):
        sweep.check_question(None, {"flow": "*x*"})


@pytest.mark.parametrize("measure", ["airtime.n2.busy_shar", "airtime.n9.busy_share", "drops", "airtime.n9.busy:p50"])
def test_measures_that_no_run_has_are_refused_before_the_runs(command: Command, tmp_path: Path, measure: str) -> None:
    status, _, err = command(
        "sweep", "chain_80211", "--vary", "duration=1 s", "--seeds", "1", "--out", "store", "--show", measure
    )
    assert status == 2 and measure.partition(":")[0] in err and not (tmp_path / "store").exists()


def test_stations_of_any_point_may_be_asked_for() -> None:
    along = {"topology.nodes": [2, 5], "flows.0.to": ["n1", "n4"]}
    fl.sweep("chain_80211", zip=along).check_question(["airtime.n4.busy_share", "airtime.n4.busy_share:p50"], {})


def test_an_unknown_node_of_a_varied_topology_names_the_way_to_vary_both() -> None:
    with pytest.raises(fl.ScenarioError, match=r"unknown node `n4`; .*along with topology\.nodes, by ") as refused:
        fl.sweep("chain_80211", {"topology.nodes": [2, 3]}).points()
    assert refused.value.remedy.endswith("[zip] or [derive] of a file") and "to = " in str(refused.value)
