"""What a sweep costs besides its runs, and that kills cost nothing: `make bench-sweep`.

2 000 short runs. Prints the CPU time per run that is not the engine's, how much CPU time a run takes on two threads
against one, what syncs cost, and whether a sweep that was killed three times exports the same as one that was not.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests/torture"))
from attack import POINTS, write_sweep

RUNS = 2000
REPEATS = 3
KILLS = 3
SLOW_S = 0.01
DISKS = {"none": "without syncs", "real": "this disk", "slow": "each sync 10 ms more"}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sweep(folder, RUNS // POINTS)
        print(
            f"{RUNS} runs, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the beginning; medians of {REPEATS}"
        )
        # In turns, so that what else the machine does meets both.
        taken = [(measured(folder, 1), measured(folder, 2)) for _ in range(REPEATS)]
        one, two = ([pair[place] for pair in taken] for place in (0, 1))
        for title, key in (("engine", "engine_s"), ("besides the engine", "besides_s"), ("together", "cpu_s")):
            rows = [statistics.median(each[key] for each in jobs) / RUNS * 1e3 for jobs in (one, two)]
            print(f"CPU per run, {title:20} 1 thread {rows[0]:7.3f} ms   2 threads {rows[1]:7.3f} ms")
        ratios = sorted(after["cpu_s"] / before["cpu_s"] for before, after in taken)
        print(f"CPU per run, 2 threads / 1: {statistics.median(ratios):.3f} (from {ratios[0]:.3f} to {ratios[-1]:.3f})")
        peak = max(each["peak_mb"] for each in one + two)
        print(f"memory at the most: {peak:.0f} MB")
        compare_syncs(folder)
        return killed(folder)


def compare_syncs(folder: Path) -> None:
    """Time the sweep on two threads without syncs, with this disk's, and with those of a disk with moving parts."""
    taken = [[measured(folder, 2, disk) for disk in DISKS] for _ in range(REPEATS)]
    for place, title in enumerate(DISKS.values()):
        elapsed = statistics.median(each[place]["elapsed_s"] for each in taken)
        ratios = sorted(each[place]["elapsed_s"] / each[0]["elapsed_s"] for each in taken)
        syncs = statistics.median(each[place]["syncs"] for each in taken)
        ratio = f"{statistics.median(ratios):.2f} (from {ratios[0]:.2f} to {ratios[-1]:.2f})"
        print(f"{title:22} {elapsed:6.2f} s   {syncs:5.0f} syncs   time / without syncs: {ratio}")


def measured(folder: Path, jobs: int, disk: str = "real") -> dict[str, float]:
    """Time the sweep in a process of its own, imports left out."""
    with tempfile.TemporaryDirectory(dir=folder) as store:
        command = [sys.executable, __file__, "measure", folder / "sweep.toml", Path(store) / "store", str(jobs), disk]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        return json.loads(done.stdout)


def counting(disk: str) -> tuple[Any, list[str]]:
    """Give a disk, and the list of its syncs so far."""
    from farlink.store.disk import Disk, File

    syncs: list[str] = []

    def sync(really: Callable[[], None]) -> None:
        syncs.append(disk)
        if disk != "none":
            really()
        if disk == "slow":
            time.sleep(SLOW_S)

    class CountedFile(File):
        def sync(self) -> None:
            sync(super().sync)

    class CountingDisk(Disk):
        def create(self, path: Path) -> File:
            return CountedFile(path)

        def sync_folder(self, path: Path) -> None:
            sync(lambda: super(CountingDisk, self).sync_folder(path))

    return CountingDisk(), syncs


def measure(description: Path, store: Path, jobs: int, disk: str) -> None:
    from farlink import store as stores
    from farlink.results.result_store import ResultStore
    from farlink.sweeps import description as descriptions

    made = descriptions.read(description)
    # What is imported where it is used is imported now.
    type(made)(made.scenario, made.grid, [1]).run(out=store.with_name("warm")).summary()
    stores.DISK, syncs = counting(disk)
    began_s, began_cpu_s = time.monotonic(), time.process_time()
    made.run(out=store, jobs=jobs)
    elapsed_s, cpu_s = time.monotonic() - began_s, time.process_time() - began_cpu_s
    results = ResultStore(store)
    assert results.runs.num_rows == RUNS
    import pyarrow.parquet

    engine_s = sum(pyarrow.parquet.read_table(store / "timings.parquet")["cpu_s"].to_pylist())
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    times = {"cpu_s": cpu_s, "engine_s": engine_s, "besides_s": cpu_s - engine_s, "elapsed_s": elapsed_s}
    print(json.dumps({**times, "peak_mb": peak_mb, "syncs": len(syncs)}))


def killed(folder: Path) -> int:
    """Kill a sweep at random moments, resume it, compare with one that was left alone."""
    farlink = [sys.executable, "-m", "farlink"]
    sweep = [*farlink, "sweep", "sweep.toml", "--quiet", "--out"]
    began_s = time.monotonic()
    subprocess.run([*sweep, "undisturbed"], cwd=folder, check=True, capture_output=True)
    whole_s = time.monotonic() - began_s
    seed = time.time_ns()
    rng, counts, kills = random.Random(seed), [], 0
    for _ in range(KILLS):
        with subprocess.Popen(
            [*sweep, "killed"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as it:
            before = kept(folder / "killed")
            while kept(folder / "killed") == before and it.poll() is None:
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.15) * whole_s)
            it.kill()
        kills += it.returncode == -signal.SIGKILL
        counts.append(str(kept(folder / "killed")))
    done = subprocess.run([*sweep, "killed"], cwd=folder, check=True, capture_output=True, text=True)
    exports = [
        subprocess.run([*farlink, "export", name], cwd=folder, check=True, capture_output=True).stdout
        for name in ("undisturbed", "killed")
    ]
    is_equal = exports[0] == exports[1] and exports[0].count(b'"table": "runs"') == RUNS
    print(f"undisturbed {whole_s:.2f} s; killed {kills} times, with {', '.join(counts)} runs kept (random seed {seed})")
    print(f"resumed: {done.stderr.splitlines()[-1].split(' in ')[0]}; exports {'equal' if is_equal else 'DIFFERENT'}")
    return 0 if is_equal and kills == KILLS else 1


def kept(store: Path) -> int:
    """How many runs are finished, in the tables or in the journal."""
    from farlink.store import known_keys

    return len(known_keys(store))


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(main())
