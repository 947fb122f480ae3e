"""Work on a store while its disk fails or loses power, and what must be there afterwards."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import farlink as fl
from farlink import store
from farlink.errors import StoreError
from farlink.store import Store, series, snapshot
from farlink.store.disk import Disk, File
from farlink.store.record import Record
from farlink.store.snapshot import Snapshot
from farlink.sweeps.work import run
from farlink.system.folders import is_store
from simulated_disk import PowerCut, RecordingDisk

Run = tuple[Record, "bytes | None"]
Report = Callable[[Iterable[str]], None]
"""Is called with the names of runs once they are reported as finished, or of those that a store held before."""
PERSISTENCE = ("nothing", "everything")
ORDER = {"links.0.error.rate": [1e-6, 0.0]}
"""Kept before the first run of every store."""


@cache
def runs() -> Sequence[Run]:
    """Eight runs at two points, half of them with series."""
    base = fl.load("satellite").set("duration", "1 s")
    made: list[Run] = []
    for seeds, has_series in (([1, 2], True), ([3, 4], False)):
        sweep = fl.sweep(base, {"links.0.error.rate": [0.0, 1e-6]}, seeds=seeds, series=has_series)
        finished = [run(task) for task in sweep.tasks()]
        made += [(each.record, each.series) for each in finished]
    return made


def names(some: Iterable[Run]) -> list[str]:
    return [record.key for record, _ in some]


def add(kept: Store, some: Sequence[Run], report: Report) -> None:
    kept.add(some)
    report(names(some))


# Work. Each leaves a store with all runs, if nothing fails.


def new(folder: Path, disk: Disk, report: Report) -> None:
    """A store that did not exist, with two batches."""
    with Store(folder, on=disk) as kept:
        kept.keep_order(ORDER)
        add(kept, runs()[:3], report)
        add(kept, runs()[3:], report)


def resumed(folder: Path, disk: Disk, report: Report) -> None:
    """A store whose sweep was killed."""
    report(names(runs()[:5]))
    with Store(folder, on=disk) as kept:
        kept.keep_order(ORDER)
        add(kept, [each for each in runs() if each[0].key not in kept.keys], report)


def finish(folder: Path, disk: Disk, report: Report, *, batch: int) -> None:
    """Add whatever a store does not hold, in batches."""
    with Store(folder, on=disk) as kept:
        kept.keep_order(ORDER)
        missing = [each for each in runs() if each[0].key not in kept.keys]
        for start in range(0, len(missing), batch):
            add(kept, missing[start : start + batch], report)


def anew(folder: Path, disk: Disk, report: Report) -> None:
    """`--no-resume` of a sweep that was killed."""
    with Store(folder, on=disk, fresh=True) as kept:
        kept.keep_order(ORDER)
        add(kept, runs()[2:], report)
        add(kept, runs()[:2], report)


def repaired(folder: Path, disk: Disk, report: Report) -> None:
    """`--repair` of a killed sweep's store with a damaged table: what the journal holds is kept."""
    report(names(runs()[3:5]))
    with Store(folder, on=disk, repair=True) as kept:
        add(kept, [each for each in runs() if each[0].key not in kept.keys], report)


@dataclass(frozen=True)
class Work:
    """Something that a process does to a store."""

    do: Callable[[Path, Disk, Report], None]
    prepare: Callable[[Path], None]
    """Makes the folder as it was before."""


def _nothing(folder: Path) -> None:
    del folder


def killed(folder: Path) -> None:
    """Three runs in the tables, two in the journal, as a kill leaves them."""
    with Store(folder) as kept:
        kept.keep_order(ORDER)
        kept.add(runs()[:3])
    disk = RecordingDisk(folder)
    with Store(folder, on=disk) as kept:
        kept.add(runs()[3:5])
        count = len(disk.operations)
    aside = folder.with_name(f"{folder.name}.killed")
    PowerCut(disk, count).leave(aside, "everything")
    shutil.rmtree(folder)
    aside.rename(folder)


def damaged(folder: Path) -> None:
    """The same with a flipped bit in a table."""
    killed(folder)
    flip(folder / "flows.parquet", 999)


WORK = {
    "new": Work(new, _nothing),
    "resumed": Work(resumed, killed),
    "anew": Work(anew, killed),
    "repaired": Work(repaired, damaged),
}


def flip(path: Path, bit: int) -> None:
    """Flip a bit of a file."""
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


# What must be there.


class UnsyncedDisk(Disk):
    """The real disk without syncs: for what follows a power cut, which a test does many times."""

    class File(File):
        def sync(self) -> None:
            pass

    def create(self, path: Path) -> File:
        return self.File(path)

    def sync_folder(self, path: Path) -> None:
        del path


def rows(folder: Path) -> dict[str, list[str]]:
    """The export by run."""
    return _rows(snapshot.read_store(folder))


def _rows(held: Snapshot) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in store.export(held):
        row = json.loads(line)
        # Which parameters are columns depends on which runs there are.
        found.setdefault(row["key"], []).append(json.dumps({k: v for k, v in row.items() if "." not in k}))
    return found


def reference(folder: Path) -> dict[str, list[str]]:
    """The export of all runs, made in a folder without failures."""
    new(folder, Disk(), lambda _: None)
    return rows(folder)


_complete: set[str] = set()
"""States of stores that hold all that is expected: most resumed sweeps end with the same bytes."""


def check(folder: Path, expected: dict[str, list[str]], *, is_damaged: bool = False) -> set[str]:
    """Check that what a store holds is what was measured, and that a resumed sweep ends as any; gives its runs.

    A store that was damaged before may be so still; then `--repair` is what resumes.
    """
    held: set[str] = set()
    needs_repair = False
    if is_store(folder):
        try:
            held = _checked(folder, expected)
        except StoreError:
            assert is_damaged
            needs_repair = True
    with Store(folder, on=UnsyncedDisk(), repair=needs_repair) as kept:
        held |= kept.keys
        kept.add([each for each in runs() if each[0].key not in kept.keys])
    after = state(folder)
    if after not in _complete:
        assert rows(folder) == expected
        _complete.add(after)
    return held


def _checked(folder: Path, expected: dict[str, list[str]]) -> set[str]:
    held = snapshot.read_store(folder)
    found = _rows(held)
    assert not found or held.manifest.order == ORDER, "the order of the values is lost"
    assert all(expected[key] == lines for key, lines in found.items()), "a run has other results"
    checksums = series.series_checksums(held)
    for record, content in runs():
        if content is not None and record.key in found:
            assert series.read_series(folder, record.key, checksums[record.key]) == content
    return set(found)


def state(folder: Path) -> str:
    """A name for the content of a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b"folder")
    return digest.hexdigest()
