"""Calls: what their listeners hear, in tables, sweeps and explanations."""

from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli

CALLS = """\
name = "calls"
duration = "20 s"
nodes = [{ name = "ship" }, { name = "shore" }]
[[links]]
between = ["ship", "shore"]
rate = "1 Mbit/s"
delay = "270 ms"
jitter = { name = "uniform", max = "100 ms" }
error = { name = "packet_error_rate", rate = 0.01 }
[[flows]]
label = "call"
from = "ship"
to = "shore"
application = "voice"
[[flows]]
label = "unrated"
from = "shore"
to = "ship"
application = { name = "voice", codec = "opus" }
[[flows]]
label = "bulk"
from = "ship"
to = "shore"
start = "19 s"
"""
KEYS = ("packets_late", "late_rate", "mouth_to_ear_s", "r_factor", "mos")


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.toml"
    path.write_text(CALLS)
    return path


def test_flows_that_are_no_calls_have_null(calls: Path) -> None:
    call, unrated, bulk = fl.load(calls).run().flows.to_pylist()
    assert all(call[key] is not None for key in KEYS)
    assert [unrated[key] is None for key in KEYS] == [False, False, False, True, True]
    assert [bulk[key] for key in KEYS] == [None] * 5
    # Frame, propagation and buffer, with jitter of at most 100 ms; Opus looks 6.5 ms ahead.
    assert 0.35 < call["mouth_to_ear_s"] < 0.46 and 0.356 < unrated["mouth_to_ear_s"] < 0.467


def test_the_late_rate_is_the_share_of_late_packets(calls: Path) -> None:
    call = fl.load(calls).set("links.0.jitter.max", "400 ms").run().flows.to_pylist()[0]
    assert 0 < call["late_rate"] == call["packets_late"] / call["packets_sent"]


def test_only_a_scenario_with_a_call_has_columns_of_calls(calls: Path, farlink: Cli) -> None:
    table = farlink("run", calls).stdout
    assert "MOS" in table and "mouth to ear" in table and "retransmitted" in table and "…" not in table
    assert (
        "late %" in table
        and "not heard" in table
        and "MOS needs `ie` and `bpl` of the codec" in " ".join(table.split())
    )
    calls.write_text(CALLS.rpartition("[[flows]]")[0])
    table = farlink("run", calls).stdout
    assert "MOS" in table and "retransmitted" not in table and "…" not in table
    calls.write_text(CALLS.replace('"voice"', '"constant_bit_rate"').replace(', codec = "opus"', ""))
    assert "MOS" not in farlink("run", calls).stdout
    assert not set(KEYS) & set(fl.load(calls).run().flows.column_names)


def test_a_sweep_shows_the_mos_and_draws_it(calls: Path, tmp_path: Path) -> None:
    sweep = fl.sweep(fl.load(calls), {"links.0.jitter.max": ["20 ms", "400 ms"]}, seeds=3)
    results = sweep.run(out=tmp_path / "store", jobs=1)
    [good, bad] = [row["mos"] for row in results.summary().table.to_pylist() if row["flow"] == "call"]
    assert good > bad
    [row] = results.compare("links.0.jitter.max", "r_factor", where={"flow": "call"}).table.to_pylist()
    assert row["r_factor_difference"] < 0
    axes = results.plot("links.0.jitter.max", "mos", where={"flow": "call"}).axes[0]
    assert axes.get_ylabel() == "estimated MOS"


def test_explain_says_what_the_listener_hears(calls: Path, farlink: Cli) -> None:
    text = " ".join(farlink("explain", calls).stdout.split())
    assert "too late to be played; mouth-to-ear delay" in text and ", MOS " in text
    assert "; R and MOS need `ie` and `bpl` of the codec." in text
