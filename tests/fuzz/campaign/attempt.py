"""A run of the command line in a process of its own, with limits, and what became of it."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

CPU_S = 20
"""Processor time; a wall clock would measure what else the machine does."""
WALL_S = 300
MEMORY = 2 << 30
LIBRARIES = 1 << 30
"""Addresses that libraries reserve besides."""
EVENTS = 5_000

LIMITED = ("--max-events", str(EVENTS), "--jobs", "1", "--quiet")
OPTIONS = {"run": (*LIMITED, "--json"), "sweep": LIMITED, "explain": ("--quiet",)}
"""What is added to a command."""
DAMAGED = ("export", "compare")
"""Commands for which a damaged store is a failure of something else than the usage: exit status 1."""

REFUSED, STOPPED, COMPLETED = "refused", "stopped", "completed"
NUMBERS = ("throughput_bps", "goodput_bps", "delivery_ratio", "utilisation", "queue_mean_packets", "energy_j", "sim_s")
"""What is a number in the document whatever was measured."""
WARNING = "farlink: warning: "
"""How a line begins that is printed besides a message."""
EXCERPT = re.compile(r"(\d+ \| .*|\s*\d* +\| *\^+)")
"""The two lines below a message that show the place."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case: one of three words, or what was wrong."""

    kind: str
    fault: str = ""


def command(arguments: list[str]) -> list[str]:
    """The arguments with which a case is run."""
    return [*arguments, *OPTIONS.get(arguments[0], ())]


def fork(arguments: list[str], folder: Path) -> Outcome:
    """Run the command line in a fork of this process, which has imported it, inside `folder`."""
    child = os.fork()
    if child == 0:
        _run(arguments, folder)
    _, status, used = os.wait4(child, 0)
    return judged(folder, arguments[0], status, used)


def spawn(arguments: list[str], folder: Path) -> Outcome:
    """The same in a new process."""
    child = os.fork()
    if child == 0:
        _enter(folder)
        os.execv(sys.executable, [sys.executable, "-m", "farlink", *arguments])
    _, status, used = os.wait4(child, 0)
    return judged(folder, arguments[0], status, used)


def _enter(folder: Path) -> None:
    """Limit this process and turn its streams to files."""
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY + LIBRARIES, MEMORY + LIBRARIES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(WALL_S)


def _run(arguments: list[str], folder: Path) -> NoReturn:
    status = 70
    try:
        _enter(folder)
        sys.argv = ["farlink", *arguments]
        from farlink.__main__ import main

        main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 70 * (ended.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def judged(folder: Path, command: str, status: int, used: resource.struct_rusage) -> Outcome:
    """Say what became of a command, from what it left."""
    code = os.waitstatus_to_exitcode(status)
    out = (folder / "stdout").read_text(encoding="utf-8", errors="replace")
    errors = (folder / "stderr").read_text(encoding="utf-8", errors="replace")
    if used.ru_maxrss << 10 > MEMORY:
        return Outcome("failure", f"{used.ru_maxrss >> 10} MiB of memory")
    if code < 0:
        return Outcome("failure", f"ended by {signal.Signals(-code).name} after {used.ru_utime:.1f} s: {errors[-300:]}")
    if fault := _message(errors, is_done=code == 0):
        return Outcome("failure", f"exit status {code}: {fault}")
    match code:
        case 0:
            fault = _document(out) if command == "run" else ""
            return Outcome("failure", fault) if fault else Outcome(COMPLETED)
        case 1 if re.search(r": stopped after \d+ events", errors):
            return Outcome(STOPPED)
        case 1 if command in DAMAGED and errors and not out:
            return Outcome(REFUSED)
        case 2 if errors and not out:
            return Outcome(REFUSED)
    return Outcome("failure", f"exit status {code}: {errors[-300:]}")


def _message(errors: str, *, is_done: bool) -> str:
    """What is wrong with messages: one of one line, and where it points into a text, that line and a caret."""
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", errors):
        return f"control characters: {errors[-300:]!r}"
    if "Traceback" in errors or "panicked" in errors:
        return f"a traceback: {errors[-600:]!r}"
    if is_done or not errors:
        return ""
    head, *rest = [line for line in errors.removesuffix("\n").split("\n") if not line.startswith(WARNING)] or [""]
    if not head.startswith("farlink: ") or len(rest) not in (0, 2) or not all(map(EXCERPT.fullmatch, rest)):
        return f"not one line: {errors[-600:]!r}"
    return ""


def _document(out: str) -> str:
    """What is wrong with the printed document."""

    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} in the document")

    try:
        return _nulls(json.loads(out, parse_constant=constant), "document")
    except ValueError as error:
        return f"{error}: {out[:200]!r}"


def _nulls(value: Any, key: str) -> str:
    match value:
        case None if key in NUMBERS:
            return f"{key} is not a number"
        case dict():
            return next(filter(None, (_nulls(inner, name) for name, inner in value.items())), "")
        case list():
            return next(filter(None, (_nulls(inner, key) for inner in value)), "")
    return ""
