"""Runs mutated scenarios, settings and files as a user would, and counts what becomes of them."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

import attempt
import cases
import verdict

SPAWNED = 100
"""Every so many cases one is run in a new process, too."""


def one(seed: int, keep: Path, end: float, number: int) -> attempt.Outcome | None:
    """Run a case, if there is time; a failing one is kept."""
    if time.monotonic() > end:
        return None
    case = cases.make(f"{seed}-{number}")
    with tempfile.TemporaryDirectory(prefix="farlink-fuzz-") as name:
        folder = Path(name)
        arguments = attempt.command(case.write(folder))
        outcome = attempt.fork(arguments, folder)
        if number % SPAWNED == 0 and outcome.kind != "failure":
            spawned = attempt.spawn(arguments, folder)
            if spawned != outcome:
                outcome = attempt.Outcome("failure", f"{outcome} in a fork, {spawned} in a new process")
        if outcome.kind == "failure":
            kept = keep / f"{seed}-{number}"
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            print(f"{kept}: {outcome.fault}", file=sys.stderr)
    return outcome


def replay(folder: Path) -> int:
    """Run the cases of a folder again, as they were kept; the exit status."""
    status = 0
    for kept in sorted(path.parent for path in folder.rglob(cases.ARGUMENTS)):
        with tempfile.TemporaryDirectory(prefix="farlink-fuzz-") as name:
            copy = Path(name) / "case"
            shutil.copytree(kept, copy)
            arguments = json.loads((copy / cases.ARGUMENTS).read_text(encoding="utf-8"))
            outcome = attempt.spawn(attempt.command(arguments), copy)
        print(f"{kept}: {outcome.kind} {outcome.fault}".rstrip())
        status |= outcome.kind == "failure"
    return status


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000, help="how many, if the time is enough")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further one after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("target/fuzz/campaign"), help="where failing inputs are kept")
    parser.add_argument("--replay", type=Path, metavar="DIR", help="run the cases kept in a folder instead")
    return parser.parse_args()


def main() -> int:
    """Run the campaign; its exit status."""
    asked = arguments()
    if asked.replay:
        return replay(asked.replay)
    asked.keep.mkdir(parents=True, exist_ok=True)
    cases.prepared()  # forks have it, and what its commands imported
    end, counts = time.monotonic() + asked.seconds, Counter[str]()
    with multiprocessing.get_context("fork").Pool(asked.jobs) as pool:
        run = partial(one, asked.seed, asked.keep.resolve(), end)
        for outcome in filter(None, pool.imap_unordered(run, range(asked.inputs))):
            counts[outcome.kind] += 1
    return verdict.summary(counts, asked.inputs, is_limited=asked.seconds < float("inf"))


if __name__ == "__main__":
    sys.exit(main())
