"""What can be asked of results: means, percentiles, values of a run, groups of flows, other names."""

import json
import math
import re
from pathlib import Path

import farlink as fl
import numpy as np
import pyarrow as pa
import pytest
from conftest import LINK, Cli
from farlink import statistics
from farlink.results import comparison, selection
from farlink.results.run_values import jain
from matplotlib.figure import Figure
from test_transfers import HEAD, flows

CONTROL = "flows.*.tcp.congestion_control"
SEEDS = 9


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    """Short transfers, of which some do not end, beside one without an end; two controls."""
    folder = tmp_path_factory.mktemp("web")
    bulk = '[[flows]]\nlabel = "bulk"\nfrom = "ground"\nto = "remote"\n'
    head = HEAD.replace('"5 s"', '"2 s"').replace("10 Mbit/s", "2 Mbit/s").replace("rate = 1e-3", "rate = 0.05")
    (folder / "web.toml").write_text(head + flows(6, "40 kB") + bulk)
    return fl.sweep(folder / "web.toml", {CONTROL: ["reno", "cubic"]}, seeds=SEEDS).run(out=folder / "store")


def rows_of(results: fl.Results, control: str) -> list[dict]:
    column = "flows.*.tcp.congestion_control"
    rows = results.flows.to_pylist()
    return sorted((row for row in rows if row[column] == control), key=lambda row: row["seed"])


def test_a_percentile_is_that_of_all_flows_and_runs_together(web: fl.Results) -> None:
    table = web.summary(["completion:p50", "goodput_bps:p90"], where={"flow": "web*"}).table
    for row in table.to_pylist():
        flows_of = [each for each in rows_of(web, row["flows.*.tcp.congestion_control"]) if each["flow"] != "bulk"]
        times = sorted(math.inf if each["completion_s"] is None else each["completion_s"] for each in flows_of)
        assert math.inf in times and row["transfers"] == len(times) == 6 * SEEDS
        assert row["completion_p50_s"] == times[3 * SEEDS - 1]
        rates = sorted(each["goodput_bps"] for each in flows_of)
        assert row["goodput_p90_bps"] == rates[math.ceil(0.9 * len(rates)) - 1]
        assert row["completion_p50_s_low"] <= row["completion_p50_s"] <= row["completion_p50_s_high"]


def test_a_percentile_among_unfinished_transfers_has_no_value(web: fl.Results) -> None:
    made = web.summary(["completion:p99.9"], where={"flow": "web*"})
    assert made.table["completion_p99.9_s"].to_pylist() == [None, None]
    assert "transfers are unfinished" in made.caption


def test_a_mean_of_a_group_has_the_interval_of_independent_runs(web: fl.Results) -> None:
    [row, _] = web.summary(["goodput"], where={"flow": "web*"}).table.to_pylist()
    by_seed: dict[int, list[float]] = {}
    for flow in rows_of(web, row["flows.*.tcp.congestion_control"]):
        if flow["flow"] != "bulk":
            by_seed.setdefault(flow["seed"], []).append(flow["goodput_bps"])
    expected = statistics.of_measure([statistics.mean_of(values) for values in by_seed.values()])
    assert expected is not None and row["runs"] == SEEDS
    assert (row["goodput_bps"], row["goodput_bps_low"]) == (expected.mean, expected.low)


def test_a_measure_keeps_its_unit_however_it_is_written(web: fl.Results) -> None:
    short, whole = web.summary(["goodput"]), web.summary(["goodput_bps"])
    assert short.table.equals(whole.table)
    assert "kbit/s]" in repr(short)


