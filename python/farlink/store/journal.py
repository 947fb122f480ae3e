"""An append-only file of records, each with its length and CRC: what was written before a kill is whole."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

HEADER = struct.Struct("<II")
"""A record's length and the CRC-32 of its bytes."""


class Journal:
    """Opened for appending. A torn record at its end, the mark of a kill, is cut off first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        whole = sum(HEADER.size + len(record) for record in read(path))
        self._file = path.open("ab")
        self._file.truncate(whole)

    def append(self, record: bytes) -> None:
        """Append a record; once this returns, the death of this process does not lose it."""
        self._file.write(HEADER.pack(len(record), zlib.crc32(record)) + record)
        self._file.flush()

    def close(self) -> None:
        """Bring everything to the disk and close."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read(path: Path) -> Iterator[bytes]:
    """Give the whole records of a journal, up to the first that is torn; none where there is no file."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        while len(header := file.read(HEADER.size)) == HEADER.size:
            length, crc = HEADER.unpack(header)
            record = file.read(length)
            if len(record) < length or zlib.crc32(record) != crc:
                return
            yield record
