"""Warnings of scenarios that are valid but implausible: announced to Python, and as rows of a document."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from farlink.printable import printable

if TYPE_CHECKING:
    from farlink._farlink import ScenarioWarning

PARTS = ("file", "line", "column", "key", "message", "remedy")
CALLER = 4
"""Frames from `warnings.warn` to who called `run`: here, `run`, and the check of its arguments between them."""


def announce(found: Iterable[ScenarioWarning]) -> None:
    """Issue warnings where `run` was called."""
    for warning in found:
        warnings.warn(warning, stacklevel=CALLER)


def line_of(row: Mapping[str, Any]) -> str:
    """Write a row of a document as the line of a warning."""
    where = f"{row['file']}:{row['line']}:{row['column']}: {row['key']}: {row['message']}"
    return printable(f"{where}; {row['remedy']}" if row["remedy"] else where)


def rows(found: Sequence[ScenarioWarning]) -> list[dict[str, str | int]]:
    """Give the parts of each, for a JSON document."""
    return [{part: getattr(warning, part) for part in PARTS} for warning in found]
