"""What explains the verdicts, in measured numbers; the words around them stand in `explanations.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from farlink_studies.underwater.runs import HYBLA, NEWRENO, Case, Runs, SeedResult

WORDS = Path(__file__).parent / "explanations.toml"
LETTERS = {NEWRENO: "n", HYBLA: "h"}
COUNTED: Mapping[str, Callable[[SeedResult], float]] = {
    "throughput": lambda one: one.throughput,
    "arrival": lambda one: one.arrival,
    "rtt": lambda one: one.rtt_mean_s,
    "longest": lambda one: one.rtt_max_s,
    "timer_longest": lambda one: one.timer_rtt_max_s,
    "sent": lambda one: one.sent,
    "timeouts": lambda one: one.timeouts,
    "fast": lambda one: one.fast_retransmits,
    "carried": lambda one: one.carried,
    "repeated": lambda one: one.repeated,
    "in_timeout": lambda one: one.in_timeout,
    "overflows": lambda one: one.drops.get("queue_full", 0),
    "given_up": lambda one: one.drops.get("link_failure", 0),
    "again": lambda one: 100 * one.failed_attempts / max(one.attempts, 1),
}
"""The words of facts. `again`: frames that repeat another, in per cent of all frames."""


def of_runs(runs: Runs) -> dict[str, str]:
    """The facts of every case, by variant, hops, size and window: `n_4_512_64_timeouts`."""
    found: dict[str, str] = {}
    for case, ones in runs.all():
        found |= {f"{case_name(runs, case)}_{word}": value for word, value in metric_means(list(ones.values())).items()}
    return found


def case_name(runs: Runs, case: Case) -> str:
    """What a case is called; a window that is not limited is `all`."""
    window = "all" if case.window == runs.unlimited else str(case.window)
    return f"{LETTERS.get(case.variant, case.variant)}_{case.hops}_{case.size}_{window}"


def metric_means(ones: Sequence[SeedResult]) -> dict[str, str]:
    """The means of what was counted."""
    return {word: f"{fmean(count(one) for one in ones):.3g}" for word, count in COUNTED.items()}
