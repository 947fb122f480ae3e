"""BBRv3 over one link as a user sees it: its goodput, and its states in the time series (draft-ietf-ccwg-bbr)."""

from functools import cache

import farlink as fl
import numpy as np
import pytest

RTT_S = 0.04
BDP = 33.3
"""Packets of 1500 B."""
SCENARIO = """
name = "bbr3"
duration = "120 s"
nodes = [{{ name = "a" }}, {{ name = "b" }}]
flows = [{{ from = "a", to = "b", tcp = {{ congestion_control = "bbr3", recovery = "{recovery}" }} }}]
record = {{ interval = "10 ms" }}

[[links]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "20 ms"
queue = {{ name = "drop_tail", limit = "33 packets" }}
"""


@cache
def run(recovery: str) -> fl.Run:
    return fl.Scenario.from_toml(SCENARIO.format(recovery=recovery)).run(seed=1)


@pytest.mark.parametrize("recovery", ["sack", "rack"])
def test_it_fills_a_link_with_a_buffer_of_one_bdp_to_95_percent(recovery: str) -> None:
    [goodput_bps] = run(recovery).flows["goodput_bps"].to_pylist()
    assert goodput_bps > 0.95 * 10e6 * 1448 / 1500


def column(name: str) -> np.ndarray:
    return run("rack").series[name].to_numpy(zero_copy_only=False)


def test_probe_rtt_shows_in_the_window_every_five_seconds_for_a_fifth_of_one() -> None:
    # BBR.ProbeRTTInterval, BBR.ProbeRTTDuration, BBR.ProbeRTTCwndGain.
    time_s, cwnd = column("time_s"), column("cwnd_segments")
    is_low = (cwnd < 0.6 * BDP) & (time_s > 3)
    edges = np.flatnonzero(np.diff(is_low.astype(int)))
    begins, ends = time_s[edges[::2] + 1], time_s[edges[1::2] + 1]
    assert 120 / 6 < len(begins) < 120 / 5
    assert (np.diff(begins) > 5).all() and (np.diff(begins) < 6).all()
    lengths = ends - begins[: len(ends)]
    assert (lengths > 0.2 - 0.02).all() and (lengths < 0.2 + 4 * RTT_S).all()


def test_every_five_seconds_there_is_a_probe_for_bandwidth_with_a_quarter_more_in_flight() -> None:
    # The gain of ProbeBW_UP is 1.25; it comes after 2 to 3 s or 63 rounds.
    time_s, flight = column("time_s"), column("flight_bytes") / 1448
    for begin in range(5, 115, 5):
        part = flight[(time_s >= begin) & (time_s < begin + 5)]
        assert part.max() > 1.2 * BDP and part.min() < 0.6 * BDP
