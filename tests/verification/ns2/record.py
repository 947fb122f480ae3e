"""Records what ns-2 does: `python3 record.py` writes link.json and dumbbell.json beside this file.

Needs Debian 12's `ns2` (2.35). The recorded files are committed, so that the comparison needs no ns-2; run
this to make them again.
"""

import json
import random
import statistics
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
VARIANTS = ["reno", "bic", "cubic", "compound", "vegas", "veno", "westwood", "hybla"]
DUMBBELL_AGENTS = [*VARIANTS, "newreno", "sack1"]
DURATION_S = 120
DUMBBELL_DURATION_S = 300
DUMBBELL_WINDOW = 200
# Random starts per agent.
STARTS = 20


def irregular(mean_gap: int, count: int) -> list[int]:
    """Gaps between 1 and twice the mean: now and then two or three losses fall into one window."""
    rng = random.Random(2)
    numbers, number = [], 0
    for _ in range(count):
        number += rng.randint(1, 2 * mean_gap)
        numbers.append(number)
    return numbers


# Losses are numbers of packets in the order in which they cross the link; 0 is the SYN.
CASES = {
    "regular": {"rate_mbit": 100, "delay_ms": 50, "window": 1000, "losses": list(range(700, 1_000_000, 700))},
    "irregular": {"rate_mbit": 100, "delay_ms": 50, "window": 1000, "losses": irregular(300, 4000)},
    "queueing": {"rate_mbit": 10, "delay_ms": 50, "window": 200, "losses": list(range(2500, 110_000, 2500))},
}


def ns2(script: str, *arguments: object) -> dict:
    command = ["ns", str(HERE / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # ns-2 also prints what TCP-Linux was configured to do.
    return next(json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))


def link(case: dict, variant: str) -> dict:
    losses = " ".join(map(str, case["losses"]))
    found = ns2("link.tcl", variant, case["window"], case["rate_mbit"], case["delay_ms"], DURATION_S, losses)
    used = [number for number in case["losses"] if number < found["sent"] + 1]
    return {"goodput_packets_per_s": found["delivered"] / DURATION_S, "losses_used": len(used), **found}


def recorded(case: dict, variants: dict[str, dict]) -> dict:
    """The case with the losses that any variant lived to see."""
    last = max(found["sent"] for found in variants.values())
    return {**case, "losses": [number for number in case["losses"] if number <= last], "variants": variants}


def dumbbell(agent: str) -> dict:
    runs = []
    for seed in range(1, STARTS + 1):
        rng = random.Random(seed)
        starts = [round(rng.uniform(0, 1), 6) for _ in range(2)]
        # The delays keep the runs from meeting the full queue all in the same phase.
        access = [round(rng.uniform(1, 3), 3) for _ in range(2)]
        found = ns2("dumbbell.tcl", agent, DUMBBELL_WINDOW, DUMBBELL_DURATION_S, *starts, *access)
        runs.append({"starts_s": starts, "access_ms": access, **found})
    return {"drops_mean": statistics.mean(run["drops"] for run in runs), "runs": runs}


def write(name: str, document: dict) -> None:
    text = json.dumps(document, indent=1)
    # One line per series and per list of numbers.
    (HERE / name).write_text(compact(text) + "\n")


def compact(text: str) -> str:
    lines, depth, kept = [], 0, []
    for line in text.splitlines():
        opened = line.endswith("[")
        if depth:
            kept.append(line.strip())
        elif opened:
            kept = [line]
        else:
            lines.append(line)
        depth += opened - line.strip().startswith("]")
        if depth == 0 and kept:
            lines.append(" ".join(kept) if len(kept) > 1 else kept[0])
            kept = []
    return "\n".join(lines)


def version() -> str:
    """Which ns-2 this is."""
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "ns2"], capture_output=True, text=True)
    return f"ns-2.35 (Debian ns2 {found.stdout})"


def main() -> None:
    with ThreadPoolExecutor(2) as pool:
        found = {
            (name, variant): pool.submit(link, case, variant) for name, case in CASES.items() for variant in VARIANTS
        }
        drops = {agent: pool.submit(dumbbell, agent) for agent in DUMBBELL_AGENTS}
        cases = {
            name: recorded(case, {variant: found[name, variant].result() for variant in VARIANTS})
            for name, case in CASES.items()
        }
        agents = {agent: run.result() for agent, run in drops.items()}
    simulator = version()
    write("link.json", {"simulator": simulator, "duration_s": DURATION_S, "cases": cases})
    write(
        "dumbbell.json",
        {
            "simulator": simulator,
            "duration_s": DUMBBELL_DURATION_S,
            "window": DUMBBELL_WINDOW,
            "agents": agents,
        },
    )


if __name__ == "__main__":
    main()
