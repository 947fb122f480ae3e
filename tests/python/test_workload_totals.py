"""Values of a whole run with the flows of workloads, and workloads some of whose flows do not finish."""

import math
from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli
from farlink.tables.labels import value_text

RATE = "links.0.rate"
HEAD = """
name = "office"
duration = "10 s"
nodes = [{ name = "server" }, { name = "client" }]
links = [{ between = ["server", "client"], rate = "100 Mbit/s", delay = "1 ms" }]
"""
WEB = """
[[workloads]]
label = "web"
from = "server"
to = "client"
arrivals = { name = "schedule", flows = [["1 s", "50 kB"], ["2 s", "25 kB"]] }
"""
FILES = "".join(
    f"""
[[flows]]
label = "{label}"
from = "server"
to = "client"
application = {{ name = "file", size = "100 kB" }}
"""
    for label in ("one", "two")
)
# Of 20 flows the last two, of 10 MB, take 80 s at 1 Mbit/s and 0.8 s at 100 Mbit/s; the others 80 ms at most.
SIZES = ["1 kB"] * 18 + ["10 MB"] * 2
TIMES = ", ".join(f'["{0.2 * number:.1f} s", "{size}"]' for number, size in enumerate(SIZES))
LATE = f"""
[[workloads]]
label = "web"
from = "server"
to = "client"
arrivals = {{ name = "schedule", flows = [{TIMES}] }}
"""
P50, P95, MEAN = (f"workloads.web.completion_{of}_s" for of in ("p50", "p95", "mean"))


def swept(text: str, folder: Path, rates: list[str]) -> fl.Results:
    path = folder / "office.toml"
    path.write_text(text)
    return fl.sweep(path, {RATE: rates}, seeds=2).run(out=folder / "store")


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    return swept(HEAD + LATE, tmp_path_factory.mktemp("late"), ["100 Mbit/s", "1 Mbit/s"])


def test_the_total_has_the_payload_of_flows_and_of_workloads(tmp_path: Path) -> None:
    results = swept(HEAD + FILES + WEB, tmp_path, ["50 Mbit/s", "100 Mbit/s"])
    made = results.summary(["total_goodput", "jain"])
    # 2 * 100 kB, 50 kB and 25 kB in 10 s.
    assert [row["total_goodput_bps"] for row in made.table.to_pylist()] == [220_000.0] * 2
    assert "jain is over [[flows]] only, without the flows of web" in made.caption
    chosen = results.summary(["total_goodput"], where={"flow": "one"}).table.to_pylist()
    assert [row["total_goodput_bps"] for row in chosen] == [80_000.0] * 2


def test_the_total_of_workloads_without_flows_is_theirs(tmp_path: Path) -> None:
    results = swept(HEAD + WEB, tmp_path, ["50 Mbit/s", "100 Mbit/s"])
    assert [row["total_goodput_bps"] for row in results.summary(["total_goodput"]).table.to_pylist()] == [60_000.0] * 2
    sweep = fl.sweep(tmp_path / "office.toml", seeds=1)
    sweep.check_question(["total_goodput"], {})
    for measure in ("jain", "goodput"):
        with pytest.raises(fl.UsageError, match=r"no \[\[flows\]\]; take workloads\.web\.completion_p50_s"):
            sweep.check_question([measure], {})


def test_received_bytes_of_unfinished_flows_are_what_arrived(unfinished: fl.Results) -> None:
    rows = {row["links.0.rate_bps"]: row for row in unfinished.workloads.to_pylist() if row["class"] == "all"}
    assert rows[100e6]["received_bytes"] == rows[100e6]["arrived_bytes"] == 20_018_000
    # From 3.4 s on the link is busy for 6.6 s.
    assert 18_000 < rows[1e6]["received_bytes"] < 18_000 + 6.6e6 / 8


def test_a_percentile_that_is_an_unfinished_flows_has_no_value(unfinished: fl.Results) -> None:
    made = unfinished.summary([P50, P95])
    rows = {row["links.0.rate_bps"]: row for row in made.table.to_pylist()}
    assert rows[100e6][P95] is not None and rows[1e6][P95] is None and rows[1e6][P50] is not None
    assert [(row["completed"], row["transfers"]) for row in rows.values()] == [(40, 40), (36, 40)]
    said = "4 of 80 transfers of web are unfinished: above all others in percentiles"
    assert said in made.caption and said in made.render("latex")


