"""Attacks on sweeps, stores and files, and whether what is promised holds: `make torture`.

`torture.py` makes 100 SIGKILLs, 1 000 simulated power cuts, 200 flipped bits and 20 full disks, and prints what
happened how often. `--minutes M` ends every part after its share of that time, but makes one attack of each, however
busy the machine is. `--seed S --only PART:N` repeats one attack, `--only PART` makes one part, `--skip PART` leaves
one out. Status 1: a promise is broken, a lane failed, or the whole run made other counts.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path

import cuts
import full
import kills
from attack import Attack, BrokenPromiseError, Outcomes

GOALS = {"SIGKILLs": 100, "power cuts": 1000, "flipped bits": 200, "full disks": 20}
"""What the whole run makes, exactly."""


@dataclass
class Part:
    """An attack that is made many times."""

    name: str
    attack: Attack
    times: int
    share: float
    """Of the time, where that is limited."""
    made: int = 0
    outcomes: Outcomes = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)


def lanes() -> list[list[Part]]:
    """The parts; lanes are run at the same time. The kills add up to 100."""
    return [
        [
            Part("writer", kills.writer, 12, 0.3),
            Part("pool_writer", kills.writer_of_processes, 5, 0.15),
            Part("pool_worker", kills.worker_of_pool, 4, 0.15),
            Part("dask_worker", kills.worker_of_cluster, 3, 0.15),
            Part("dask_scheduler", kills.scheduler, 6, 0.15),
            Part("dask_writer", kills.writer_of_cluster, 3, 0.1),
        ],
        [
            Part("power", cuts.power_cut, 1000, 0.35),
            Part("bits", cuts.flipped_bit, 200, 0.35),
            Part("full", full.full_disk, 20, 0.3),
        ],
    ]


def run_part(part: Part, seed: int, ends_s: float) -> None:
    """Make the attacks, each with a random stream of its own."""
    began_s = time.monotonic()
    for number in range(part.times):
        now_s = time.monotonic()
        if number and now_s + (now_s - began_s) / number > ends_s:
            return
        run_one(part, seed, number)


def run_one(part: Part, seed: int, number: int) -> None:
    """Make one attack; the folder of one that broke a promise is kept."""
    place = cuts.MEMORY if part.attack in cuts.SIMULATED else None
    folder = Path(tempfile.mkdtemp(prefix=f"farlink-torture-{part.name}-{number}-", dir=place))
    part.made += 1
    try:
        part.outcomes += part.attack(folder, random.Random(f"{seed} {part.name} {number}"))
    except Exception as error:
        what = str(error) if isinstance(error, BrokenPromiseError) else traceback.format_exc()
        part.broken.append(f"{part.name}:{number} in {folder}: {what}")
        print(f"BROKEN {part.broken[-1]}", flush=True)
    else:
        shutil.rmtree(folder)


def run_lane(parts: Sequence[Part], seed: int, minutes: float | None) -> None:
    """Make all parts of a lane, one after the other."""
    for part in parts:
        began_s = time.monotonic()
        run_part(part, seed, began_s + part.share * minutes * 60 if minutes else float("inf"))
        happened = ", ".join(f"{count} {what}" for what, count in sorted(part.outcomes.items()))
        print(f"{part.name}: {part.made} of {part.times} in {time.monotonic() - began_s:.0f} s: {happened}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--only", metavar="PART[:N]")
    parser.add_argument("--skip", metavar="PART", default="")
    options = parser.parse_args()
    # What a store notes is part of the outcomes.
    with Path(os.devnull).open("w") as nowhere, redirect_stderr(nowhere):
        return attack_all(options.seed, options.minutes, options.only, options.skip)


def attack_all(seed: int, minutes: float | None, only: str | None, skip: str = "") -> int:
    """Make all attacks, or some; the exit status."""
    made = [[part for part in lane if part.name != skip] for lane in lanes()]
    parts = {part.name: part for lane in made for part in lane}
    began_s = time.monotonic()
    print(f"seed {seed}; full disks are {'tmpfs' if full.mounts() else 'limits of the size of files'}", flush=True)
    faults: list[str] = []
    if only:
        name, _, number = only.partition(":")
        parts = {name: parts[name]}
        if number:
            run_one(parts[name], seed, int(number))
        else:
            run_lane([parts[name]], seed, minutes)
    else:
        faults = run_lanes(made, seed, minutes)
    is_whole = not only and not skip and minutes is None
    return summary(list(parts.values()), faults, time.monotonic() - began_s, is_whole=is_whole)


def run_lanes(made: Sequence[Sequence[Part]], seed: int, minutes: float | None) -> list[str]:
    """Run the lanes at the same time; gives the tracebacks of those that failed."""
    with ThreadPoolExecutor(len(made)) as pool:
        running = [pool.submit(run_lane, lane, seed, minutes) for lane in made]
    errors = [error for lane in running if (error := lane.exception())]
    return [f"a lane failed: {''.join(traceback.format_exception(error))}" for error in errors]


def summary(parts: Sequence[Part], faults: Sequence[str], took_s: float, *, is_whole: bool) -> int:
    """Print the counts of the issue and the faults of this run; status 1 if there are any, or broken promises."""
    together: Outcomes = sum((part.outcomes for part in parts), Counter())
    counts = {
        "SIGKILLs": sum(count for what, count in together.items() if what.startswith("SIGKILL")),
        "power cuts": together["power cut"],
        "flipped bits": together["flipped bit"],
        "full disks": together["full disk"],
    }
    broken = sum(len(part.broken) for part in parts)
    happened = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{happened} in {took_s:.0f} s: {broken} broken promises")
    faults = [*faults, *(f"no attack was made: {part.name}" for part in parts if not part.made)]
    if is_whole:
        faults += [f"{counts[what]} {what} instead of {goal}" for what, goal in GOALS.items() if counts[what] != goal]
    for fault in faults:
        print(f"FAILED {fault}")
    return 1 if broken or faults else 0


if __name__ == "__main__":
    sys.exit(main())
