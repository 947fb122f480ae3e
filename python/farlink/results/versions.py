"""Runs with two versions of one file, or of one class in Python: distinguished, so that no mean is over both.

A run is named by the hashes of what it reads, so that a changed file or class runs again, and the store keeps both.
Their parameters are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import farlink._farlink as engine
from farlink.errors import UsageError
from farlink.store import count_other_builds, note, record
from farlink.tables.rows import grouped

if TYPE_CHECKING:
    import pyarrow as pa

FILE = re.compile(r"^# file (.+): sha256 (\w+)$", re.MULTILINE)
COLUMN = "version"
"""Of the changed files that a run reads."""
SHOWN = 8
"""Digits of a hash."""


@dataclass(frozen=True)
class Versions:
    """Of runs."""

    texts: Mapping[str, str]
    """What identifies their scenarios, by their keys."""

    @cached_property
    def _several_classes(self) -> dict[str, set[str]]:
        return _several((name, version) for text in self.texts.values() for _, name, version in _classes(text))

    @cached_property
    def _several_files(self) -> dict[str, set[str]]:
        return _several(found for text in self.texts.values() for found in FILE.findall(text))

    @property
    def note(self) -> str:
        """What a user must know of them; empty where there is one version of everything."""
        changed = [*self._several_classes.items(), *self._several_files.items()]
        named = ", ".join(f"{len(hashes)} versions of {name}" for name, hashes in changed)
        if not named:
            return ""
        where = f", in the column `{COLUMN}`" if self._several_files else ""
        return f"{named}: distinguished by the first digits of their SHA-256{where}"

    def mark(self, table: pa.Table) -> pa.Table:
        """Write the version behind the name of a changed class, and that of changed files into a column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from farlink.store import tables

        keys = table["key"].to_pylist()
        for column, name_of_run in self._names_by_column().items():
            marked = pa.array([name_of_run.get(key) for key in keys], pa.string())
            if column in table.column_names:  # else it is the class of all runs, whose parameters differ elsewhere
                index = table.column_names.index(column)
                whole = pc.coalesce(marked, table[column].cast(pa.string()))
                table = table.set_column(index, table.schema.field(column).with_type(pa.string()), whole)
            else:
                table = table.append_column(pa.field(column, pa.string(), metadata=tables.PARAMETER), marked)
        if self._several_files:
            files = [self._version_of_files(self.texts[key]) for key in keys]
            field = pa.field(COLUMN, pa.string(), metadata=tables.PARAMETER)
            table = table.append_column(field, pa.array(files, pa.string()))
        return table

    def _names_by_column(self) -> dict[str, dict[str, str]]:
        """Per column of a parameter and key of a run the name of its class with its version."""
        made: dict[str, dict[str, str]] = {}
        for key, text in self.texts.items():
            for flow, name, version in _classes(text):
                if name in self._several_classes:
                    column = made.setdefault(f"flows.{flow}.tcp.congestion_control", {})
                    column[key] = f"{name} ({version})"
        return made

    def _version_of_files(self, text: str) -> str:
        return ", ".join(sha256[:SHOWN] for path, sha256 in FILE.findall(text) if path in self._several_files)


def of_this_build(runs: pa.Table, folder: Path) -> pa.Table:
    """Give the runs of one build: the only one, or this one, and note how many are of others."""
    builds = runs["build"].to_pylist()
    if len(set(builds)) == 1:
        if other := count_other_builds(builds):
            note(f"{folder}: {other}; this is build {engine.__build__}")
        return runs
    if engine.__build__ not in builds:
        several = f"results of {len(set(builds))} builds, none of them this one"
        raise UsageError(f"{folder}: {several}; run the sweep again")
    mine = runs.filter([build == engine.__build__ for build in builds])
    shown = f"the {mine.num_rows} runs of this build ({engine.__build__}) are shown"
    note(f"{folder}: {shown}; left out: {count_other_builds(builds)}")
    return mine


def _classes(text: str) -> Iterator[tuple[str, str, str]]:
    """Number of the flow, name and version of each class: its package, if any, and its hash."""
    for flow, name, package, sha256 in record.PLUGGED.findall(text):
        yield flow, name, ", ".join(filter(None, (package, sha256[:SHOWN])))


def _several(pairs: Iterator[tuple[str, str]]) -> dict[str, set[str]]:
    """The names that occur with more than one hash."""
    return {name: found for name, each in sorted(grouped(pairs).items()) if len(found := set(each)) > 1}
