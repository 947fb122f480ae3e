"""Record what ns-2 does under the study's settings: `python3 record.py NS2` writes measured.json beside this file.

Needs Debian 12's `ns2` (2.35), whose TCP-Linux agent is the one the paper names, and in the folder NS2 its unpacked
source, from which `enhanced_hybla.c` takes the agent's interface. The agent has no estimate of Hoe's: its first
threshold is its largest window.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

from farlink.studies.recorded import Run, record

HERE = Path(__file__).resolve().parent
SEEDS = {"westwood": range(1, 6), "hybla": range(1, 6), "enhanced_hybla": range(1, 4)}
STORMS = (1e-6, 1e-5)
"""At these error rates Enhanced Hybla sends mostly what arrived long ago, and ns-2 takes minutes per run: last."""
PIPE_PACKETS = 100e6 / 12000
MB = 10**6
SIZES = (50_000, 500_000, 5 * MB, 50 * MB, 100 * MB, 500 * MB, 1000 * MB, 2000 * MB)


def cases() -> list[Run]:
    """What the study asks of the paper's variants: transfers without end, over the round trip, and files."""
    points = [
        *product(SEEDS, (0.0, 1e-10, 1e-8, 1e-7, *STORMS), (0.6,), (None,), (600,)),
        *product(SEEDS, (1e-8,), (0.1, 0.2, 0.3, 0.4, 0.5), (None,), (600,)),
        *product(SEEDS, (0.0, 1e-8, 1e-7), (0.6,), SIZES, (4000,)),
    ]
    names = ("variant", "rate", "rtt_s", "size_bytes", "duration_s")
    asked = [dict(zip(names, point, strict=True)) for point in points]
    asked.sort(key=lambda case: case["variant"] == "enhanced_hybla" and case["rate"] in STORMS)
    return [{**case, "seed": seed} for case in asked for seed in seeds(case)]


def seeds(case: Run) -> list[int]:
    """One seed without errors, which leave nothing random."""
    return [1] if case["rate"] == 0 else list(SEEDS[case["variant"]])


def run(case: Run, module: Path) -> Run:
    """Run ns-2 once."""
    pipe = PIPE_PACKETS * case["rtt_s"]
    arguments = (
        *(case["variant"], case["rate"], case["duration_s"], round(1.6 * pipe), round(pipe)),
        *(round(case["rtt_s"] * 500, 6), case["seed"], case["size_bytes"] or 0),
    )
    command = ["ns", str(HERE / "satellite.tcl"), *map(str, arguments)]
    environment = {**os.environ, "LD_PRELOAD": str(module)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    # ns-2 also prints TCP-Linux's settings.
    found: Run = next(json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return found


def main() -> None:
    """Build the module, run what is not recorded."""
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "enhanced_hybla.so"
        include = Path(sys.argv[1]) / "tcp" / "linux"
        build = ["gcc", "-O2", "-w", "-shared", "-fPIC", f"-I{include}", str(HERE / "enhanced_hybla.c")]
        subprocess.run([*build, "-o", str(module), "-lm"], check=True)
        record(HERE, cases(), lambda case: run(case, module), simulator="ns-2.35 (Debian ns2 2.35+dfsg-5)")


if __name__ == "__main__":
    main()
