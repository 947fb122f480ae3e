"""A point that a tuning tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from farlink.statistics import Interval


@dataclass(frozen=True)
class TriedPoint:
    """A point: its mean over the seeds it was given, and how far that is from the best one's over the same seeds."""

    settings: Mapping[str, str]
    seeds: int
    is_finished: bool
    """Whether it had all seeds."""
    interval: Interval | None
    """None if a run has no value."""
    behind: Interval | None
    """Of the paired differences to the best point; None for that point itself."""

    @property
    def may_be_best(self) -> bool:
        """Whether its runs do not tell it from the best point."""
        found = self.behind
        return found is not None and (found.low is None or found.high is None or found.low <= 0 <= found.high)
