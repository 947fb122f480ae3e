"""What can go wrong besides a refused scenario (`farlink.ScenarioError`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from farlink.run import Run


class UsageError(ValueError):
    """What was asked for cannot be done; the message says what to ask for instead."""


class EventLimitError(RuntimeError):
    """A run needed more events than `max_events`; nothing of it is kept."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; `run` holds the seeds that were finished."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"interrupted; finished seeds: {list(run.seeds)}")
        self.run = run


GUARD = 'in a script, what starts the sweep must stand under `if __name__ == "__main__":`'
"""The remedy where processes did not come up: each begins by importing the script."""
