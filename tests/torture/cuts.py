"""Simulated power cuts after a random operation of a store, and flipped bits in its files."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import store_attacks
from attack import Outcomes, demand, demand_failure_in_one_line, farlink
from farlink import store
from farlink.errors import StoreError
from farlink.store import series, snapshot
from simulated_disk import PowerCut, RecordingDisk

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""A place without a disk, where a rename takes no time; the disk is simulated."""
_SCRATCH = tempfile.TemporaryDirectory(prefix="farlink-torture-", dir=MEMORY)
CLI_SHARE = 0.1
"""Of the flipped bits, for which the command line is asked besides."""


def scratch(name: str) -> Path:
    """A folder for what is made once."""
    folder = Path(_SCRATCH.name) / name
    folder.mkdir()
    return folder


@cache
def expected() -> dict[str, list[str]]:
    """The rows of all runs, by run."""
    return store_attacks.reference(scratch("reference") / "store")


@cache
def recorded(name: str) -> tuple[RecordingDisk, list[tuple[int, list[str]]]]:
    """The operations of some work, and which runs were reported after how many of them."""
    work, folder = store_attacks.WORK[name], scratch(name)
    work.prepare(folder / "store")
    disk = RecordingDisk(folder)
    reports: list[tuple[int, list[str]]] = []
    work.do(folder / "store", disk, lambda keys: reports.append((len(disk.operations), list(keys))))
    return disk, reports


def power_cut(folder: Path, draw: random.Random) -> Outcomes:
    """Cut the power after a random operation: nothing, everything or some of what was not synced is on the disk."""
    name = draw.choice(list(store_attacks.WORK))
    disk, reports = recorded(name)
    count = draw.randrange(len(disk.operations) + 1)
    persistence = draw.choice([*store_attacks.PERSISTENCE, *[str(draw.random())] * 8])
    PowerCut(disk, count).leave(folder / "left", persistence)
    promised = {key for after, keys in reports if after <= count for key in keys}
    found = store_attacks.check(folder / "left" / "store", expected(), is_damaged=name == "repaired")
    demand(promised <= found, f"{name}: a finished run is lost by a cut after {count} operations, {persistence}")
    return Counter({"power cut": 1, "finished runs, all kept": len(promised)})


@cache
def of_killed_sweep() -> tuple[Path, set[str]]:
    """A store with tables, series and a journal, and its runs."""
    folder = scratch("killed") / "store"
    store_attacks.killed(folder)
    return folder, set(store_attacks.rows(folder))


def flipped_bit(folder: Path, draw: random.Random) -> Outcomes:
    """Flip a bit of a random file of a store: it is refused with that file's name, or has no effect."""
    original, keys = of_killed_sweep()
    copy = folder / "store"
    shutil.copytree(original, copy)
    file = draw.choice(sorted(path for path in copy.rglob("*") if path.is_file() and path.stat().st_size))
    store_attacks.flip(file, draw.randrange(8 * file.stat().st_size))
    outcomes = Counter({"flipped bit": 1})
    refusal, notes = _refusal(copy, keys)
    if refusal:
        outcomes["refused with the name of the file"] += 1
        demand(file.name in refusal, f"{file.name} is damaged, but: {refusal}")
    elif notes:
        outcomes["noted as a torn end of the journal"] += 1
        demand(file.name == snapshot.JOURNAL and file.name in notes, f"{file.name} is damaged, but: {notes}")
    else:
        outcomes["without effect"] += 1
    if draw.random() < CLI_SHARE:
        _ask_command_line(folder, file, refusal, notes)
        outcomes["the same on the command line"] += 1
    # What is damaged is made again.
    store_attacks.check(copy, expected(), is_damaged=bool(refusal))
    return outcomes


def _ask_command_line(folder: Path, file: Path, refusal: str, notes: str) -> None:
    """Demand that an export fails with the name of the damaged file, or has the notes."""
    done = farlink(folder, "export", "store")
    if refusal and file.parent.name != snapshot.SERIES:  # which an export does not read
        printed = demand_failure_in_one_line(done.returncode, done.stderr)
        demand(file.name in printed, f"{file.name} is damaged, but: {printed}")
    else:
        demand(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
        demand(file.name in done.stderr or not notes, f"{notes}, but: {done.stderr}")


def _refusal(folder: Path, keys: set[str]) -> tuple[str, str]:
    """The line with which reading everything is refused, or the notes with which it is not."""
    try:
        rows = store_attacks.rows(folder)
        held = snapshot.read_store(folder)
        for key, checksum in series.series_checksums(held).items():
            series.read_series(folder, key, checksum)
    except StoreError as error:
        demand("\n" not in str(error), f"more than one line: {error}")
        return str(error), ""
    notes = store.notes(held)
    is_whole = set(rows) == keys if not notes else set(rows) < keys
    demand(is_whole, "a damaged store gives other runs, without a message")
    demand(all(expected()[key] == lines for key, lines in rows.items()), "a damaged store gives other results")
    return "", " ".join(notes)


SIMULATED = (power_cut, flipped_bit)
