"""Mutations: of a document by its schema, and of bytes."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

import schema as types

Document = dict[str, Any]
Path = tuple[str | int, ...]

BARE = re.compile(r"[A-Za-z0-9_-]+")
NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?")
DEEP = (3, 30, 100, 3000)
"""Depths of nested values; parsers must survive the last one."""


def document(given: Document, random: Random, schema: types.Schema) -> Document:
    """Mutate a document, which `schema` describes, in one to three places."""
    made = copy.deepcopy(given)
    for _ in range(random.choice((1, 1, 1, 1, 1, 3))):
        known = list(types.places(made, schema))
        if not known:
            break
        path, allowed = random.choice(known)
        random.choices(list(OPERATIONS), weights=list(OPERATIONS.values()))[0](made, path, allowed, random)
    return made


def at(made: Document, path: Path) -> Any:
    """What holds the last key of `path`."""
    for key in path[:-1]:
        made = made[key]
    return made


def retype(made: Document, path: Path, schema: types.Schema, random: Random) -> None:
    """Write another value of the same type; what may be any text is mostly a name."""
    nodes = made.get("nodes")
    names = (
        [node["name"] for node in nodes if isinstance(node, dict) and "name" in node] if isinstance(nodes, list) else []
    )
    is_text = schema.keys() <= {"type", "description", "default"}
    if is_text and names and random.random() < 0.7:
        at(made, path)[path[-1]] = random.choice(names)
    else:
        at(made, path)[path[-1]] = types.value(schema, random) if schema else random.choice(types.TEXTS)


def requantify(made: Document, path: Path, _: types.Schema, random: Random) -> None:
    """Change the number or the unit of a quantity, or a number."""
    holder, key = at(made, path), path[-1]
    match holder[key]:
        case str() as written if (parts := written.partition(" "))[1]:
            mild = (parts[0], str(random.randint(1, 9)), str(random.randint(1, 999)), f"{parts[0]}0", f"0{parts[0]}")
            wild = (f"-{parts[0]}", f"{parts[0]}e9", f"{parts[0]}e-12", "0", "inf")
            unit = parts[2] if random.random() < 0.8 else random.choice(("s", "ms", "B", "bit/s", "m", "", "dB"))
            holder[key] = f"{random.choice(random.choice((mild, mild, wild)))} {unit}"
        case bool() | str():
            holder[key] = random.choice(types.INTEGERS)
        case int() | float() as number:
            mild = (number + 1, number - 1, number * 2, number // 3)
            holder[key] = random.choice(random.choice((mild, mild, (-number, number / 3), types.NUMBERS)))
        case _:
            holder[key] = []


def delete(made: Document, path: Path, _: types.Schema, random: Random) -> None:
    """Leave a key or an item out."""
    del at(made, path)[path[-1]]


def double(made: Document, path: Path, _: types.Schema, random: Random) -> None:
    """Write an item of a list twice, or a value under two keys."""
    holder = at(made, path)
    if isinstance(holder, list):
        holder.insert(random.randint(0, len(holder)), copy.deepcopy(holder[path[-1]]))
    else:
        holder[f"{path[-1]}{random.choice(('', '2', '_'))}"] = copy.deepcopy(holder[path[-1]])


def rename(made: Document, path: Path, schema: types.Schema, random: Random) -> None:
    """Misspell a key, or take another one."""
    holder, key = at(made, path), path[-1]
    if isinstance(holder, dict):
        other = random.choice((str(key)[1:], f"{key}x", str(key).upper(), "name", "", "rate", "a b", "é", "\x1b"))
        holder[other] = holder.pop(key)
    else:
        holder.reverse()


def extend(made: Document, path: Path, _: types.Schema, random: Random) -> None:
    """Add a key that may stand beside this one."""
    holder, allowed = at(made, path), types.scenario()
    for key in path[:-1]:
        chosen = types.fitting(allowed, None if isinstance(key, int) else {})
        allowed = chosen.get("items", {}) if isinstance(key, int) else chosen.get("properties", {}).get(key, {})
    properties = types.fitting(allowed, holder).get("properties", {})
    if isinstance(holder, dict) and properties:
        key = random.choice(list(properties))
        holder[key] = types.value(properties[key], random)


def nest(made: Document, path: Path, _: types.Schema, random: Random) -> None:
    """Put the value into lists or tables."""
    holder, key = at(made, path), path[-1]
    inner = holder[key]
    depth = random.choice((1, 1, 1, *DEEP))
    holder[key] = Nested(inner, depth, is_list=random.random() < 0.5)


def exchange(made: Document, path: Path, _: types.Schema, random: Random) -> None:
    """Write what stands somewhere else."""
    other, _ = random.choice(list(types.places(made, types.scenario())))
    at(made, path)[path[-1]] = copy.deepcopy(at(made, other)[other[-1]])


OPERATIONS: dict[Callable[[Document, Path, types.Schema, Random], None], int] = {
    retype: 10,
    requantify: 8,
    extend: 6,
    delete: 2,
    double: 2,
    rename: 1,
    nest: 1,
    exchange: 2,
}


class Nested(list[Any]):
    """A value within lists or tables of one item, without a recursion of Python's own."""

    def __init__(self, inner: Any, depth: int, *, is_list: bool) -> None:
        super().__init__()
        self.inner, self.depth, self.brackets = inner, depth, ("[", "]") if is_list else ("{ a = ", " }")

    def __deepcopy__(self, memo: dict[int, Any]) -> Nested:
        return self


