"""The files that a scenario reads: no output may replace one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from farlink.errors import UsageError


def refuse_inputs(sources: Sequence[Path], targets: Iterable[Path | None]) -> None:
    """Refuse, before a run, an output that would replace a file that the scenario reads."""
    for target in targets:
        if target is not None and any(_is_same(source, target) for source in sources):
            raise UsageError(f"{target}: the scenario reads this file; choose another name for the output")


def _is_same(source: Path, target: Path) -> bool:
    try:
        return source.samefile(target)
    except (OSError, ValueError):  # one of them does not exist, or could not
        return False
