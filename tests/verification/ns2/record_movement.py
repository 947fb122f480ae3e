"""Records where ns-2's nodes are: `python3 record_movement.py` writes movement/positions.json.

Needs Debian 12's `ns2` (2.35). The movement files stand in movement/: setdest.tcl as `setdest -v 2 -n 20 -s 1 -m 1
-M 20 -t 300 -P 1 -p 5.0 -x 300 -y 200` wrote it, script.tcl by hand, farlink.tcl by `farlink movement`.
"""

import json
import random
import tempfile
from pathlib import Path

from record import HERE, ns2

FOLDER = HERE / "movement"
# Nodes, seconds, area and how many samples.
FILES = {
    "setdest": (20, 300, (300, 200), 1000),
    "script": (2, 60, (300, 200), 200),
    "farlink": (8, 100, (302, 202), 400),
}


def sampled(name: str) -> dict:
    nodes, seconds, area, count = FILES[name]
    rng = random.Random(name)
    # In ascending order, as ns-2 runs them; microseconds are exact in both simulators.
    times = sorted(rng.sample(range(seconds * 1_000_000), count))
    samples = [(time / 1e6, rng.randrange(nodes)) for time in times]
    with tempfile.NamedTemporaryFile("w") as file:
        file.writelines(f"{time:.6f} {node}\n" for time, node in samples)
        file.flush()
        found = ns2("movement.tcl", FOLDER / f"{name}.tcl", nodes, *area, file.name)
    rows = [[time, node, *position] for (time, node), position in zip(samples, found["positions"], strict=True)]
    return {"nodes": nodes, "duration_s": seconds, "samples": rows}


def main() -> None:
    # A line per sample: time, node, x and y.
    files = {name: sampled(name) for name in FILES if (FOLDER / f"{name}.tcl").exists()}
    text = json.dumps(files).replace("[[", "[\n[").replace("], [", "],\n[")
    Path(FOLDER / "positions.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
