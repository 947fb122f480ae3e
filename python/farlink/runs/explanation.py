"""What limited flows: a group of them as one, and those of which no packet arrived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from farlink.spelling import counted, listed
from farlink.tables.rows import Row, grouped
from farlink.tables.workload_columns import ALL


def mean_shares(rows: Sequence[Row]) -> dict[str, float]:
    """Give what limited these flows, with the means of its shares of their time; nothing without TCP."""
    shares: dict[str, float] = {}
    for row in rows:
        for cause, share in (row["limited_by"] or {}).items():
            shares[cause] = shares.get(cause, 0.0) + share / len(rows)
    return shares


def folded_explanation(name: str, seed: int, rows: Sequence[Row]) -> Row:
    """Give the explanation of these flows together, in the form of that of one.

    Shares are means over the flows; drops are added up by place and cause.
    """
    drops = [{"place": place, "cause": cause, "packets": packets} for place, cause, packets in _drops(rows)]
    shares = dict(sorted(mean_shares(rows).items(), key=lambda item: -item[1]))
    return {"flow": name, "seed": seed, "text": _bottlenecks(rows), "limited_by": shares, "drops": drops}


def advice_of_group(flows: Sequence[str], advice: Mapping[str, Sequence[str]]) -> list[str]:
    """Give the advice for the flows of a group, each line with the names of those that it is for."""
    named = grouped((line, flow) for flow in flows for line in advice.get(flow, ()))
    return [f"{listed(of)}: {line}" for line, of in named.items()]


def flows_without_arrival(flows: Iterable[Row], rows: Sequence[Row]) -> Iterator[str]:
    """Give a line with the main cause for each flow of which no packet arrived with any seed; `rows` explain them."""
    explained = grouped((row["flow"], row) for row in rows)
    for label, counts in grouped((flow["flow"], flow["packets_delivered"]) for flow in flows).items():
        if not any(counts):
            of = "" if len(counts) == 1 else f" with any of {len(counts)} seeds"
            yield f"{label}: no packet arrived{of}: {_main_cause(explained[label])}"


def workloads_without_arrival(classes: Iterable[Row]) -> Iterator[str]:
    """Give a line for each workload of whose flows no payload arrived with any seed; `classes` are its rows."""
    of_all = [row for row in classes if row["class"] == ALL]
    for label, rows in grouped((row["workload"], row) for row in of_all).items():
        arrivals = sum(row["arrivals"] for row in rows)
        if arrivals and not any(row["received_bytes"] for row in rows):
            yield f"{label}: no payload arrived of its {counted(arrivals, 'flow')}"


def _main_cause(rows: Sequence[Row]) -> str:
    """What `farlink explain` says of a flow most often."""
    for place, cause, packets in _drops(rows):
        return f"{packets} packets were dropped at {place} ({cause.replace('_', ' ')})"
    for cause, share in Counter(mean_shares(rows)).most_common(1):
        return f"no packet was dropped, and the {cause.replace('_', ' ')} took {100 * share:.0f} % of its time"
    return "no packet was dropped"


def _drops(rows: Iterable[Row]) -> list[tuple[Any, str, int]]:
    """The packets dropped by place and cause, most of them first."""
    drops: Counter[tuple[Any, str]] = Counter()
    for row in rows:
        for each in row["drops"]:
            drops[each["place"], each["cause"]] += each["packets"]
    return [(*at, packets) for at, packets in drops.most_common()]


def _bottlenecks(rows: Sequence[Row]) -> str:
    """Say how many of the flows have which saturated link or channel."""
    links = Counter(full["link"] for row in rows if (full := row["bottleneck"]))
    without = len(rows) - links.total()
    parts = [f"{link} is the bottleneck of {count}" for link, count in links.most_common()]
    if without:
        parts.append(f"{without} have no saturated link" if parts else "no saturated link")
    return f"{len(rows)} flows: {'; '.join(parts)}. Shares are means per flow, drops those of all."
