"""The links of an animation: how long their queues were, and when they were down."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from farlink.drawing.recorded import longest_queues, outages_of_links
from farlink.system.toml import tomllib

if TYPE_CHECKING:
    import pyarrow as pa


MOST_OUTAGES = 2_000
"""Of all links together; more are too narrow to be seen."""


def queue_curves(series: pa.Table, longest: int) -> list[dict[str, Any]]:
    """The queues of the links that queued most, in the order of the scenario."""
    import pyarrow.compute as pc

    found = []
    for link in longest_queues(series):
        mine = series.filter(pc.equal(series["link"].cast("string"), link))
        mine = mine.take(list(range(0, mine.num_rows, -(-mine.num_rows // longest))))
        time_s = [round(time, 6) for time in mine["time_s"].to_pylist()]
        found.append({"link": link, "time_s": time_s, "queue_packets": mine["queue_packets"].to_pylist()})
    return found


def outages(resolved: str) -> list[dict[str, Any]]:
    """When which link was down in either direction, in seconds, up to the end of the run."""
    found = islice(outages_of_links(tomllib.loads(resolved)), MOST_OUTAGES)
    return [{"link": number, "begin_s": begin_s, "end_s": end_s} for number, begin_s, end_s in found]
