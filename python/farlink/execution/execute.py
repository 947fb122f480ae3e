"""Many seeds on all cores: a thread each, for the engine runs without the GIL."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from farlink._farlink import Results, Scenario, Simulation
from farlink.errors import EventLimitError
from farlink.execution.congestion import Factory, make_member
from farlink.execution.estimate import Estimate
from farlink.execution.outputs import Capture
from farlink.system.memory import Guard

if TYPE_CHECKING:
    from farlink._farlink import Column, Explanation

BETWEEN_REPORTS_S = 0.1
"""Of progress."""
BETWEEN_MEMORY_CHECKS = 250_000
"""Events; each takes some hundred bytes at most."""
FIRST_NS = 10_000_000
"""Of simulated time; slices then become longer or shorter until they take so much real time:"""
SHORT_S = 0.02
LONG_S = 0.1
FEWEST_SLICES = 200
"""Bounds a slice when a long time without events, which takes no time, is followed by traffic."""
FIRST_EVENTS = 10_000
MOST_EVENTS = 500_000

Progress = Callable[[float], None]
"""Gets the share of the work that is done, from 0 to 1."""
Watch = Callable[[float], bool]
"""Gets the share of a run that is done; False stops it."""


class Order(NamedTuple):
    """What to run and what to keep of it."""

    scenario: Scenario
    seeds: Sequence[int]
    jobs: int | None = None
    series: bool = True
    ledger: bool = False
    """Keep a row for every copy of a packet."""
    captures: Sequence[Capture] = ()
    window_ns: tuple[int, int] | None = None
    """From when to when an animation shows frames; None for no animation."""
    congestion_control: Mapping[int, Factory] = MappingProxyType({})
    max_events: int | None = None
    """A run that needs more fails with `EventLimitError`."""


class Outcome(NamedTuple):
    """What one seed gave."""

    seed: int
    measured: dict[str, Any]
    flow_series: list[Column]
    link_series: list[Column]
    explanation: list[Explanation]
    cpu_s: float
    animation: str | None = None
    """What it takes to play the run again, as JSON."""
    copies: list[Column] | None = None
    """The ledger's rows, if they were kept."""
    arrivals: list[Column] | None = None
    """The flows of workloads that keep a row for each."""


def execute(order: Order, progress: Progress | None = None) -> tuple[list[Outcome], bool]:
    """Run every seed; the outcomes in the order of the seeds, and whether Ctrl-C cut them short."""
    team = _Team(order)
    interrupted = not team.run(progress)
    outcomes = []
    for seed in order.seeds:
        match team.made.get(seed):
            case BaseException() as error:
                raise error
            case Outcome() as outcome:
                outcomes.append(outcome)
    return outcomes, interrupted


def cores() -> int:
    """How many threads can run at once."""
    # macOS and Windows do not say which cores the process may use.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Team:
    """Threads that share the seeds of an order; `concurrent.futures` takes longer to import than many a run."""

    def __init__(self, order: Order) -> None:
        self.made: dict[int, Outcome | BaseException | None] = {}
        """What became of each seed; None when it was stopped."""
        self._order = order
        self._waiting = deque(order.seeds)
        self._done = dict.fromkeys(order.seeds, 0.0)
        self._stop = threading.Event()
        self._ended = threading.Semaphore(0)

    def run(self, progress: Progress | None) -> bool:
        """Run all seeds, reporting progress, or until one fails; False when interrupted."""
        size = min(self._order.jobs or cores(), len(self._order.seeds))
        threads = [threading.Thread(target=self._work) for _ in range(size)]
        # An interrupt may come while the threads start: what runs already must stop then, too.
        try:
            for thread in threads:
                thread.start()
            for _ in threads:
                while not self._ended.acquire(timeout=BETWEEN_REPORTS_S):
                    self._report(progress)
            if not self._stop.is_set():
                self._report(progress)
        except KeyboardInterrupt:
            return False
        finally:
            self._stop.set()
            for thread in threads:
                if thread.is_alive():
                    thread.join()
        return True

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                seed = self._waiting.popleft()
            except IndexError:
                break
            try:
                self.made[seed] = simulate(self._order, seed, partial(self._watch, seed))
            except BaseException as error:
                self.made[seed] = error
                self._stop.set()
            self._done[seed] = 1.0
        self._ended.release()

    def _report(self, progress: Progress | None) -> None:
        if progress:
            progress(sum(self._done.values()) / len(self._done))

    def _watch(self, seed: int, share: float) -> bool:
        self._done[seed] = share
        return not self._stop.is_set()


