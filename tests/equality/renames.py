"""Old names become new ones: in the columns of an old build's hashes, and in its scenario files.

A rename is `(place, old, new)`. The place of a key of the scenario file is the key of its table and, of a model, the
model's name (`channels`, `mac frn`); that of a value has the value's key besides (`mac frn combine`). The place of a
result is `results` and its table (`results flows`), or `results` alone for a name that several tables have.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

Rename = tuple[str, str, str]


def column(name: str, renames: Sequence[Rename]) -> str:
    """The present name of a column: `flows.drops.collision`, `copies.reason=acknowledged`."""
    table = name.partition(".")[0]
    words = {old: new for place, old, new in renames if place in ("results", f"results {table}")}
    return "".join(words.get(part, part) for part in re.split(r"([.=])", name))


def scenario(document: dict[str, Any], renames: Sequence[Rename]) -> str:
    """The text of a scenario with its present keys and values."""
    return "\n".join(f"{key} = {toml(value)}" for key, value in renamed(document, "", renames).items())


def renamed(table: dict[str, Any], place: str, renames: Sequence[Rename]) -> dict[str, Any]:
    """A table with present keys and values."""
    words = {(where, old): new for where, old, new in renames}
    result = {}
    for key, value in table.items():
        path = f"{place} {key}".strip()
        present = [within(key, each, path, renames) for each in (value if isinstance(value, list) else [value])]
        result[words.get((place, key), key)] = present if isinstance(value, list) else present[0]
    return result


def within(key: str, value: Any, path: str, renames: Sequence[Rename]) -> Any:
    """A value with present keys, or the present word for it."""
    if isinstance(value, dict):
        key = "channels" if key == "radio" else key
        return renamed(value, f"{key} {value['name']}" if key in MODELS and "name" in value else key, renames)
    return next((new for where, old, new in renames if (where, old) == (path, value)), value)


MODELS = {
    "application",
    "congestion_control",
    "error",
    "mac",
    "mobility",
    "phy",
    "propagation",
    "queue",
    "recovery",
    "route_failure",
    "routing",
    "topology",
}
"""The keys whose tables are models."""


def toml(value: Any) -> str:
    """A value as TOML in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return repr(value) if isinstance(value, float) else json.dumps(value)
