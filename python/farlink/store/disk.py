"""The operations by which a store uses the disk: the only place that writes, syncs, renames or deletes its files.

Tests replace `DISK` by a simulated disk that fails, or loses power, at the n-th operation.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from farlink.system.files import NotRegularError, name_in_errors, read_bytes, sync_folder

PART = ".part"
"""How the name of a file ends that is not renamed yet."""


class DamagedError(Exception):
    """A file is not what was written; the message says how, without the file's name."""


class MissingError(DamagedError):
    """A file is not there."""


class File:
    """A file opened for appending."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with name_in_errors(path):
            # Without O_NONBLOCK, opening a pipe waits for a reader.
            flags = sum(getattr(os, name, 0) for name in ("O_WRONLY", "O_CREAT", "O_TRUNC", "O_NONBLOCK", "O_BINARY"))
            self._file = os.open(path, flags, 0o666)

    def write(self, data: bytes) -> None:
        """Append; a power cut may still lose it."""
        rest = memoryview(data)
        with name_in_errors(self.path):
            while rest:
                rest = rest[os.write(self._file, rest) :]

    def sync(self) -> None:
        """Return when everything written has reached the disk."""
        with name_in_errors(self.path):
            os.fsync(self._file)

    def close(self) -> None:
        """Close; without `sync` before, a power cut may still lose what was written."""
        os.close(self._file)


class Disk:
    """The disk of this machine."""

    def create(self, path: Path) -> File:
        """Open an empty file, which replaces one of the same name."""
        return File(path)

    def make_folder(self, path: Path) -> None:
        """Make one folder, whose parent exists."""
        path.mkdir(exist_ok=True)

    def rename(self, source: Path, target: Path) -> None:
        """Give a file another name, at which it replaces what is there."""
        source.replace(target)

    def remove(self, path: Path) -> None:
        """Delete a file, if there is one."""
        path.unlink(missing_ok=True)

    def sync_folder(self, path: Path) -> None:
        """Return when the names in a folder have reached the disk."""
        sync_folder(path)


DISK = Disk()


def read(path: Path) -> bytes:
    """Read a file; raises `DamagedError` where there is none, or what is no regular file."""
    try:
        return read_bytes(path)
    except FileNotFoundError:
        raise MissingError("is missing") from None
    except NotRegularError as error:
        raise DamagedError(f"is damaged: {error.what}") from None


def make_folders(disk: Disk, path: Path) -> None:
    """Make a folder and those above it that are missing; they survive a power cut."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        disk.make_folder(folder)
        disk.sync_folder(folder.parent)


def write(disk: Disk, path: Path, data: bytes) -> Path:
    """Write a file beside `path`, to be renamed to it; its content survives a power cut. Gives its name."""
    part = path.with_name(f".{path.name}{PART}")
    file = disk.create(part)
    try:
        file.write(data)
        file.sync()
    finally:
        file.close()
    return part


def replace(disk: Disk, path: Path, data: bytes) -> None:
    """Replace a file by one with this content, at once and for good: a power cut leaves the old one or the new one."""
    disk.rename(write(disk, path, data), path)
    disk.sync_folder(path.parent)


def remove_parts(disk: Disk, folder: Path) -> None:
    """Delete files that an interrupted writer did not rename."""
    with suppress(FileNotFoundError):
        for part in sorted(folder.glob(f".*{PART}")):
            disk.remove(part)
