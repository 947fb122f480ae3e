"""A TOML file as a dataclass: its fields are the keys, their types what the file may have there.

What is missing, unknown or of another type is a `UsageError`, which names the file, the key and what to write.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from farlink.errors import UsageError
from farlink.spelling import remedy
from farlink.system.files import read_text
from farlink.system.toml import tomllib

T = TypeVar("T")
WORDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
KEY, WRITE = "key", "write"
"""In the metadata of a field: its key in the file, if not its name; what is to be written, in words."""
NAMES = ("name", "point")
"""The keys by which messages call a table of an array."""


def read_tables(path: Path) -> dict[str, Any]:
    """Read a file; raises `UsageError` where it is no TOML."""
    return parse_tables(str(path), read_text(path))


def parse_tables(name: str, text: str) -> dict[str, Any]:
    """Read the text of a file, which messages call `name`."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: {error}") from None
    except RecursionError:
        raise UsageError(f"{name}: lists or tables are nested too deeply") from None
    except ValueError:  # of int(), without a place
        raise UsageError(f"{name}: a number has more than {sys.get_int_max_str_digits()} digits") from None
    _refuse_long_numbers(name, tables)
    return tables


def _refuse_long_numbers(where: str, value: Any) -> None:
    """Refuse what cannot be written in decimal digits again, in a message or in a scenario."""
    match value:
        case int() if value.bit_length() > 64:
            raise UsageError(f"{where}: a number does not fit into 64 bits")
        case dict() | list():
            for inner in value.values() if isinstance(value, dict) else value:
                _refuse_long_numbers(where, inner)


def line_of(text: str, key: str) -> int | None:
    """Give the line on which a text has a key; None where none has it, or several have."""
    lines = [m.start() for m in re.finditer(rf"^[ \t]*([\"']?){re.escape(key)}\1[ \t]*=", text, re.MULTILINE)]
    return text.count("\n", 0, lines[0]) + 1 if len(lines) == 1 else None


def read(path: Path, kind: type[T], **more: Any) -> T:
    """Read a file as a dataclass, some of whose fields are not in the file."""
    tables = read_tables(path)
    for key in tables.keys() & more.keys():
        raise UsageError(f"{path}: unknown key `{key}`; leave it out")
    return convert({**tables, **more}, kind, str(path))


def convert(table: Mapping[str, Any], kind: type[T], where: str) -> T:
    """Make a dataclass of a table, which messages call `where`."""
    expected = {each.metadata.get(KEY, each.name): each for each in dataclasses.fields(kind)}  # type: ignore[arg-type]
    kinds = get_type_hints(kind)
    for key in table:
        if key not in expected:
            raise UsageError(f"{where}: unknown key `{key}`; {remedy(key, list(expected))}")
    values = {}
    for key, each in expected.items():
        words = each.metadata.get(WRITE) or _words(key, kinds[each.name])
        if key in table:
            values[each.name] = _convert_value(table[key], kinds[each.name], where, key, words)
        elif each.default is each.default_factory is dataclasses.MISSING:
            raise UsageError(f"{where}: `{key}` is missing; write {words}")
    try:
        return kind(**values)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def _convert_value(value: Any, kind: Any, where: str, key: str, words: str | None = None) -> Any:
    """Make of a value what an annotation says; messages call it `key`, and what it must be `words`."""
    for one in _alternatives(kind):
        if not _fits(value, one):
            continue
        outer, inner = get_origin(one) or one, get_args(one)
        if dataclasses.is_dataclass(outer):
            return convert(value, one, f"{where}: {key}")
        if outer is Mapping:
            return {name: _convert_value(each, inner[1], where, f"{key}.{name}") for name, each in value.items()}
        if outer is Sequence:
            return [_convert_value(each, inner[0], where, _item_name(key, each, n)) for n, each in enumerate(value, 1)]
        return value
    raise UsageError(f"{where}: `{key}` must be {words or _words(key, kind)}, not {value!r}")


def _alternatives(kind: Any) -> Sequence[Any]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else [kind]


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, as far as its kind and that of the items of a list go."""
    outer, inner = get_origin(kind) or kind, get_args(kind)
    if outer is Any:
        return True
    if dataclasses.is_dataclass(outer) or outer is Mapping:
        return isinstance(value, Mapping)
    if outer is Sequence:
        return isinstance(value, list) and all(_fits(each, inner[0]) for each in value)
    kinds = (int, float) if outer is float else outer
    return isinstance(value, kinds) and isinstance(value, bool) == (outer is bool)


def _words(key: str, kind: Any) -> str:
    """Say what is to be written for a type."""
    return " or ".join(_words_of_one(key, each) for each in _alternatives(kind) if each is not type(None))


def _words_of_one(key: str, kind: Any) -> str:
    outer, inner = get_origin(kind) or kind, get_args(kind)
    if outer is Sequence:
        words = _words_of_one(key, inner[0])
        return f"an array of tables [[{key}]]" if words == "a table" else f"a list, each {words}"
    return WORDS.get(outer, "a value" if outer is Any else "a table")


def _item_name(key: str, value: Any, number: int) -> str:
    found = [str(value[name]) for name in NAMES if isinstance(value, Mapping) and name in value]
    return f"{key} {found[0] if found else number}"
