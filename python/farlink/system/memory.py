"""How much memory the process may still take, and that a run ends before it takes more."""

from __future__ import annotations

import os
from pathlib import Path

from farlink.errors import MemoryLimitError

RESERVE = 256 * 2**20
"""Bytes that stay free: a slice of a run takes less."""
GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)
"""Limits of control groups, of version 2 and 1, and what their processes use."""


def available() -> float:
    """Give the bytes the process may still take; infinity where the system does not tell."""
    return min(_of_the_machine(), _of_the_group(), _of_the_process())


class Guard:
    """Ends a run before memory is used up.

    A list that grows is copied into one of twice its size: what the process took since the run began must fit once
    more into memory, and twice more into its address space.
    """

    def __init__(self) -> None:
        self._size, self._resident = _process_bytes()
        self._reserve: float | None = None

    def check(self, name: str) -> None:
        """Raise `MemoryLimitError` when a list could not grow, or only the reserve is left."""
        size, resident = _process_bytes()
        of_the_machine = min(_of_the_machine(), _of_the_group()) - max(resident - self._resident, 0)
        free = min(of_the_machine, _of_the_process() - 2 * max(size - self._size, 0))
        if self._reserve is None:
            self._reserve = max(min(RESERVE, free / 10), 0)
        if free <= self._reserve:
            raise MemoryLimitError(f"{name}: stopped, for the memory is used up; `farlink check` names what takes it")


def _of_the_machine() -> float:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("inf")
    sizes = {line.partition(":")[0]: line.split()[1] for line in lines}
    return 1024.0 * int(sizes["MemAvailable"]) if "MemAvailable" in sizes else float("inf")


def _of_the_group() -> float:
    for limit, used in GROUPS:
        try:
            most = limit.read_text(encoding="ascii").strip()
            return float("inf") if most == "max" else float(int(most) - int(used.read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue
    return float("inf")


def _of_the_process() -> float:
    """Give what `ulimit -v` leaves."""
    try:
        import resource
    except ImportError:
        return float("inf")
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return float("inf") if most == resource.RLIM_INFINITY else float(most - _process_bytes()[0])


def _process_bytes() -> tuple[int, int]:
    """Give the bytes of the address space and of the memory the process takes; 0 where the system does not tell."""
    try:
        size, resident = Path("/proc/self/statm").read_text(encoding="ascii").split()[:2]
    except OSError:
        return 0, 0
    page = os.sysconf("SC_PAGE_SIZE")
    return int(size) * page, int(resident) * page
