"""The files that a scenario reads: no output may replace one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import farlink._farlink as engine
from farlink.errors import UsageError


class Readable(Protocol):
    """What a scenario says of its files."""

    @property
    def origin(self) -> str:
        """What messages call its text: the path, if it was read from a file."""

    @property
    def folder(self) -> Path:
        """Where the files that it names are."""

    @property
    def validated(self) -> engine.Scenario:
        """The checked scenario."""


def refuse_inputs(scenario: Readable, targets: Iterable[Path | None]) -> None:
    """Refuse, before a run, an output that would replace a file of the scenario; raises `ScenarioError`, too."""
    for target in targets:
        if target is not None and any(_is_same(source, target) for source in _files(scenario)):
            raise UsageError(f"{target}: the scenario reads this file; choose another name for the output")


def _files(scenario: Readable) -> Iterator[Path]:
    # A built-in scenario's origin is its name; an earlier output may be called so.
    if scenario.origin not in {name for name, _, _ in engine.built_in()}:
        yield Path(scenario.origin)
    for name in scenario.validated.file_hashes:
        yield scenario.folder / name


def _is_same(source: Path, target: Path) -> bool:
    try:
        return source.samefile(target)
    except (OSError, ValueError):  # one of them does not exist, or could not
        return False
