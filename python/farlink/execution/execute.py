"""Many seeds on all cores: a thread each, for the engine runs without the GIL.

The engine is advanced in slices (`farlink.execution.slices`).
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial

from farlink._farlink import Results, Scenario, Simulation
from farlink.errors import EventLimitError
from farlink.execution.congestion import Factory, make_member
from farlink.execution.estimate import Estimate
from farlink.execution.outcome import Outcome
from farlink.execution.outputs import Capture
from farlink.execution.slices import Slices
from farlink.system.memory import Guard

BETWEEN_MEMORY_CHECKS = 250_000
"""Events; each takes some hundred bytes at most."""

Progress = Callable[[float], None]
"""Gets the share of the work that is done, from 0 to 1."""
Watch = Callable[[float], bool]
"""Gets the share of a run that is done; False stops it."""


@dataclass(frozen=True)
class Order:
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
    congestion_control: Mapping[int, Factory] = field(default_factory=dict)
    max_events: int | None = None
    """A run that needs more fails with `EventLimitError`."""


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
        futures: list[Future[Outcome | None]] = []
        # An interrupt may come while the threads start: what runs already must stop then, too.
        try:
            futures += (pool.submit(one, seed) for seed in order.seeds)
            interrupted = not _await_futures(futures, done, progress)
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


def _await_futures(futures: list[Future[Outcome | None]], done: dict[int, float], progress: Progress | None) -> bool:
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
            raise EventLimitError(_event_limit_message(order.scenario, seed, handled, now, estimate))
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


def _event_limit_message(scenario: Scenario, seed: int, events: int, now_ns: int, estimate: Estimate) -> str:
    at = f"t = {now_ns / 1e9:.9g} s of {scenario.duration_ns / 1e9:.9g} s"
    return f"{scenario.name}: seed {seed}: stopped after {events} events at {at} ({estimate.events.cause})"


def _make_outcome(order: Order, seed: int, results: Results, cpu_s: float) -> Outcome:
    if results.capture_error:
        raise OSError(f"the capture is not whole: {results.capture_error}")
    flow_series, link_series = results.series()
    measured = json.loads(results.json())
    copies = results.ledger() if order.ledger else None
    return Outcome(seed, measured, flow_series, link_series, results.explain(), cpu_s, results.animation(), copies)
