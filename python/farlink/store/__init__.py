"""A folder of results that loses no finished run to a kill or a power cut.

Finished runs go into a journal at once; folding moves them into Parquet tables, `flows.parquet` and so on, which
pandas, polars and DuckDB open as they are. A manifest has a checksum of every table, which is verified whenever one is
read. A run is named by the hash of everything its results depend on, so it is never run twice, and results of another
build of the engine are kept apart.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import farlink._farlink as engine
from farlink.errors import StoreError, UsageError
from farlink.printable import printable
from farlink.store import disk, journal, manifest, series, snapshot
from farlink.store import repair as mending
from farlink.store.disk import DISK, Disk
from farlink.store.fold import fold
from farlink.store.manifest import TABLES, Manifest
from farlink.store.order import extend_order
from farlink.store.record import Record
from farlink.store.snapshot import JOURNAL, LOCK, SERIES, Snapshot
from farlink.system.folders import REMEDY, is_store, suggest_store
from farlink.tables.coordinates import Written
from farlink.tables.workload_columns import ValueOf, is_of_workload, needed_for, place, value_of


class Store:
    """A store opened for writing, which one process at a time can do.

    `fresh` deletes what it holds. `repair` moves damaged files to its folder `damaged`, and keeps the rest; without it
    a damaged store raises `StoreError`.
    """

    def __init__(self, folder: Path, *, fresh: bool = False, repair: bool = False, on: Disk | None = None) -> None:
        from filelock import FileLock, Timeout

        if fresh and repair:
            raise UsageError("--no-resume deletes what --repair keeps; give one of them")
        check(folder, new=True)
        self.folder = folder
        self._disk = on or DISK
        self._journal: journal.Journal | None = None
        self._has_failed = False
        with self._explaining_failures():
            disk.make_folders(self._disk, folder)
            if repair:
                mending.move_special(self._disk, folder, [LOCK])
        mending.refuse_special(folder, [LOCK])
        self._lock = FileLock(folder / LOCK, timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise UsageError(f"{folder}: another sweep is writing to this store; choose another") from None
        try:
            with self._explaining_failures():
                self._begin_journal(fresh, repair)
        except BaseException:
            self._lock.release()
            raise

    def _begin_journal(self, fresh: bool, repair: bool) -> None:
        if not repair:
            mending.refuse_special(self.folder, mending.special_names(self.folder))
        if fresh or not is_store(self.folder):
            # What it held is no longer in it as soon as the manifest is replaced, and deleted below.
            manifest.write(self._disk, self.folder, Manifest())
            series.delete_all_series(self._disk, self.folder)
        elif repair and (line := mending.repair(self._disk, self.folder)):
            note(line)
        held = snapshot.read_store(self.folder)
        for line in notes(held, is_writer=True):
            note(line)
        _remove_leftovers(self._disk, held)
        if held.manifest.has_journal:
            fold(self._disk, held)
            held = snapshot.read_store(self.folder)
        lost = series.damaged_series(held)
        if lost and not repair:
            faults = {series.file_name(key): fault for key, fault in lost.items()}
            kept = f"{len(held.keys) - len(lost)} of {len(held.keys)} runs are intact"
            raise StoreError(snapshot.damage_message(self.folder, faults, kept))
        mending.move_special(self._disk, self.folder, [series.file_name(key) for key in lost])
        self._held = held
        self.keys = held.keys - lost.keys()

    def add(self, runs: Sequence[tuple[Record, bytes | None]]) -> None:
        """Keep finished runs, each with its series; once this returns, neither a kill nor a power cut loses them."""
        if self._has_failed:
            raise StoreError(f"{self.folder}: an earlier write failed; nothing more is kept")
        with self._explaining_failures():
            records = [series.write_series(self._disk, self.folder, record, content) for record, content in runs]
            if any(content is not None for _, content in runs):
                self._disk.sync_folder(self.folder / SERIES)
            if self._journal is None:
                self._journal = journal.Journal(self._disk, self.folder / JOURNAL)
                state = manifest.read(self.folder)
                manifest.write(self._disk, self.folder, replace(state, has_journal=True))
            self._journal.append([record.to_bytes() for record in records])
        self.keys.update(record.key for record in records)

    def keep_order(self, axes: Mapping[str, Sequence[Any]]) -> None:
        """Keep the order in which a sweep lists the values of its parameters; what is known already is not written."""
        with self._explaining_failures():
            state = manifest.read(self.folder)
            order = extend_order(state.order, axes)
            if order != state.order:
                manifest.write(self._disk, self.folder, replace(state, order=order))

    def keep_written(self, written: Mapping[str, str]) -> None:
        """Keep, by key, how runs that are held already were written now: what a further sweep over them varies."""
        from farlink.store import tables

        runs = self._held.table("runs")
        if runs is None or not written.keys() & self.keys:
            return
        known = dict(zip(runs["key"].to_pylist(), runs["resolved"].to_pylist(), strict=True))
        before = tables.written_by_scenario(runs)
        after: dict[str, str] = {}
        for key in written.keys() & known.keys():
            joined = before[known[key]].joined(Written.from_text(written[key]))
            if joined != before[known[key]]:
                after[key] = joined.to_text()
        if after:
            with self._explaining_failures():
                # The order of values may have come into the manifest since the store was read.
                fold(self._disk, replace(self._held, manifest=manifest.read(self.folder), written=after))
                self._held = snapshot.read_store(self.folder)

    def values(self, measure: str, value_of: ValueOf = value_of) -> dict[str, dict[str, float | None]]:
        """What is known of a measure: by flow or workload of every run that was finished when the store was opened.

        It is `value_of` the row.
        """
        found: dict[str, dict[str, float | None]] = {}
        name, chosen, column, columns = "flow", {}, measure, [measure, "packets_delivered"]
        if is_of_workload(measure):
            name, (workload, of_class, column) = "workload", place(measure)
            chosen, columns = {"workload": workload, "class": of_class}, needed_for(column)
        held = self._held.table(f"{name}s", list(dict.fromkeys(["key", name, *chosen, *columns])))
        for row in held.to_pylist() if held is not None else []:
            if row["key"] in self.keys and all(row[each] == value for each, value in chosen.items()):
                found.setdefault(row["key"], {})[row[name]] = value_of(row, column)
        return found

    def keys_with_series(self) -> set[str]:
        """The runs whose time series were in the store when it was opened."""
        return self.keys & series.series_checksums(self._held).keys()

    def close(self) -> None:
        """Fold, and let others write. After a failed write the journal is left to the next writer."""
        try:
            with self._explaining_failures():
                if self._journal is not None:
                    self._journal.close()
                    if not self._has_failed:
                        fold(self._disk, snapshot.read_store(self.folder))
        finally:
            self._lock.release()

    @contextmanager
    def _explaining_failures(self) -> Iterator[None]:
        """Say what a failed operation means for the runs."""
        try:
            yield
        except OSError as error:
            self._has_failed = True
            with suppress(OSError):
                disk.remove_parts(self._disk, self.folder)
            what = f"{error.filename or self.folder}: {error.strerror or error}"
            raise StoreError(
                f"{what}; finished runs are kept; when the store can be written again, the same command resumes"
            ) from error

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check(folder: Path, *, new: bool = False) -> None:
    """Refuse a folder that is no store; with `new`, one that could not become one."""
    if is_store(folder) or (new and not folder.exists()):
        return
    if new and folder.is_dir():
        others = {entry.name for entry in folder.iterdir()} - {LOCK, SERIES}
        if all(name.startswith(".") and name.endswith(disk.PART) for name in others):
            return
    remedy = REMEDY if new else "a store is what `farlink sweep --out` makes"
    raise UsageError(f"{folder}: not a store of results; {remedy}{'' if new else suggest_store(folder)}")


def known_keys(folder: Path) -> set[str]:
    """The runs of a store, none where there is no store; raises `StoreError`."""
    return snapshot.read_store(folder).keys if is_store(folder) else set()


def export(held: Snapshot) -> Iterator[str]:
    """Dump the tables, `timings` left out, as sorted lines of JSON: equal stores give equal lines."""
    from farlink.store import tables

    for name in sorted(set(TABLES) - {"timings"}):
        table = held.table(name)
        rows = table.to_pylist() if table is not None else []
        for row in rows:
            # Depends on the version of Arrow that wrote the series.
            row.pop(tables.SERIES_SHA256, None)
            # Stands in the columns of parameters; texts that differ may be the same scenario.
            row.pop(tables.WRITTEN, None)
        yield from sorted(json.dumps({"table": name, **row}, sort_keys=True, ensure_ascii=False) for row in rows)


def notes(held: Snapshot, *, is_writer: bool = False) -> list[str]:
    """Give a line for everything in a store that a user must know before using its results."""
    lines = list(held.notes)
    runs = held.table("runs", ["build"])
    other = count_other_builds(runs["build"].to_pylist()) if runs is not None else ""
    if other and is_writer:
        lines.append(f"{held.folder}: {other}; they are kept, and not used by this build ({engine.__build__})")
    elif other:
        lines.append(f"{held.folder}: {other}; this is build {engine.__build__}")
    return lines


def count_other_builds(builds: Iterable[str]) -> str:
    """Say how many runs are of which other builds of farlink; nothing if there are none."""
    counts = Counter(build for build in builds if build != engine.__build__)
    return ", ".join(
        f"{count} runs are of another build of farlink ({build})" for build, count in sorted(counts.items())
    )


def note(line: str) -> None:
    """Write a line to standard error."""
    if sys.stderr:
        print(f"farlink: {printable(line)}", file=sys.stderr, flush=True)


def _remove_leftovers(on: Disk, held: Snapshot) -> None:
    """Delete what is not in a store, such as what an interrupted writer did not rename or delete."""
    disk.remove_parts(on, held.folder)
    disk.remove_parts(on, held.folder / SERIES)
    for name, file in TABLES.items():
        if name not in held.manifest.tables:
            on.remove(held.folder / file)
    if not held.manifest.has_journal:
        on.remove(held.folder / JOURNAL)
    on.sync_folder(held.folder)
