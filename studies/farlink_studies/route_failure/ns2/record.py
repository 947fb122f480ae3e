"""Record what ns-2 does with Figure 7's movement: `python record.py` writes measured.json beside this file.

Needs Debian 12's `ns2` (2.35) and Farlink, which writes the movement. Only Reno: ns-2 has none of the other variants.
Its DSR is its own, and not set as in the study: nodes answer from their caches, keep packets that they could not send,
and pause for 2, 8 and 10 s between requests.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from farlink.studies.recorded import Run, record
from farlink.studies.settings import read

from farlink_studies.route_failure.findings import FIRST_FAILURE_S
from farlink_studies.route_failure.runs import FIVE

HERE = Path(__file__).resolve().parent
SEEDS = range(1, 21)


def run(case: Run) -> Run:
    """Run ns-2 once: the sequence numbers at the first failure and at the end."""
    scenario = dict(read(HERE.parent / "settings.toml").grids("quick"))[FIVE].tasks()[0].scenario
    duration_s = scenario.validated.duration_ns / 1e9
    with tempfile.TemporaryDirectory() as folder:
        movement = Path(folder) / "movement.tcl"
        movement.write_text(scenario.ns2_movement(seed=1, shift="10 m"), encoding="utf-8")
        command = ["ns", str(HERE / "five.tcl"), str(duration_s), str(case["seed"]), str(movement)]
        return measure(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def measure(lines: str) -> Run:
    """Read the samples: of what ns-2 itself prints beside them no line begins with a number."""
    rows = [[float(each) for each in line.split()] for line in lines.splitlines() if line[:1].isdigit()]
    before = next(row for row in rows if row[0] > FIRST_FAILURE_S - 0.001)
    # The highest number sent, and one more, as the next one goes back when a timer expires.
    return {"before": before[4] + 1, "end": rows[-1][4] + 1}


if __name__ == "__main__":
    record(HERE, [{"seed": seed} for seed in SEEDS], run)
