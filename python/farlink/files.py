"""Files appear whole or not at all, and survive a power cut once they have appeared."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from farlink.errors import UsageError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to; it becomes `path` when the block ends, and vanishes if the block fails."""
    part = _part(path)
    try:
        with named(path):
            yield part
            sync_file(part)
            part.replace(path)
            sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder to write to; its files are in `path` when the block ends, and vanish if the block fails."""
    part = _part(path)
    try:
        with named(path):
            part.mkdir(parents=True)
            yield part
            for file in part.iterdir():
                sync_file(file)
            sync_folder(part)
            if path.exists():
                for file in part.iterdir():
                    file.replace(path / file.name)
                sync_folder(path)
            else:
                part.rename(path)
            sync_folder(path.parent)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Name `path` in errors, whatever file the failed operation was about."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from error


def sync_file(path: Path) -> None:
    """Return when the content of a file has reached the disk."""
    _sync(path)


def sync_folder(path: Path) -> None:
    """Return when the names in a folder have reached the disk."""
    if os.name == "nt":  # a folder cannot be opened there
        return
    try:
        _sync(path)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system without this operation
            raise


def _sync(path: Path) -> None:
    with named(path):
        # Windows syncs only what is open for writing.
        file = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path`, whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


def check_target(path: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse, before a long run, a file that could not be written after it."""
    if path.suffix.lower() not in suffixes:
        raise UsageError(f"{path}: its name must end in {' or '.join(suffixes)}")
    if path.is_dir():
        raise UsageError(f"{path}: a folder of that name is in the way")
    _check_writable(path, path.absolute().parent)


def check_folder(path: Path) -> None:
    """Refuse, before a long run, a folder that could not be made or written to after it."""
    absolute = path.absolute()
    existing = next(folder for folder in (absolute, *absolute.parents) if folder.exists())
    _check_writable(path, existing)


def _check_writable(path: Path, folder: Path) -> None:
    if not folder.is_dir():
        raise UsageError(f"{path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{path}: the folder {folder} cannot be written to")