def simulate(order: Order, seed: int, watch: Watch | None = None) -> Outcome | None:
    """Run one seed in slices; None when `watch` says to stop, `EventLimitError` at the order's limit."""
    estimate = Estimate.of(order.scenario, series=order.series)
    estimate.check(order.scenario.name)
    simulation = _begin_simulation(order, seed)
    duration, memory, slices = order.scenario.duration_ns, Guard(), Slices(order.scenario.duration_ns)
    cpu_s, checked, more = 0.0, 0, True
    while more:
        now, handled = simulation.now_ns, simulation.events
        if order.max_events is not None and handled >= order.max_events:
            at = f"t = {now / 1e9:.9g} s of {duration / 1e9:.9g} s ({estimate.events.cause})"
            raise EventLimitError(f"{order.scenario.name}: seed {seed}: stopped after {handled} events at {at}")
        if watch and not watch(now / duration):
            return None
        if handled - checked >= BETWEEN_MEMORY_CHECKS:
            memory.check(order.scenario.name)
            checked = handled
        started_s, started_cpu_s = time.perf_counter(), time.thread_time()
        more = simulation.advance(slices.until_ns(now), slices.limit(handled, order.max_events))
        cpu_s += time.thread_time() - started_cpu_s
        slices.adapt(time.perf_counter() - started_s)
    return _make_outcome(order, seed, simulation.finish(), cpu_s)


def _begin_simulation(order: Order, seed: int) -> Simulation:
    simulation = Simulation(order.scenario, seed, order.series)
    for index, factory in order.congestion_control.items():
        simulation.plug(index, partial(make_member, factory))
    if order.ledger:
        simulation.keep_ledger()
    for capture in order.captures:
        capture.begin(simulation)
    if order.window_ns:
        simulation.animate(*order.window_ns)
    return simulation


def _make_outcome(order: Order, seed: int, results: Results, cpu_s: float) -> Outcome:
    if results.capture_error:
        raise OSError(f"the capture is not whole: {results.capture_error}")
    flow_series, link_series = results.series()
    measured = json.loads(results.json())
    copies = results.ledger() if order.ledger else None
    arrivals = results.arrivals()
    return Outcome(
        seed, measured, flow_series, link_series, results.explain(), cpu_s, results.animation(), copies, arrivals
    )


class Slices:
    """Where slices of a run end: some tens of milliseconds each, so that Ctrl-C is handled and progress is shown.

    A slice ends at a simulated time or after a number of events, for an instant can hold any number of them.
    """

    def __init__(self, duration_ns: int) -> None:
        self._duration_ns = duration_ns
        self._longest_ns = max(duration_ns // FEWEST_SLICES, 1)
        self._step_ns = FIRST_NS
        self._events = FIRST_EVENTS

    def until_ns(self, now_ns: int) -> int:
        """Give the simulated time at which the next slice ends."""
        return min(now_ns + min(self._step_ns, self._longest_ns), self._duration_ns)

    def limit(self, handled: int, max_events: int | None) -> int:
        """Give the number of events after which it ends."""
        limit = handled + self._events
        return limit if max_events is None else min(limit, max_events)

    def adapt(self, took_s: float) -> None:
        """Make the next one longer or shorter than the last, which took so long."""
        if took_s < SHORT_S:
            self._step_ns = min(self._step_ns * 2, self._duration_ns)
            self._events = min(self._events * 2, MOST_EVENTS)
        elif took_s > LONG_S:
            self._step_ns = max(self._step_ns // 2, 1)
            self._events = max(self._events // 2, 1)
