"""Flows of datagrams: what was sent, lost and delayed, over time too."""

import re
from pathlib import Path

import farlink as fl
import pyarrow.compute as pc
import pytest
from conftest import Cli

STEADY = """\
name = "steady"
duration = "10 s"
nodes = [{ name = "a" }, { name = "b" }]
[[links]]
between = ["a", "b"]
rate = "1 Mbit/s"
delay = "10 ms"
[[flows]]
label = "steady"
from = "a"
to = "b"
application = { name = "constant_bit_rate", rate = "488800 bit/s", packet_size = "1222 B" }
"""
BULK = """\
[[flows]]
label = "bulk"
from = "a"
to = "b"
"""


@pytest.fixture
def steady(tmp_path: Path) -> Path:
    path = tmp_path / "steady.toml"
    path.write_text(STEADY)
    return path


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "mixed.toml"
    path.write_text(STEADY + BULK)
    return path


def test_tables_hold_null_for_what_only_tcp_has(mixed: Path) -> None:
    datagrams, tcp = fl.load(mixed).run().flows.to_pylist()
    assert datagrams["limited_by_application"] is None and tcp["limited_by_application"] is not None
    assert datagrams["timeouts"] is None and tcp["timeouts"] is not None
    assert datagrams["packets_sent"] == 501 and datagrams["loss_rate"] is not None
    assert tcp["loss_rate"] is None


def test_the_series_of_datagrams_counts_what_was_sent_and_received(steady: Path) -> None:
    series = fl.load(steady).run().series
    # A datagram every 20 ms, five in a sample, 10 ms to send and 10 ms of delay.
    assert series["packets_sent"].to_pylist()[:3] == [1, 6, 11]
    assert series["received_bytes"].to_pylist()[10] == 50 * 1222
    for column in ("phase", "cwnd_segments", "srtt_s", "snd_una_bytes"):
        assert series[column].null_count == series.num_rows, column
    for column in ("flow", "packets_lost"):
        assert series[column].null_count == 0, column


def test_goodput_over_time_is_drawn_and_a_window_where_there_is_one(
    steady: Path, mixed: Path, farlink: Cli, tmp_path: Path
) -> None:
    alone, both = (fl.load(path).run().plot() for path in (steady, mixed))
    assert [len(axes.get_lines()) for axes in alone.axes] == [1]
    assert [len(axes.get_lines()) for axes in both.axes] == [2, 1]
    (_, bulk), (window,) = (axes.get_lines() for axes in both.axes)
    assert (window.get_label(), window.get_color()) == (bulk.get_label(), bulk.get_color())
    goodput = alone.axes[0].get_lines()[0].get_ydata()
    assert goodput[5:-1] == pytest.approx(488_800, rel=0.05)
    page = tmp_path / "page.html"
    assert farlink("run", mixed, "--animate", page, "--plot", tmp_path / "run.png").returncode == 0
    assert page.exists()


def test_the_share_of_losses_over_time_is_that_of_the_datagrams_sent(steady: Path) -> None:
    # A datagram every 20 ms; those of 2.02 .. 4.00 s are sent in the outage. A second of delay moves no loss.
    text = steady.read_text().replace('"10 ms"', '"1 s"\ndown = ["2.01 s..4.01 s"]')
    steady.write_text(text + BULK.replace('from = "a"\nto = "b"', 'from = "b"\nto = "a"'))
    run = fl.load(steady).run()
    loss, jitter = run.plot(panels=["loss", "jitter"], bin="1 s").axes
    (line,) = loss.get_lines()
    assert line.get_ydata() == pytest.approx([0, 0, 1, 1, 0, 0, 0, 0, 0, 0])
    assert (loss.get_ylabel(), jitter.get_ylabel()) == ("share of datagrams lost", "interarrival jitter [ms]")
    flow = run.flows.to_pylist()[0]
    series = [row for row in run.series.to_pylist() if row["flow"] == "steady"]
    assert series[-1]["packets_lost"] == flow["packets_lost"] == 100


