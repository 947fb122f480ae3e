"""What the paper may mean by its metrics, and how a change of them is judged: by what a universe reads differently."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from farlink.errors import UsageError

from farlink_studies.manet.runs import METRICS, Metric, SeedResult

Known = TypeVar("Known")

PER_PACKET = "per packet of data sent"
PER_CONNECTION = "mean over the connections"
SUM = "sum over the connections"
PER_PACKET_SENT = "per packet sent"


def _sent(one: SeedResult) -> float:
    return one.sent


def _delay_at_least(one: SeedResult) -> float:
    """The delay; of a run that delivers nothing the time it lasted, for which its packets waited at least.

    RFC 5166 section 2.2 counts the delay of retransmissions.
    """
    return one.lasted_s if one.delay_s is None else one.delay_s


def _delay_of_connections(one: SeedResult) -> float:
    """Mean over the connections; of one that delivers nothing the time that the run lasted.

    Runs with more connections are less often without any delivery, which packets of all connections together show
    as less delay.
    """
    delays = one.delays_s or (one.delay_s,)
    return sum(one.lasted_s if delay is None else delay for delay in delays) / len(delays)


ALTERNATIVES: Mapping[str, Mapping[str, Metric]] = {
    "throughput": {SUM: lambda one: one.throughput * one.connections},
    "packets dropped": {
        PER_CONNECTION: lambda one: one.dropped / one.connections,
        PER_PACKET: lambda one: one.dropped / one.sent if one.sent else None,
    },
}
"""What else the paper may mean by its metrics, as the report shows it."""


def percent_change(first: float, last: float) -> float:
    """The change in per cent of the larger of both; none from nothing to nothing."""
    if first == last:
        return 0.0
    if math.isinf(first) or math.isinf(last):
        return 100.0 if math.isinf(last) else -100.0
    return 100 * (last - first) / max(first, last)


def percent_of_first(first: float, last: float) -> float:
    """The change in per cent of the first value."""
    if first == last:
        return 0.0
    if math.isinf(first) or first == 0:
        return -100.0 if math.isinf(first) else MOST_OF_FIRST
    return min(MOST_OF_FIRST, 100 * (last / first - 1))


MOST_OF_FIRST = 1e5
"""Largest change in per cent of the first value; so is one from nothing."""


@dataclass(frozen=True)
class Reading:
    """How the runs are read."""

    metrics: Mapping[str, Metric]
    change: Callable[[float, float], float] = percent_change
    most: float = 100
    """Largest change in per cent."""
    per_packet: bool = False
    """Packets dropped are given per data packet sent, of all runs together: few packets decide what a run without
    a route drops per packet."""
    same_runs: bool = False
    """Delay is compared over the runs that deliver at both levels."""
    every_step: bool = True
    """A trend has no step back between its ends."""

    def per(self, metric: Metric) -> Metric | None:
        """What the sum of a metric over runs is divided by; None for the number of runs."""
        return _sent if self.per_packet and metric is self.metrics["packets dropped"] else None

    def is_of_same_runs(self, metric: Metric) -> bool:
        """Whether a metric is compared over runs that have a value at both levels."""
        return self.same_runs and metric is self.metrics["delay"]


COMMITTED = Reading(METRICS)
"""As the settings say."""
DELIVERY_METRICS: Mapping[str, Mapping[str, Metric]] = {
    "mean": {},
    "sum": {
        "throughput": lambda one: one.throughput * one.connections,
        "goodput": lambda one: one.goodput * one.connections,
    },
}
DROPS: Mapping[str, Metric] = {
    "per run": METRICS["packets dropped"],
    "per connection": ALTERNATIVES["packets dropped"][PER_CONNECTION],
    PER_PACKET_SENT: METRICS["packets dropped"],
}
DELAYS: Mapping[str, Metric] = {
    "runs that deliver": METRICS["delay"],
    "every connection": _delay_of_connections,
    "every run": _delay_at_least,
    "same runs": METRICS["delay"],
}
CHANGES = {"of the larger": (percent_change, 100.0), "of the first": (percent_of_first, MOST_OF_FIRST)}
STEPS = {"every step": True, "ends": False}


def of(given: Mapping[str, str]) -> Reading:
    """The reading with these keys: `throughput`, `dropped`, `delay`, `change`, `trend`; others as committed."""
    change, most = _chosen(given, "change", CHANGES, "of the larger")
    return Reading(
        {
            **METRICS,
            **_chosen(given, "throughput", DELIVERY_METRICS, "mean"),
            "packets dropped": _chosen(given, "dropped", DROPS, "per run"),
            "delay": _chosen(given, "delay", DELAYS, "runs that deliver"),
        },
        change,
        most,
        given.get("dropped") == PER_PACKET_SENT,
        given.get("delay") == "same runs",
        _chosen(given, "trend", STEPS, "every step"),
    )


def _chosen(given: Mapping[str, str], key: str, known: Mapping[str, Known], committed: str) -> Known:
    name = given.get(key, committed)
    if name not in known:
        raise UsageError(f"reading {key} = {name!r}: known are {', '.join(known)}")
    return known[name]
