"""A change of a scenario: one value at one path.

`--set`, the tables of sweeps and studies, and the calls of Python are read into changes. `Scenario.changed` applies
them, and the engine checks the scenario that results.
"""

from __future__ import annotations

from typing import NamedTuple

from farlink.errors import UsageError
from farlink.execution.congestion import Factory
from farlink.runs.toml_text import toml


class Change(NamedTuple):
    """A value, and where it was written."""

    path: str
    """Items of lists stand in it by number or label; `*` is every item, `+` a further one."""
    value: str | Factory
    """TOML, a bare word or a quantity; or a class that controls congestion."""
    origin: str | None = None
    """What messages call the place where it was written; without one they show `--set`."""

    @classmethod
    def of(cls, path: str, value: object, origin: str | None = None) -> Change:
        """Make a change of a value of Python; raises `UsageError` for one that no scenario can have."""
        if callable(value):
            match path.split("."):
                case ["flows", flow, "tcp", "congestion_control"] if flow != "+":
                    return cls(path, value, origin)
            raise UsageError(f"{path}: a class is taken at flows.N.tcp.congestion_control, or at flows.*, only")
        try:
            return cls(path, toml(value), origin or call_of_set(path))
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None


def call_of_set(path: str) -> str:
    """What messages call a value that Python set."""
    return f'set("{path}")'
