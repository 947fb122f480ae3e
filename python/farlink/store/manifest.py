"""The manifest of a store: the SHA-256 and the number of rows of every table, and whether there is a journal.

It also has the order in which sweeps list the values of their parameters.

A table has two entries while it is being replaced: of the old file and of the new one. So neither a kill between two
renames nor a power cut that undoes one of them looks like damage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from farlink.errors import UsageError
from farlink.printable import printable
from farlink.store import disk
from farlink.store.disk import DamagedError
from farlink.system.checksums import digest
from farlink.tables import rows

NAME = "manifest.json"
COPY = "manifest.copy.json"
"""The same once more, from which `--repair` takes it if the first is damaged."""
MEASURED = [name for name in rows.KINDS if name != "ledger"]
TABLES = {name: f"{name}.parquet" for name in (*MEASURED, "timings", "runs")}
"""Their files, in the order in which they are replaced: a run that is in `runs` is in all the others."""
FORMAT = 3
ABSENT = "absent"
"""In place of the SHA-256 of a table that is being written for the first time."""


Order: TypeAlias = "Mapping[str, Sequence[str | bool | int | float]]"
"""Per path of a parameter its values as sweeps list them."""


class OtherFormatError(Exception):
    """An intact manifest was written in this other format."""


@dataclass(frozen=True)
class Entry:
    """A content that a table may have."""

    sha256: str
    rows: Annotated[int, msgspec.Meta(ge=0)]


class _Head(msgspec.Struct):
    """What a manifest of any format says of itself."""

    format: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The state of a store's files."""

    tables: Mapping[str, Sequence[Entry]] = field(default_factory=dict)
    """Per table the contents that it may have; no entry for a table that was not written yet."""
    has_journal: bool = False
    order: Order = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """How many runs the tables hold, at most."""
        return max((entry.rows for entry in self.tables.get("runs", [])), default=0)

    def to_bytes(self) -> bytes:
        """Write as JSON that contains its own SHA-256."""
        # By `has_journal`, near the beginning, a manifest is known from files of the same name.
        content = {"format": FORMAT, "has_journal": self.has_journal, **msgspec.to_builtins(self)}
        return (json.dumps({**content, "sha256": digest(json.dumps(content).encode())}, indent=1) + "\n").encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Manifest:
        """Read what `to_bytes` wrote; raises `DamagedError` if one bit of it is different."""
        try:
            content = json.loads(data)
            head = msgspec.convert(content, _Head)
            del content["sha256"]
            if head.format != FORMAT and digest(json.dumps(content).encode()) == head.sha256:
                raise OtherFormatError(head.format)
            found = msgspec.convert(content, cls)
        except (ValueError, RecursionError) as error:
            what = str(error) if isinstance(error, msgspec.ValidationError) else "not the JSON that was written"
            raise DamagedError(f"is damaged: {printable(what)}") from None
        if found.to_bytes() != data:
            raise DamagedError("is damaged: its SHA-256 differs")
        return found


def write(on: disk.Disk, folder: Path, manifest: Manifest) -> None:
    """Replace the manifest, then its copy."""
    for name in (NAME, COPY):
        disk.replace(on, folder / name, manifest.to_bytes())


def read(folder: Path, name: str = NAME) -> Manifest:
    """Read the manifest; raises `DamagedError`, and `UsageError` for a store of another format."""
    try:
        return Manifest.from_bytes(disk.read(folder / name))
    except OtherFormatError as error:
        remedy = "choose another folder" if error.args[0] < FORMAT else "use a newer farlink"
        raise UsageError(f"{folder}: has format {error}, this farlink reads format {FORMAT}; {remedy}") from None
