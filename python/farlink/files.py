"""Files appear whole or not at all."""

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
        with _blaming(path):
            yield part
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder to write to; its files are in `path` when the block ends, and vanish if the block fails."""
    part = _part(path)
    try:
        with _blaming(path):
            part.mkdir(parents=True)
            yield part
            if path.exists():
                for file in part.iterdir():
                    file.replace(path / file.name)
            else:
                part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Name `path` in errors: nobody asked for its part."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from error


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