def test_a_comparison_has_no_verdict_over_unfinished_flows(unfinished: fl.Results) -> None:
    for measure, said in (
        (P95, "no difference where p95 is an unfinished transfer's: take workloads.web.completion_p50_s"),
        (MEAN, "no verdict where the shares of completed transfers differ: take workloads.web.completion_p50_s"),
    ):
        made = unfinished.compare(RATE, measure)
        [row] = made.table.to_pylist()
        assert row["verdict"] is None and said in made.caption
        assert (row[f"{measure}_difference"] is None) == (measure == P95)
    [row] = unfinished.compare(RATE, P50).table.to_pylist()
    assert row["verdict"]


def test_a_figure_refuses_means_over_unlike_shares_and_says_where_a_percentile_is_missing(
    unfinished: fl.Results,
) -> None:
    with pytest.raises(fl.UsageError, match=r"completed transfers differ, from 36 of 40 to 40 of 40.*completion_p50_s"):
        unfinished.plot(RATE, MEAN)
    title = " ".join(unfinished.plot(RATE, P95).axes[0].get_title(loc="left").split())
    assert "it is an unfinished transfer's" in title and "4 of 80 transfers of web are unfinished" in title
    only = unfinished.plot(RATE, MEAN, where={RATE: "1 Mbit/s"})
    assert "not in the mean" in " ".join(only.axes[0].get_title(loc="left").split())
    with pytest.raises(fl.UsageError, match="p95 is an unfinished transfer's at every point"):
        unfinished.plot(RATE, P95, where={RATE: "1 Mbit/s"})


def test_the_table_of_a_run_marks_percentiles_of_unfinished_flows(tmp_path: Path, farlink: Cli) -> None:
    path = tmp_path / "office.toml"
    path.write_text(HEAD.replace("100 Mbit/s", "1 Mbit/s") + LATE)
    table = " ".join(farlink("run", str(path)).stdout.split())
    assert "a percentile counts unfinished flows as longer than all others" in table and "an earlier `stop`" in table
    [web] = [row for row in fl.load(path).run().workloads.to_pylist() if row["class"] == "all"]
    assert web["completion_p95_s"] is web["slowdown_p95"] is None and math.isfinite(web["completion_p50_s"])


def test_a_summary_of_flows_names_the_completion_times_of_workloads_that_it_leaves_out(tmp_path: Path) -> None:
    results = swept(HEAD + FILES + WEB, tmp_path, ["100 Mbit/s", "1 Mbit/s"])
    assert P95 in results.summary().caption
    assert P95 not in results.summary(["goodput"]).caption


def test_a_varied_key_of_flows_that_does_not_reach_a_workload_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "office.toml"
    path.write_text(HEAD + FILES + WEB)
    control = "flows.*.tcp.congestion_control"
    values = ["reno", "cubic"]
    results = fl.sweep(path, {control: values}, seeds=1).run(out=tmp_path / "flows")
    said = f"{control} does not reach workloads: web has reno at all points"
    assert said in results.summary([P50]).caption and said in results.compare(control, P50).caption
    title = " ".join(results.plot(control, P50).axes[0].get_title(loc="left").split())
    assert "web has reno at all points" in title
    assert "does not reach" not in results.summary(["goodput"]).caption
    of_both = {control: values, "workloads.0.tcp.congestion_control": values}
    results = fl.sweep(path, zip=of_both, seeds=1).run(out=tmp_path / "both")
    assert "does not reach" not in results.summary([P50]).caption


def test_completion_times_of_flows_that_are_no_transfers_point_to_workloads(tmp_path: Path) -> None:
    path = tmp_path / "office.toml"
    bulk = '\n[[flows]]\nlabel = "bulk"\nfrom = "server"\nto = "client"\n'
    path.write_text(HEAD.replace("10 s", "3 s").replace("100 Mbit/s", "1 Mbit/s") + bulk + WEB)
    results = fl.sweep(path, {"links.0.delay": ["1 ms", "2 ms"]}, seeds=1).run(out=tmp_path / "store")
    assert f"completion times of workloads are {P95}" in results.summary(["completion:p95"]).caption
    with pytest.raises(fl.UsageError, match=f"no run has a value of completion_p95_s; .* are {P95}"):
        results.compare("links.0.delay", "completion:p95")
    with pytest.raises(fl.UsageError, match=f"no run has flow = web.; .* are {P95}"):
        results.plot("links.0.delay", "completion", where={"flow": "web*"})


