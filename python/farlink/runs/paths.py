"""Paths to keys of scenarios, by the JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import farlink._farlink as engine


def may_exist(path: str) -> bool:
    """Whether some scenario has a key at this path; of a role the parameters of all models count."""
    return _tables_at(path.split(".")) is not None


def keys_of(table: str) -> list[str]:
    """The keys that some scenario has in the table at this path, empty for the document; none if it is no table."""
    tables = _tables_at(table.split(".") if table else []) or []
    return sorted({key for each in tables for key in each.get("properties", {})})


def _tables_at(parts: Sequence[str]) -> list[Mapping[str, Any]] | None:
    """What may stand at a path, each alternative by itself; None where no scenario has such a key."""
    tables = list(_alternatives(_schema()))
    for part in parts:
        lists = [table["items"] for table in tables if "items" in table]
        found = [table["properties"][part] for table in tables if part in table.get("properties", {})]
        if any("properties" in table for table in tables) and not lists and not found:
            return None
        tables = [table for place in (*lists, *found) for table in _alternatives(place)]
    return tables


def replaces(later: str, earlier: str) -> bool:
    """Whether a value at path `later` leaves nothing of one at `earlier`; both have numbers in place of labels."""
    wide, parts = later.split("."), earlier.split(".")
    if "+" in parts or len(wide) > len(parts):
        return False
    return all(one in ("*", other) for one, other in zip(wide, parts, strict=False))


def overlap(earlier: str, later: str) -> bool:
    """Whether there is a value that both paths lead to, or a table that has the other's value in it."""
    parts = zip(earlier.split("."), later.split("."), strict=False)
    # `+` adds an item, which a later `*` leads to.
    return all(other != "+" and (one == other or "*" in (one, other)) for one, other in parts)


@cache
def _schema() -> Mapping[str, Any]:
    made: Mapping[str, Any] = json.loads(engine.schema())
    return made


def _alternatives(place: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What may stand in a place, each by itself."""
    if "$ref" in place:
        yield from _alternatives(_schema()["$defs"][place["$ref"].rpartition("/")[2]])
    elif "anyOf" in place:
        for each in place["anyOf"]:
            yield from _alternatives(each)
    else:
        yield place
