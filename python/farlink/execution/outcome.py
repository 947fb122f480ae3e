"""What one seed gave, and what a run of several shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink._farlink import Column, Explanation, Scenario


@dataclass(frozen=True)
class Outcome:
    """What one seed gave."""

    seed: int
    measured: dict[str, Any]
    flow_series: list[Column]
    link_series: list[Column]
    explanation: list[Explanation]
    cpu_s: float
    animation: str | None = None
    """What it takes to play the run again, as JSON."""
    copies: list[Column] | None = None
    """The ledger's rows, if they were kept."""


class Recorded(Protocol):
    """A run, as figures and animations read it."""

    scenario: Scenario
    outcomes: tuple[Outcome, ...]

    @property
    def seeds(self) -> Sequence[int]:
        """The seeds that were run."""

    @property
    def series(self) -> pa.Table:
        """A row per seed, sample and flow."""

    @property
    def link_series(self) -> pa.Table:
        """A row per seed, sample and direction of a link."""

    @property
    def document(self) -> dict[str, Any]:
        """The document that `farlink run --json` prints."""
