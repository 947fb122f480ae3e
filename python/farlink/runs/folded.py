"""What limited a group of flows, as one explanation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

MOST_NAMED = 3
"""Flows in front of a line that is the same for several."""


def folded_explanation(name: str, seed: int, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Give the explanation of these flows together, in the form of that of one.

    Shares are means over the flows; drops are added up by place and cause.
    """
    shares: dict[str, float] = {}
    drops: Counter[tuple[str | None, str]] = Counter()
    for row in rows:
        for cause, share in row["limited_by"].items():
            shares[cause] = shares.get(cause, 0.0) + share / len(rows)
        for each in row["drops"]:
            drops[each["place"], each["cause"]] += each["packets"]
    ordered = sorted(drops.items(), key=lambda item: -item[1])
    return {
        "flow": name,
        "seed": seed,
        "text": _bottlenecks(rows),
        "limited_by": dict(sorted(shares.items(), key=lambda item: -item[1])),
        "drops": [{"place": place, "cause": cause, "packets": packets} for (place, cause), packets in ordered],
    }


def advice_of_group(flows: Sequence[str], advice: Mapping[str, Sequence[str]]) -> list[str]:
    """Give the advice for the flows of a group, each line with the names of those that it is for."""
    named: dict[str, list[str]] = {}
    for flow in flows:
        for line in advice.get(flow, ()):
            named.setdefault(line, []).append(flow)
    return [f"{_listed(of)}: {line}" for line, of in named.items()]


def _listed(flows: Sequence[str]) -> str:
    more = [f"{len(flows) - MOST_NAMED} more"] if len(flows) > MOST_NAMED else []
    return ", ".join([*flows[:MOST_NAMED], *more])


def _bottlenecks(rows: Sequence[dict[str, Any]]) -> str:
    """Say how many of the flows have which saturated link or channel."""
    links = Counter(full["link"] for row in rows if (full := row["bottleneck"]))
    without = len(rows) - links.total()
    parts = [f"{link} is the bottleneck of {count}" for link, count in links.most_common()]
    if without:
        parts.append(f"{without} have no saturated link" if parts else "no saturated link")
    return f"{len(rows)} flows: {'; '.join(parts)}. Shares are means per flow, drops those of all."
