"""A TOML file of a study, whose keys are asked for one by one; what is missing or unknown is a `UsageError`."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from farlink.errors import UsageError
from farlink.studies.change import CHANGED, Change
from farlink.system.files import read_bytes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Table:
    """A table of the file; `where` names it in messages."""

    where: str
    values: Mapping[str, Any]
    sha256: str = ""
    _known: set[str] = field(default_factory=set)

    def text(self, key: str, default: str | None = None) -> str:
        """A text; without a default it must be there."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise UsageError(f"{self.where}: {key}: write a text")
        return value

    def texts(self, key: str) -> list[str]:
        """A list of texts; empty where there is none."""
        value = self._value(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise UsageError(f"{self.where}: {key}: write a list of texts")
        return value

    def table(self, key: str) -> Mapping[str, Any]:
        """A table; empty where there is none."""
        value = self._value(key, {})
        if not isinstance(value, Mapping):
            raise UsageError(f"{self.where}: {key}: write a table")
        return value

    def tables(self, key: str) -> list[Table]:
        """The tables of an array, `[[key]]`; none where there is none."""
        values = self._value(key, [])
        if not isinstance(values, list) or not all(isinstance(each, Mapping) for each in values):
            raise UsageError(f"{self.where}: {key}: write tables, [[{key}]]")
        named = [str(each.get("name", each.get("point", place))) for place, each in enumerate(values, 1)]
        return [Table(f"{self.where}: {key} {name}", each) for name, each in zip(named, values, strict=True)]

    def change(self) -> Change:
        """What the table changes."""
        self._known.update(CHANGED)
        for key in CHANGED:
            if key in self.values and not isinstance(self.values[key], list if key == "grids" else Mapping):
                raise UsageError(f"{self.where}: {key}: write {'a list' if key == 'grids' else 'a table'}")
        if not all(isinstance(each, str) for each in self.values.get("grids", ["none"]) or [0]):
            raise UsageError(f"{self.where}: grids: write a list of names of grids")
        for key in ("replace", "set_with"):
            for name, values in self.values.get(key, {}).items():
                if not isinstance(values, Mapping):
                    raise UsageError(f"{self.where}: {key}.{name}: write a table")
        return Change.of(self.values)

    def refuse_unknown(self) -> None:
        """Refuse keys that nothing asked for."""
        if unknown := sorted(self.values.keys() - self._known):
            raise UsageError(f"{self.where}: {unknown[0]}: no such key; known: {', '.join(sorted(self._known))}")

    def _value(self, key: str, default: Any) -> Any:
        self._known.add(key)
        value = self.values.get(key, default)
        if value is None:
            raise UsageError(f"{self.where}: {key} is missing")
        return value


def read_table(path: Path) -> Table:
    """Read a file; raises `UsageError` where it is no TOML."""
    data = read_bytes(path)
    try:
        values = tomllib.loads(data.decode())
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    return Table(str(path), values, hashlib.sha256(data).hexdigest())
