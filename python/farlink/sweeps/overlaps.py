"""Two opinions of a sweep on one value: the later one would replace the earlier at every point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from farlink.errors import UsageError
from farlink.runs import paths


@dataclass(frozen=True)
class Given:
    """Values that a sweep sets at a path; `name` is how its author wrote that, `path` has numbers instead of labels."""

    name: str
    path: str
    values: Sequence[Any]
    group: int
    """Of those that are set together: a group of `zip`, `cross`, an override, `derive`."""
    is_override: bool = False


def refuse(given: Sequence[Given]) -> None:
    """Refuse the first two of these, in the order in which they are set, of which one replaces the other.

    A key may follow the table that it is in, unless a value of the table has the key, too: first the queue, then its
    limit. An override replaces the value of the same path, or of another override.
    """
    for place, later in enumerate(given):
        for earlier in given[:place]:
            is_meant = later.is_override and (earlier.is_override or earlier.path == later.path)
            if not is_meant and paths.overlap(earlier.path, later.path) and not _follows(earlier, later):
                raise UsageError(f"{earlier.name} and {later.name}: {_reason(earlier, later)}")


def _follows(table: Given, key: Given) -> bool:
    """Whether this is a key in a table none of whose values has it."""
    rest = key.path.split(".")[len(table.path.split(".")) :]
    return bool(rest) and not any(_has(value, rest) for value in table.values)


def _has(value: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]
    return True


def _reason(earlier: Given, later: Given) -> str:
    if earlier.group == later.group and _follows(later, earlier):
        return f"{later.path} replaces the table that {earlier.path} is in; write {later.name} first"
    return "both set the same value, and the second replaces the first; leave one of them out"
