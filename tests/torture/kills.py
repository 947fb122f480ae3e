"""SIGKILL at random moments: of the process that writes the store, of its workers, of the scheduler of a cluster.

What was reported as finished before a kill must be in the store after it; a sweep ends with status 0 only when it is
complete; and the resumed sweep exports the same bytes as one that was left alone.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from attack import (
    PATIENCE_S,
    Outcomes,
    demand,
    demand_failure_in_one_line,
    farlink,
    succeeded,
    write_sweep,
)
from farlink.store import known_keys

VICTIM = Path(__file__).with_name("victim.py")
SEEDS = 40
POLL_S = 0.001


class Victim:
    """A sweep in a session of its own, and what it has reported."""

    def __init__(self, folder: Path, runs: int, *arguments: str) -> None:
        self.runs = runs
        self._printed = folder / "stderr"
        self._share = 0.0
        reading, writing = os.pipe()
        with self._printed.open("wb") as printed:
            self.process = subprocess.Popen(
                [sys.executable, str(VICTIM), str(writing), *arguments],
                cwd=folder,
                pass_fds=[writing],
                stdout=subprocess.DEVNULL,
                stderr=printed,
                start_new_session=True,
            )
        os.close(writing)
        self._listener = threading.Thread(target=self._listen, args=(reading,), daemon=True)
        self._listener.start()

    def _listen(self, reading: int) -> None:
        with os.fdopen(reading) as lines:
            for line in lines:
                self._share = float(line)

    @property
    def reported(self) -> int:
        """How many runs were reported as finished."""
        return round(self._share * self.runs)

    @property
    def is_unfinished(self) -> bool:
        """Whether the process lives and has runs left to report: asked after a kill, which then met such a sweep."""
        return self.process.poll() is None and self.reported < self.runs

    @property
    def printed(self) -> str:
        """What it wrote to standard error."""
        return self._printed.read_text(errors="replace")

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Wait until the condition holds or the process has ended."""
        ends_s = time.monotonic() + PATIENCE_S
        while not condition() and self.process.poll() is None:
            demand(time.monotonic() < ends_s, "the sweep makes no progress")
            time.sleep(POLL_S)

    def status(self) -> int:
        """Wait for the end, and for the last report."""
        status = self.process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        # What it had started ends with it, or now.
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return status


@contextmanager
def victim(folder: Path, runs: int, *arguments: str) -> Iterator[Victim]:
    """A sweep that does not outlive the block."""
    it = Victim(folder, runs, *arguments)
    try:
        yield it
    finally:
        with suppress(ProcessLookupError):
            os.killpg(it.process.pid, signal.SIGKILL)
        it.process.wait()


@dataclass(frozen=True)
class Undisturbed:
    """The same sweep left alone: its export, and how long its beginning and its end take."""

    export: str
    begins_s: float
    ends_s: float


_undisturbed: dict[tuple[str, ...], Undisturbed] = {}
_lock = threading.Lock()


def undisturbed(folder: Path, kind: str, runs: int, *arguments: str) -> Undisturbed:
    """Run the sweep that `arguments` make once for all attacks of this kind."""
    with _lock:
        if (kind,) not in _undisturbed:
            began_s = time.monotonic()
            with victim(folder, runs, *arguments) as it:
                it.wait_for(lambda: it.reported > 0)
                begins_s = time.monotonic() - began_s
                it.wait_for(lambda: it.reported == runs)
                made_s = time.monotonic()
                demand(it.status() == 0, f"an undisturbed sweep failed: {it.printed}")
                ends_s = time.monotonic() - made_s
            export = succeeded(farlink(folder, "export", "undisturbed"))
            _undisturbed[(kind,)] = Undisturbed(export, begins_s, ends_s)
        return _undisturbed[(kind,)]


def wait_for_moment(it: Victim, draw: random.Random, known: int, whole: Undisturbed) -> None:
    """Wait until a random moment: mostly between two reports, at times at the beginning or the end."""
    when = draw.choices(["beginning", "middle", "end"], [15, 70, 15])[0]
    if when == "beginning":
        time.sleep(draw.uniform(0, whole.begins_s))
    elif when == "middle" and known < it.runs:
        awaited = draw.randrange(known, it.runs)
        it.wait_for(lambda: it.reported >= awaited)
        time.sleep(draw.uniform(0, 0.02))
    else:
        it.wait_for(lambda: it.reported == it.runs)
        time.sleep(draw.uniform(0, whole.ends_s))


