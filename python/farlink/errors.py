"""What can go wrong besides a refused scenario (`farlink.ScenarioError`)."""

from __future__ import annotations

from farlink.printable import message as shortened


class UsageError(ValueError):
    """What was asked for cannot be done; the message, one line, says what to ask for instead."""

    def __init__(self, message: str) -> None:
        super().__init__(shortened(message))


class UsageTypeError(UsageError, TypeError):
    """An argument is of a wrong type."""


class EventLimitError(RuntimeError):
    """A run needed more events than `max_events`; nothing of it is kept."""


class MemoryLimitError(MemoryError):
    """A run needs more memory than there is; nothing of it is kept."""


class StoreError(Exception):
    """A store of results is damaged or could not be written; the message names the file and the remedy."""


class ExecutorError(RuntimeError):
    """A run could not be made for a reason outside of it: a process, a worker or a scheduler."""


GUARD = 'in a script, what starts the sweep must stand under `if __name__ == "__main__":`'
"""The remedy where processes did not come up: each begins by importing the script."""
