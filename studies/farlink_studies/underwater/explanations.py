"""What explains the verdicts, in measured numbers; the words around them stand in `explanations.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean

from farlink_studies.underwater.runs import HYBLA, NEWRENO, Runs, SeedResult

LETTERS = {NEWRENO: "n", HYBLA: "h"}
COUNTED: Mapping[str, Callable[[SeedResult], float]] = {
    "throughput": lambda one: one.throughput,
    "rtt": lambda one: one.rtt_mean_s,
    "longest": lambda one: one.rtt_max_s,
    "timer_longest": lambda one: one.timer_rtt_max_s,
    "sent": lambda one: one.sent,
    "timeouts": lambda one: one.timeouts,
    "carried": lambda one: one.carried,
    "repeated": lambda one: one.repeated,
    "in_timeout": lambda one: one.in_timeout,
    "overflows": lambda one: one.drops.get("queue_full", 0),
    "given_up": lambda one: one.drops.get("link_failure", 0),
    "again": lambda one: 100 * one.failed_attempts / max(one.attempts, 1),
}
"""The words of facts. `again`: frames that repeat another, in per cent of all frames."""


def of_runs(runs: Runs) -> dict[str, str]:
    """The facts of every case, by variant, hops, size and window: `n_4_512_64_timeouts`, `all` without a limit."""
    found: dict[str, str] = {}
    for case, numbers in runs.numbers(COUNTED):
        window = "all" if case.window == runs.unlimited else str(case.window)
        name = f"{LETTERS.get(case.variant, case.variant)}_{case.hops}_{case.size}_{window}"
        found |= {f"{name}_{word}": f"{fmean(values):.3g}" for word, values in numbers.items()}
    return found
