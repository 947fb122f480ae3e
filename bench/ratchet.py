"""How many instructions the engine takes per delivered data packet, on a shared channel with many listeners per signal
at one of them, and that it does not take more than it did.

Instructions are counted by valgrind's callgrind, so the noise of a machine does not matter. Every work runs twice,
short and long; start-up is in both and drops out of the difference. `baseline.json` holds what was counted
before; a tenth more is a failure. `--record WORDS` appends what is counted to `history.csv`, for a release or a
decision: `--decision 0012`.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"
HISTORY = HERE / "history.csv"
# Seconds of simulated time, short and long, and what is counted. The overshoot and its repair lie between the two.
WORKS = {
    "satellite": (15, 25, "delivered"),
    "overshoot": (3, 30, "delivered"),
    "dumbbell": (20, 120, "delivered"),
    "twenty": (2, 8, "delivered"),
    "chain": (10, 40, "delivered"),
    "manet": (2, 4, "signals"),
    "thirty": (10, 30, "signals"),
}
NAMES = {"delivered": "delivered packet", "signals": "signal at a listener"}
TOLERANCE = 0.1
# The losses of an overshoot may cost as much again as the rest of the run.
OVERSHOOT_RATIO = 2.0


def count(program: str, work: str, seconds: int, *settings: str) -> tuple[int, int]:
    """Instructions of one run, and what it counted."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*valgrind, program, work, str(seconds), *settings]
    done = subprocess.run(command, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return int(collected[1]), json.loads(done.stdout)[WORKS[work][2]]


def per_unit(program: str, work: str, *settings: str) -> int:
    """Instructions per packet or signal between the end of the short run and that of the long one."""
    (short, few), (long, many) = (count(program, work, seconds, *settings) for seconds in WORKS[work][:2])
    return round((long - short) / (many - few))


def record(counted: dict[str, int], change: str, decision: str) -> None:
    """Append a row to the history; a work that is not counted has an empty cell."""
    asked = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, cwd=HERE)
    about = {"date": date.today().isoformat(), "version": asked.stdout.strip(), "change": change, "decision": decision}
    with HISTORY.open("r+", encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file))
        file.seek(0, 2)
        csv.DictWriter(file, columns, lineterminator="\n").writerow(about | counted)


def main() -> None:
    parser = argparse.ArgumentParser(description="Instructions per delivered packet, or per signal.")
    parser.add_argument("program", help="the built `work` of this folder")
    parser.add_argument("--lower", action="store_true", help="what is cheaper is the new baseline")
    parser.add_argument("--record", metavar="WORDS", help="append a row to history.csv: what changed, in a few words")
    parser.add_argument("--decision", default="", metavar="NUMBER", help="with --record: the decision, such as 0011")
    options = parser.parse_args()
    with ThreadPoolExecutor() as pool:
        counted = dict(zip(WORKS, pool.map(lambda work: per_unit(options.program, work), WORKS), strict=True))
    if options.record:
        record(counted, options.record, options.decision)
    baseline = json.loads(BASELINE.read_text())
    if options.lower:
        baseline = {work: min(instructions, baseline[work]) for work, instructions in counted.items()}
        BASELINE.write_text(json.dumps(baseline, indent=2) + "\n")
    failures = []
    for work, instructions in counted.items():
        change = instructions / baseline[work] - 1
        print(f"{work:10} {instructions:6} instructions per {NAMES[WORKS[work][2]]}, {change:+.1%} of {baseline[work]}")
        if change > TOLERANCE:
            failures.append(f"{work}: {change:+.1%}; make it cheaper, or say in the commit what it is worth")
        elif change < -TOLERANCE:
            print(f"{work}: cheaper; keep it so with `make ratchet-lower`")
    ratio = counted["overshoot"] / counted["satellite"]
    print(f"overshoot  {ratio:.2f} times a packet of the satellite without losses")
    if ratio > OVERSHOOT_RATIO:
        failures.append(f"overshoot: more than {OVERSHOOT_RATIO} times a packet of the satellite without losses")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
