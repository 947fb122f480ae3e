"""Seeds as they are written: `20`, how many, from 1; `1..20`, which, both ends included; `1,3,7`; or both."""

from __future__ import annotations

from collections.abc import Iterable

from farlink.arguments import SEEDS, SEEDS_OR_COUNT, WHOLE
from farlink.errors import UsageError

MOST = 1_000_000


def parse_seeds(text: str) -> list[int]:
    """Read a number of seeds, or a list of them; raises `UsageError` with what would be right."""
    if _is_number(text.strip()):
        return list(chosen_seeds(int(text)))
    seeds: list[int] = []
    for part in text.split(","):
        first, dots, last = (piece.strip() for piece in part.partition(".."))
        if not _is_number(first) or (dots and not _is_number(last)):
            raise UsageError(f"`{part}` is not a seed; write 20, 1..20 or 1,3,7")
        smallest, largest = int(first), int(last if dots else first)
        if largest < smallest:
            raise UsageError(f"`{part}` is empty; the smaller seed comes first")
        if len(seeds) + largest - smallest >= MOST:
            raise UsageError(f"`{part}` are more than {MOST} seeds")
        seeds += range(smallest, largest + 1)
    return seeds


def _is_number(text: str) -> bool:
    # What does not fit into 64 bits is refused later; int() itself refuses thousands of digits.
    return text.isascii() and text.isdecimal() and len(text) <= 20


def chosen_seeds(seeds: int | Iterable[int]) -> tuple[int, ...]:
    """Give the first so many seeds, or those that are listed."""
    SEEDS_OR_COUNT.require("seeds", seeds)
    if not isinstance(seeds, Iterable):
        if not 1 <= seeds <= MOST:
            raise UsageError(f"seeds = {seeds}: give 1 to {MOST} seeds, or a list of them")
        return tuple(range(1, int(seeds) + 1))
    return tuple(check_seeds(seeds))


def check_seeds(seeds: Iterable[int]) -> list[int]:
    """Refuse seeds that are none, or that are given twice."""
    SEEDS.require("seeds", seeds)
    found: list[int] = []
    for seed in seeds:
        WHOLE.require("seed", seed)
        if not 0 <= seed < 2**64:
            raise UsageError(f"seed {seed} is not a whole number of 64 bits")
        if len(found) >= MOST:
            raise UsageError(f"more than {MOST} seeds")
        found.append(int(seed))
    if not found:
        raise UsageError("no seed to run")
    if len(set(found)) != len(found):
        raise UsageError("a seed is given twice; the same seed gives the same run")
    return found