def test_fairness_and_the_total_are_measures_of_a_run(web: fl.Results, farlink: Cli, tmp_path: Path) -> None:
    stored = dict(zip(web.runs["key"].to_pylist(), web.runs["jain"].to_pylist(), strict=True))
    for key, value in stored.items():
        assert jain([row for row in web.flows.to_pylist() if row["key"] == key]) == pytest.approx(value, rel=1e-12)
    rows = web.summary(["jain", "total_goodput"]).table.to_pylist()
    assert len(rows) == 2 and all(row["runs"] == SEEDS and "flow" not in row for row in rows)
    assert all(row["jain_low"] < row["jain"] < row["jain_high"] <= 1 for row in rows)
    # The rate of the link, of which headers take a part.
    assert all(row["total_goodput_bps"] < 2e6 for row in rows)
    [row] = web.compare(CONTROL, "jain").table.to_pylist()
    assert row["pairs"] == SEEDS and row["jain_difference"] == pytest.approx(rows[1]["jain"] - rows[0]["jain"])
    assert isinstance(web.plot("flows.*.tcp.congestion_control", "jain", kind="bar"), Figure)
    done = farlink("compare", web.folder, "--by", CONTROL, "--measure", "total_goodput")
    assert done.returncode == 0 and "total_" in done.stdout
    assert (
        farlink(
            "plot", web.folder, "--kind", "cdf", "--y", "jain", "--by", CONTROL, "-o", tmp_path / "j.png"
        ).returncode
        == 0
    )


def test_a_relayed_transfer_counts_once_in_the_total(tmp_path: Path) -> None:
    split = fl.load("gateway_split")
    results = fl.sweep(split, seeds=1).run(out=tmp_path / "store")
    wire, air = results.flows.to_pylist()
    [row] = results.summary(["total_goodput"]).table.to_pylist()
    assert wire["received_bytes"] == air["received_bytes"] == air["size_bytes"]
    assert row["total_goodput_bps"] == pytest.approx(8 * air["size_bytes"] / (split.validated.duration_ns / 1e9))


def test_a_relayed_transfer_counts_once_in_the_fairness_index(tmp_path: Path) -> None:
    split = fl.load("gateway_split").set("duration", "20 s")
    file = {"name": "file", "size": "100 kB"}
    split = split.flow("server", "far", label="direct", application=file)
    results = fl.sweep(split, seeds=2).run(out=tmp_path / "store")
    rows = results.flows.to_pylist()
    expected = {}
    for key in results.runs["key"].to_pylist():
        of = {row["flow"]: row for row in rows if row["key"] == key}
        shares = [of["air"]["end_to_end_goodput_bps"], of["direct"]["goodput_bps"]]
        expected[key] = sum(shares) ** 2 / (2 * sum(share**2 for share in shares))
    stored = dict(zip(results.runs["key"].to_pylist(), results.runs["jain"].to_pylist(), strict=True))
    assert stored == pytest.approx(expected, rel=1e-12)
    for where in ({}, {"flow": "*"}):
        made = results.summary(["jain"], where=where)
        assert made.table["jain"].to_pylist() == pytest.approx([sum(expected.values()) / 2])
        assert "jain is over 2 flows" in made.caption
    pooled = results.summary(["goodput"], where={"flow": "*"}).caption
    assert "3 flows are pooled as *" in pooled and "; a relayed transfer counts once, end to end" in pooled


@pytest.mark.parametrize("measure", ["completion:p0", "completion:p100", "completion:median", "completion:"])
def test_what_is_no_percentile_is_refused(web: fl.Results, measure: str) -> None:
    with pytest.raises(fl.UsageError, match="write a percentile as completion:p95"):
        web.summary([measure])


def test_a_distribution_of_a_group_ends_at_the_share_of_transfers_that_are_complete(web: fl.Results) -> None:
    axes = web.plot(y="completion", kind="cdf", by=CONTROL, where={"flow": "web*"}).axes[0]
    assert len(axes.lines) == 2
    for line, control in zip(axes.lines, ("reno", "cubic"), strict=True):
        of = [row["completion_s"] for row in rows_of(web, control) if row["flow"] != "bulk"]
        done = [each for each in of if each is not None]
        assert line.get_ydata()[-1] == pytest.approx(len(done) / len(of)) and line.get_xdata()[-1] == max(done)
    title = axes.get_title(loc="left").replace("\n", " ")
    assert f"{6 * SEEDS} flows in {SEEDS} runs per line" in title
    assert re.search(rf"\d+ of {2 * 6 * SEEDS} transfers are unfinished", title)


