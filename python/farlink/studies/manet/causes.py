"""Why a sweep goes as it goes, in measured numbers."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

from farlink.studies.manet.runs import UNITS, VARIANTS, Case, One, Runs

WORTH_TELLING = 0.05


def cause(runs: Runs, sweep: str) -> str:
    """Say what held senders back and why packets were lost, at both ends of a sweep."""
    levels = runs.levels(sweep)
    told = [f"at {level:g} {UNITS[sweep]}: {_state(_ones(runs, sweep, level))}" for level in (levels[0], levels[-1])]
    return "; ".join(told)


def _ones(runs: Runs, sweep: str, level: float) -> list[One]:
    return [one for variant in VARIANTS for one in runs.of(Case(sweep, level, variant)).values()]


def _state(ones: list[One]) -> str:
    delivering = sum(one.delivering for one in ones) / sum(one.connections for one in ones)
    told = [f"{delivering:.0%} of the connections delivered anything"]
    if limits := _largest({name: fmean(one.limited_by[name] for one in ones) for name in ones[0].limited_by}):
        told.append(f"their time went into {limits}")
    drops: Counter[str] = Counter()
    for one in ones:
        drops.update(one.drops)
    lost = sum(drops.values())
    if sent := sum(one.sent for one in ones):
        told.append(f"{lost / sent:.2g} packets dropped per packet of data sent")
    if lost:
        told.append(f"by {_largest({name.replace('_', ' '): count / lost for name, count in drops.items()})}")
    return ", ".join(told)


def _largest(shares: dict[str, float]) -> str:
    largest = sorted(shares.items(), key=lambda each: -each[1])[:3]
    return ", ".join(f"{name} {share:.0%}" for name, share in largest if share > WORTH_TELLING)
