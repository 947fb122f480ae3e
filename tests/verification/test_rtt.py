"""Smoothed round-trip time by the kinds of samples, where the sender ignores it: all runs have the same packets."""

import statistics

import farlink as fl

BASE = """
name = "reordered"
duration = "40 s"
seed = 1
nodes = [{ name = "from" }, { name = "to" }]

[[links]]
between = ["from", "to"]
rate = "100 Mbit/s"
delay = "50 ms"
error = { name = "impair", reorder = 0.05, hold = "800 ms" }

[[flows]]
from = "from"
to = "to"
application = "bulk"
tcp = { congestion_control = "bbr", recovery = "rack", dsack = false }
"""
# By DSACK the reordering window of RACK grows up to the SRTT (RFC 8985 section 6.2 step 4).


def smoothed(samples: str) -> tuple[float, float]:
    """Mean SRTT once the transfer is under way, and goodput."""
    run = fl.Scenario.from_toml(BASE).set("flows.0.tcp.rtt_samples", samples).run()
    srtt_s = [value for value in run.series.column("srtt_s").to_pylist() if value]
    return statistics.fmean(srtt_s[20:]), run.flows["goodput_bps"][0].as_py()


def test_a_round_trip_of_scaled_samples_weighs_as_much_as_one_sample() -> None:
    scaled, once, every = (smoothed(samples) for samples in ("scaled", "once_per_rtt", "every_ack"))
    assert scaled[1] == once[1] == every[1]
    # RFC 7323 appendix G keeps the history of RFC 6298, whatever an ACK acknowledges.
    assert abs(scaled[0] / once[0] - 1) < 0.05
    # With full weight the last few ACKs of a round trip decide, which are the short ones here.
    assert every[0] < 0.5 * once[0]
