"""Record what ns-2 does under the study's settings: `python3 record.py NS2` writes measured.json beside this file.

Needs Debian 12's `ns2` (2.35), whose TCP-Linux agent is the one the paper names, and in the folder NS2 its unpacked
source, from which `enhanced_hybla.c` takes the agent's interface. The recorded file is committed, so that the study
needs no ns-2. What it holds already is not run again. The agent has no estimate of Hoe's: its first threshold is its
largest window.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SETTINGS = HERE.parent / "settings.toml"
RECORDED = HERE / "measured.json"
WORKERS = 1
SEEDS = {"westwood": range(1, 6), "hybla": range(1, 6), "enhanced_hybla": range(1, 4)}
STORMS = (1e-6, 1e-5)
"""At these error rates Enhanced Hybla sends mostly what arrived long ago, and ns-2 takes minutes per run: last."""
PIPE_PACKETS = 100e6 / 12000
MB = 10**6
SIZES = (50_000, 500_000, 5 * MB, 50 * MB, 100 * MB, 500 * MB, 1000 * MB, 2000 * MB)

Run = dict[str, Any]


def cases() -> list[Run]:
    """What the study asks of the paper's variants: transfers without end, over the round trip, and files."""
    asked = []
    for variant, rate in product(SEEDS, (0.0, 1e-10, 1e-8, 1e-7, *STORMS)):
        asked.append({"variant": variant, "rate": rate, "rtt_s": 0.6, "size_bytes": None, "duration_s": 600})
    for variant, rtt_s in product(SEEDS, (0.1, 0.2, 0.3, 0.4, 0.5)):
        asked.append({"variant": variant, "rate": 1e-8, "rtt_s": rtt_s, "size_bytes": None, "duration_s": 600})
    for variant, rate, size in product(SEEDS, (0.0, 1e-8, 1e-7), SIZES):
        asked.append({"variant": variant, "rate": rate, "rtt_s": 0.6, "size_bytes": size, "duration_s": 4000})
    asked.sort(key=is_storm)
    return [{**case, "seed": seed} for case in asked for seed in seeds(case)]


def is_storm(case: Run) -> bool:
    """Whether ns-2 takes minutes for it."""
    return case["variant"] == "enhanced_hybla" and case["rate"] in STORMS


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
    return {**case, **next(json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))}


def main() -> None:
    """Build the module, run what is not recorded."""
    runs: list[Run] = json.loads(RECORDED.read_text(encoding="utf-8"))["runs"] if RECORDED.exists() else []
    asked = cases()
    missing = [case for case in asked if not any(case.items() <= each.items() for each in runs)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as pool:
        module = Path(folder) / "enhanced_hybla.so"
        include = Path(sys.argv[1]) / "tcp" / "linux"
        build = ["gcc", "-O2", "-w", "-shared", "-fPIC", f"-I{include}", str(HERE / "enhanced_hybla.c")]
        subprocess.run([*build, "-o", str(module), "-lm"], check=True)
        for found in pool.map(lambda case: run(case, module), missing):
            runs.append(found)
            runs.sort(key=lambda each: place(each, asked))
            write(runs)


def place(run: Run, asked: list[Run]) -> int:
    """Where a run stands among the cases; past the last if none asks for it."""
    return next((index for index, case in enumerate(asked) if case.items() <= run.items()), len(asked))


def write(runs: list[Run]) -> None:
    """Write what there is."""
    document = {
        "simulator": "ns-2.35 (Debian ns2 2.35+dfsg-5)",
        "settings_sha256": hashlib.sha256(SETTINGS.read_bytes()).hexdigest(),
    }
    head = json.dumps(document, indent=1).removesuffix("\n}")
    rows = ",\n".join("  " + json.dumps(each) for each in runs)
    RECORDED.write_text(f'{head},\n "runs": [\n{rows}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