def held(folder: Path, known: set[str], it: Victim) -> set[str]:
    """The runs of the store after a kill: all that were there before, and all that were reported since."""
    keys = known_keys(folder / "store")
    demand(len(keys) >= it.reported, f"{it.reported} runs were reported as finished, {len(keys)} are kept")
    demand(known <= keys, "runs that the store held before are lost")
    return keys


def ended(it: Victim, status: int, keys: set[str]) -> None:
    """Demand that the status says whether the sweep is complete."""
    if status == 0:
        demand(len(keys) == it.runs, f"status 0 with {len(keys)} of {it.runs} runs")
    else:
        line = demand_failure_in_one_line(status, it.printed)
        demand(f"{len(keys)} of {it.runs} runs" in line, f"{len(keys)} runs are kept, but: {line}")


def exported(folder: Path, keys: set[str]) -> None:
    """Demand that an export of the killed sweep's store holds all its runs, those in the journal too."""
    if keys:
        rows = [json.loads(line) for line in succeeded(farlink(folder, "export", "store")).splitlines()]
        demand({row["key"] for row in rows if row["table"] == "runs"} == keys, "the export leaves runs out")


def resumed(folder: Path, whole: Undisturbed, runs: int, command: list[str]) -> None:
    """Demand that the resumed sweep ends with the same export as one that was left alone."""
    with victim(folder, runs, *command) as last:
        status = last.status()
        demand(status == 0, f"the resumed sweep ends with status {status}: {last.printed}")
    demand_equal(folder, whole)


def demand_equal(folder: Path, whole: Undisturbed) -> None:
    """Demand the export of the sweep that was left alone."""
    is_equal = succeeded(farlink(folder, "export", "store")) == whole.export
    demand(is_equal, "the resumed sweep exports something else than one that was left alone")


def writer(folder: Path, draw: random.Random) -> Outcomes:
    """Kill the process that writes, five times."""
    series = draw.random() < 0.3
    runs = write_sweep(folder, SEEDS, series=series)
    command = ["cli", "sweep", "sweep.toml", "--jobs", "2", "--out"]
    whole = undisturbed(folder, f"threads {series}", runs, *command, "undisturbed")
    return _killed(folder, draw, whole, runs, "writer", [*command, "store"], 5)


def writer_of_processes(folder: Path, draw: random.Random) -> Outcomes:
    """Kill the process that writes what a pool of processes runs, twice."""
    runs = _class_sweep(folder)
    whole = undisturbed(folder, "class", runs, "class", "undisturbed", str(SEEDS))
    command = ["class", "store", str(SEEDS)]
    return _killed(folder, draw, whole, runs, "writer with a pool of processes", command, 2)


def writer_of_cluster(folder: Path, draw: random.Random) -> Outcomes:
    """Kill the process that writes what Dask workers of this machine run, once."""
    runs = write_sweep(folder, SEEDS)
    command = ["cli", "sweep", "sweep.toml", "--jobs", "2", "--out"]
    whole = undisturbed(folder, "threads False", runs, *command, "undisturbed")
    return _killed(folder, draw, whole, runs, "writer with Dask", [*command, "store", "--executor", "dask"], 1)


def _class_sweep(folder: Path) -> int:
    write_sweep(folder, SEEDS)
    return 2 * SEEDS


def _killed(
    folder: Path, draw: random.Random, whole: Undisturbed, runs: int, what: str, command: list[str], kills: int
) -> Outcomes:
    outcomes: Outcomes = Counter()
    keys: set[str] = set()
    while outcomes[f"SIGKILL of the {what}"] < kills:
        if len(keys) == runs:
            demand_equal(folder, whole)
            shutil.rmtree(folder / "store")
            keys = set()
        with victim(folder, runs, *command) as it:
            wait_for_moment(it, draw, len(keys), whole)
            it.process.kill()
            status = it.status()
            keys = held(folder, keys, it)
        if status == -signal.SIGKILL:
            outcomes[f"SIGKILL of the {what}"] += 1
        else:
            ended(it, status, keys)
            outcomes["ended before the SIGKILL"] += 1
    exported(folder, keys)
    resumed(folder, whole, runs, command)
    return outcomes


