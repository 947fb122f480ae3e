"""A disk that can lose power or fail at any operation.

`RecordingDisk` works on a folder and records every operation of a store. `PowerCut` then makes the folder that a
power cut at the n-th operation leaves. What was not synced may be lost, partly there, or there, in any order:

- data of a file, since the last sync of that file: each block may have its new content, zeros, or be cut off;
- a name (create, rename, delete, new folder), since the last sync of the folder: may have changed or not, whatever
  later changes did.

`FailingDisk` fails at the n-th operation, and at every later one that writes, as a full or a broken disk does.
"""

from __future__ import annotations

import errno
import os
import random
from dataclasses import dataclass, field
from pathlib import Path

from farlink.store.disk import Disk, File

BLOCK = 64
"""Bytes that a power cut leaves as a whole. Disks have larger ones; smaller ones cut in more places."""


@dataclass(frozen=True)
class Operation:
    """One operation, with paths relative to the folder."""

    kind: str
    path: str
    target: str = ""
    data: bytes = b""
    inode: int = 0


class RecordingFile(File):
    """A file whose writes and syncs are recorded."""

    def __init__(self, disk: RecordingDisk, path: Path) -> None:
        self._disk = disk
        self._inode = disk.new_inode()
        disk.before("create", path, inode=self._inode)
        super().__init__(path)

    def write(self, data: bytes) -> None:
        try:
            self._disk.before("write", self.path, data=bytes(data), inode=self._inode)
        except OSError:
            super().write(data[: len(data) // 2])  # a full disk takes what it has room for
            raise
        super().write(data)

    def sync(self) -> None:
        self._disk.before("sync", self.path, inode=self._inode)


class RecordingDisk(Disk):
    """Works on a folder, which is as it is on the disk now; records all operations, and leaves out the syncs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.operations: list[Operation] = []
        self.before_all = {
            str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in folder.rglob("*")
        }
        self._inodes = 0

    def new_inode(self) -> int:
        self._inodes += 1
        return self._inodes

    def before(self, kind: str, path: Path, target: Path | None = None, data: bytes = b"", inode: int = 0) -> None:
        """Record an operation that is about to happen."""
        other = self._name(target) if target else ""
        self.operations.append(Operation(kind, self._name(path), other, data, inode))

    def _name(self, path: Path) -> str:
        return os.path.relpath(path, self.folder)

    def create(self, path: Path) -> File:
        return RecordingFile(self, path)

    def make_folder(self, path: Path) -> None:
        self.before("mkdir", path)
        super().make_folder(path)

    def rename(self, source: Path, target: Path) -> None:
        self.before("rename", source, target)
        super().rename(source, target)

    def remove(self, path: Path) -> None:
        if path.exists():
            self.before("remove", path)
        super().remove(path)

    def sync_folder(self, path: Path) -> None:
        self.before("sync_folder", path)


@dataclass
class Inode:
    """A file's content: what is on the disk, and the writes since."""

    synced: bytes = b""
    pending: list[bytes] = field(default_factory=list)


@dataclass(frozen=True)
class Change:
    """A change of names that is not on the disk yet; a folder has inode 0."""

    folders: frozenset[str]
    """Files whose sync reaches the disk, all of them."""
    removes: str = ""
    adds: str = ""
    inode: int = 0


class PowerCut:
    """The disk after the first `count` operations, and then the power fails."""

    def __init__(self, disk: RecordingDisk, count: int) -> None:
        self._inodes: dict[int, Inode] = {0: Inode()}
        self._names: dict[str, int] = {}
        """As the process sees them."""
        self._durable: dict[str, int] = {}
        self._pending: list[tuple[Change, set[str]]] = []
        for number, (name, content) in enumerate(sorted(disk.before_all.items()), 1):
            inode = 0 if content is None else -number
            self._inodes.setdefault(inode, Inode(content or b""))
            self._names[name] = self._durable[name] = inode
        for operation in disk.operations[:count]:
            self._apply(operation)

    def _apply(self, operation: Operation) -> None:
        path, folder = operation.path, _parent(operation.path)
        match operation.kind:
            case "create":
                self._inodes[operation.inode] = Inode()
                self._change(Change(frozenset({folder}), adds=path, inode=operation.inode))
            case "mkdir":
                self._change(Change(frozenset({folder}), adds=path))
            case "rename":
                folders = frozenset({folder, _parent(operation.target)})
                inode = self._names[path]
                self._change(Change(folders, removes=path, adds=operation.target, inode=inode))
            case "remove":
                self._change(Change(frozenset({folder}), removes=path))
            case "write":
                self._inodes[operation.inode].pending.append(operation.data)
            case "sync":
                inode = self._inodes[operation.inode]
                inode.synced += b"".join(inode.pending)
                inode.pending.clear()
            case "sync_folder":
                self._sync_folder("" if path == "." else path)

    def _change(self, change: Change) -> None:
        _carry_out(self._names, change)
        self._pending.append((change, set()))

    def _sync_folder(self, folder: str) -> None:
        left = []
        for change, synced in self._pending:
            synced |= {folder} & change.folders
            if synced == change.folders:
                _carry_out(self._durable, change)
            else:
                left.append((change, synced))
        self._pending = left

    def leave(self, folder: Path, seed: int | str) -> None:
        """Write what is left: `nothing` or `everything` of what was not synced, or a choice by a random seed."""
        chance = {"nothing": 0.0, "everything": 1.0}.get(str(seed), 0.5)
        draw = random.Random(f"power cut {seed}")
        names = dict(self._durable)
        for change, _ in self._pending:
            if draw.random() < chance:
                _carry_out(names, change)
        folder.mkdir()
        for name, inode in sorted(names.items()):
            parent = _parent(name)
            if parent and names.get(parent) != 0:
                continue
            if inode == 0:
                (folder / name).mkdir()
            else:
                (folder / name).write_bytes(self._content(self._inodes[inode], chance, draw))

    @staticmethod
    def _content(inode: Inode, chance: float, draw: random.Random) -> bytes:
        new = b"".join(inode.pending)
        if chance == 1.0 or not new:
            return inode.synced + new
        if chance == 0.0:
            return inode.synced
        new = new[: draw.choice([len(new), draw.randrange(len(new) + 1)])]
        blocks = [new[start : start + BLOCK] for start in range(0, len(new), BLOCK)]
        keeps = draw.choice([0.5, 0.95, 1.0])
        kept = [block if draw.random() < keeps else bytes(len(block)) for block in blocks]
        return inode.synced + b"".join(kept)


def _parent(name: str) -> str:
    """The folder of a name; an empty text for the outermost one."""
    return name.rpartition("/")[0]


def _carry_out(names: dict[str, int], change: Change) -> None:
    names.pop(change.removes, None)
    if change.adds:
        names[change.adds] = change.inode


class FailingDisk(RecordingDisk):
    """Fails at the n-th operation and at all later ones that need room, with this error."""

    def __init__(self, folder: Path, fails_at: int, error: int = errno.ENOSPC) -> None:
        super().__init__(folder)
        self._fails_at = fails_at
        self._error = error
        self.has_failed = False

    def before(self, kind: str, path: Path, target: Path | None = None, data: bytes = b"", inode: int = 0) -> None:
        super().before(kind, path, target, data, inode)
        is_later = self.has_failed and (self._error == errno.EIO or kind in ("write", "create", "mkdir"))
        if len(self.operations) == self._fails_at + 1 or is_later:
            self.has_failed = True
            raise OSError(self._error, os.strerror(self._error), str(path))
