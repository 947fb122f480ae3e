"""Full disks: commands that write onto a file system which is too small for what they write.

A command ends with status 1 and a line, and leaves no file behind that is not whole; status 0 means that all is
there. A sweep resumes when there is room. A small tmpfs needs the right to mount; without it the size of files is
limited.
"""

from __future__ import annotations

import json
import math
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow.parquet
from attack import PATIENCE_S, Outcomes, demand, demand_failure_in_one_line, farlink, succeeded, write_sweep

PAGE = 4096
AMPLE = 64 * 1024 * 1024
JOURNAL = 8
"""How many times the room of its tables a sweep takes meanwhile, at most."""
SEEDS = 20
RUN = ["run", "short.toml", "--quiet"]


@dataclass(frozen=True)
class Command:
    """A command and what it writes, in the folder `disk`."""

    arguments: list[str]
    target: str
    is_stdout: bool = False


COMMANDS = [
    Command([*RUN, "--out", "disk/out"], "out"),
    Command([*RUN, "--series", "disk/series.parquet"], "series.parquet"),
    # The smallest disk is a page, which has room for the series of a shorter run.
    Command([*RUN, "--set", "duration=20 s", "--series", "disk/series.csv"], "series.csv"),
    Command([*RUN, "--pcap", "disk/run.pcap"], "run.pcap"),
    Command([*RUN, "--trace", "disk/run.tr"], "run.tr"),
    Command([*RUN, "--animate", "disk/run.html"], "run.html"),
    Command([*RUN, "--plot", "disk/plot.svg"], "plot.svg"),
    Command([*RUN, "--seeds", "1..20", "--json"], "run.json", is_stdout=True),
    Command(["sweep", "sweep.toml", "--quiet", "--out", "disk/store"], "store"),
    Command(["sweep", "sweep.toml", "--quiet", "--out", "disk/store", "--executor", "dask"], "store"),
]


def full_disk(folder: Path, draw: random.Random) -> Outcomes:
    """Run a command on disks of random sizes, each smaller than the one before, until one is full."""
    place = draw.randrange(len(COMMANDS))
    pages, _ = needed(folder, place)
    write_sweep(folder, SEEDS)
    size = PAGE * draw.randrange(1, pages + 1)
    outcomes: Outcomes = Counter()
    while not outcomes["full disk"]:
        outcomes += _on_disk(folder, place, size, draw)
        demand(outcomes["full disk"] or size > 1, f"{COMMANDS[place].target}: all is there on a disk of one byte")
        size = draw.randrange(1, max(size, 2))
    return outcomes


def _on_disk(folder: Path, place: int, size: int, draw: random.Random) -> Outcomes:
    """Run a command on a disk of this size, which may be large enough."""
    command, (_, whole) = COMMANDS[place], needed(folder, place)
    with small_disk(folder / "disk", size) as limit:
        done = start(folder, command, unbuffered=draw.random() < 0.5, limit=limit)
        if done.returncode == 0:
            demand(content(folder, command) == whole, f"{command.target}: status 0, but not all is there")
            shutil.rmtree(folder / "disk" / command.target, ignore_errors=True)
            return Counter({"large enough, a smaller one followed": 1})
        demand_failure_in_one_line(done.returncode, done.stderr)
        outcomes = Counter({"full disk": 1})
        outcomes["status 1 and a line"] += 1
        if command.target != "store":
            is_there = (folder / "disk" / command.target).exists() and not command.is_stdout
            demand(not is_there, f"{command.target} is there after a failure")
            return outcomes
        if limit is None:
            remount(folder / "disk", AMPLE)
        resumed = start(folder, command)
        demand(resumed.returncode == 0, f"the sweep does not resume when there is room: {resumed.stderr}")
        demand(content(folder, command) == whole, "the resumed sweep is not complete")
        outcomes["resumed when there was room"] += 1
    return outcomes


def start(
    folder: Path, command: Command, *, unbuffered: bool = False, limit: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command, its files limited to `limit` bytes each."""
    code = "" if limit is None else f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {resource.RLIM_INFINITY})); "
    code = f"import resource; {code}from farlink.__main__ import main; main()"
    environment = {**os.environ, **({"PYTHONUNBUFFERED": "1"} if unbuffered else {})}
    stdout: int = subprocess.DEVNULL
    if command.is_stdout:
        stdout = os.open(folder / "disk" / command.target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        return subprocess.run(
            [sys.executable, "-c", code, *command.arguments],
            cwd=folder,
            env=environment,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE_S,
        )
    finally:
        if command.is_stdout:
            os.close(stdout)


_needed: dict[int, tuple[int, object]] = {}


def needed(folder: Path, place: int) -> tuple[int, object]:
    """How many pages a command's files fill, and what is in them."""
    if place not in _needed:
        ample = folder / "ample"
        (ample / "disk").mkdir(parents=True)
        write_sweep(ample, SEEDS)
        done = start(ample, COMMANDS[place])
        demand(done.returncode == 0, done.stderr)
        sizes = [path.stat().st_size for path in (ample / "disk").rglob("*") if path.is_file()]
        pages = sum(math.ceil(size / PAGE) for size in sizes)
        pages *= JOURNAL if COMMANDS[place].target == "store" else 1
        _needed[place] = (max(pages, 2), content(ample, COMMANDS[place]))
    return _needed[place]


def content(folder: Path, command: Command) -> object:
    """What a command wrote, without the CPU times, which differ from run to run."""
    target = folder / "disk" / command.target
    if command.target == "store":
        return succeeded(farlink(folder, "export", "disk/store"))
    files = sorted(target.iterdir()) if target.is_dir() else [target]
    return {path.name: _content(path) for path in files}


def _content(path: Path) -> object:
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pylist()
    if path.suffix == ".json":
        return json.loads(path.read_text(), object_hook=_without_cpu_time)
    return path.read_bytes()


def _without_cpu_time(row: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in row.items() if key != "cpu_s"}


@cache
def mounts() -> bool:
    """Whether a file system can be mounted here."""
    return sys.platform == "linux" and os.geteuid() == 0 and _mount(Path("/mnt"), PAGE) and _unmount(Path("/mnt"))


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[int | None]:
    """A folder with room for `size` bytes; gives the limit for files where nothing can be mounted."""
    folder.mkdir(exist_ok=True)
    if not mounts():
        yield size
        return
    demand(_mount(folder, size), "a tmpfs cannot be mounted any more")
    try:
        yield None
    finally:
        _unmount(folder)


def remount(folder: Path, size: int) -> None:
    """Make room."""
    demand(_succeeds("mount", "-o", f"remount,size={size}", str(folder)), "a tmpfs cannot be enlarged")


def _mount(folder: Path, size: int) -> bool:
    return _succeeds("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))


def _unmount(folder: Path) -> bool:
    return _succeeds("umount", "--lazy", str(folder))


def _succeeds(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
