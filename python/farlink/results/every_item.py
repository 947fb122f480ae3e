"""The column that a path means in results, also one with labels or to every item of a list (`flows.*.tcp.ecn`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import farlink._farlink as engine
from farlink.errors import UsageError
from farlink.tables import labels, parameters


def resolved_path(path: str, columns: Sequence[str], resolved: Sequence[str], folder: Path) -> str:
    """Give the path with numbers in place of labels, which are those of the first run's scenario."""
    if "." not in path or path in columns:
        return path
    try:
        number = engine.resolve_path(resolved[0], str(folder), [], path)
        if number in map(labels.without_unit, columns):
            return number
        return column(number, columns, resolved) if "*" in number else number
    except engine.ScenarioError as error:
        raise UsageError(f"there is no column {path}: {error.message}; {error.remedy}") from None


def column(path: str, columns: Iterable[str], resolved: Sequence[str]) -> str:
    """Give the column of the first item, where all items of each run have the same value; refuse others."""
    pattern = re.compile(re.escape(path).replace(re.escape("*"), r"\d+"))
    found = [name for name in columns if pattern.fullmatch(name) or pattern.fullmatch(labels.without_unit(name))]
    if not found:
        raise UsageError(f"there is no column {path}: no item of it has different values in these runs")
    for text in dict.fromkeys(resolved):
        flat = parameters.flatten(text)
        values = {key: value for key, value in flat.items() if pattern.fullmatch(key)}
        if len(set(map(repr, values.values()))) > 1:
            raise UsageError(f"{path}: a run has different values there; name one of its columns: {', '.join(found)}")
    return found[0]
