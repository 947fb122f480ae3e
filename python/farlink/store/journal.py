"""An append-only file of records.

A record is a frame, which begins with a magic number and has a CRC of its own, and a payload with another. So a reader
that meets a damaged place finds the next whole record behind it. Every frame states how much of the file had reached
the disk before it was written: what is not whole before that place was finished and is damaged; what is not whole
after it was being written when the process or the machine stopped. The first record is empty: a journal without it is
damaged.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from farlink.store import disk

MAGIC = b"\xf7FLR"
"""Cannot occur in a payload, which is ASCII."""
FRAME = struct.Struct("<4sQII")
"""Magic number, bytes of the file on the disk before this record, length and CRC-32 of the payload."""
CRC = struct.Struct("<I")
"""Of the frame, which it follows."""
HEADER = FRAME.size + CRC.size


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
            data = _frame_record(record, self._synced)
            self._file.write(data)
            self._written += len(data)
        self._file.sync()
        self._synced = self._written

    def close(self) -> None:
        """Close."""
        self._file.close()


def encode_journal(records: Sequence[bytes]) -> bytes:
    """A journal with these records."""
    return b"".join(_frame_record(record, 0) for record in (b"", *records))


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
    gaps: list[tuple[int, int]] = []
    place = synced = 0
    while place < len(data):
        if found := _read_record(data, place):
            record, synced_before = found
            records.append(record)
            synced = max(synced, synced_before)
            place += HEADER + len(record)
            continue
        after = data.find(MAGIC, place + 1)
        while after >= 0 and not _read_record(data, after):
            after = data.find(MAGIC, after + 1)
        end = after if after >= 0 else len(data)
        gaps.append((place, end))
        place = end
    is_headless = not data or bool(gaps and gaps[0][0] == 0)
    return Content(
        [record for record in records if record],
        damaged=sum(1 for start, _ in gaps if 0 < start < synced) + is_headless,
        torn=sum(end - start for start, end in gaps if start >= max(synced, 1)),
    )


def _frame_record(record: bytes, synced: int) -> bytes:
    frame = FRAME.pack(MAGIC, synced, len(record), zlib.crc32(record))
    return frame + CRC.pack(zlib.crc32(frame)) + record


def _read_record(data: bytes, place: int) -> tuple[bytes, int] | None:
    """The record at this place, and how much had reached the disk before it; None if it is not whole."""
    frame = data[place : place + FRAME.size]
    if len(data) < place + HEADER or CRC.unpack_from(data, place + FRAME.size) != (zlib.crc32(frame),):
        return None
    magic, synced, length, crc = FRAME.unpack(frame)
    payload = data[place + HEADER : place + HEADER + length]
    if magic != MAGIC or len(payload) < length or zlib.crc32(payload) != crc:
        return None
    return payload, synced
