"""How long a user waits for the command line: `make bench-start`.

The shortest of several starts, with what Python itself takes. No test asserts these times, for they depend on what
else runs; the tests assert what is imported.
"""

from __future__ import annotations

import subprocess
import sys
import time

REPEATS = 20
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "farlink --version": ["-m", "farlink", "--version"],
    "farlink --help": ["-m", "farlink", "--help"],
    "farlink list": ["-m", "farlink", "list"],
    "farlink run satellite, 10 s": ["-m", "farlink", "run", "satellite", "--set", "duration=10 s"],
}


def shortest_s(arguments: list[str]) -> float:
    """Of several starts, the first of which only warms the disk's cache."""
    took_s = []
    for _ in range(REPEATS + 1):
        began_s = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        took_s.append(time.perf_counter() - began_s)
    return min(took_s[1:])


if __name__ == "__main__":
    for name, arguments in COMMANDS.items():
        print(f"{name:30} {1000 * shortest_s(arguments):6.0f} ms")
