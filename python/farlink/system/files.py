"""Files are read if they are regular and not too large; they are written whole or not at all.

What was written survives a power cut once it has appeared.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from farlink.errors import UsageError
from farlink.system import interrupts
from farlink.system.folders import check_for_file

MOST_TEXT = 16 << 20
"""Bytes that a scenario, a sweep or any other text file has at most."""
SLICE = 1 << 20
"""Bytes read at a time; signals are handled in between."""


class NotRegularError(UsageError):
    """A name is that of a directory, a pipe or a device; `what` says which."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path}: {what}, not a regular file")
        self.what = what


@contextmanager
def replace_atomically(path: Path) -> Iterator[Path]:
    """Give a name to write to; it becomes `path` when the block ends, and vanishes if the block fails."""
    part = _temporary_path(path)
    try:
        with name_in_errors(path):
            yield part
            sync_file(part)
            part.replace(path)
            sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder to write to; its files are in `path` when the block ends, and vanish if the block fails."""
    import shutil

    part = _temporary_path(path)
    try:
        with name_in_errors(path):
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


def _temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def name_in_errors(path: Path) -> Iterator[None]:
    """Name `path` in errors, whatever file the failed operation was about."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from error


def sync_folder(path: Path) -> None:
    """Return when the names in a folder have reached the disk."""
    if os.name == "nt":  # a folder cannot be opened there
        return
    try:
        sync_file(path)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system without this operation
            raise


def sync_file(path: Path) -> None:
    """Return when the content of a file has reached the disk."""
    with name_in_errors(path):
        # Windows syncs only what is open for writing.
        file = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` as UTF-8, whole or not at all."""
    write_bytes(path, text.encode())


def create_text(path: Path, text: str) -> None:
    """Write `text` to a new file; a name that is in use is refused."""
    if os.path.lexists(path):
        raise UsageError(f"{path}: exists already; choose another name, or delete it")
    check_target(path)
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all."""
    with replace_atomically(path) as part:
        part.write_bytes(data)


def read_text(path: Path, most: int = MOST_TEXT) -> str:
    """Read a regular file of UTF-8 text, of at most `most` bytes; any other is a `UsageError`.

    Raises `FileNotFoundError` if there is none: callers know what else the name may mean.
    """
    try:
        with open_regular_file(path) as descriptor:
            # The size that the file system reports is not relied on: a file may grow, and in /proc it is 0.
            return decode_text(str(path), _read_descriptor(descriptor, most + 1), most)
    except (FileNotFoundError, UsageError):
        raise
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except ValueError:
        raise UsageError(f"{path}: no file has such a name") from None


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Read a regular file up to the size that it has now; any other is a `NotRegularError`.

    Raises `UsageError` for a file of more than `most` bytes.
    """
    try:
        with name_in_errors(path), open_regular_file(path) as descriptor:
            size = os.fstat(descriptor).st_size
            if most is not None and size > most:
                raise UsageError(f"{path}: more than {most >> 20} MiB, the limit for such a file")
            return _read_descriptor(descriptor, size)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ELOOP):
            what = "a socket or a device" if error.errno == errno.ENXIO else "a link to itself"
            raise NotRegularError(path, what) from None
        raise


def is_special(path: Path) -> bool:
    """Whether a name is in use for something that is no regular file and no link to one."""
    return os.path.lexists(path) and not path.is_file()


def decode_text(name: str, data: bytes, most: int = MOST_TEXT) -> str:
    """Decode UTF-8 text of at most `most` bytes, lines ending in newlines, without a byte order mark."""
    if len(data) > most:
        raise UsageError(f"{name}: more than {most >> 20} MiB, the limit for such a file")
    try:
        return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig").read()
    except UnicodeDecodeError:
        raise UsageError(f"{name}: not UTF-8 text") from None


@contextmanager
def open_regular_file(path: Path) -> Iterator[int]:
    """Open a regular file for reading; gives its descriptor."""
    # Without O_NONBLOCK, opening a pipe waits for a writer.
    flags = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
    descriptor = os.open(path, flags)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise NotRegularError(path, "a directory" if stat.S_ISDIR(mode) else "a pipe or a device")
        yield descriptor
    finally:
        os.close(descriptor)


def _read_descriptor(descriptor: int, most: int) -> bytes:
    """Read up to so many bytes."""
    parts, size = [], 0
    while size < most and (part := os.read(descriptor, min(SLICE, most - size))):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def check_target(path: Path, suffixes: tuple[str, ...] = ()) -> None:
    """Refuse, before a long run, a file that could not be written after it; without `suffixes` it may end in any."""
    if suffixes and path.suffix.lower() not in suffixes:
        raise UsageError(f"{path}: its name must end in {' or '.join(suffixes)}")
    with _as_refusal(path):
        if path.is_dir():
            raise UsageError(f"{path}: a folder of that name is in the way")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{path}: there is no folder {path.absolute().parent}")
        check_for_file(path.absolute())
        part = _temporary_path(path)
        with interrupts.Deferred():
            try:
                part.write_bytes(b"\0")
            finally:
                part.unlink(missing_ok=True)


def check_folder(path: Path) -> None:
    """Refuse, before a long run, a folder that could not be made or written to after it."""
    import tempfile

    with _as_refusal(path):
        absolute = path.absolute()
        existing = next(folder for folder in (absolute, *absolute.parents) if os.path.lexists(folder))
        if not existing.is_dir():
            raise UsageError(f"{path}: {existing} is not a folder")
        with tempfile.TemporaryDirectory(prefix=".farlink.", suffix=".part", dir=existing) as probe:
            folder = Path(probe) / absolute.relative_to(existing)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "probe").write_bytes(b"\0")


@contextmanager
def _as_refusal(path: Path) -> Iterator[None]:
    """Turn what the system says of a place into a refusal; a lack of space is a failure, not bad usage."""
    try:
        yield
    except UsageError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}; choose another place") from None
    except ValueError:
        raise UsageError(f"{path}: no file can have such a name; choose another") from None
