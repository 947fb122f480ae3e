"""The time series of a run, as figures read them: of a run just made, or of one in a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from farlink.system.toml import tomllib
from farlink.tables import flow_groups, parameters

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink._farlink import Scenario


OUTAGE = re.compile(r"(.+?)\.\.(.+?)(?: every (.+))?")


class Run(Protocol):
    """A run just made."""

    scenario: Scenario

    @property
    def seeds(self) -> Sequence[int]:
        """The seeds that were run."""

    @property
    def series(self) -> pa.Table:
        """A row per seed, sample and flow."""

    @property
    def link_series(self) -> pa.Table:
        """A row per seed, sample and direction of a link."""


@dataclass(frozen=True)
class Series:
    """What is drawn of a run over time."""

    name: str
    flows: Sequence[str]
    duration_s: float
    seeds: Sequence[int]
    flow_series: pa.Table
    link_series: pa.Table
    outages_s: Sequence[tuple[float, float]] = ()
    """When links are down."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each flow, as in tables, where there are too many flows for a colour each."""

    @classmethod
    def of(cls, run: Run) -> Series:
        """Take them from a run."""
        made = run.scenario
        duration_s = made.duration_ns / 1e9
        down = outages_s(tomllib.loads(made.resolved), duration_s)
        groups = flow_groups.folded(made.flow_labels, [made.resolved])
        return cls(made.name, made.flow_labels, duration_s, run.seeds, run.series, run.link_series, down, groups)


def outages_of(text: str) -> list[tuple[float, float]]:
    """When links are down in a run of a resolved scenario."""
    resolved = tomllib.loads(text)
    return outages_s(resolved, parameters.seconds("duration", resolved["duration"]) or 0.0)


def outages_s(resolved: Mapping[str, Any], end_s: float) -> list[tuple[float, float]]:
    """When links of a resolved scenario are down, in the order of time: `15 s..15200 ms every 15 s`."""
    found = set()
    for link in resolved.get("links", []):
        for text in (*link.get("down", []), *link.get("reverse", {}).get("down", [])):
            written = OUTAGE.fullmatch(text)
            assert written, "a resolved scenario is canonical"
            begin_s, down_until_s, every_s = (parameters.seconds("down", part) for part in written.groups())
            assert begin_s is not None and down_until_s is not None, "both ends are written"
            length_s = down_until_s - begin_s
            while begin_s < end_s:
                found.add((begin_s, min(begin_s + length_s, end_s)))
                if not every_s:
                    break
                begin_s += every_s
    return sorted(found)
