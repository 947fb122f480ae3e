"""How long the two ends of a connection are near each other: what its goodput hangs on."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from farlink.runs.scenario import Scenario
from numpy.typing import NDArray

from farlink_studies.manet.runs import NODES, SPEED, VARIANTS, Case, Runs

HALF_RANGE_M = 133.0
"""Over which half of the frames arrive under the settings of the study."""
STEP_S = 1.0
PLACE = re.compile(r"\$node_\((\d+)\) set ([XY])_ (\S+)")
LEG = re.compile(r'\$ns_ at (\S+) "\$node_\((\d+)\) setdest (\S+) (\S+) (\S+)"')

Numbers = NDArray[np.float64]
Leg: TypeAlias = tuple[float, float, float, float]
"""When it starts, where it goes, how fast."""


class Pair(NamedTuple):
    """A connection in one run."""

    sweep: str
    level: float
    variant: str
    seed: int
    number: int
    """Among the connections of its run."""
    near: float
    """Share of the time in which its ends are within `HALF_RANGE_M` of each other."""
    goodput: float
    """kbit/s."""


class Pairs:
    """Every connection of every run of a study, with how near its ends were."""

    def __init__(self, runs: Runs, scenario: Scenario) -> None:
        self._runs, self._scenario = runs, scenario
        self._known: dict[tuple[float, float, int], list[float]] = {}

    @cached_property
    def all(self) -> list[Pair]:
        """All connections; those of the point where two sweeps meet are in both."""
        return [pair for point in self._runs.points() for pair in self.at(*point)]

    def at(self, sweep: str, level: float) -> list[Pair]:
        """The connections at one level of a sweep; raises `MissingError`."""
        return [
            Pair(sweep, level, variant, seed, number, near_shares, goodput)
            for variant in VARIANTS
            for seed, one in self._runs.of(Case(sweep, level, variant)).items()
            for number, (near_shares, goodput) in enumerate(
                zip(self._near_shares(sweep, level, seed), one.each, strict=False)
            )
        ]

    def _near_shares(self, sweep: str, level: float, seed: int) -> list[float]:
        """Of every connection that there may be; which nodes move how is the same for every variant and error rate."""
        nodes, speed = (level if sweep == other else 0.0 for other in (NODES, SPEED))
        if (nodes, speed, seed) not in self._known:
            scenario = self._scenario.set("flows.*.tcp.congestion_control", "reno")
            if nodes:
                scenario = scenario.set("topology.nodes", int(nodes))
            if speed:
                scenario = scenario.set("mobility.min_speed", f"{speed:g} m/s")
                scenario = scenario.set("mobility.max_speed", f"{speed:g} m/s")
            self._known[nodes, speed, seed] = near_shares(scenario, seed, self._largest_connection_count)
        return self._known[nodes, speed, seed]

    @cached_property
    def _largest_connection_count(self) -> int:
        """The connections of the run that has most."""
        return max(one.connections for _, ones in self._runs.all() for one in ones.values())


def near_shares(scenario: Scenario, seed: int, connections: int) -> list[float]:
    """Of each connection, from node 0 to 1, 2 to 3 and so on, the share of the time its ends are near each other."""
    times = np.arange(0, scenario.validated.duration_ns / 1e9, STEP_S)
    tracks = _node_tracks(scenario.ns2_movement(seed=seed), 2 * connections, times)
    return [
        float(np.mean(np.hypot(*(tracks[2 * flow] - tracks[2 * flow + 1])) <= HALF_RANGE_M))
        for flow in range(connections)
    ]


def _node_tracks(movement: str, nodes: int, times: Numbers) -> list[Numbers]:
    """Where the first nodes of an ns-2 movement file are at these times: x and y of each."""
    places: dict[int, dict[str, float]] = {}
    legs: dict[int, list[Leg]] = {}
    for node, axis, value in PLACE.findall(movement):
        places.setdefault(int(node), {})[axis] = float(value)
    for at, node, x, y, speed in LEG.findall(movement):
        legs.setdefault(int(node), []).append((float(at), float(x), float(y), float(speed)))
    return [_node_track(places[node], legs.get(node, []), times) for node in range(nodes)]


def _node_track(place: dict[str, float], legs: Sequence[Leg], times: Numbers) -> Numbers:
    knots = [(0.0, place["X"], place["Y"])]
    for at, x, y, speed in legs:
        here_x, here_y = _interpolate_track(knots, np.asarray([at]))[:, 0]
        if speed:
            # A leg ends the one before, wherever that has come to.
            knots = [knot for knot in knots if knot[0] < at]
            knots += [(at, here_x, here_y), (at + math.hypot(x - here_x, y - here_y) / speed, x, y)]
    return _interpolate_track(knots, times)


def _interpolate_track(knots: Sequence[tuple[float, float, float]], times: Numbers) -> Numbers:
    at, x, y = np.asarray(knots).T
    return np.asarray([np.interp(times, at, x), np.interp(times, at, y)])
