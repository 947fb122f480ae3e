"""The links of an animation: how long their queues were, and when they were down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from farlink._farlink import quantity
from farlink.system.toml import tomllib

if TYPE_CHECKING:
    import pyarrow as pa


MOST_QUEUES = 6
"""Curves of queues: of the links that queued most."""
LEAST_QUEUE = 0.01
"""Of the longest mean queue: shorter ones are lines along the axis."""
MOST_OUTAGES = 2_000
"""Of all links together; more are too narrow to be seen."""


def queue_curves(series: pa.Table, longest: int) -> list[dict[str, Any]]:
    """The queues of the links that queued most, in the order of the scenario."""
    import pyarrow.compute as pc

    if not series.num_rows:
        return []
    totals = series.group_by("link").aggregate([("queue_packets", "sum")]).to_pylist()
    ranked = sorted(totals, key=lambda each: -each["queue_packets_sum"])[:MOST_QUEUES]
    least = max(LEAST_QUEUE * ranked[0]["queue_packets_sum"], 1)
    chosen = {each["link"] for each in ranked if each["queue_packets_sum"] >= least}
    names = series["link"].cast("string")
    found = []
    for link in dict.fromkeys(names.to_pylist()):
        if link in chosen:
            mine = series.filter(pc.equal(names, link))
            mine = mine.take(list(range(0, mine.num_rows, -(-mine.num_rows // longest))))
            time_s = [round(time, 6) for time in mine["time_s"].to_pylist()]
            found.append({"link": link, "time_s": time_s, "queue_packets": mine["queue_packets"].to_pylist()})
    return found


def outages(resolved: str, duration_s: float) -> list[dict[str, Any]]:
    """When which link was down in either direction, in seconds, up to the end of the run."""
    found: list[dict[str, Any]] = []
    for number, link in enumerate(tomllib.loads(resolved).get("links", [])):
        written = dict.fromkeys([*link.get("down", []), *link.get("reverse", {}).get("down", [])])
        for text in written:
            for begin, end in _recurrences(text, duration_s):
                if len(found) == MOST_OUTAGES:
                    return found
                found.append({"link": number, "begin_s": begin, "end_s": min(end, duration_s)})
    return found


def _recurrences(outage: str, duration_s: float) -> Iterator[tuple[float, float]]:
    """Each time of `15 s..15200 ms every 15 s` until the end of the run."""
    first, _, every = outage.partition(" every ")
    begin, end = (_seconds(part) for part in first.split(".."))
    period = _seconds(every) if every else duration_s
    while begin < duration_s:
        yield round(begin, 9), round(end, 9)
        begin, end = begin + period, end + period


def _seconds(text: str) -> float:
    read = quantity(text)
    assert read is not None, "the engine wrote it"
    return read[0]