def test_a_derived_value_is_named_where_it_cannot_be_computed(tmp_path: Path) -> None:
    chain = fl.load("chain_80211")
    derive = {"flows.0.to": "n{nodes - 1:.0f}"}
    with pytest.raises(fl.ScenarioError, match=r"derived value .n\{nodes - 1:.0f\}.: nodes - 1 cannot be computed"):
        fl.sweep(chain, {"topology.nodes": [2, 3]}, derive=derive).points()


def test_one_packet_is_one_packet() -> None:
    assert [value_text(count, "limit_packets") for count in (1, 2)] == ["1 packet", "2 packets"]


DELAYS = ["1 ms", "2 ms"]


def office(folder: Path, text: str, rate: str) -> Path:
    path = folder / "office.toml"
    path.write_text(HEAD.replace("100 Mbit/s", rate) + text)
    return path


def test_a_distribution_over_runs_says_that_values_are_not_transfers(unfinished: fl.Results) -> None:
    for measure, said in (
        (P95, "in 2 of 4 runs it is an unfinished transfer's"),
        (MEAN, "4 of 80 transfers of web are unfinished: not in the mean"),
    ):
        drawn = unfinished.plot(kind="cdf", y=measure, by=RATE).axes[0]
        title = " ".join(drawn.get_title(loc="left").split())
        assert said in title and "transfers are unfinished" not in title
    assert drawn.get_xlabel().startswith("mean completion time of web")


@pytest.mark.parametrize("resumed", [False, True])
def test_a_tuning_takes_no_mean_that_leaves_unfinished_flows_out(tmp_path: Path, resumed: bool) -> None:
    # At 1 Mbit/s the mean of the completed flows, of 1 kB each, is the smaller one.
    path = office(tmp_path, LATE, "100 Mbit/s")
    tuning = fl.tune(path, {RATE: ["1 Mbit/s", "100 Mbit/s"]}, minimize=MEAN, seeds=3)
    for _ in range(2 if resumed else 1):
        tuned = tuning.run(out=tmp_path / "store")
    means = {row["links.0.rate_bps"]: row[MEAN] for row in tuned.results.summary([MEAN]).table.to_pylist()}
    assert means[1e6] < means[100e6]
    assert tuned.best == {RATE: "100 Mbit/s"} and tuned.points[1].interval is None
    said = "1 of 2 points count as worst, for each has a run with unfinished transfers, which a mean leaves out"
    assert said in tuned.table.caption


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (
            MEAN,
            r"unfinished transfers, which a mean leaves out; .*`stop` the workload earlier, or take .*completion_p50_s",
        ),
        (P95, r"unfinished transfers, and one of them is p95; .*or take workloads.web.completion_p50_s"),
    ],
)
def test_a_tuning_of_points_with_unfinished_flows_only_is_refused(tmp_path: Path, measure: str, said: str) -> None:
    tuning = fl.tune(office(tmp_path, LATE, "1 Mbit/s"), {"links.0.delay": DELAYS}, minimize=measure, seeds=3)
    with pytest.raises(fl.UsageError, match=said):
        tuning.run(out=tmp_path / "store")


def test_a_stopping_rule_says_what_its_measure_leaves_out(tmp_path: Path) -> None:
    path = office(tmp_path, LATE, "1 Mbit/s")
    note = "10 of 100 transfers of web are unfinished"
    for measure, settled, where in ((MEAN, 1, "not in the mean"), (P95, 0, "above all others in percentiles")):
        until = fl.Until("50 %", measure=measure, seeds_at_most=20)
        results = fl.sweep(path, {}, seeds=5, until=until).run(out=tmp_path / measure)
        known = f"{measure} is known to 50 % at {settled} of 1 points, with 5 runs in all"
        assert results.note == f"{known}; {note}: {where}"
