"""The counts of a campaign, and its exit status."""

from __future__ import annotations

import sys
from collections import Counter

import attempt

PASSED, RAN = 0.3, 0.1
"""At least this share of the inputs passes the parser, and runs to its end."""


def summary(counts: Counter[str], asked: int, *, is_limited: bool) -> int:
    """Print the counts; status 1 for a failure, and for a campaign that attempted too little to find one."""
    total, failures = counts.total(), counts["failure"]
    ran = counts[attempt.COMPLETED]
    passed = ran + counts[attempt.STOPPED]
    print(
        f"{total} inputs: {passed} passed the parser, {ran} ran to their end, {counts[attempt.STOPPED]} were stopped "
        f"after {attempt.EVENTS} events, {counts[attempt.REFUSED]} were refused, {failures} failures"
    )
    if failures:
        return 1
    if total == 0 or (total < asked and not is_limited):
        print(f"{total} of {asked} inputs were made", file=sys.stderr)
        return 1
    if passed < PASSED * total or ran < RAN * total:
        print("too few inputs passed the parser or ran to their end", file=sys.stderr)
        return 1
    return 0
