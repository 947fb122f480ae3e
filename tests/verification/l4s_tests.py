"""Pairs of flows with equal and unequal round trips: scenario 1 of P. Heist, J. Morton, "L4S Tests", 2020.

`sharing/l4s_tests.csv` has its fairness table, without `cnq_codel_af`. Delivery rates are in Mbit/s.
"""

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import farlink as fl

FOLDER = Path(__file__).with_name("sharing")
BOTTLENECK = "links.router-receiver"


class Flow(NamedTuple):
    """A flow and the round trip of its path without queue."""

    control: str
    rtt_ms: int


Pair = tuple[Flow, Flow]
Bottleneck = tuple[int, str]
"""Rate in Mbit/s, and queue."""
Rates = tuple[float, float]


def published() -> dict[Bottleneck, dict[Pair, Rates]]:
    """Rates of both flows, Prague before CUBIC; of two measurements of a pair the one with Prague first counts."""
    found: dict[Bottleneck, dict[Pair, Rates]] = {}
    with (FOLDER / "l4s_tests.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            of_queue = found.setdefault((int(row["rate_mbps"]), row["queue"]), {})
            first, second = (Flow(row[each], int(row[f"{each}_rtt_ms"])) for each in ("first", "second"))
            rates = float(row["first_mbps"]), float(row["second_mbps"])
            if (first.control, second.control) == ("cubic", "prague"):
                of_queue.setdefault((second, first), rates[::-1])
            else:
                of_queue[first, second] = rates
    return found


def queue(bottleneck: Bottleneck, threshold_packets: int) -> dict[str, Any]:
    """The queue in front of the bottleneck."""
    rate_mbps, name = bottleneck
    return {
        "dualpi2": {"name": "dualpi2", "preset": "linux", "threshold_packets": threshold_packets},
        "drop_tail": {"name": "drop_tail", "limit": f"{20 * rate_mbps} packets"},
        "fq_codel": {"name": "fq_codel", "ecn": True, "limit": "10240 packets"},
    }[name]


def sweep(
    wanted: Callable[[Bottleneck, Pair], bool] = lambda *_: True,
    *,
    threshold_packets: int = 2,
    seeds: int = 3,
    duration_s: int = 120,
) -> fl.Sweep:
    """Runs of the pairs that are wanted: `sharing/link.toml` with 1 ms of delay, one way, behind the router.

    The step of the module for Linux 5.15 leaves alone an L4S packet that found fewer than two before it.
    """
    link = fl.load(FOLDER / "link.toml").set("duration", f"{duration_s} s").set(f"{BOTTLENECK}.delay", "1 ms")
    points = [(place, pair) for place, pairs in published().items() for pair in pairs if wanted(place, pair)]
    along: dict[str, list[Any]] = {
        f"{BOTTLENECK}.rate": [f"{rate_mbps} Mbit/s" for (rate_mbps, _), _ in points],
        f"{BOTTLENECK}.queue": [queue(place, threshold_packets) for place, _ in points],
    }
    for place, (label, sender) in enumerate((("first", "a"), ("second", "b"))):
        flows = [pair[place] for _, pair in points]
        along[f"flows.{label}.tcp.congestion_control"] = [flow.control for flow in flows]
        along[f"flows.{label}.tcp.ecn"] = ["auto" if flow.control == "prague" else "classic" for flow in flows]
        along[f"links.{sender}-router.delay"] = [f"{flow.rtt_ms // 2 - 1} ms" for flow in flows]
    return fl.sweep(link.set("flows.*.start", "0 s..0.1 s"), zip=along, seeds=seeds)


def measured(rows: Iterable[Mapping[str, Any]]) -> dict[Bottleneck, dict[Pair, list[Rates]]]:
    """Goodput of both flows by run, from the rows of the sweep's flows."""
    runs: dict[tuple[str, int], dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        runs.setdefault((row["key"], row["seed"]), {})[row["flow"]] = row
    found: dict[Bottleneck, dict[Pair, list[Rates]]] = {}
    for run in runs.values():
        row = run["first"]
        bottleneck = round(row["links.2.rate_bps"] / 1e6), row["links.2.queue"]
        first, second = (
            Flow(row[f"flows.{place}.tcp.congestion_control"], round(2e3 * (row[f"links.{place}.delay_s"] + 1e-3)))
            for place in (0, 1)
        )
        rates = run["first"]["goodput_bps"] / 1e6, run["second"]["goodput_bps"] / 1e6
        found.setdefault(bottleneck, {}).setdefault((first, second), []).append(rates)
    return found
