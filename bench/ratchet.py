"""How many instructions the engine takes per delivered data packet, on a shared channel with many listeners per signal
at one of them, and that it does not take more than it did.

Instructions are counted by valgrind's callgrind, so the noise of a machine does not matter. Every work runs twice,
short and long; start-up is in both and drops out of the difference. `baseline.json` holds what was counted
before; a tenth more is a failure.
"""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"
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


def count(program: str, work: str, seconds: int) -> tuple[int, int]:
    """Instructions of one run, and what it counted."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, work, str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return int(collected[1]), json.loads(done.stdout)[WORKS[work][2]]


def per_unit(program: str, work: str) -> int:
    """Instructions per packet or signal between the end of the short run and that of the long one."""
    (short, few), (long, many) = (count(program, work, seconds) for seconds in WORKS[work][:2])
    return round((long - short) / (many - few))


def main() -> None:
    program, *options = sys.argv[1:]
    with ThreadPoolExecutor() as pool:
        counted = dict(zip(WORKS, pool.map(lambda work: per_unit(program, work), WORKS), strict=True))
    baseline = json.loads(BASELINE.read_text())
    if options == ["--lower"]:
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
