"""The time series of a run, as figures read them: of a run just made, or of one in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from farlink.errors import UsageError
from farlink.system.toml import tomllib
from farlink.tables import flow_groups, parameters

if TYPE_CHECKING:
    import pyarrow as pa

MOST_QUEUES = 6
"""Curves of queues: of the links that queued most."""
LEAST_QUEUE = 0.01
"""Of the longest mean queue: shorter ones would be lines along the axis."""


@dataclass(frozen=True)
class Series:
    """What is drawn of a run over time."""

    name: str
    flows: Sequence[str]
    duration_s: float
    seeds: Sequence[int]
    flow_series: pa.Table
    """A row per seed, sample and flow."""
    link_series: pa.Table
    """A row per seed, sample and direction of a link."""
    outages_s: Sequence[tuple[float, float]] = ()
    """When links are down."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each flow, as in tables, where there are too many flows for a colour each."""

    @classmethod
    def of(cls, text: str, seeds: Sequence[int], flow_series: pa.Table, link_series: pa.Table) -> Series:
        """Make them with what the resolved scenario says of the run."""
        scenario = tomllib.loads(text)
        flows = [flow["label"] for flow in scenario.get("flows", [])]
        if not flows:
            raise UsageError(f"{scenario['name']}: curves are of [[flows]], and there are only workloads")
        return cls(
            name=scenario["name"],
            flows=flows,
            duration_s=_seconds(scenario["duration"]),
            seeds=seeds,
            flow_series=flow_series,
            link_series=link_series,
            outages_s=outages_s(scenario),
            groups=flow_groups.folded(flows, [text]),
        )


def outages_s(resolved: Mapping[str, Any]) -> list[tuple[float, float]]:
    """When links of a resolved scenario are down, in the order of time."""
    return sorted({(begin_s, end_s) for _, begin_s, end_s in outages_of_links(resolved)})


def outages_of_links(resolved: Mapping[str, Any]) -> Iterator[tuple[int, float, float]]:
    """When which link is down in either direction, until the end of the run: `15 s..15200 ms every 15 s`."""
    duration_s = _seconds(resolved["duration"])
    for number, link in enumerate(resolved.get("links", [])):
        for text in dict.fromkeys([*link.get("down", []), *link.get("reverse", {}).get("down", [])]):
            first, _, every = text.partition(" every ")
            begin_s, end_s = map(_seconds, first.split(".."))
            period_s = _seconds(every) if every else duration_s
            while begin_s < duration_s:
                yield number, round(begin_s, 9), round(min(end_s, duration_s), 9)
                begin_s, end_s = begin_s + period_s, end_s + period_s


def _seconds(text: str) -> float:
    read = parameters.seconds("scenario", text)
    assert read is not None, "a resolved scenario has it"
    return read


def longest_queues(link_series: pa.Table) -> list[str]:
    """The links that queued most, in the order of the scenario."""
    links = dict.fromkeys(link_series["link"].to_pylist()) if link_series.num_rows else {}
    rows = link_series.group_by("link").aggregate([("queue_packets", "sum")]).to_pylist() if links else []
    totals = {row["link"]: row["queue_packets_sum"] for row in rows}
    ranked = sorted(links, key=lambda link: -totals[link])[:MOST_QUEUES]
    return [link for link in links if link in ranked and totals[link] >= max(LEAST_QUEUE * totals[ranked[0]], 1)]
