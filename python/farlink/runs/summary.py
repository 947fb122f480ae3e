"""The measures of a flow, or of a group of flows, over the seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from farlink.statistics import Interval, mean_of, of_measure
from farlink.tables import flow_groups, labels


@dataclass(frozen=True)
class FlowSummary:
    """Means over the seeds of one flow; None where no seed had a value.

    Of a group of flows the values of a seed are the means of its flows.
    """

    flow: str
    goodput_bps: Interval | None
    delay_mean_s: Interval | None
    packets_retransmitted: Interval | None
    packets_dropped: Interval | None
    limited_by: tuple[str, float] | None
    """What limited the flow for the largest share of its time, and that share; None without TCP."""
    bottleneck: tuple[str, float] | None = None
    """The link or channel on the flow's path that was saturated with most seeds, and its utilisation."""
    loss_rate: Interval | None = None
    """Of datagrams only, like the mean delay variation."""
    delay_variation_mean_s: Interval | None = None
    completion_s: Interval | None = None
    """Of the transfers that are complete when the run ends."""
    completed: int = 0
    """How many those are, over all seeds."""
    transfers: int = 0
    """Transfers over all seeds; 0 where the application has no end."""
    ends: tuple[str, str] | None = None
    """Of what a relay passes on: the flow that it comes from, and the relay."""

    @property
    def intervals(self) -> list[Interval | None]:
        """Those of all measures."""
        return [
            self.goodput_bps,
            self.delay_mean_s,
            self.packets_retransmitted,
            self.packets_dropped,
            self.loss_rate,
            self.delay_variation_mean_s,
            self.completion_s,
        ]


def summarise(rows: Sequence[dict[str, Any]], groups: Mapping[str, str] | None = None) -> list[FlowSummary]:
    """Summarise the `flows` of a document, a summary per flow, or group of flows, in order of appearance."""
    members: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        members.setdefault(groups[row["flow"]] if groups else row["flow"], []).append(row)
    return [_flow_summary(name, of) for name, of in members.items()]


def summarise_end_to_end(rows: Sequence[dict[str, Any]], groups: Mapping[str, str] | None = None) -> list[FlowSummary]:
    """Summarise what relays passed on, over the whole chain of connections; those of a group of flows together."""
    pairs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        if (origin := row.get("end_to_end_origin")) is not None:
            first, last = ((groups or {}).get(label, label) for label in (origin, row["flow"]))
            pairs.setdefault((first, last), []).append(row)
    return [_end_to_end_summary(ends, of) for ends, of in pairs.items()]


def count_transfers(summaries: Sequence[FlowSummary]) -> tuple[int, int]:
    """Count the completed transfers, and all; what relays pass on once, completed when it has reached its last end."""
    pairs = [(each.ends, each.completed) for each in summaries if each.ends]
    relays = {ends[1] for ends, _ in pairs}
    completed = transfers = 0
    for each in summaries:
        if each.ends is None and each.flow not in relays:
            transfers += each.transfers
            completed += min([each.completed, *(count for ends, count in pairs if ends[0] == each.flow)])
    return completed, transfers


def _end_to_end_summary(ends: tuple[str, str], rows: list[dict[str, Any]]) -> FlowSummary:
    mean = _mean_of_seeds(rows)
    return FlowSummary(
        flow=flow_groups.end_to_end(*ends),
        ends=ends,
        goodput_bps=mean("end_to_end_goodput_bps"),
        delay_mean_s=mean("end_to_end_delay_mean_s"),
        packets_retransmitted=None,
        packets_dropped=None,
        limited_by=None,
        completion_s=mean("end_to_end_completion_s"),
        completed=sum(row["end_to_end_completion_s"] is not None for row in rows),
        transfers=sum(row["size_bytes"] is not None for row in rows),
    )


def _flow_summary(name: str, rows: list[dict[str, Any]]) -> FlowSummary:
    mean = _mean_of_seeds(rows)
    return FlowSummary(
        flow=name,
        goodput_bps=mean("goodput_bps"),
        delay_mean_s=mean("delay_mean_s"),
        packets_retransmitted=mean("packets_retransmitted"),
        packets_dropped=of_measure(
            [mean_of([sum(row["drops"].values()) for row in of]) for of in _by_seed(rows).values()]
        ),
        limited_by=_dominant_limit(rows),
        bottleneck=_bottleneck_link(rows),
        loss_rate=mean("loss_rate"),
        delay_variation_mean_s=mean("delay_variation_mean_s"),
        completion_s=mean("completion_s"),
        completed=sum(row["completion_s"] is not None for row in rows),
        transfers=sum(row["size_bytes"] is not None for row in rows),
    )


def _by_seed(rows: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    seeds: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        seeds.setdefault(row["seed"], []).append(row)
    return seeds


def _mean_of_seeds(rows: list[dict[str, Any]]) -> Callable[[str], Interval | None]:
    """Give the mean of a measure over the seeds, of a seed that of its rows."""
    seeds = _by_seed(rows).values()

    def mean(key: str) -> Interval | None:
        by_seed = ([row[key] for row in of if row[key] is not None] for of in seeds)
        return of_measure([mean_of(values) for values in by_seed if values], labels.most_of(key))

    return mean


def _dominant_limit(rows: list[dict[str, Any]]) -> tuple[str, float] | None:
    shares: dict[str, float] = {}
    for row in rows:
        for cause, share in (row["limited_by"] or {}).items():
            shares[cause] = shares.get(cause, 0.0) + share / len(rows)
    top = max(shares.items(), key=lambda item: item[1], default=None)
    return top if top and top[1] > 0 else None


def _bottleneck_link(rows: list[dict[str, Any]]) -> tuple[str, float] | None:
    found: dict[str, list[float]] = {}
    for row in rows:
        if row["bottleneck"] is not None:
            found.setdefault(row["bottleneck"], []).append(row["bottleneck_utilisation"])
    link, busy = max(found.items(), key=lambda item: (len(item[1]), fmean(item[1])), default=("", []))
    return (link, fmean(busy)) if 2 * len(busy) > len(rows) else None
