"""What to write instead of a name that does not exist; lists and counts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def remedy(name: str, known: Sequence[str], cutoff: float = 0.6, shown: Mapping[str, str] | None = None) -> str:
    """Give the nearest known name, or all; `shown` is what to write for each."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1, cutoff=cutoff)
    write = shown or {each: each for each in known}
    return f"did you mean `{write[near[0]]}`?" if near else f"known: {', '.join(write[each] for each in known)}"


def counted(count: int, noun: str) -> str:
    """Give `1 run`, `2 runs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Sequence[str], most: int = 3, separator: str = ", ") -> str:
    """Give the first `most` of the names, and how many more there are: `a, b, c and 2 more`."""
    shown = separator.join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
