"""A resolved scenario's parameters by dotted path, as numbers where they are quantities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from farlink._farlink import flatten as flatten
from farlink._farlink import quantity
from farlink.errors import UsageError
from farlink.spelling import remedy

Scalar: TypeAlias = "str | bool | int | float"
MOST_NAMED = 3
"""Columns in a message."""


def si_number(values: Mapping[str, Scalar], path: str) -> float:
    """Give a parameter in the SI unit of its quantity; raises `ValueError` where it is missing or no number."""
    value = values.get(path)
    if value is None:
        raise ValueError(f"the scenario has no {path}")
    if isinstance(value, str):
        found = quantity(value)
        if found is None:
            raise ValueError(f"{path} is {value}, not a number")
        return found[0]
    return float(value)


def seconds(name: str, written: str | None) -> float | None:
    """Read a time such as `"0.5 s"`; None where there is none."""
    if written is None:
        return None
    found = quantity(written)
    if found is None or found[1] != "s":
        raise UsageError(f"{name} {written}: write a time such as '0.5 s'")
    return found[0]


def equals_written(written: Any, value: Any) -> bool:
    """Whether a value as it is written (`"1e-7"`, `"10 Mbit/s"`) is the one in a table."""
    if isinstance(value, int | float) and isinstance(written, str):
        found = quantity(written)
        try:
            return bool(value == (found[0] if found else float(written)))
        except ValueError:
            return False
    if isinstance(written, list | tuple) and isinstance(value, str):
        return bool(toml_value(value) == list(written))
    return bool(value == written)


def sort_key(value: Scalar | None) -> tuple[bool, bool, Any]:
    """Order values: none, numbers, words."""
    return value is not None, isinstance(value, str), value


def written_values(text: str) -> list[Any]:
    """Take `a,b,c` apart at its commas outside of quotes and brackets; each value as in a TOML file, or a bare text."""
    return [toml_value(part.strip()) for part in _split_at_commas(text)]


def _split_at_commas(text: str) -> list[str]:
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        else:
            depth += (letter in "[{") - (letter in "]}")
        if letter == "," and not quote and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def toml_value(text: str) -> Any:
    """Read a value as in a TOML file, or as a bare text."""
    from farlink.system.toml import tomllib

    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError, RecursionError, ValueError):
        return text
    return value if isinstance(value, str | bool | int | float | dict | list) else text


def parameter_columns(rows: Iterable[Mapping[str, Scalar]]) -> dict[str, list[Scalar | None]]:
    """Turn parameters into columns: quantities become numbers, their unit goes into the column's name."""
    rows = list(rows)
    made: dict[str, list[Scalar | None]] = {}
    for path in dict.fromkeys(path for row in rows for path in row):
        values = [row.get(path) for row in rows]
        quantities = [quantity(value) if isinstance(value, str) else None for value in values]
        units = {each[1] for each in quantities if each}
        if len(units) == 1 and all(each or value is None for each, value in zip(quantities, values, strict=True)):
            made[f"{path}_{units.pop()}"] = [each[0] if each else None for each in quantities]
        elif len({type(value) for value in values if value is not None} - {int, float}) > 0:
            made[path] = [None if value is None else str(value) for value in values]
        else:
            made[path] = values
    return made


def find_column(path: str, columns: Iterable[str]) -> str:
    """Find a parameter's column by its path, with or without the unit; refuse with the nearest.

    A path to one item (`flows.0.start`) also finds the column of all items (`flows.*.start`).
    """
    names = list(columns)
    found = [name for name in names if name == path or name.rpartition("_")[0] == path]
    ends = {name: (name, name.rpartition("_")[0]) for name in names if "*" in name}
    found = found or [name for name in ends if any(pattern_of_items(each).fullmatch(path) for each in ends[name])]
    if len(found) == 1:
        return found[0]
    raise UsageError(f"there is no column {path}; {_of_other_name(path, names) or remedy(path, names)}")


def _of_other_name(path: str, names: Iterable[str]) -> str:
    """Name the columns of the whole path, or else of its last key; empty if there are none."""
    known = {name: (name, name.rpartition("_")[0]) for name in names}
    longer = [name for name, each in known.items() if any(one.endswith(f".{path}") for one in each)]
    end = path.rpartition(".")[2]
    found = longer or [name for name, each in known.items() if end != path and end in each]
    return f"write {' or '.join(found[:MOST_NAMED])}" if found else ""


def pattern_of_items(path: str) -> re.Pattern[str]:
    """The paths to one item that a path to all items (`flows.*.start`) stands for."""
    return re.compile(re.escape(path).replace(r"\*", r"\d+"))


def shared_by_items(paths: Iterable[str], scenarios: Iterable[str]) -> frozenset[str]:
    """Those paths of which all flows, or all links, of each resolved scenario that have a value have the same one.

    As after `flows.*.start = ..`: of what always goes together a table has the first column only.
    """
    shared = {path for path in paths if re.match(r"(flows|links)\.\d+\.", path)}
    for values in map(flatten, scenarios if shared else ()):
        items = {tuple(path.split(".")[:2]) for path in values if "." in path}
        for path in list(shared):
            kind, _, key = path.split(".", 2)
            found = {values.get(f"{kind}.{number}.{key}") for each, number in items if each == kind}
            if len(found - {None}) > 1:
                shared.discard(path)
    return frozenset(shared)
