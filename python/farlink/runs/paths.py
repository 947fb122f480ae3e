"""Paths to keys of scenarios, by the JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import farlink._farlink as engine


def may_exist(path: str) -> bool:
    """Whether some scenario has a key at this path; of a role the parameters of all models count."""
    places: Sequence[Mapping[str, Any]] = [_schema()]
    for part in path.split("."):
        tables = [table for place in places for table in _alternatives(place)]
        lists = [table["items"] for table in tables if "items" in table]
        found = [table["properties"][part] for table in tables if part in table.get("properties", {})]
        if any("properties" in table for table in tables) and not lists and not found:
            return False
        places = [*lists, *found]
    return True


def replaces(later: str, earlier: str) -> bool:
    """Whether a value at path `later` leaves nothing of one at `earlier`; both have numbers in place of labels."""
    wide, parts = later.split("."), earlier.split(".")
    if "+" in parts or len(wide) > len(parts):
        return False
    return all(one in ("*", other) for one, other in zip(wide, parts, strict=False))


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
