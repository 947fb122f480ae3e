"""What stations are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


def names(rows: Sequence[Mapping[str, Any]], run: str) -> list[str]:
    """Give the name of the station in each row: its node, or CHANNEL.NODE where a node has several in one run.

    `run` is the column that tells runs apart.
    """
    counts = Counter((row[run], row["node"]) for row in rows)
    several = {node for (_, node), count in counts.items() if count > 1}
    return [f"{row['channel']}.{row['node']}" if row["node"] in several else row["node"] for row in rows]