def toml(made: Document) -> str:
    """The document as TOML, a line for each key."""
    return "".join(f"{_key(key)} = {_value(inner)}\n" for key, inner in made.items())


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else json.dumps(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case Nested():
            return value.brackets[0] * value.depth + _value(value.inner) + value.brackets[1] * value.depth
        case dict():
            return "{ " + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
        case list():
            return "[" + ", ".join(_value(inner) for inner in value) + "]"
    return repr(value)


def data(given: bytes, random: Random) -> bytes:
    """Mutate bytes in one to three places."""
    made = bytearray(given)
    for _ in range(random.choice((1, 1, 1, 3))):
        random.choice((_number, _number, _number, _line, _line, _byte, _cut))(made, random)
    return bytes(made)


def _number(made: bytearray, random: Random) -> None:
    """Write another number in place of one."""
    found = list(NUMBER.finditer(bytes(made)))
    if found:
        chosen = random.choice(found)
        number = float(chosen[0])
        mild = (number + random.randint(-1, 5), round(number * random.uniform(0.5, 2), 3), random.randint(0, 20))
        other = random.choice(random.choice((mild, mild, mild, (*types.INTEGERS, *types.NUMBERS))))
        if b"." not in chosen[0] and random.random() < 0.9 and abs(other) < 1e15:
            other = int(other)
        made[chosen.start() : chosen.end()] = str(other).encode()


def _line(made: bytearray, random: Random) -> None:
    """Leave a line out, or write one twice, elsewhere."""
    lines = bytes(made).splitlines(keepends=True)
    if lines:
        line = lines.pop(random.randrange(len(lines)))
        for _ in range(random.choice((0, 1, 2))):
            lines.insert(random.randint(0, len(lines)), line)
        made[:] = b"".join(lines)


def _byte(made: bytearray, random: Random) -> None:
    """Write another byte in place of one, or between two."""
    place = random.randint(0, len(made))
    made[place : place + random.randint(0, 1)] = random.choice(
        (
            bytes([random.randrange(256)]),
            b"\n",
            b"\r\n",
            b"\x00",
            b"\xff",
            b'"',
            b"=",
            b"[",
            b"\xef\xbb\xbf",
            b"[" * 3000,
        )
    )


def _cut(made: bytearray, random: Random) -> None:
    """Leave some bytes out."""
    place = random.randint(0, len(made))
    del made[place : place + random.choice((1, 2, 8, 64, len(made)))]
