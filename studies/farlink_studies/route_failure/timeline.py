"""What a sender did around a broken route: Table 1 of the paper, event by event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from farlink_studies.route_failure.movement import Absence
from farlink_studies.route_failure.runs import FAST, FROZEN, TIMEOUT, Case, Runs, TimeSeries

SETTLED_S = 5.0
"""What happens so long after a repair, or until the next failure, is its consequence."""


class Events(NamedTuple):
    """Times of the events of Table 1 in seconds after t1, the break; None for what did not happen."""

    frozen: float | None
    """t3: the source freezes."""
    is_late: bool
    """The timer had expired before: the source had retransmitted what was missing when it was notified."""
    repaired: float
    """Node 3 is back in range."""
    resumed: float | None
    """t6: the source resumes."""
    fast: float | None
    """t7: it retransmits fast."""
    recovered: float | None
    """t8: that is over."""
    timed_out: float | None
    """The timer expired, after the repair."""
    normal: float
    """From then on the source is neither frozen nor in a recovery that reduced its window."""
    arriving: float
    """Data arrive in order again."""


def repair_timeline(series: TimeSeries, absence: Absence, end_s: float) -> Events:
    """Read the events off the samples; what comes after `end_s` belongs to the next failure."""
    broken, repaired = series.at(absence.broken_s), series.at(absence.repaired_s)
    end = series.at(min(end_s, absence.repaired_s + SETTLED_S))
    phase, times = series.phase, series.time_s - absence.broken_s
    is_frozen = phase == FROZEN
    frozen = _first_index(is_frozen, broken, repaired)
    is_late = frozen is not None and bool(np.any(phase[broken:frozen] == TIMEOUT))
    resumed = None if frozen is None else _first_index(~is_frozen, max(repaired, frozen), end)
    fast = _first_index(phase == FAST, repaired if resumed is None else resumed, end)
    # A source that keeps its window repairs, too, but has lost nothing by it.
    is_cut = (phase == TIMEOUT) & (series.ssthresh != series.ssthresh[broken])
    disturbed = np.flatnonzero((is_frozen | (phase == FAST) | is_cut)[repaired:end])
    normal = repaired + (int(disturbed[-1]) + 1 if disturbed.size else 0)
    later = _first_index(series.arrived > series.arrived[repaired], repaired, len(times))

    def at(place: int | None) -> float | None:
        return None if place is None else float(times[place])

    return Events(
        frozen=at(frozen),
        is_late=is_late,
        repaired=absence.repaired_s - absence.broken_s,
        resumed=at(resumed),
        fast=at(fast),
        recovered=None if fast is None else at(_first_index(phase != FAST, fast, end)),
        timed_out=at(_first_index(is_cut & (series.cwnd <= 1), repaired, end)),
        normal=float(times[min(normal, len(times) - 1)]),
        arriving=float(times[-1] if later is None else times[later]),
    )


def repair_timelines(series: TimeSeries, absences: Sequence[Absence]) -> list[Events]:
    """The events of every failure that is repaired."""
    end_s = float(series.time_s[-1])
    ends = [*(absence.broken_s for absence in absences), end_s][1:]
    return [
        repair_timeline(series, absence, end)
        for absence, end in zip(absences, ends, strict=True)
        if absence.repaired_s < end_s
    ]


def of_case(runs: Runs, case: Case) -> list[list[Events]]:
    """The events of every failure, a list per seed; raises `MissingError`."""
    return [repair_timelines(one.path, one.absences) for one in runs.of(case).values()]


def first_repairs(runs: Runs, *cases: Case) -> Iterator[tuple[Events, Events, float]]:
    """The events of the first failure in two cases, and the mean round trip before it in seconds, seed by seed."""
    for _, ones in runs.together(*cases):
        first, second = (repair_timelines(one.path, one.absences)[0] for one in ones)
        yield first, second, fmean(float(one.path.srtt_s[one.path.at(one.absences[0].broken_s)]) for one in ones)


def _first_index(is_so: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], start: int, end: int) -> int | None:
    found = np.flatnonzero(is_so[start:end])
    return start + int(found[0]) if found.size else None
