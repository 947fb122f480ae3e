"""The column that a path to every item of a list (`flows.*.tcp.ecn`) means in results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from farlink.errors import UsageError
from farlink.tables import labels, parameters


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
