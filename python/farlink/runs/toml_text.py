"""Values of Python as TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

from farlink.errors import UsageError

BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""

Value: TypeAlias = "str | bool | int | float | Sequence[Value] | Mapping[str, Value]"
"""What a scenario can hold; quantities are strings with units."""


def toml(value: object) -> str:
    """Write a value as TOML in one line; raises `UsageError` for what no scenario can hold."""
    try:
        return _write(value)
    except RecursionError:
        raise UsageError("lists or tables are nested too deeply") from None


def _write(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case Integral():  # of NumPy, too
            if int(value).bit_length() > 64:
                raise UsageError("a number does not fit into 64 bits")
            return str(int(value))
        case float():
            return float.__repr__(value)
        case Mapping():
            return "{ " + ", ".join(f"{_key(key)} = {_write(inner)}" for key, inner in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(_write, value)) + "]"
    raise UsageError(f"{value!r} cannot stand in a scenario; times and rates are strings such as '600 ms'")


def document(tables: Mapping[str, object]) -> str:
    """Write a document: values first, then a section for each table."""
    values = [f"{_key(key)} = {toml(value)}\n" for key, value in tables.items() if not _sections(key, value)]
    sections = (section for key, value in tables.items() for section in _sections(key, value))
    parts = ("\n" + header + "\n" + "".join(_lines(table)) for header, table in sections)
    return "".join([*values, *parts])


def _sections(key: object, value: object) -> list[tuple[str, Mapping[Any, object]]]:
    """The header and the table of every section that a value is written as; none for a plain value."""
    match value:
        case Mapping():
            return [(f"[{_key(key)}]", value)]
        case [_, *_]:
            tables = [(f"[[{_key(key)}]]", item) for item in value if isinstance(item, Mapping)]
            return tables if len(tables) == len(value) else []
    return []


def _lines(table: Mapping[Any, object]) -> list[str]:
    return [f"{_key(key)} = {toml(value)}\n" for key, value in table.items()]


def _key(key: object) -> str:
    text = str(key)
    return text if BARE.fullmatch(text) else toml(text)
