"""Flows of which no packet arrived, and workloads of which no payload did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from farlink.results.end_to_end import LABEL, PAIR
from farlink.results.workload_values import Workloads
from farlink.spelling import counted, listed
from farlink.tables import parameters
from farlink.tables.labels import Names
from farlink.tables.rows import Row, grouped
from farlink.tables.workload_columns import is_of_workload, place

MOST_NAMED = 3
"""Of flows at a point in a caption."""
OF_LOST = ("loss_rate", "packets_lost")

OF_ARRIVALS = {"throughput_bps", "goodput_bps", "packets_delivered", "received_bytes", "delivery_ratio"}
OF_ARRIVALS |= {"arrivals", "completed", "arrived_bytes"}
"""Columns that have a meaning where nothing arrived. Others count there what could not happen, such as losses."""

FlowAtPoint: TypeAlias = "tuple[str, tuple[Any, ...]]"
"""A flow, and the values of what varies."""


def is_meaningless(row: Mapping[str, Any], column: str) -> bool:
    """Whether nothing arrived of a flow or of a workload, and this column of its row has no meaning then."""
    # Older builds did not count the payload of workloads.
    arrived = row.get("received_bytes") if "workload" in row else row["packets_delivered"]
    return column not in OF_ARRIVALS and arrived == 0 and row.get("arrivals") != 0


def note(
    measures: Sequence[str], rows: Sequence[Row], varied: Sequence[str], workloads: Workloads, names: Names
) -> str:
    """Say at which points no packet of a flow arrived, in how many runs; empty if some arrived in all runs."""
    points = {row["key"]: tuple(row[name] for name in varied) for row in rows}
    # Runs are in the order in which they ended.
    in_order = sorted(points, key=lambda key: [parameters.sort_key(value) for value in points[key]])
    flows = [row for row in rows if PAIR not in row and row.get("packets_delivered") is not None]
    of_run = grouped((row["key"], row) for row in flows)
    delivered = [
        ((str(row.get(LABEL, row["flow"])), points[key]), row["packets_delivered"])
        for key in in_order
        for row in of_run.get(key, ())
    ]
    parts = [_listed("no packet arrived", delivered, varied, names)]
    is_open = any(not row["packets_delivered"] and row.get("packets_lost") != row["packets_sent"] for row in flows)
    if parts[0] and is_open and set(measures) & {*OF_LOST}:
        parts.append("datagrams in flight at the end count as sent, not as lost")
    for label in dict.fromkeys(place(each)[0] for each in measures if is_of_workload(each)):
        counts = workloads.received_where_any_arrived(label)
        received = [((label, points[key]), counts[key]) for key in in_order if key in counts]
        parts.append(_listed("no payload arrived", received, varied, names))
    return "; ".join(filter(None, parts))


def _listed(what: str, counts: Iterable[tuple[FlowAtPoint, int]], varied: Sequence[str], names: Names) -> str:
    """Name the flows and points of which nothing was counted in some runs."""
    counts_of = grouped(counts)
    of_flows = grouped((flow, (point, found)) for (flow, point), found in counts_of.items())
    written = []
    for flow, of_points in of_flows.items():
        if len(of_points) > 1 and not any(count for _, found in of_points for count in found):
            written.append(f"{flow} in all {sum(len(found) for _, found in of_points)} runs")
        else:
            written += [_at(flow, point, found, varied, names) for point, found in of_points if not all(found)]
    return f"{what}: {listed(written, MOST_NAMED, '; ')}" if written else ""


def _at(flow: str, point: Iterable[Any], counts: Sequence[int], varied: Sequence[str], names: Names) -> str:
    pairs = zip(varied, point, strict=True)
    where = ", ".join(f"{names.heading(column)} {names.value(value, column)}" for column, value in pairs)
    return f"{flow} in {counts.count(0)} of {counted(len(counts), 'run')}{f' ({where})' if where else ''}"
