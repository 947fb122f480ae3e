"""Many seeds on all cores: a thread each, for the engine runs without the GIL.

The engine is advanced in slices of some tens of milliseconds, so that Ctrl-C is heard and progress is seen. A slice
ends at a simulated time or after a number of events, for an instant can hold any number of them.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from farlink import _farlink
from farlink.congestion import Factory
from farlink.errors import EventLimitError
from farlink.outputs import Capture

FIRST_SLICE_NS = 10_000_000
"""Of simulated time; slices then become longer or shorter until they take so much real time:"""
SHORT_SLICE_S = 0.02
LONG_SLICE_S = 0.1
FEWEST_SLICES = 200
"""Bounds a slice when a long silence, which takes no time, is followed by traffic."""
FIRST_SLICE_EVENTS = 10_000
LONGEST_SLICE_EVENTS = 1_000_000

Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""
Watch = Callable[[float], bool]
"""Told the share of a run that is done; False stops it."""


@dataclass(frozen=True)
class Order:
    """What to run and what to keep of it."""

    scenario: _farlink.Scenario
    seeds: Sequence[int]
    jobs: int | None = None
    series: bool = True
    ledger: bool = False
    """Keep a row for every copy of a packet."""
    captures: Sequence[Capture] = ()
    window_ns: tuple[int, int] | None = None
    """From when to when an animation shows frames; None for no animation."""
    congestion_control: Mapping[int, Factory] = field(default_factory=dict)
    max_events: int | None = None
    """A run that needs more fails with `EventLimitError`."""


@dataclass(frozen=True)
class Outcome:
    """What one seed gave."""

    seed: int
    measured: dict[str, Any]
    flow_series: list[_farlink.Column]
    link_series: list[_farlink.Column]
    explanation: list[tuple[str, str, list[tuple[str, float]]]]
    cpu_s: float
    animation: str | None = None
    """What it takes to play the run again, as JSON."""
    copies: list[_farlink.Column] | None = None
    """The ledger's rows, if they were kept."""


def execute(order: Order, progress: Progress | None = None) -> tuple[list[Outcome], bool]:
    """Run every seed; the outcomes in the order of the seeds, and whether Ctrl-C cut them short."""
    stop = threading.Event()
    done = dict.fromkeys(order.seeds, 0.0)

    def one(seed: int) -> Outcome | None:
        def watch(share: float) -> bool:
            done[seed] = share
            return not stop.is_set()

        outcome = simulate(order, seed, watch)
        done[seed] = 1.0
        return outcome

    workers = min(order.jobs or cores(), len(order.seeds))
    with ThreadPoolExecutor(max_workers=workers) as pool:
        futures = [pool.submit(one, seed) for seed in order.seeds]
        try:
            interrupted = not _await(futures, done, progress)
        finally:
            stop.set()
            for future in futures:
                future.cancel()
    finished = (future.result() for future in futures if not future.cancelled())
    return [outcome for outcome in finished if outcome is not None], interrupted


def cores() -> int:
    """How many threads can run at once."""
    # macOS and Windows do not say which cores the process may use.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _await(futures: list[Future[Outcome | None]], done: dict[int, float], progress: Progress | None) -> bool:
    """Wait for the futures, reporting progress; False when interrupted."""
    pending = set(futures)
    try:
        while pending:
            finished, pending = wait(pending, timeout=0.1, return_when=FIRST_EXCEPTION)
            if any(future.exception() for future in finished):
                return True
            if progress:
                progress(sum(done.values()) / len(done))
    except KeyboardInterrupt:
        return False
    return True


def simulate(order: Order, seed: int, watch: Watch) -> Outcome | None:
    """Run one seed in slices; None when `watch` says to stop, `EventLimitError` at the order's limit."""
    simulation = _farlink.Simulation(order.scenario, seed, order.series)
    for index, factory in order.congestion_control.items():
        simulation.plug(index, factory)
    if order.ledger:
        simulation.keep_ledger()
    for capture in order.captures:
        capture.begin(simulation)
    if order.window_ns:
        simulation.animate(*order.window_ns)
    duration = order.scenario.duration_ns
    step, longest, events, cpu_s, more = (
        FIRST_SLICE_NS,
        max(duration // FEWEST_SLICES, 1),
        FIRST_SLICE_EVENTS,
        0.0,
        True,
    )
    while more:
        now, handled = simulation.now_ns, simulation.events
        if order.max_events is not None and handled >= order.max_events:
            raise EventLimitError(_stopped(order.scenario, seed, handled, now))
        if not watch(now / duration):
            return None
        until, limit = min(now + min(step, longest), duration), handled + events
        if order.max_events is not None:
            limit = min(limit, order.max_events)
        started_s, started_cpu_s = time.perf_counter(), time.thread_time()
        more = simulation.advance(until, limit)
        cpu_s += time.thread_time() - started_cpu_s
        took_s = time.perf_counter() - started_s
        if took_s < SHORT_SLICE_S:
            step, events = min(step * 2, duration), min(events * 2, LONGEST_SLICE_EVENTS)
        elif took_s > LONG_SLICE_S:
            step, events = max(step // 2, 1), max(events // 2, 1)
    return _outcome(order, seed, simulation.finish(), cpu_s)


def _stopped(scenario: _farlink.Scenario, seed: int, events: int, now_ns: int) -> str:
    now_s, duration_s = now_ns / 1e9, scenario.duration_ns / 1e9
    return f"{scenario.name}: seed {seed}: stopped after {events} events at t = {now_s:.9g} s of {duration_s:.9g} s"


def _outcome(order: Order, seed: int, results: _farlink.Results, cpu_s: float) -> Outcome:
    if results.capture_error:
        raise OSError(f"the capture is not whole: {results.capture_error}")
    flow_series, link_series = results.series()
    measured = json.loads(results.json())
    copies = results.ledger() if order.ledger else None
    return Outcome(seed, measured, flow_series, link_series, results.explain(), cpu_s, results.animation(), copies)
