"""Make a damaged store whole again: damaged files are moved aside, what is intact is kept."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain, count
from pathlib import Path

from farlink.errors import StoreError
from farlink.store import disk, journal, manifest, snapshot
from farlink.store.disk import DamagedError, Disk
from farlink.store.manifest import TABLES, Manifest
from farlink.store.snapshot import JOURNAL, Snapshot
from farlink.system.files import is_special

DAMAGED = "damaged"
"""The folder for files that are not used any more."""


def repair(on: Disk, folder: Path) -> str:
    """Repair the manifest, the tables and the journal; gives a line about what is kept, if anything was damaged.

    A damaged table takes all folded runs with it, for each has rows there; those in the journal are kept. Damaged
    series stay where they are until their run is made again.
    """
    held = snapshot.read_with_faults(folder)
    special = special_names(folder)
    if not held.faults and not special:
        return ""
    kept = {} if snapshot.lost_tables(held) or "runs" not in held.contents else dict(held.manifest.tables)
    kept = {name: entries for name, entries in kept.items() if name in held.contents}
    disk.make_folders(on, folder / DAMAGED)
    if JOURNAL in held.faults:
        _rewrite_journal(on, held)
    unused = [file for name, file in TABLES.items() if name not in kept]
    moved = _move_aside(on, folder, [*unused, *special])
    manifest.write(on, folder, Manifest(kept, bool(held.records), held.manifest.order))
    runs = len(snapshot.read_store(folder).keys)
    aside = f"; {', '.join(moved)} moved to {DAMAGED}" if moved else ""
    intact = snapshot.intact_message(held, runs)
    return f"{folder}: repaired: {', '.join(held.faults or special)}{aside}; {intact} are kept"


def special_names(folder: Path) -> list[str]:
    """The names that the writer needs, whether or not a reader does, and that are those of no regular file."""
    return [name for name in (manifest.NAME, manifest.COPY, JOURNAL, *TABLES.values()) if is_special(folder / name)]


def refuse_special(folder: Path, names: Iterable[str]) -> None:
    """Raise `StoreError` for the first of these names that is that of no regular file."""
    for path in (folder / name for name in names if is_special(folder / name)):
        try:
            disk.read(path)
        except DamagedError as error:
            raise StoreError(f"{path}: {error}; {snapshot.REMEDY}") from None


def move_special(on: Disk, folder: Path, names: Iterable[str]) -> None:
    """Move what has these names out of the way of the writer, if it is no regular file."""
    _move_aside(on, folder, [name for name in names if is_special(folder / name)])


def _rewrite_journal(on: Disk, held: Snapshot) -> None:
    """Keep the whole records, and the damaged file beside them."""
    path = held.folder / JOURNAL
    if path.is_file():
        disk.replace(on, _unused_name(held.folder / DAMAGED / JOURNAL), disk.read(path))
        disk.replace(on, path, journal.encode_journal([record.to_bytes() for record in held.records]))


def _move_aside(on: Disk, folder: Path, names: Iterable[str]) -> list[str]:
    """Move what has these names, if anything, to the folder for damaged files; gives the names."""
    moved = [name for name in dict.fromkeys(names) if os.path.lexists(folder / name)]
    if moved:
        disk.make_folders(on, folder / DAMAGED)
        for name in moved:
            on.rename(folder / name, _unused_name(folder / DAMAGED / Path(name).name))
        # Before the manifest forgets them: a table that it expects to be absent must be.
        on.sync_folder(folder / DAMAGED)
        on.sync_folder(folder)
    return moved


def _unused_name(path: Path) -> Path:
    """A name that no file has yet."""
    names = chain([path], (path.with_name(f"{path.name}.{number}") for number in count(2)))
    return next(name for name in names if not os.path.lexists(name))
