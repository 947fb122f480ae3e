"""The command line for tests that start it often: each in a child of a process that has imported it already.

`started.py` reads a line of JSON for each command (`arguments`, `folder`, `environment`, `out`, `errors`), runs it as
`python -m farlink` would, with its streams in these files, and prints its exit status. A command then costs what it
does, not what its imports cost, and is a process of its own all the same.
"""

import atexit
import gc
import importlib
import json
import os
import random
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from attack import PATIENCE_S

HEAVY = (
    "farlink.cli",
    "farlink.drawing.of_runs",
    "farlink.sweeps.sweep",
    "matplotlib.backends.backend_agg",
    "pandas",
    "polars",
    "pyarrow.compute",
    "rich.progress",
    "rich.table",
    "scipy.special",
)


class Starter:
    """Runs commands, one after the other."""

    def __init__(self) -> None:
        command = [sys.executable, "-W", "error", __file__]
        search = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": search}
        )

    def run(
        self, arguments: list[str], folder: Path, environment: dict[str, str]
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end; raises `TimeoutExpired`."""
        assert self._process.stdin and self._process.stdout
        with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as errors:
            files = {"out": out.name, "errors": errors.name}
            request = {"arguments": arguments, "folder": str(folder), "environment": environment, **files}
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            if not select.select([self._process.stdout], [], [], PATIENCE_S)[0]:
                self.close()
                raise subprocess.TimeoutExpired(arguments, PATIENCE_S)
            status = int(self._process.stdout.readline())
            return subprocess.CompletedProcess(arguments, status, out.read().decode(), errors.read().decode())

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


def serve() -> None:
    for module in HEAVY:
        importlib.import_module(module)
    gc.freeze()  # children leave alone what was made here
    while line := sys.stdin.readline():
        child = os.fork()
        if not child:
            become(**json.loads(line))
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def become(arguments: list[str], folder: str, environment: dict[str, str], out: str, errors: str) -> None:
    for number, path, mode in ((0, os.devnull, os.O_RDONLY), (1, out, os.O_WRONLY), (2, errors, os.O_WRONLY)):
        file = os.open(path, mode)
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    random.seed()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["farlink", *arguments]
    try:
        runpy.run_module("farlink", run_name="__main__", alter_sys=True)
    except SystemExit as done:
        leave(int(done.code or 0))


def leave(status: int) -> None:
    """End as an interpreter does, but for the modules, which take six times as long to take apart as a command."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    serve()