def test_a_distribution_without_a_choice_of_flows_has_a_line_per_group(web: fl.Results) -> None:
    where = {"flows.*.tcp.congestion_control": "reno"}
    axes = web.plot(y="goodput", kind="cdf", where=where).axes[0]
    assert sorted(line.get_label() for line in axes.lines) == ["bulk", "web*"]
    with pytest.raises(fl.UsageError, match="a distribution has every percentile"):
        web.plot(y="goodput:p95", kind="cdf", where=where)


def test_a_mean_over_different_flows_is_refused_until_a_group_is_chosen(web: fl.Results) -> None:
    with pytest.raises(fl.UsageError, match=r"flow differs, too: .*--where 'flow=PATTERN'"):
        web.plot(CONTROL, "completion", kind="bar")
    axes = web.plot(CONTROL, "completion:p50", kind="bar", where={"flow": "web*"}).axes[0]
    table = web.summary(["completion:p50"], where={"flow": "web*"}).table
    bars = sorted(axes.patches, key=lambda bar: bar.get_x())
    assert [bar.get_height() for bar in bars] == table["completion_p50_s"].to_pylist()
    with pytest.raises(fl.UsageError, match="no run has flow = video"):
        web.summary(where={"flow": "video*"})


def test_percentiles_are_compared_over_the_same_resamples(web: fl.Results) -> None:
    [row] = web.compare(CONTROL, "completion:p50", where={"flow": "web*"}).table.to_pylist()
    table = web.summary(["completion:p50"], where={"flow": "web*"}).table["completion_p50_s"].to_pylist()
    assert row["completion_p50_s_difference"] == table[1] - table[0]
    assert row["completion_p50_s_ratio"] == table[1] / table[0]
    assert row["completion_p50_s_difference_low"] <= row["completion_p50_s_difference"]
    runs = [[float(value)] for value in range(10)]
    same = statistics.percentile_difference([(run, run) for run in runs], 50)
    assert same is not None and (same.low, same.mean, same.high) == (0, 0, 0)


def test_an_interval_of_a_percentile_holds_the_true_one_as_often_as_it_says() -> None:
    draw, held, trials = np.random.default_rng(3), 0, 150
    for _ in range(trials):
        runs = draw.exponential(size=(30, 8)) * draw.uniform(0.8, 1.25, size=(30, 1))
        found = statistics.percentile_of_runs(runs.tolist(), 50)
        assert found is not None and found.low is not None and found.high is not None
        held += found.low <= TRUE_MEDIAN <= found.high
    assert 0.88 * trials <= held < trials


TRUE_MEDIAN = float(
    np.median(
        np.random.default_rng(4).exponential(size=(400_000,)) * np.random.default_rng(5).uniform(0.8, 1.25, 400_000)
    )
)


def test_few_runs_and_unfinished_ends_leave_a_percentile_without_an_interval() -> None:
    few = statistics.percentile_of_runs([[1.0, 2.0]] * 7, 50)
    assert few is not None and (few.mean, few.low, few.high) == (1.0, None, None)
    assert "from 8 runs on" in statistics.method([few])
    half = statistics.percentile_of_runs([[1.0] if number < 6 else [math.inf] for number in range(10)], 50)
    assert half is not None and (half.mean, half.low, half.high) == (1.0, 1.0, None)
    assert statistics.percentile_of_runs([[math.inf]] * 9, 50) is None
    assert statistics.percentile_of_runs([[], []], 50) is None
    assert statistics.percentile([3.0, 1.0, 2.0, 4.0], 50) == 2.0


