"""Networks of many radios: CPU time, memory, and what a signal at one listener costs as the network grows.

`radio.py PROGRAM [SECONDS [WORK ..]]` runs each work once, without competition from itself, and prints user and system
time of the process, its peak resident set, how many flows delivered something, and CPU time per signal at a
listener. The works are in `bench/src/radio.rs`. What is aimed at is in the last line: 100 s of 10 000
nodes within 60 s and 2 GB, of 1 000 that move within 120 s, and a cost per signal that stays within a factor of 2.
"""

import json
import subprocess
import sys
from pathlib import Path

WORKS = ["grid_100", "grid_1024", "grid_10000", "waypoint_1000"]
# On request: `grid_100000` takes minutes for 10 s.
# A process inherits the peak resident set of whoever starts it, so a bare interpreter starts the work.
LAUNCHER = """
import os, sys
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print("%f %d" % (usage.ru_utime + usage.ru_stime, usage.ru_maxrss), flush=True)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(program: str, work: str, seconds: int) -> dict:
    """What one run did and cost."""
    command = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(Path(program).resolve()), work, str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{work}: exit status {done.returncode}\n{done.stderr}")
    outcome, usage = done.stdout.rstrip("\n").rsplit("\n", 1)
    cpu_s, rss_kib = usage.split()
    return json.loads(outcome) | {"cpu_s": float(cpu_s), "rss_mib": int(rss_kib) / 1024}


def main() -> None:
    """Prints a line per work and the spread of the grids' costs."""
    program, *rest = sys.argv[1:]
    seconds = int(rest[0]) if rest else 100
    costs = []
    print(f"{'work':15} {'CPU s':>8} {'MiB':>7} {'flows':>11} {'signals':>12} {'ns/signal':>10}   ({seconds} s each)")
    for work in rest[1:] or WORKS:
        done = run(program, work, seconds)
        cost = done["cpu_s"] / done["signals"] * 1e9
        delivered = done["flows"] - done["flows_without_delivery"]
        flows = f"{delivered} of {done['flows']}"
        print(
            f"{work:15} {done['cpu_s']:8.2f} {done['rss_mib']:7.0f} {flows:>11} {done['signals']:12} {cost:10.1f}",
            flush=True,
        )
        if work.startswith("grid"):
            costs.append(cost)
    if len(costs) > 1:
        print(f"cost per signal in the grids: the dearest {max(costs) / min(costs):.2f} times the cheapest")


if __name__ == "__main__":
    main()
