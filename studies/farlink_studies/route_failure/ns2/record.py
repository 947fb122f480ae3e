"""Record what ns-2 does with Figure 7's movement: `python record.py` writes measured.json beside this file.

Needs Debian 12's `ns2` (2.35) and Farlink, which writes the movement. The recorded file is committed, so that the study
needs no ns-2. Only Reno: ns-2 has none of the other variants. Its DSR is its own, and not set as in the study: nodes
answer from their caches, keep packets that they could not send, and pause for 2, 8 and 10 s between requests.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

from farlink.studies.settings import read

from farlink_studies.route_failure.findings import FIRST_FAILURE_S
from farlink_studies.route_failure.runs import FIVE

HERE = Path(__file__).resolve().parent
SETTINGS = HERE.parent / "settings.toml"
RECORDED = HERE / "measured.json"
SEEDS = range(1, 21)


def run(seed: int, folder: Path) -> dict[str, float]:
    """Run ns-2 once: the sequence numbers at the first failure and at the end."""
    scenario = dict(read(SETTINGS).grids("quick"))[FIVE].tasks()[0].scenario
    movement = folder / "movement.tcl"
    movement.write_text(scenario.ns2_movement(seed=1, shift="10 m"), encoding="utf-8")
    duration_s = scenario.validated.duration_ns / 1e9
    command = ["ns", str(HERE / "five.tcl"), str(duration_s), str(seed), str(movement)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return {"seed": seed, **measure(done.stdout)}


def measure(lines: str) -> dict[str, float]:
    """Read the samples: of what ns-2 itself prints beside them no line begins with a number."""
    rows = [[float(each) for each in line.split()] for line in lines.splitlines() if line[:1].isdigit()]
    before = next(row for row in rows if row[0] > FIRST_FAILURE_S - 0.001)
    # The highest number sent, and one more, as the next one goes back when a timer expires.
    return {"before": before[4] + 1, "end": rows[-1][4] + 1}


def main() -> None:
    """Record all seeds."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [run(seed, Path(folder)) for seed in SEEDS]
    sha256 = hashlib.sha256(SETTINGS.read_bytes()).hexdigest()
    document = {"settings_sha256": sha256, "runs": runs}
    RECORDED.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
