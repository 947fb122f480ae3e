"""When a chain of moving nodes is broken, from where its nodes are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from farlink.tables import parameters

RANGE_M = 250.0
STEP_S = 0.001
"""A node at 20 m/s moves by 2 cm meanwhile."""

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Absence(NamedTuple):
    """A time without a way along the chain."""

    broken_s: float
    repaired_s: float
    """The end of the run where it is not repaired."""


@cache
def out_of_range_times(resolved: str) -> tuple[Absence, ...]:
    """Every time in which two neighbours of the chain were out of each other's range."""
    values = parameters.flatten(resolved)
    time_s = np.arange(0, parameters.si_number(values, "duration") + STEP_S, STEP_S)
    here = [_position_at(values, node, time_s) for node in range(_count_nodes(values))]
    reach = [np.hypot(*(one - other)) for one, other in pairwise(here)]
    is_broken = np.max(reach, axis=0) > RANGE_M
    edges = np.flatnonzero(np.diff(is_broken.astype(np.int8)))
    ends = [*(float(time_s[edge + 1]) for edge in edges), float(time_s[-1])]
    return tuple(Absence(*ends[place : place + 2]) for place in range(0, len(ends) - 1, 2))


def node_positions(resolved: str, time_s: Numbers) -> list[Numbers]:
    """Where every node is at these times, two rows per node: metres east and north."""
    values = parameters.flatten(resolved)
    return [_position_at(values, node, time_s) for node in range(_count_nodes(values))]


def _count_nodes(values: Mapping[str, parameters.Scalar]) -> int:
    return len({path.split(".")[1] for path in values if path.startswith("nodes.")})


def _position_at(values: Mapping[str, parameters.Scalar], node: int, time_s: Numbers) -> Numbers:
    """Where a node is, a row per axis."""
    times = [0.0]
    points = [np.array([parameters.si_number(values, f"nodes.{node}.position.{axis}") for axis in (0, 1)])]
    move = 0
    while (path := f"nodes.{node}.mobility.moves.{move}") + ".at" in values:
        target = np.array([parameters.si_number(values, f"{path}.to.{axis}") for axis in (0, 1)])
        start_s = parameters.si_number(values, f"{path}.at")
        here = np.array([np.interp(start_s, times, [point[axis] for point in points]) for axis in (0, 1)])
        # A node that is on its way turns round where it is.
        kept = [place for place, at in enumerate(times) if at < start_s]
        times = [*(times[place] for place in kept), start_s]
        points = [*(points[place] for place in kept), here]
        times.append(start_s + float(np.hypot(*(target - here))) / parameters.si_number(values, f"{path}.speed"))
        points.append(target)
        move += 1
    return np.array([np.interp(time_s, times, [point[axis] for point in points]) for axis in (0, 1)])
