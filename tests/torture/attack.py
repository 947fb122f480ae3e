"""What all attacks share: the sweep that is attacked, the command line, and the demand that a promise holds."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 300.0
"""What takes longer than this on any machine has hung."""

SCENARIO = """\
name = "short"
duration = "2 s"

[[nodes]]
name = "ground"
[[nodes]]
name = "remote"

[[links]]
between = ["ground", "remote"]
rate = "10 Mbit/s"
delay = "20 ms"
queue = { name = "drop_tail", limit = "50 packets" }
error = { name = "packet_error_rate", rate = 1e-3 }
reverse = { error = "none" }

[[flows]]
label = "transfer"
from = "ground"
to = "remote"
"""

POINTS = 4
SWEEP = """\
scenario = "short.toml"
seeds = "1..{seeds}"
series = {series}

[cross]
"links.0.error.rate" = [0.001, 0.01]
"flows.0.tcp.congestion_control" = ["reno", "hybla"]
"""

Outcomes = Counter[str]
Attack = Callable[[Path, random.Random], Outcomes]
"""Works in an empty folder; gives what happened how often; raises `BrokenPromiseError`."""


class BrokenPromiseError(Exception):
    """What Farlink promised does not hold."""


def demand(condition: object, promise: str) -> None:
    """Raise `BrokenPromiseError` unless the condition holds."""
    if not condition:
        raise BrokenPromiseError(promise)


def write_sweep(folder: Path, seeds: int, *, series: bool = False) -> int:
    """Write the sweep as `sweep.toml`; gives the number of its runs."""
    (folder / "short.toml").write_text(SCENARIO)
    (folder / "sweep.toml").write_text(SWEEP.format(seeds=seeds, series=str(series).lower()))
    return POINTS * seeds


def farlink(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "farlink", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S)


def succeeded(done: subprocess.CompletedProcess[str]) -> str:
    """Demand success; gives what was printed."""
    demand(done.returncode == 0, f"{done.args[2:]}: status {done.returncode}: {done.stderr}")
    return done.stdout


def demand_failure_in_one_line(status: int, printed: str) -> str:
    """Demand status 1 and one line of Farlink on standard error; gives the line."""
    demand(status == 1, f"status {status} instead of 1: {printed}")
    lines = printed.splitlines()
    demand(lines and all(line.startswith("farlink: ") for line in lines), f"not a line of farlink: {printed}")
    return lines[-1]
