"""Make a damaged store whole again: damaged files are moved aside, what is intact is kept."""

from __future__ import annotations

from collections.abc import Set
from itertools import chain, count
from pathlib import Path

from farlink.store import disk, journal, manifest, snapshot
from farlink.store.disk import Disk
from farlink.store.manifest import Manifest
from farlink.store.snapshot import JOURNAL, Snapshot

DAMAGED = "damaged"
"""The folder for files that are not used any more."""


def repair(on: Disk, folder: Path) -> str:
    """Repair the manifest, the tables and the journal; gives a line about what is kept, if anything was damaged.

    A damaged table takes all folded runs with it, for each has rows there; those in the journal are kept. Damaged
    series stay where they are until their run is made again.
    """
    held = snapshot.examine(folder)
    if not held.faults:
        return ""
    kept = {} if snapshot.lost_tables(held) or "runs" not in held.contents else dict(held.manifest.tables)
    kept = {name: entries for name, entries in kept.items() if name in held.contents}
    disk.make_folders(on, folder / DAMAGED)
    if JOURNAL in held.faults:
        _rewrite_journal(on, held)
    moved = _move_aside(on, folder, kept.keys())
    manifest.write(on, folder, Manifest(kept, has_journal=bool(held.records)))
    runs = len(snapshot.take(folder).keys)
    aside = f"; {', '.join(moved)} moved to {DAMAGED}" if moved else ""
    return f"{folder}: repaired: {', '.join(held.faults)}{aside}; {snapshot.readable(held, runs)} are kept"


def _rewrite_journal(on: Disk, held: Snapshot) -> None:
    """Keep the whole records, and the damaged file beside them."""
    path = held.folder / JOURNAL
    if path.exists():
        disk.replace(on, _free(held.folder / DAMAGED / JOURNAL), path.read_bytes())
        disk.replace(on, path, journal.whole([record.to_bytes() for record in held.records]))


def _move_aside(on: Disk, folder: Path, kept: Set[str]) -> list[str]:
    """Move the tables that are not kept."""
    from farlink.store import tables

    moved = [tables.path(folder, name) for name in tables.NAMES if name not in kept]
    moved = [path for path in moved if path.exists()]
    for path in moved:
        on.rename(path, _free(folder / DAMAGED / path.name))
    # Before the manifest forgets them: a table that it expects to be absent must be.
    on.sync_folder(folder / DAMAGED)
    on.sync_folder(folder)
    return [path.name for path in moved]


def _free(path: Path) -> Path:
    """A name that no file has yet."""
    names = chain([path], (path.with_name(f"{path.name}.{number}") for number in count(2)))
    return next(name for name in names if not name.exists())
