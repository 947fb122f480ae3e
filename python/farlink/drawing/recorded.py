"""The time series of a run, as figures read them: of a run just made, or of one in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink._farlink import Scenario


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

    @classmethod
    def of(cls, run: Run) -> Series:
        """Take them from a run."""
        made = run.scenario
        return cls(made.name, made.flow_labels, made.duration_ns / 1e9, run.seeds, run.series, run.link_series)
