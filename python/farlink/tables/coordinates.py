"""Which columns tell the scenarios of a store apart: the paths that sweeps varied, and what else was written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from farlink._farlink import quantity
from farlink.tables.parameters import Scalar, pattern_of_items

Values = Mapping[str, Scalar]
"""Parameters by dotted path."""
Column = tuple["Scalar | None", ...]


@dataclass(frozen=True)
class Written:
    """How a scenario was written: what its resolved text does not say, such as the keys of its topology."""

    varied: Values = field(default_factory=dict)
    """What a sweep varied, by path as written there, `*` included."""
    keys: Values = field(default_factory=dict)
    """Every key of the text with the values that were set over it."""

    def to_text(self) -> str:
        """Write as JSON."""
        return json.dumps(self.__dict__, allow_nan=False, separators=(",", ":"), default=dict)

    @classmethod
    def from_text(cls, text: str) -> Written:
        """Read what `to_text` wrote; raises `msgspec.MsgspecError` for anything else."""
        return msgspec.json.decode(text, type=cls)

    def joined(self, other: Written) -> Written:
        """Give this with what else another sweep over the same scenario varied."""
        return Written({**other.varied, **self.varied}, self.keys or other.keys)


@dataclass(frozen=True)
class Described:
    """A scenario: its resolved parameters, and how it was written."""

    resolved: Values
    written: Written

    def at(self, path: str) -> Scalar | None:
        """Give the value at a path as written; of `*` the one that all items have, if they do."""
        if path in self.written.varied:
            return _same_or_written(self.written.varied[path], self.resolved.get(path))
        if "*" in path.split("."):
            pattern = pattern_of_items(path)
            found = {self.at(key) for key in {**self.resolved, **self.written.keys} if pattern.fullmatch(key)}
            return found.pop() if len(found) == 1 else None
        resolved, written = self.resolved.get(path), self.written.keys.get(path)
        return written if resolved is None or (_is_word(resolved) and _is_word(written)) else resolved


def columns(scenarios: Mapping[str, Described]) -> dict[str, dict[str, Scalar]]:
    """Give, for every one of these scenarios by their names, the parameters that tell them apart.

    These are the paths that were varied, whatever they were compiled into, and other keys in which the texts differ.
    Where these are equal, resolved parameters tell scenarios apart.
    """
    described = list(scenarios.values())
    varied = dict.fromkeys(path for each in described for path in each.written.varied)
    # Models that differ in their parameters only have one name: the column is there, its values are equal.
    kept = {path: tuple(each.at(path) for each in described) for path in sorted(varied, key=_depth)}
    keys = dict.fromkeys(path for each in described for path in each.written.keys)
    rows = [{path: value for path in keys if (value := each.at(path)) is not None} for each in described]
    tables = [{table for path in each.written.keys for table in _tables(path)} for each in described]
    for path in _differing(rows, tables):
        values = tuple(row.get(path) for row in rows)
        if not _is_explained(path, values, kept):
            kept[path] = values
    _tell_apart(described, kept)
    return {
        name: {path: value for path, column in kept.items() if (value := column[number]) is not None}
        for number, name in enumerate(scenarios)
    }


def _tell_apart(described: Sequence[Described], kept: dict[str, Column]) -> None:
    """Add the first resolved paths in which those scenarios differ that agree in all columns so far."""
    known: list[tuple[Any, ...]] = [
        tuple(column[number] for column in kept.values()) for number in range(len(described))
    ]
    if len(set(known)) == len(known):
        return
    for path in sorted({path for each in described for path in each.resolved}, key=_depth):
        values = tuple(each.resolved.get(path) for each in described)
        joined = list(zip(known, values, strict=True))
        if path not in kept and len(set(joined)) > len(set(known)):
            kept[path], known = values, joined


def _is_explained(path: str, values: Column, kept: Mapping[str, Column]) -> bool:
    """Whether a key is varied with all items of a list, or is set by the value of a path above it."""
    for other, others in kept.items():
        pattern = pattern_of_items(other)
        if values == others or pattern.fullmatch(path):
            return True
        if pattern.match(f"{path}.") and len(set(zip(others, values, strict=True))) == len(set(others)):
            return True
    return False


def _differing(rows: Sequence[Values], tables: Sequence[set[str]]) -> list[str]:
    """The paths in which scenarios with these parameters differ.

    What differs only because one member has other parameters than the next does not count, nor does what always
    goes along with a parameter of a shorter path, such as the reverse direction of a link. A key that is missing in
    one of a scenario's `tables` counts as a value.
    """
    kept: dict[Column, str] = {}
    for path in sorted(dict.fromkeys(path for each in rows for path in each), key=_depth):
        table = path.rpartition(".")[0]
        found: dict[Scalar | None, set[Scalar | None]] = {}
        for each, its in zip(rows, tables, strict=True):
            if path in each or table in its:
                found.setdefault(each.get(table), set()).add(each.get(path))
        if any(len(members) > 1 for members in found.values()):
            kept.setdefault(tuple(each.get(path) for each in rows), path)
    return list(kept.values())


def _depth(path: str) -> tuple[int, str]:
    return path.count("."), path


def _tables(path: str) -> Iterator[str]:
    """The tables that a key is in, the whole document included."""
    while path:
        path = path.rpartition(".")[0]
        yield path


def _same_or_written(written: Scalar, resolved: Scalar | None) -> Scalar:
    """Give the canonical form of a value if it is only that: `1 s` of `1000 ms`, but not `reno` of `newreno`."""
    if resolved is None or isinstance(resolved, bool) != isinstance(written, bool):
        return written
    one, other = _number(written), _number(resolved)
    is_same = one == other if one is None or other is None else one[0] == other[0] and ({one[1], other[1]} - {None})
    return resolved if written == resolved or (is_same and one is not None) else written


def _is_word(value: Scalar | None) -> bool:
    return isinstance(value, str) and quantity(value) is None


def _number(value: Scalar) -> tuple[float, str | None] | None:
    if isinstance(value, str):
        return quantity(value)
    return float(value), None
