"""Record what ns-2 does under the study's settings: `python3 record.py` writes measured.json beside this file.

Needs Debian 12's `ns2` (2.35), whose TCP-Linux agent is the one the paper names. It has Westwood and Hybla, and no
Enhanced Hybla. The recorded file is committed, so that the study needs no ns-2.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SETTINGS = HERE.parent / "settings.toml"
VARIANTS = ("westwood", "hybla")
SEEDS = range(1, 11)
PIPE_PACKETS = 100e6 / 12000
MB = 10**6
SIZES = (50_000, 500_000, 5 * MB, 50 * MB, 100 * MB, 500 * MB, 1000 * MB, 2000 * MB)

Run = dict[str, Any]


def cases() -> list[Run]:
    """What the study asks of Westwood and Hybla: transfers without end, over the round trip, and files."""
    asked = []
    for variant, rate in product(VARIANTS, (0.0, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5)):
        asked.append({"variant": variant, "rate": rate, "rtt_s": 0.6, "size_bytes": None, "duration_s": 600})
    for variant, rtt_s in product(VARIANTS, (0.1, 0.2, 0.3, 0.4, 0.5)):
        asked.append({"variant": variant, "rate": 1e-8, "rtt_s": rtt_s, "size_bytes": None, "duration_s": 600})
    for variant, rate, size in product(VARIANTS, (0.0, 1e-8, 1e-7), SIZES):
        asked.append({"variant": variant, "rate": rate, "rtt_s": 0.6, "size_bytes": size, "duration_s": 4000})
    # Without errors nothing is left to luck.
    return [{**case, "seed": seed} for case in asked for seed in (SEEDS if case["rate"] else [1])]


def run(case: Run) -> Run:
    """Run ns-2 once."""
    pipe = PIPE_PACKETS * case["rtt_s"]
    arguments = (
        *(case["variant"], case["rate"], case["duration_s"], round(1.6 * pipe), round(pipe)),
        *(round(case["rtt_s"] * 500, 6), case["seed"], case["size_bytes"] or 0),
    )
    command = ["ns", str(HERE / "satellite.tcl"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # ns-2 also prints what TCP-Linux was told to do.
    return {**case, **next(json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))}


def main() -> None:
    """Run all cases on as many cores as the first argument says."""
    with ThreadPoolExecutor(int(sys.argv[1]) if len(sys.argv) > 1 else 1) as pool:
        runs = list(pool.map(run, cases()))
    document = {
        "simulator": "ns-2.35 (Debian ns2 2.35+dfsg-5)",
        "settings_sha256": hashlib.sha256(SETTINGS.read_bytes()).hexdigest(),
    }
    head = json.dumps(document, indent=1).removesuffix("\n}")
    rows = ",\n".join("  " + json.dumps(each) for each in runs)
    (HERE / "measured.json").write_text(f'{head},\n "runs": [\n{rows}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
