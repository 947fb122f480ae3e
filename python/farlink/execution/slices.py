"""Slices of a run: some tens of milliseconds each, so that Ctrl-C is handled and progress is shown.

A slice ends at a simulated time or after a number of events, for an instant can hold any number of them.
"""

from __future__ import annotations

FIRST_NS = 10_000_000
"""Of simulated time; slices then become longer or shorter until they take so much real time:"""
SHORT_S = 0.02
LONG_S = 0.1
FEWEST = 200
"""Bounds a slice when a long time without events, which takes no time, is followed by traffic."""
FIRST_EVENTS = 10_000
MOST_EVENTS = 500_000


class Slices:
    """Where the slices of a run end."""

    def __init__(self, duration_ns: int) -> None:
        self._duration_ns = duration_ns
        self._longest_ns = max(duration_ns // FEWEST, 1)
        self._step_ns = FIRST_NS
        self._events = FIRST_EVENTS

    def until_ns(self, now_ns: int) -> int:
        """Give the simulated time at which the next slice ends."""
        return min(now_ns + min(self._step_ns, self._longest_ns), self._duration_ns)

    def limit(self, handled: int, max_events: int | None) -> int:
        """Give the number of events after which it ends."""
        limit = handled + self._events
        return limit if max_events is None else min(limit, max_events)

    def adapt(self, took_s: float) -> None:
        """Make the next one longer or shorter than the last, which took so long."""
        if took_s < SHORT_S:
            self._step_ns = min(self._step_ns * 2, self._duration_ns)
            self._events = min(self._events * 2, MOST_EVENTS)
        elif took_s > LONG_S:
            self._step_ns = max(self._step_ns // 2, 1)
            self._events = max(self._events // 2, 1)
