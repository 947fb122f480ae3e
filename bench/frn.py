"""Time the random patterns of the FRN study, ten seeds each: `make bench-frn`.

20 patterns of 3, 6 and 9 connections on 19 nodes, plain and combined frames, ACK per packet and delayed ACKs, 100 000
slots: 2 400 runs through the study's own grids into a store, as `farlink sweep` makes them.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from farlink.results.result_store import ResultStore
from farlink.studies import study

SEEDS = tuple(range(1, 11))
RUNS = 2400
GOAL_S = 600.0
JOBS = 2
SLOTS = 100_000


def main() -> None:
    grids = [each for each in study.load("frn").settings.grids("full") if each[0].startswith("random")]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the beginning, {JOBS} threads")
    before, began_s, runs = cpu_s(), time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, sweep in grids:
            took, store = (cpu_s(), time.monotonic()), Path(folder) / name
            replace(sweep, seeds=SEEDS).run(out=store, jobs=JOBS)
            made = ResultStore(store).runs.num_rows
            print(f"{name}: {made} runs, {cpu_s() - took[0]:.1f} s of CPU, {time.monotonic() - took[1]:.1f} s")
            runs += made
    cpu, wall = cpu_s() - before, time.monotonic() - began_s
    assert runs == RUNS, f"{runs} runs"
    print(f"{runs} runs of {SLOTS} slots: {cpu:.1f} s of CPU, {cpu / JOBS:.1f} s on each of two cores; {wall:.1f} s")
    print(f"the goal is {GOAL_S:.0f} s: {'met' if cpu / JOBS < GOAL_S else 'MISSED'}")


def cpu_s() -> float:
    """User and system time of this process and those it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main()
