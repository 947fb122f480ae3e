"""The tables of a store, with the rows of the runs that are chosen of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import farlink._farlink as engine
from farlink.arguments import PLACE, TEXT, check_argument_types
from farlink.errors import UsageError
from farlink.results import selection
from farlink.store import check, count_other_builds, note, record, snapshot
from farlink.store.series import read_series, series_checksums
from farlink.tables.frames import Frames, Table
from farlink.tables.rows import grouped

if TYPE_CHECKING:
    import pyarrow as pa

FILE = re.compile(r"^# file (.+): sha256 (\w+)$", re.MULTILINE)
VERSION = "version"
"""Of the changed files that a run reads."""
DIGITS = 8
"""Digits of a hash."""


class StoreTables(Frames):
    """The tables of all runs of one build of the engine, or of those of one sweep."""

    runs = Table("A row per run: key, seed, parameters, the resolved scenario.")

    @check_argument_types(folder=PLACE, note=TEXT)
    def __init__(self, folder: str | Path, keys: Iterable[str] | None = None, *, note: str = "") -> None:
        self.folder = Path(folder)
        self.note = note
        check(self.folder)
        self._keys = None if keys is None else list(keys)

    @cached_property
    def _snapshot(self) -> snapshot.Snapshot:
        """The store when it was first read."""
        held = snapshot.read_store(self.folder)
        for line in held.notes:
            note(line)
        return held

    def _made(self, name: str) -> pa.Table:
        if name == "series":
            import pyarrow as pa

            from farlink.tables.arrays import array_of

            parts = [found for key in self._resolved if (found := self._series_of(key)) is not None]
            return pa.concat_tables(parts) if parts else pa.table({"key": array_of([], pa.string())})
        whole = self._snapshot.table(name)
        if whole is None:
            raise UsageError(f"{self.folder}: no run was finished yet")
        if name != "runs":
            return self._versions.mark(selection.rows_of_runs(whole, list(self._resolved)))
        return _of_this_build(whole, self.folder) if self._keys is None else selection.rows_of_runs(whole, self._keys)

    @cached_property
    def _checksums(self) -> dict[str, str]:
        return series_checksums(self._snapshot)

    def _series_of(self, key: str) -> pa.Table | None:
        """The series of a run; None if they were not asked for."""
        from farlink.tables import arrow

        if key not in self._checksums:
            return None
        return arrow.decode(read_series(self.folder, key, self._checksums[key]))

    @property
    def parameters(self) -> list[str]:
        """The columns of the parameters that differ between the runs."""
        from farlink.store import tables

        return [column.name for column in self._of_runs.schema if tables.is_parameter(column)]

    @cached_property
    def _of_runs(self) -> pa.Table:
        """The flows; where runs have workloads only, the runs."""
        return self.flows if self.flows.num_rows else self._versions.mark(self.runs)

    @property
    def varied(self) -> list[str]:
        """Those of `parameters` that differ between these runs."""
        columns = {name: set(self._of_runs[name].to_pylist()) for name in self.parameters}
        return [name for name, values in columns.items() if len(values) > 1]

    @cached_property
    def _resolved(self) -> dict[str, str]:
        """The scenario of every run by its key: what decides which of them are pooled."""
        return dict(zip(self.runs["key"].to_pylist(), self.runs["resolved"].to_pylist(), strict=True))

    @cached_property
    def _versions(self) -> Versions:
        """What tells runs apart that differ by a changed file or class only."""
        found = Versions(self._resolved)
        if found.note:
            note(f"{self.folder}: {found.note}")
        return found


@dataclass(frozen=True)
class Versions:
    """Runs with two versions of one file, or of one class in Python: distinguished, so that no mean is over both.

    A run is named by the hashes of what it reads, so that a changed file or class runs again, and the store keeps both.
    Their parameters are the same.
    """

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
        where = f", in the column `{VERSION}`" if self._several_files else ""
        return f"{named}: distinguished by the first digits of their SHA-256{where}"

    def mark(self, table: pa.Table) -> pa.Table:
        """Write the version behind the name of a changed class, and that of changed files into a column."""
        import pyarrow as pa

        from farlink.store import tables
        from farlink.tables.arrays import array_of

        keys = table["key"].to_pylist()
        for column, name_of_run in self._names_by_column().items():
            marked = array_of([name_of_run.get(key) for key in keys], pa.string())
            if column in table.column_names:  # else it is the class of all runs, whose parameters differ elsewhere
                index = table.column_names.index(column)
                import pyarrow.compute as pc

                whole = pc.coalesce(marked, table[column].cast(pa.string()))
                table = table.set_column(index, table.schema.field(column).with_type(pa.string()), whole)
            else:
                table = table.append_column(pa.field(column, pa.string(), metadata=tables.PARAMETER), marked)
        if self._several_files:
            found = (FILE.findall(self.texts[key]) for key in keys)
            files = [", ".join(sha[:DIGITS] for path, sha in of if path in self._several_files) for of in found]
            field = pa.field(VERSION, pa.string(), metadata=tables.PARAMETER)
            table = table.append_column(field, array_of(files, pa.string()))
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


def _of_this_build(runs: pa.Table, folder: Path) -> pa.Table:
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
        yield flow, name, ", ".join(filter(None, (package, sha256[:DIGITS])))


def _several(pairs: Iterator[tuple[str, str]]) -> dict[str, set[str]]:
    """The names that occur with more than one hash."""
    return {name: found for name, each in sorted(grouped(pairs).items()) if len(found := set(each)) > 1}
