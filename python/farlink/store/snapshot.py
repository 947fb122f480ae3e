"""What a store holds at one moment: its tables and its journal, verified.

Nothing is locked, so a sweep may be writing meanwhile: files are read anew when the manifest has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from farlink.errors import StoreError
from farlink.store import disk, journal, manifest
from farlink.store.disk import DamagedError, MissingError
from farlink.store.manifest import Manifest
from farlink.store.record import Record
from farlink.system.checksums import digest

if TYPE_CHECKING:
    import pyarrow as pa

JOURNAL = "journal"
LOCK = "lock"
SERIES = "series"
ATTEMPTS = 20
"""To read a store without a change of its manifest meanwhile, which changes at most five times when a sweep begins."""
REMEDY = "the command that made the store, with --repair, keeps what is intact and makes the other runs again"


@dataclass(frozen=True)
class Snapshot:
    """The content of a store's files. `faults` says per file what is wrong; without any it is what was written."""

    folder: Path
    manifest: Manifest
    contents: Mapping[str, bytes]
    """Of the intact tables, as Parquet."""
    records: Sequence[Record]
    """Of the journal."""
    torn: int = 0
    """Bytes at the journal's end that are not a whole record."""
    faults: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    """By key how the scenario of a run was written, where the tables have less."""

    def table(self, name: str, columns: list[str] | None = None) -> pa.Table | None:
        """A table with the journal's records, or some of its columns if it has them; None before the first run ends."""
        from farlink.tables import arrow

        # A repair may have moved `timings` aside.
        if self.is_unfolded or (self.manifest.tables and name not in self.manifest.tables):
            table = self._merged_tables[name]
            return table.select([name for name in columns if name in table.column_names]) if columns else table
        return arrow.decode(self.contents[name], columns) if name in self.contents else None

    @property
    def is_unfolded(self) -> bool:
        """Whether the tables are not all that the store holds, or are being replaced."""
        return bool(self.records or self.written) or any(len(entries) > 1 for entries in self.manifest.tables.values())

    @cached_property
    def _merged_tables(self) -> dict[str, pa.Table]:
        from farlink.store import tables
        from farlink.tables import arrow

        is_begun = "runs" in self.contents
        old = {name: arrow.decode(content) for name, content in self.contents.items()} if is_begun else {}
        return tables.merge_records(old, self.records, self.written)

    @cached_property
    def keys(self) -> set[str]:
        """The runs."""
        return self.keys_in_tables | {record.key for record in self.records}

    @cached_property
    def keys_in_tables(self) -> set[str]:
        """The runs that were folded."""
        from farlink.tables import arrow

        if "runs" not in self.contents:
            return set()
        return set(arrow.decode(self.contents["runs"], ["key"])["key"].to_pylist())

    @property
    def notes(self) -> list[str]:
        """What a user must know about the journal."""
        if not self.torn:
            return []
        return [
            f"{self.folder / JOURNAL}: the last {self.torn} bytes are not a whole record, as after a kill or while a "
            "sweep is writing; its run is not in, and a sweep makes it again"
        ]


def read_store(folder: Path) -> Snapshot:
    """Read a store; raises `StoreError` with one line if any of its files is damaged."""
    snapshot = read_with_faults(folder)
    if snapshot.faults:
        waiting = {record.key for record in snapshot.records}
        intact = len(waiting if lost_tables(snapshot) else snapshot.keys)
        kept = f"{intact_message(snapshot, intact)} can still be read"
        raise StoreError(damage_message(folder, snapshot.faults, kept))
    return snapshot


def read_with_faults(folder: Path) -> Snapshot:
    """Read a store, with what is wrong with it."""
    for _ in range(ATTEMPTS):
        snapshot = _read_snapshot(folder)
        try:
            if manifest.read(folder) == snapshot.manifest:
                return snapshot
        except DamagedError as error:
            if manifest.NAME in snapshot.faults:
                return snapshot
            raise StoreError(f"{folder / manifest.NAME}: {error}; {REMEDY}") from None
    raise StoreError(f"{folder}: a sweep changes the store all the time; try again")


def damage_message(folder: Path, faults: Mapping[str, str], kept: str) -> str:
    """One line about the first damaged file, how many there are, and what is `kept`."""
    name, fault = next(iter(faults.items()))
    others = f" (and {len(faults) - 1} more damaged files)" if len(faults) > 1 else ""
    return f"{folder / name}: {fault}{others}; {kept}; {REMEDY}"


def intact_message(held: Snapshot, intact: int) -> str:
    """Say of how many runs these are intact."""
    waiting = {record.key for record in held.records} - held.keys_in_tables
    count = max(held.manifest.runs, len(held.keys_in_tables)) + len(waiting)
    is_sure = manifest.NAME not in held.faults and JOURNAL not in held.faults
    return f"{intact} of {count if is_sure else f'at least {count}'} runs"


def lost_tables(held: Snapshot) -> list[str]:
    """The damaged tables without which no folded run is whole; `timings` says nothing about results."""
    return [name for name in held.faults if name.endswith(".parquet") and name != "timings.parquet"]


def _read_snapshot(folder: Path) -> Snapshot:
    faults: dict[str, str] = {}
    try:
        state = manifest.read(folder)
    except DamagedError as error:
        faults[manifest.NAME] = str(error)
        try:
            state = manifest.read(folder, manifest.COPY)
        except DamagedError:
            state = Manifest()
    contents = _read_tables(folder, state, faults)
    read = _read_journal(folder, state, faults)
    return Snapshot(folder, state, contents, _records(read, faults), read.torn, faults)


def _records(read: journal.Content, faults: dict[str, str]) -> list[Record]:
    """The records of a journal that are as described."""
    found = []
    for number, data in enumerate(read.records, start=1):
        try:
            found.append(Record.from_bytes(data))
        except DamagedError as error:
            faults.setdefault(JOURNAL, f"is damaged in record {number}: {error}")
    return found


def _read_tables(folder: Path, state: Manifest, faults: dict[str, str]) -> dict[str, bytes]:
    """The tables whose content is one of those in the manifest."""
    contents: dict[str, bytes] = {}
    # The last that a writer replaces is read first: a run in it is in all that are read later.
    for name, entries in sorted(state.tables.items(), key=lambda item: item[0] != "runs"):
        file = f"{name}.parquet"
        known = [entry.sha256 for entry in entries]
        try:
            content = disk.read(folder / file)
            if digest(content) not in known:
                raise DamagedError(f"is damaged: its SHA-256 differs from {manifest.NAME}'s")
            contents[name] = content
        except DamagedError as error:
            if not (isinstance(error, MissingError) and manifest.ABSENT in known):
                faults[file] = str(error)
    return contents


def _read_journal(folder: Path, state: Manifest, faults: dict[str, str]) -> journal.Content:
    # A damaged manifest may have been one with a journal.
    if not state.has_journal and manifest.NAME not in faults:
        return journal.Content()
    try:
        read = journal.parse_journal(disk.read(folder / JOURNAL))
    except DamagedError as error:
        if state.has_journal or not isinstance(error, MissingError):
            faults[JOURNAL] = str(error)
        return journal.Content()
    if read.damaged:
        faults[JOURNAL] = f"is damaged in {read.damaged} places"
    return read
