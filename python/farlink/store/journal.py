"""An append-only file of records, a line each.

A line has a CRC, and is set off by a newline before and behind it: a flipped bit costs one record. Every line states
how much of the file had reached the disk before it was written: what is not whole before that place was finished and
is damaged; what is not whole after it was being written when the process or the machine stopped. The first record is
empty: a journal without it is damaged.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from farlink.store import disk

LINE = re.compile(rb"([0-9a-f]{8}) ((\d+) (.*))")
"""CRC-32 of the rest, bytes of the file on the disk before this record, and the record, which is ASCII in one line."""


class Journal:
    """A new journal, opened for appending."""

    def __init__(self, on: disk.Disk, path: Path) -> None:
        self._file = on.create(path)
        self._written = 0
        self._synced = 0
        self.append([b""])
        on.sync_folder(path.parent)

    def append(self, records: Sequence[bytes]) -> None:
        """Append records; once this returns, neither a kill nor a power cut loses them."""
        for record in records:
            data = _line(record, self._synced)
            self._file.write(data)
            self._written += len(data)
        self._file.sync()
        self._synced = self._written

    def close(self) -> None:
        """Close."""
        self._file.close()


def encode_journal(records: Sequence[bytes]) -> bytes:
    """A journal with these records."""
    return b"".join(_line(record, 0) for record in (b"", *records))


def _line(record: bytes, synced: int) -> bytes:
    rest = b"%d %s" % (synced, record)
    return b"\n%08x %s\n" % (zlib.crc32(rest), rest)


@dataclass(frozen=True)
class Content:
    """What a journal holds."""

    records: Sequence[bytes] = ()
    """The whole ones."""
    damaged: int = 0
    """Places, among what had reached the disk, that are not whole records."""
    torn: int = 0
    """Bytes that are not whole records, among what was being written last."""


def parse_journal(data: bytes) -> Content:
    """Find the whole records of a journal."""
    records: list[bytes] = []
    broken: list[tuple[int, int]] = []
    begin = synced = 0
    for line in data.split(b"\n"):
        found = LINE.fullmatch(line)
        if found and int(found[1], 16) == zlib.crc32(found[2]):
            records.append(found[4])
            synced = max(synced, int(found[3]))
        elif line:
            broken.append((begin, len(line)))
        begin += len(line) + 1
    is_headless = records[:1] != [b""]
    return Content(
        [record for record in records if record],
        damaged=sum(1 for begin, _ in broken if 1 < begin < synced) + is_headless,
        torn=sum(length for begin, length in broken if begin >= max(synced, 2)),
    )