def test_variants_have_the_names_that_a_user_gives(web: fl.Results, farlink: Cli) -> None:
    names = {"reno": "TCP Reno", "cubic": "TCP CUBIC", CONTROL: "variant"}
    table = web.summary(["goodput"], labels=names, where={"flow": "bulk"})
    assert table.table["flows.*.tcp.congestion_control"].to_pylist() == ["TCP Reno", "TCP CUBIC"]
    assert "variant" in repr(table) and "variant" in table.render("github")
    [row] = web.compare(CONTROL, labels=names, where={"flow": "bulk"}).table.to_pylist()
    assert (row["flows.*.tcp.congestion_control"], row["against"]) == ("TCP CUBIC", "TCP Reno")
    figure = web.plot(y="goodput", kind="cdf", by=CONTROL, where={"flow": "bulk"}, labels=names)
    assert [line.get_label() for line in figure.axes[0].lines] == ["TCP Reno", "TCP CUBIC"]
    assert figure.legends[0].get_title().get_text() == "variant"
    done = farlink("compare", web.folder, "--by", CONTROL, "--label", "cubic=TCP CUBIC", "--format", "csv")
    assert "TCP CUBIC" in done.stdout and ",cubic" not in done.stdout
    with pytest.raises(fl.UsageError, match="label vegas: neither a value nor a column"):
        web.summary(labels={"vegas": "x"})
    assert farlink("compare", web.folder, "--by", CONTROL, "--label", "cubic").returncode == 2


def test_a_quantity_is_renamed_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(LINK.replace('"5 s"', '"1 s"'))
    rates = ["1 Mbit/s", "10 Mbit/s"]
    results = fl.sweep(tmp_path / "s.toml", {"links.0.rate": rates}, seeds=2).run(out=tmp_path / "store")
    named = results.summary(["goodput"], labels={"1000 kbit/s": "slow"}).table["links.0.rate_bps"]
    assert named.to_pylist() == ["slow", "10 Mbit/s"] and named.type == pa.string()


def test_a_sweep_shows_completion_where_a_flow_has_a_size(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "transfers.toml").write_text(HEAD + flows(1) + flows(1, "900 MB").replace("web0", "large"))
    sweep = (
        "sweep",
        tmp_path / "transfers.toml",
        "--vary",
        "links.0.rate=1 Mbit/s,2 Mbit/s",
        "--seeds",
        "2",
        "--out",
        tmp_path / "s",
    )
    done = farlink(*sweep)
    assert "2 of 2" in done.stdout and "0 of 2" in done.stdout
    assert "4 of 8 transfers are unfinished: not in the mean" in done.stderr
    rows = json.loads(farlink(*sweep, "--format", "json").stdout)["rows"]
    assert [(row["completed"], row["transfers"]) for row in rows if row["flow"] == "large"] == [(0, 2), (0, 2)]
    assert all(row["completion_s"] is None for row in rows if row["flow"] == "large")


def test_many_flows_are_folded_in_the_table_of_a_sweep_and_in_no_data(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "many.toml").write_text(HEAD + flows(14))
    sweep = ("sweep", tmp_path / "many.toml", "--vary", "links.0.rate=1 Mbit/s,2 Mbit/s", "--seeds", "2", "-q")
    shown = farlink(*sweep, "--out", tmp_path / "store")
    assert shown.stdout.count("web*") <= 2 and "--all-flows" in shown.stderr
    assert farlink(*sweep, "--out", tmp_path / "store", "--all-flows").stdout.count("web") == 28
    assert farlink(*sweep, "--out", tmp_path / "store", "--format", "csv").stdout.count("web") == 28
    p95 = farlink(*sweep, "--out", tmp_path / "store", "--show", "completion:p95", "--where", "flow=web*")
    assert "completion_" in p95.stdout and "28 of 28" in p95.stdout


