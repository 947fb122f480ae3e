"""The files with the time series of runs, one per run; their checksums are in the table `runs`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from farlink.errors import StoreError
from farlink.store import disk
from farlink.store.disk import DamagedError, Disk
from farlink.store.record import Record
from farlink.store.snapshot import REMEDY, SERIES, Snapshot
from farlink.system.checksums import digest


def file_name(key: str) -> str:
    """The name of the file in the store with the series of a run."""
    return f"{SERIES}/{key}.parquet"


def write_series(on: Disk, folder: Path, record: Record, content: bytes | None) -> Record:
    """Write the series of a run, if it has some; gives its record with their checksum. The folder is to be synced."""
    if content is None:
        return record
    disk.make_folders(on, folder / SERIES)
    file = folder / file_name(record.key)
    on.rename(disk.write(on, file, content), file)
    return replace(record, series_sha256=digest(content))


def series_checksums(held: Snapshot) -> dict[str, str]:
    """The checksum of every run that has series, by its key."""
    from farlink.store import tables

    runs = held.table("runs", ["key", tables.SERIES_SHA256])
    rows = runs.to_pylist() if runs is not None else []
    return {row["key"]: row[tables.SERIES_SHA256] for row in rows if row[tables.SERIES_SHA256] is not None}


def damaged_series(held: Snapshot) -> dict[str, str]:
    """What is wrong with the series of every run whose series are damaged."""
    found = {}
    for key, checksum in series_checksums(held).items():
        try:
            _read_verified(held.folder / file_name(key), checksum)
        except DamagedError as error:
            found[key] = str(error)
    return found


def read_series(folder: Path, key: str, checksum: str) -> bytes:
    """Read the series of a run as Parquet; raises `StoreError` if they are damaged."""
    file = folder / file_name(key)
    try:
        return _read_verified(file, checksum)
    except DamagedError as error:
        raise StoreError(f"{file}: {error}; {REMEDY}") from None


def _read_verified(file: Path, checksum: str) -> bytes:
    content = disk.read(file)
    if digest(content) != checksum:
        raise DamagedError("is damaged: its SHA-256 differs from that in the table `runs`")
    return content


def delete_all_series(on: Disk, folder: Path) -> None:
    """Delete all series."""
    if (folder / SERIES).exists():
        for file in sorted((folder / SERIES).glob("*.parquet")):
            on.remove(file)
        on.sync_folder(folder / SERIES)