def workers_below(parent: int) -> list[int]:
    """The processes that run what a pool or a local cluster is handed."""
    found = subprocess.run(["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)], capture_output=True, text=True)
    return [int(line.split()[0]) for line in found.stdout.splitlines() if "spawn_main" in line]


def worker_of_pool(folder: Path, draw: random.Random) -> Outcomes:
    """Kill a process of a pool, three times: each time the sweep ends with status 1."""
    runs = _class_sweep(folder)
    whole = undisturbed(folder, "class", runs, "class", "undisturbed", str(SEEDS))
    return _workers_killed(folder, draw, whole, runs, "process of a pool", ["class", "store", str(SEEDS)], 3)


def worker_of_cluster(folder: Path, draw: random.Random) -> Outcomes:
    """Kill a Dask worker, three times: each costs what it was running."""
    runs = write_sweep(folder, SEEDS)
    command = ["cli", "sweep", "sweep.toml", "--jobs", "2", "--out"]
    whole = undisturbed(folder, "threads False", runs, *command, "undisturbed")
    dask = [*command, "store", "--executor", "dask"]
    return _workers_killed(folder, draw, whole, runs, "Dask worker", dask, 3)


def _workers_killed(
    folder: Path, draw: random.Random, whole: Undisturbed, runs: int, what: str, command: list[str], kills: int
) -> Outcomes:
    name = f"SIGKILL of a {what}"
    outcomes: Outcomes = Counter()
    keys: set[str] = set()
    while outcomes[name] < kills:
        if len(keys) == runs:
            demand_equal(folder, whole)
            shutil.rmtree(folder / "store")
            keys = set()
        with victim(folder, runs, *command) as it:
            outcomes[name] += kill_workers(it, draw, kills - outcomes[name])
            status = it.status()
            keys = held(folder, keys, it)
            ended(it, status, keys)
            outcomes["complete all the same" if status == 0 else "status 1, what is missing is said"] += 1
    exported(folder, keys)
    resumed(folder, whole, runs, command)
    return outcomes


def kill_workers(it: Victim, draw: random.Random, at_most: int) -> int:
    """Kill random workers at random moments until the sweep ends; gives how many before all runs were reported."""
    killed = 0
    it.wait_for(lambda: workers_below(it.process.pid))
    while killed < at_most and it.process.poll() is None and it.reported < it.runs:
        awaited = it.reported + draw.randrange(max(1, (it.runs - it.reported) // (at_most - killed)))
        it.wait_for(lambda awaited=awaited: it.reported >= awaited)
        time.sleep(draw.uniform(0, 0.02))
        if found := workers_below(it.process.pid):
            with suppress(ProcessLookupError):
                os.kill(draw.choice(found), signal.SIGKILL)
                killed += it.is_unfinished
    return killed


def scheduler(folder: Path, draw: random.Random) -> Outcomes:
    """Kill the scheduler of a cluster in the middle of a sweep; a sweep that ends before is begun anew."""
    runs = write_sweep(folder, SEEDS)
    command = ["cli", "sweep", "sweep.toml", "--jobs", "2", "--out"]
    whole = undisturbed(folder, "threads False", runs, *command, "undisturbed")
    outcomes: Outcomes = Counter()
    keys: set[str] = set()
    while not outcomes["SIGKILL of the scheduler"]:
        shutil.rmtree(folder / "store", ignore_errors=True)
        with cluster(folder) as (process, url):
            awaited = draw.randrange(1, runs)
            with victim(folder, runs, *command, "store", "--executor", "dask", "--scheduler", url) as it:
                it.wait_for(lambda it=it, awaited=awaited: it.reported >= awaited)
                time.sleep(draw.uniform(0, 0.02))
                demand(process.poll() is None, "the scheduler ended before its SIGKILL")
                process.kill()
                outcomes["SIGKILL of the scheduler" if it.is_unfinished else "ended before the SIGKILL"] += 1
                status = it.status()
                keys = held(folder, set(), it)
                ended(it, status, keys)
                outcomes["complete all the same" if status == 0 else "status 1, what is missing is said"] += 1
    exported(folder, keys)
    resumed(folder, whole, runs, [*command, "store"])
    return outcomes


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A scheduler and two workers, each a process, as on several machines."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    processes = [_dask("scheduler", "--port", "0", "--scheduler-file", str(file))]
    try:
        ends_s = time.monotonic() + PATIENCE_S
        while not (file.exists() and file.read_text().endswith("}")):
            demand(time.monotonic() < ends_s, "no scheduler came up")
            time.sleep(0.02)
        url = str(json.loads(file.read_text())["address"])
        processes += [_dask("worker", url, "--nthreads", "1", "--no-nanny") for _ in range(2)]
        yield processes[0], url
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _dask(what: str, *arguments: str) -> subprocess.Popen[bytes]:
    code = f"from distributed.cli.dask_{what} import main; main()"
    command = [sys.executable, "-c", code, *arguments, "--host", "127.0.0.1", "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
