"""The schema of a scenario, and values that it allows or nearly allows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

Schema = dict[str, Any]

ROOT = Path(__file__).resolve().parents[3]

INTEGERS = (-1, 0, 1, 2, 3, 7, 64, 255, 65536, 2**31, 2**32, 2**53 + 1, 2**63 - 1, -(2**63))
NUMBERS = (-1.0, 0.0, -0.0, 1e-320, 1e-9, 0.1, 0.5, 0.999999, 1.0, 2.0, 1e3, 1e9, 1e300, float("inf"), float("nan"))
TEXTS = (
    "",
    " ",
    "n0",
    "none",
    "*",
    "a.b",
    "\t",
    "\u202e",
    "é" * 40,
    "x" * 5000,
    "\x1b[31m",
    "=1+1",
    "a\nb",
    "\x00",
    "💧",
)
FILES = ("", ".", "..", "no.csv", "case.toml", "/dev/null", "a\x00b")
MOST = 3
"""Items of a list that is made."""


@cache
def scenario() -> Schema:
    """The schema of a scenario file."""
    schema: Schema = json.loads((ROOT / "schema" / "farlink.schema.json").read_text(encoding="utf-8"))
    return schema


def choices(schema: Schema) -> list[Schema]:
    """What may stand here, without references and alternatives."""
    if "$ref" in schema:
        return choices(scenario()["$defs"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return [inner for each in schema["anyOf"] for inner in choices(each)]
    return [schema]


def fitting(schema: Schema, value: Any) -> Schema:
    """The alternative that `value` was written for, or the first."""
    alternatives = choices(schema)
    for each in alternatives:
        if isinstance(value, dict) and each.get("type") == "object":
            name = each["properties"].get("name", {}).get("const")
            if name == value.get("name") and value.keys() <= each["properties"].keys():
                return each
        if isinstance(value, list) and each.get("type") == "array":
            return each
        if isinstance(value, str) and ("enum" in each or each.get("type") == "string"):
            return each
    return alternatives[0]


def value(schema: Schema, random: Random, depth: int = 0) -> Any:
    """A value of the type that `schema` describes, often at a border of it."""
    chosen = random.choice(choices(schema))
    if random.random() < 0.3 and "default" in schema:
        return schema["default"]
    if "const" in chosen:
        return chosen["const"]
    if "enum" in chosen:
        return random.choice(chosen["enum"])
    match chosen.get("type"):
        case "boolean":
            return random.random() < 0.5
        case "integer":
            least = chosen["minimum"]
            return random.choice((least, least + 1, random.randint(1, 9), random.choice(INTEGERS)))
        case "number":
            bounds = [chosen[key] for key in ("minimum", "maximum") if key in chosen]
            return random.choice((random.choice((*bounds, *NUMBERS)), random.uniform(0, 1), random.uniform(0, 20)))
        case "array":
            return [value(chosen["items"], random, depth + 1) for _ in range(random.randint(0, MOST))]
        case "object":
            return table(chosen, random, depth)
    return text(chosen, random)


def table(schema: Schema, random: Random, depth: int) -> dict[str, Any]:
    """A table with what it must have, and some of what it may have."""
    required = schema.get("required", [])
    optional = 0.0 if depth > MOST else 0.2
    return {
        key: value(inner, random, depth + 1)
        for key, inner in schema["properties"].items()
        if key in required or random.random() < optional
    }


def text(schema: Schema, random: Random) -> str:
    """A quantity, an example, or any text."""
    units = re.search(r"\\s\*\(([^()]+)\)\\s\*\$$", schema.get("pattern", ""))
    if units:
        return quantity(units[1].split("|"), random)
    if "examples" in schema:
        return str(random.choice(schema["examples"]))
    if "file" in schema.get("description", ""):
        return random.choice(FILES)
    return random.choice(TEXTS)


def quantity(units: list[str], random: Random) -> str:
    """A number with a unit."""
    extreme = random.choice((*NUMBERS, *INTEGERS))
    number = random.choice((extreme, random.randint(1, 200), round(random.uniform(0, 10), 3)))
    return f"{number!r} {random.choice(units)}"


def places(
    node: Any, schema: Schema, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Schema]]:
    """Every place in a document, with what may stand there."""
    if path:
        yield path, schema
    chosen = fitting(schema, node)
    if isinstance(node, dict):
        for key, inner in node.items():
            yield from places(inner, chosen.get("properties", {}).get(key, {}), (*path, key))
    elif isinstance(node, list):
        for index, inner in enumerate(node):
            yield from places(inner, chosen.get("items", {}), (*path, index))
