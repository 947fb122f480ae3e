"""The measures of a flow, or of a group of flows, over the seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from farlink.runs.explanation import mean_shares
from farlink.statistics import Interval, mean_of, of_measure
from farlink.tables import flow_groups, labels
from farlink.tables.rows import Row, grouped


@dataclass(frozen=True)
class FlowSummary:
    """Means over the seeds of one flow; None where no seed had a value.

    Of a group of flows the values of a seed are the means of its flows.
    """

    flow: str
    goodput_bps: Interval | None
    delay_mean_s: Interval | None
    packets_retransmitted: Interval | None = None
    packets_dropped: Interval | None = None
    limited_by: tuple[str, float] | None = None
    """What limited the flow for the largest share of its time, and that share; None without TCP."""
    bottleneck: tuple[str, float] | None = None
    """The link or channel on the flow's path that was saturated with most seeds, and its utilisation."""
    loss_rate: Interval | None = None
    """Of datagrams only, like the mean delay variation."""
    delay_variation_mean_s: Interval | None = None
    late_rate: Interval | None = None
    """Of calls only, like the mouth-to-ear delay and the MOS."""
    mouth_to_ear_s: Interval | None = None
    mos: Interval | None = None
    completion_s: Interval | None = None
    """Of the transfers that are complete when the run ends."""
    completed: int = 0
    """How many those are, over all seeds."""
    transfers: int = 0
    """Transfers over all seeds; 0 where the application has no end."""
    ends: tuple[str, str] | None = None
    """Of what a relay passes on: the flow that it comes from, and the relay."""

    @property
    def intervals(self) -> list[Interval]:
        """Those of all measures."""
        return [each for each in vars(self).values() if isinstance(each, Interval)]


def summarise(rows: Sequence[Row], groups: Mapping[str, str] | None = None) -> list[FlowSummary]:
    """Summarise the `flows` of a document, a summary per flow, or group of flows, in order of appearance."""
    names = groups or {}
    members = grouped((names.get(row["flow"], row["flow"]), row) for row in rows)
    return [_of_flow(name, of) for name, of in members.items()]


def summarise_end_to_end(rows: Sequence[Row], groups: Mapping[str, str] | None = None) -> list[FlowSummary]:
    """Summarise what relays passed on, over the whole chain of connections; those of a group of flows together."""
    names = groups or {}
    relays = ((row["end_to_end_origin"], row["flow"], row) for row in rows if row.get("end_to_end_origin"))
    pairs = grouped(((names.get(first, first), names.get(last, last)), row) for first, last, row in relays)
    return [
        replace(_of_transfers(flow_groups.end_to_end(*ends), of, "end_to_end_"), ends=ends)
        for ends, of in pairs.items()
    ]


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


def _of_transfers(name: str, rows: Sequence[Row], prefix: str = "") -> FlowSummary:
    """What a flow has in common with what relays pass on."""
    mean = _mean_of_seeds(rows)
    return FlowSummary(
        flow=name,
        goodput_bps=mean(f"{prefix}goodput_bps"),
        delay_mean_s=mean(f"{prefix}delay_mean_s"),
        completion_s=mean(f"{prefix}completion_s"),
        completed=sum(row[f"{prefix}completion_s"] is not None for row in rows),
        transfers=sum(row["size_bytes"] is not None for row in rows),
    )


def _of_flow(name: str, rows: Sequence[Row]) -> FlowSummary:
    rows = [{**row, "packets_dropped": sum(row["drops"].values())} for row in rows]
    mean, shares = _mean_of_seeds(rows), Counter(mean_shares(rows))
    return replace(
        _of_transfers(name, rows),
        packets_retransmitted=mean("packets_retransmitted"),
        packets_dropped=mean("packets_dropped"),
        limited_by=next((top for top in shares.most_common(1) if top[1] > 0), None),
        bottleneck=_bottleneck_link(rows),
        loss_rate=mean("loss_rate"),
        delay_variation_mean_s=mean("delay_variation_mean_s"),
        late_rate=mean("late_rate"),
        mouth_to_ear_s=mean("mouth_to_ear_s"),
        mos=mean("mos"),
    )


def _mean_of_seeds(rows: Sequence[Row]) -> Callable[[str], Interval | None]:
    """Give the mean of a measure over the seeds, of a seed that of its rows."""

    def mean(column: str) -> Interval | None:
        by_seed = grouped((row["seed"], row[column]) for row in rows if row.get(column) is not None)
        return of_measure(list(map(mean_of, by_seed.values())), labels.bounds_of(column))

    return mean


def _bottleneck_link(rows: Sequence[Row]) -> tuple[str, float] | None:
    found = grouped((row["bottleneck"], row["bottleneck_utilisation"]) for row in rows if row["bottleneck"])
    link, busy = max(found.items(), key=lambda item: (len(item[1]), mean_of(item[1])), default=("", []))
    return (link, mean_of(busy)) if 2 * len(busy) > len(rows) else None