def test_a_comparison_of_means_over_unlike_shares_of_transfers_has_no_verdict(tmp_path: Path) -> None:
    text = """
name = "unlike"
duration = "5 s"
nodes = [{ name = "a" }, { name = "b" }]
links = [{ between = ["a", "b"], rate = "5 Mbit/s", delay = "20 ms" }]
flows = [
  { from = "a", to = "b", label = "web1", application = { name = "file", size = "10 kB" } },
  { from = "a", to = "b", label = "web2", application = { name = "file", size = "800 kB" } },
]
"""
    (tmp_path / "unlike.toml").write_text(text)
    rates = {"links.0.rate": ["5 Mbit/s", "500 kbit/s"]}
    found = fl.sweep(tmp_path / "unlike.toml", rates, seeds=2).run(out=tmp_path / "store")
    compared = found.compare("links.0.rate", "completion", where={"flow": "web*"})
    (row,) = compared.table.to_pylist()
    assert (row["completed"], row["transfers"], row["verdict"]) == (2, 4, None)
    assert "completion_s:p50" in compared.caption
    for kind in ("line", "bar"):
        with pytest.raises(fl.UsageError, match=r"from 2 of 4 to 4 of 4.*take completion_s:p50.*kind cdf"):
            found.plot("links.0.rate", "completion", kind=kind, where={"flow": "web*"})
        assert found.plot("links.0.rate", "completion:p50", kind=kind, where={"flow": "web*"})
        assert found.plot("links.0.rate", "completion", kind=kind, where={"flow": "web1"})
    assert found.plot(y="completion", kind="cdf", by="links.0.rate", where={"flow": "web*"})


def test_what_a_table_leaves_out_and_pools_is_said_in_latex_too(web: fl.Results, tmp_path: Path) -> None:
    tables = [
        (web.summary(where={"flow": "web*"}), "6 flows are pooled as web*"),
        (web.summary(by=[CONTROL]), "7 flows are pooled"),
        (web.compare(CONTROL, where={"flow": "web*"}), "6 flows are pooled as web*"),
    ]
    for number, (table, expected) in enumerate(tables):
        table.save(tmp_path / f"{number}.tex")
        comments = [line for line in (tmp_path / f"{number}.tex").read_text().splitlines() if line.startswith("% ")]
        assert expected in table.caption and any(expected in line for line in comments)
        assert "% link" in comments  # the scenario
        assert number == 1 or any("flow web*" in line for line in comments)
    assert "pooled" not in web.summary().caption
    rows = [{"key": "k", "flow": f"web{number}", "goodput_bps": 1.0} for number in range(20)]
    named, note = selection.grouped(rows, None, [], fold=True, remedy="all")
    assert note.startswith("20 of 20 flows are folded") and selection.pooled(["flow"], named, note) == note


def test_what_goes_along_with_a_value_that_is_compared_is_named() -> None:
    by, others = "links.0.rate_bps", ["flow", "links.0.delay_s", "duration_s"]
    rows = [
        {by: rate, "flow": flow, "links.0.delay_s": rate / 10, "duration_s": lasts}
        for rate in (1.0, 2.0)
        for flow in ("a", "b")
        for lasts in (1, 2)
    ]
    assert comparison.columns_along(by, others, rows) == ["links.0.delay_s"]
    assert comparison.columns_along("x", ["y", "z"], [{"x": 1, "y": 1, "z": 1}, {"x": 2, "y": 1, "z": 2}]) == ["z"]


def test_zipped_values_are_not_compared_and_the_flow_is_not_blamed(link: Path, tmp_path: Path) -> None:
    second = {"label": "second", "from": "ground", "to": "remote"}
    base = fl.load(link).set("duration", "0.5 s").set("flows.+", second)
    along = {"links.0.rate": ["1 Mbit/s", "2 Mbit/s"], "links.0.delay": ["5 ms", "9 ms"]}
    results = fl.sweep(base, zip=along, seeds=1).run(out=tmp_path / "store", jobs=1)
    with pytest.raises(fl.UsageError, match=r"wherever links\.0\.rate_bps differs, links\.0\.delay_s differs, too"):
        results.compare("links.0.rate")


def test_a_label_that_another_value_has_is_refused(web) -> None:
    for labels in ({"cubic": "reno"}, {"cubic": "X", "reno": "X"}):
        with pytest.raises(fl.UsageError, match="another name"):
            web.summary(labels=labels)


def test_the_fairness_of_one_flow_is_undefined() -> None:
    assert jain([{"goodput_bps": 1.0, "timeouts": 0}]) is None


def test_the_seed_is_no_path_of_a_sweep() -> None:
    with pytest.raises(fl.UsageError, match="--seeds"):
        fl.sweep("satellite", {"seed": [1, 2]})
