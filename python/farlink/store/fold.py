"""Move the journal's records into the tables, so that a kill or a power cut at any operation loses and damages nothing.

1. The new tables are written beside the old ones and synced.
2. The manifest names both contents of every table.
3. The tables are renamed, `runs` last: what is in `runs` is in all tables.
4. The manifest names the new contents, and no journal.
5. The journal is deleted.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from farlink.store import disk, manifest
from farlink.store.manifest import ABSENT, TABLES, Entry
from farlink.store.snapshot import JOURNAL, Snapshot
from farlink.system.checksums import digest


def fold(on: disk.Disk, snapshot: Snapshot) -> None:
    """Fold what was read from a store into its tables."""
    folder = snapshot.folder
    if snapshot.is_unfolded:
        _replace_tables(on, snapshot)
    elif snapshot.manifest.has_journal:
        manifest.write(on, folder, replace(snapshot.manifest, has_journal=False))
    if snapshot.manifest.has_journal:
        on.remove(folder / JOURNAL)
        on.sync_folder(folder)


def _replace_tables(on: disk.Disk, snapshot: Snapshot) -> None:
    from farlink.store import tables

    folder = snapshot.folder
    before = {name: _manifest_entry(snapshot, name) for name in TABLES}
    after: dict[str, Entry] = {}
    parts: dict[str, Path] = {}
    for name, file in TABLES.items():
        table = snapshot.table(name)
        assert table is not None, "a store with records has all tables"
        content = tables.encode(table)
        after[name] = Entry(digest(content), table.num_rows)
        parts[name] = disk.write(on, folder / file, content)
    both = {name: [before[name], after[name]] for name in after}
    manifest.write(on, folder, replace(snapshot.manifest, tables=both, has_journal=True))
    for name, part in parts.items():
        if name == "runs":
            on.sync_folder(folder)
        on.rename(part, folder / TABLES[name])
    on.sync_folder(folder)
    new = {name: [entry] for name, entry in after.items()}
    manifest.write(on, folder, replace(snapshot.manifest, tables=new, has_journal=False))


def _manifest_entry(snapshot: Snapshot, name: str) -> Entry:
    """The content that a table has now."""
    if name not in snapshot.contents:
        return Entry(ABSENT, 0)
    found = digest(snapshot.contents[name])
    return next(entry for entry in snapshot.manifest.tables[name] if entry.sha256 == found)
