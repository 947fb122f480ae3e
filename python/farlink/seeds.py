"""Seeds as they are written: `1..20` (both ends included), `1,3,7`, or both."""

from __future__ import annotations

from farlink.errors import UsageError

MOST = 1_000_000


def parse(text: str) -> list[int]:
    """Read a list of seeds; raises `UsageError` with what would be right."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dots, last = (piece.strip() for piece in part.partition(".."))
        if not _is_number(first) or (dots and not _is_number(last)):
            raise UsageError(f"`{part}` is not a seed; write 1..20 or 1,3,7")
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
