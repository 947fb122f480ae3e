"""How much CPU time the command line takes until it has answered: `make bench-start`.

User and system time of the process, which depend less on what else runs than the time that passes; the shortest and
the median of several starts, with what Python itself takes. No test asserts these times; the tests assert what is
imported. Bytecode is kept, as an installed package has it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

REPEATS = 20
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "farlink --version": ["-m", "farlink", "--version"],
    "farlink --help": ["-m", "farlink", "--help"],
    "farlink list": ["-m", "farlink", "list"],
    "farlink check satellite": ["-m", "farlink", "check", "satellite"],
    "farlink run satellite, 10 s": ["-m", "farlink", "run", "satellite", "--set", "duration=10 s"],
}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu_s(arguments: list[str]) -> float:
    """User and system time of one start."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=ENVIRONMENT) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(process.args)}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    # The commands take turns, so that a slow minute strikes all alike; the first round fills the disk's cache.
    rounds = [{name: cpu_s(arguments) for name, arguments in COMMANDS.items()} for _ in range(REPEATS + 1)][1:]
    print(f"{'CPU time, ms':30} {'shortest':>9} {'median':>9}")
    for name in COMMANDS:
        took_s = [each[name] for each in rounds]
        print(f"{name:30} {1000 * min(took_s):9.0f} {1000 * statistics.median(took_s):9.0f}")


if __name__ == "__main__":
    main()
