"""What can go wrong besides a refused scenario (`farlink.ScenarioError`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farlink import printable

if TYPE_CHECKING:
    from pathlib import Path

    from farlink.results import Results
    from farlink.run import Run


class UsageError(ValueError):
    """What was asked for cannot be done; the message, one line, says what to ask for instead."""

    def __init__(self, message: str) -> None:
        super().__init__(printable.message(message))


class UsageTypeError(UsageError, TypeError):
    """An argument is of a wrong type."""


class EventLimitError(RuntimeError):
    """A run needed more events than `max_events`; nothing of it is kept."""


class MemoryLimitError(MemoryError):
    """A run needs more memory than there is; nothing of it is kept."""


class StoreError(Exception):
    """A store of results is damaged or could not be written; the message names the file and the remedy."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; `run` holds the seeds that were finished."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"interrupted; finished seeds: {list(run.seeds)}")
        self.run = run


class IncompleteError(RuntimeError):
    """Runs are missing because their executor failed; the finished ones are in `folder`, and in `results` if any."""

    def __init__(self, done: int, asked: int, folder: Path, cause: str, results: Results | None) -> None:
        super().__init__(done, asked, folder, cause, results)
        self.done = done
        self.asked = asked
        self.folder = folder
        self.cause = cause
        self.results = results

    def told(self, remedy: str) -> str:
        """Give the message with the remedy."""
        return f"{self.done} of {self.asked} runs are finished and kept in {self.folder}; {self.cause}; {remedy}"

    def __str__(self) -> str:
        return self.told("the same call resumes")


class ExecutorError(RuntimeError):
    """A run could not be made for a reason outside of it: a process, a worker or a scheduler."""


GUARD = 'in a script, what starts the sweep must stand under `if __name__ == "__main__":`'
"""The remedy where processes did not come up: each begins by importing the script."""
