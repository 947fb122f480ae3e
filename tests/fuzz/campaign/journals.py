"""Damaged journals of a store: whole records come out, all that are still there, and what is lost is noted."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

from farlink.store import disk, journal


class Memory(disk.Disk):
    """A disk of one file."""

    def __init__(self) -> None:
        self.data = bytearray()

    def create(self, path: Path) -> disk.File:
        """Give the file."""
        return _File(self.data)

    def sync_folder(self, path: Path) -> None:
        """Do nothing: there are no names."""


class _File(disk.File):
    def __init__(self, data: bytearray) -> None:
        self.data = data

    def write(self, data: bytes) -> None:
        self.data += data

    def sync(self) -> None:
        pass

    def close(self) -> None:
        pass


def attack(seed: str) -> str:
    """Damage a journal made from this seed; what is wrong with what is read from it, or nothing."""
    random = Random(seed)
    records, frames = _journal(random)
    data = b"".join(frames)
    damaged = _damage(data, frames, random)
    content = journal.parse_journal(damaged)
    if strange := set(content.records) - set(records):
        return f"records that were never written: {strange!r}"
    there = {record for record, frame in zip(records, frames[1:], strict=True) if frame in damaged}
    if lost := there - set(content.records):
        return f"whole records are not read: {lost!r}"
    is_noted = bool(content.damaged or content.torn)
    if set(content.records) < set(records) and not is_noted and not _is_whole(damaged, frames):
        return "records are lost, which is not noted"
    if damaged == data and (is_noted or list(content.records) != records):
        return "a whole journal is not read as it was written"
    return ""


def _journal(random: Random) -> tuple[list[bytes], list[bytes]]:
    """Records, and the bytes of the journal that each made, the empty first one before them."""
    memory = Memory()
    made = journal.Journal(memory, Path("journal"))
    records, ends = [], [0, len(memory.data)]
    for batch in range(random.randint(0, 6)):
        new = [f'{{"n":{batch}.{i},"x":"{"é" * random.randint(0, 40)}"}}'.encode("ascii", "replace") for i in range(3)]
        for record in new[: random.randint(1, 3)]:
            made.append([record])
            records.append(record)
            ends.append(len(memory.data))
    data = bytes(memory.data)
    return records, [data[start:end] for start, end in pairwise(ends)]


def _is_whole(data: bytes, frames: list[bytes]) -> bool:
    """True for a journal of whole records, of which the last ones, or some between, are missing to the byte."""
    for frame in sorted(frames, key=len, reverse=True):
        data = data.replace(frame.strip(b"\n"), b"")
    return not data.strip(b"\n")


def _damage(data: bytes, frames: list[bytes], random: Random) -> bytes:
    made = bytearray(data)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        place = random.randrange(len(made) + 1)
        end = min(place + random.choice((1, 4, 24, 200)), len(made))
        match random.randrange(7):
            case 0 if place < len(made):
                made[place] ^= 1 << random.randrange(8)
            case 1:
                made[place:end] = bytes(end - place)
            case 2:
                del made[place:]
            case 3:
                del made[place:end]
            case 4:
                made[place:place] = made[place:end]
            case 5:
                made[place:place] = random.choice((b"\n", random.randbytes(30), *frames))
            case _:
                made[place:end] = random.randbytes(end - place)
    return bytes(made)
