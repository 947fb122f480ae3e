"""How many events a run takes and how much memory, to an order of magnitude, and whether that is too much."""

from __future__ import annotations

from typing import NamedTuple

from farlink._farlink import Scenario
from farlink.errors import MemoryLimitError
from farlink.system.memory import available

MOST_EVENTS = 1e10
MOST_BYTES = 8e9
"""Above either a run is warned of, unless other bounds are set."""
FITS = 1e8
"""Bytes that are taken without asking the system how many are free."""


class Amount(NamedTuple):
    """How much a run takes, rather an upper bound: losses and searches for routes are left out."""

    total: float
    cause: str
    """What takes most of it."""
    remedy: str


class Estimate(NamedTuple):
    """What one run takes."""

    events: Amount
    bytes: Amount
    certain_bytes: Amount
    """What it takes whatever happens in it."""

    @classmethod
    def of(cls, scenario: Scenario, *, series: bool = True) -> Estimate:
        """Estimate a run that keeps time series or not."""
        return cls(*(Amount(*amount) for amount in scenario.estimate(series)))

    def warnings(self, most_events: float = MOST_EVENTS, most_bytes: float = MOST_BYTES, runs: int = 1) -> list[str]:
        """Say what is above a bound, what takes it and what makes it less; `runs` are made at the same time."""
        found = []
        if self.events.total > most_events:
            estimated, bound = format_order_of_magnitude(self.events.total), format_order_of_magnitude(most_events)
            much = f"about {estimated} events, more than {bound}"
            found.append(f"{much}: {self.events.cause}; {self.events.remedy}")
        if runs * self.bytes.total > most_bytes:
            much = f"about {format_bytes(runs * self.bytes.total)} of memory, more than {format_bytes(most_bytes)}"
            found.append(f"{much}: {self.bytes.cause}; {self.bytes.remedy}")
        return found

    def check(self, name: str) -> None:
        """Refuse what cannot be allocated."""
        needed = self.certain_bytes
        if needed.total > FITS and needed.total > (free := available()):
            much = f"{format_bytes(needed.total)} of memory are needed and {format_bytes(max(free, 0))} are free"
            raise MemoryLimitError(f"{name}: {much}: {needed.cause}; {needed.remedy}")

    def __str__(self) -> str:
        return (
            f"about {format_order_of_magnitude(self.events.total)} events, {format_bytes(self.bytes.total)} of memory"
        )


def format_order_of_magnitude(count: float) -> str:
    """Write an order of magnitude."""
    return f"{count:.0e}".replace("e+", "e").replace("e0", "e")


def format_bytes(count: float) -> str:
    """Write a number of bytes with two digits."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= factor:
            return f"{count / factor:.2g} {unit}" if count < 100 * factor else f"{count / factor:.0f} {unit}"
    return f"{count / 1e3:.0f} kB"