def test_the_jitter_is_that_of_the_example_in_the_guide(steady: Path) -> None:
    steady.with_name("delay.csv").write_text("time_s,delay_s\n0,0.010\n0.5,0.026\n2.5,0.018\n")
    text = steady.read_text().replace('"10 ms"', '{ csv = "delay.csv" }').replace("1 Mbit/s", "1 Gbit/s")
    steady.write_text(text.replace("488800 bit/s", "9776 bit/s").replace('"10 s"', '"3.9 s"'))
    run = fl.load(steady).run()
    jitter_s = run.series["jitter_s"].to_pylist()
    assert jitter_s[5] is None
    expected_s = [1e-3, 0.9375e-3, 1.37890625e-3]
    assert jitter_s[15::10] == pytest.approx(expected_s)
    (flow,) = run.flows.to_pylist()
    assert flow["jitter_mean_s"] == pytest.approx(sum(expected_s) / 3)
    assert flow["jitter_max_s"] == pytest.approx(expected_s[2])


def test_the_guide_names_every_column_of_the_series(mixed: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs/guide/time-series.md").read_text()
    table = guide.split("# Time series")[1].split("\n\n")[2]
    named = re.findall("`([a-z_]+)`", "".join(line.split("|")[1] for line in table.splitlines()))
    assert sorted(named) == sorted(fl.load(mixed).run().series.column_names)


def test_a_sweep_has_figures_of_datagrams_over_time(steady: Path, mixed: Path, tmp_path: Path) -> None:
    results = fl.sweep(fl.load(mixed), {"links.0.delay": ["10 ms", "20 ms"]}, seeds=2, series=True).run(
        out=tmp_path / "store"
    )
    figure = results.plot(kind="time", y="goodput_bps", by="links.0.delay", where={"flow": "steady"})
    assert len(figure.axes[0].get_lines()) == 2
    for measure in ("loss_rate", "jitter_s"):
        where = {"flow": "steady"}
        assert results.plot(kind="time", y=measure, by="links.0.delay", where=where).axes[0].get_lines()
    with pytest.raises(fl.UsageError, match="losses and jitter those of datagrams"):
        results.plot(kind="time", y="loss_rate", by="links.0.delay", where={"flow": "bulk"})
    with pytest.raises(fl.UsageError, match="windows are those of TCP"):
        results.plot(kind="time", y="cwnd_segments", by="links.0.delay", where={"flow": "steady"})
    assert results.summary(["loss_rate", "delay_variation_mean_s"]) is not None
    assert pc.sum(results.flows["packets_lost"]).as_py() is not None


def test_runs_of_datagrams_and_of_tcp_go_into_one_store(steady: Path, mixed: Path, tmp_path: Path) -> None:
    for path in (steady, mixed):
        fl.sweep(fl.load(path), {}, seeds=1).run(out=tmp_path / "store", jobs=1)
    flows = fl.Results(tmp_path / "store").flows
    assert flows.num_rows == 3
    assert {row["bottleneck"] for row in flows.to_pylist()} == {None, "a->b"}


def test_explain_says_nothing_of_windows(steady: Path, farlink: Cli) -> None:
    done = farlink("explain", steady)
    text = " ".join(done.stdout.split())
    assert "`steady` sent 489.8 kbit/s of payload; 99.8 % of its datagrams arrived with a mean delay of 20 ms" in text
    assert "None was lost; 1 datagram was in flight at the end." in text
    assert "left to send" not in text


def test_the_table_has_loss_and_delay_variation_where_a_flow_has_datagrams(farlink: Cli, mixed: Path) -> None:
    table = farlink("run", mixed, "--seeds", "1,2").stdout
    assert "lost %" in table and "delay variation ms" in table
    (bulk,) = [line.split() for line in table.splitlines() if line.strip().startswith("bulk")]
    assert bulk.count("-") >= 2
    mixed.write_text(STEADY.split("[[flows]]")[0] + BULK)
    assert "lost %" not in farlink("run", mixed).stdout
