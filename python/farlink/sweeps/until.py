"""More seeds until a mean is known well enough: the stopping rule.

A point runs the sweep's seeds first. As long as the 95 % interval of its mean is wider than asked for, it gets half
as many seeds again, the numbers after the largest one. Only its own runs decide, in the order of their seeds, so
neither threads nor kills nor other points change how many it gets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from farlink import statistics
from farlink._farlink import quantity
from farlink.arguments import TEXT, WHOLE
from farlink.errors import UsageError
from farlink.runs.scenario import Scenario
from farlink.sweeps import measure
from farlink.system.toml_file import WRITE

GROWTH = 1.5
"""Seeds after a round to those before. Few rounds: each test of the interval is one more chance to stop too early."""
FEWEST = 5
"""Seeds of the first round at least; the deviation of fewer says too little."""

Values = Mapping[str, float | None]
"""The measure in one run, by flow."""


@dataclass(frozen=True)
class Until:
    """When a point has enough seeds: its mean is known to `half_width`, or a budget is spent."""

    half_width: str | float = field(metadata={WRITE: "a share such as '5 %', or an amount in the measure's unit"})
    """Of the 95 % interval: `"5 %"` of the mean, `"10 kbit/s"`, or a number in the measure's own unit."""
    measure: str = "goodput_bps"
    flow: str | None = None
    """The flow of the mean; every flow by default."""
    seeds_at_most: int = 100
    time_at_most: str | None = None
    """A duration on the clock after which no further round begins. The only part that depends on the machine."""

    def __post_init__(self) -> None:
        """Refuse what is no width, no number or no duration."""
        TEXT.require("measure", self.measure)
        WHOLE.require("seeds_at_most", self.seeds_at_most)
        for name in ("flow", "time_at_most"):
            if getattr(self, name) is not None:
                TEXT.require(name, getattr(self, name))
        share, width = self._half_widths()
        if not (0 < share < math.inf or 0 < width < math.inf):
            raise UsageError(f"half_width = {self.half_width!r} must be positive")
        if self.time_at_most is not None and not self.time_s > 0:
            raise UsageError(f"time_at_most = {self.time_at_most!r}: write a duration, such as '10 min'")

    @property
    def time_s(self) -> float:
        """`time_at_most` in seconds; 0 where it is no duration."""
        if self.time_at_most is None:
            return math.inf
        found = quantity(self.time_at_most) if isinstance(self.time_at_most, str) else None
        return found[0] if found and found[1] == "s" else 0.0

    def check(self, scenario: Scenario, seeds: Sequence[int]) -> None:
        """Refuse a measure or flow that the scenario does not have, and seeds that leave no room for more."""
        if len(seeds) < FEWEST:
            raise UsageError(f"{len(seeds)} seeds are too few to judge an interval by; begin with {FEWEST} or more")
        if self.seeds_at_most < len(seeds):
            raise UsageError(f"seeds_at_most = {self.seeds_at_most} is less than the {len(seeds)} seeds to begin with")
        if max(seeds) + self.seeds_at_most >= 2**64:
            raise UsageError(f"seed {max(seeds)} leaves no room for further ones")
        measure.check_measure(scenario, self.measure, self.flow)

    def further(self, seeds: Sequence[int], runs: Sequence[Values]) -> list[int]:
        """Give the seeds of the next round of a point whose `seeds` gave `runs`; none when it has enough."""
        if self.is_met(runs) or any(math.inf in run.values() for run in runs):
            return []
        count = min(math.ceil(GROWTH * len(seeds)), self.seeds_at_most) - len(seeds)
        return [max(seeds) + 1 + index for index in range(count)]

    def is_met(self, runs: Sequence[Values]) -> bool:
        """Whether every flow's mean is known well enough."""
        flows = list(runs[0]) if self.flow is None else [self.flow]
        return all(self._is_known([run[flow] for run in runs]) for flow in flows)

    def _is_known(self, values: Sequence[float | None]) -> bool:
        if math.inf in values:  # a percentile that is an unfinished transfer's: so it is with more seeds
            return False
        found = statistics.interval([value for value in values if value is not None])
        if found is None or found.low is None or found.high is None:
            return False
        share, width = self._half_widths()
        return found.high - found.mean <= max(share * abs(found.mean), width)

    def _half_widths(self) -> tuple[float, float]:
        """The half width as a share of the mean, and in the measure's own unit; one of them is 0."""
        if isinstance(self.half_width, str):
            number, percent, rest = self.half_width.partition("%")
            if percent and not rest.strip() and _is_number(number):
                return float(number) / 100, 0.0
            width = quantity(self.half_width)
            if width and self.measure.endswith(f"_{width[1]}"):
                return 0.0, width[0]
            if _is_number(self.half_width):
                return 0.0, float(self.half_width)
        elif isinstance(self.half_width, int | float) and not isinstance(self.half_width, bool):
            return 0.0, float(self.half_width)
        raise UsageError(
            f"half_width = {self.half_width!r}: write a share such as '5 %', or an amount in the unit of {self.measure}"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
