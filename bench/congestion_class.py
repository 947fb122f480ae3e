"""What a congestion control in Python costs, and where the time goes: `make bench-class`.

First Reno as a class against the engine's own; then classes that leave a constant window alone, so that all runs are
the same and differ in what they do per ACK. Times are CPU times, the shortest of several runs.
"""

from __future__ import annotations

import time

import farlink as fl

REPEATS = 7
LINK = {"rate": "100 Mbit/s", "delay": "20 ms"}


class Reno:
    """RFC 5681, as the engine's own `reno` has it."""

    def on_ack(self, view: fl.CongestionView) -> None:
        if not view.may_grow:
            return
        acked = view.acked
        if view.cwnd < view.ssthresh:
            growth = min(acked, 1.0, view.ssthresh - view.cwnd)
            view.cwnd += growth
            acked = 0.0 if view.cwnd < view.ssthresh else acked - growth
        view.cwnd += min(acked, 1.0) / view.cwnd

    def on_congestion(self, view: fl.CongestionView) -> None:
        if not view.repeated:
            view.ssthresh = max(view.flight / 2.0, 2.0)
        view.cwnd = 1.0 if view.kind == "timeout" else view.ssthresh


class Rounds:
    every = "rtt"

    def on_start(self, view: fl.CongestionView) -> None:
        view.cwnd = 300.0

    def on_ack(self, view: fl.CongestionView) -> None:
        pass

    def on_congestion(self, view: fl.CongestionView) -> None:
        pass


class Acks(Rounds):
    every = "ack"


class Reads(Acks):
    def on_ack(self, view: fl.CongestionView) -> None:
        view.acked, view.cwnd, view.ssthresh, view.flight, view.srtt_s  # noqa: B018


class Sets(Acks):
    def on_ack(self, view: fl.CongestionView) -> None:
        view.cwnd = 300.0


def run(made: type | str) -> tuple[fl.Run, float]:
    """A run and the CPU time that it takes."""
    begun = fl.Scenario("link", duration="60 s").node("a").node("b")
    queue = {"name": "drop_tail", "limit": "300 packets"}
    scenario = begun.link("a", "b", **LINK, queue=queue).flow("a", "b", label="flow", congestion_control=made)
    took_s = []
    for _ in range(REPEATS):
        began_s = time.process_time()
        result = scenario.run(series=False)
        took_s.append(time.process_time() - began_s)
    return result, min(took_s)


def packets(of: fl.Run) -> int:
    return of.flows["packets_delivered"][0].as_py()


def main() -> None:
    (own, own_s), (plugged, plugged_s) = run("reno"), run(Reno)
    assert packets(own) == packets(plugged)
    for name, took_s in (("reno", own_s), ("class Reno", plugged_s)):
        print(f"{name:20} {1e9 * took_s / packets(own):5.0f} ns per packet")
    print(f"{'ratio':20} {plugged_s / own_s:5.2f}")
    rounds, without_s = run(Rounds)
    acks, called_s = run(Acks)
    assert packets(acks) == packets(rounds)
    calls = packets(acks) / 2  # an ACK for every other segment
    print(f"{'a call':20} {1e9 * (called_s - without_s) / calls:5.0f} ns")
    for name, made, times in (("a value read", Reads, 5), ("a value set", Sets, 1)):
        found, took_s = run(made)
        assert packets(found) == packets(acks)
        print(f"{name:20} {1e9 * (took_s - called_s) / calls / times:5.0f} ns")
    print(f"{'all of a call (Reno)':20} {1e9 * (plugged_s - own_s) / (packets(own) / 2):5.0f} ns")


if __name__ == "__main__":
    main()
