"""Advice that further runs confirm.

An explanation names what held a flow back; whether a larger value helps is known only after a run with it. Each change
that suggests itself (`max_window`, `receive_buffer` or a queue, doubled) is made for all flows it concerns at once, and
the scenario runs with and without it with the same seeds: common random numbers make the difference that of the change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from farlink import statistics
from farlink._farlink import ScenarioError
from farlink.execution.execute import Outcome, Progress
from farlink.execution.progress import part_of
from farlink.runs.run import Run
from farlink.runs.scenario import Scenario
from farlink.statistics import Interval
from farlink.tables import labels
from farlink.tables.workload_columns import ALL

SEEDS, FEWEST_SEEDS = 5, 3
"""Seeds of a trial, and of one with a long scenario."""
SHORT_EVENTS, MOST_EVENTS = 10_000_000, 50_000_000
"""A run of at most so many events is made with all seeds; one of more than `MOST_EVENTS` is not tried."""
LEAST_GAIN = 1.05
"""A change is advised when it multiplies the goodput by this, in the geometric mean over the seeds, ..."""
MOST_DELAY = 1.5
"""... and multiplies the mean delay by no more than this."""


@dataclass(frozen=True)
class Candidate:
    """A value of the scenario to be tried."""

    path: str
    value: str
    """TOML."""
    present: str
    to: str

    @property
    def is_table(self) -> bool:
        """Whether the amount is a part of the value, as a queue's limit is."""
        return self.value.startswith("{")


@dataclass(frozen=True)
class Trial:
    """What a change did to a flow: means over the seeds, without it and with it."""

    flow: str
    change: Candidate
    seeds: tuple[int, ...]
    goodput_bps: tuple[float, float]
    delay_s: tuple[float | None, float | None]
    objection: str
    """Why the change is not advised; empty if it is."""

    @property
    def is_confirmed(self) -> bool:
        """Whether the change is advised."""
        return not self.objection

    @property
    def text(self) -> str:
        """The advice, or that there is none, with what was measured."""
        goodput = " -> ".join(labels.value_text(each, "goodput_bps", 3) for each in self.goodput_bps)
        delay = " -> ".join(labels.value_text(each, "delay_s", 3) for each in self.delay_s)
        measured = f"goodput {goodput}, mean delay {delay} (means of {len(self.seeds)} seeds)"
        raised = f"{self.change.path}.limit" if self.change.is_table else self.change.path
        change = f"{raised} from {self.change.present} to {self.change.to}"
        if self.is_confirmed:
            written = f" Write {self.change.path} = {self.change.value}." if self.change.is_table else ""
            return f"Advice: raise {change}: {measured}.{written}"
        return f"Not advised: raising {change} gave {measured}; {self.objection}."


Candidates: TypeAlias = "dict[str, dict[str, Candidate]]"
"""Changes by flow, for each key that they change."""


def try_changes(scenario: Scenario, run: Run, progress: Progress | None = None) -> list[Trial]:
    """Try what suggests itself for the flows of `run`, the scenario's run with its own seed; Ctrl-C raises."""
    outcome = run.outcomes[0]
    seeds = _trial_seeds(outcome)
    found = _changed_scenarios(scenario, _candidate_changes(outcome))
    if not found or not seeds:
        return []
    parts = 1 + len(found)
    base = [
        outcome,
        *scenario.run(seeds=seeds[1:], series=False, progress=part_of(progress, 0, 1, parts)).outcomes,
    ]
    made = []
    for number, (changed, changes) in enumerate(found, 1):
        after = changed.run(seeds=seeds, series=False, progress=part_of(progress, number, 1, parts)).outcomes
        made += [_make_trial(flow, change, base, after) for flow, change in changes.items()]
    return made


def is_too_long(run: Run) -> bool:
    """Whether something suggests itself that is not tried, for the scenario takes too many events."""
    return bool(_candidate_changes(run.outcomes[0])) and not _trial_seeds(run.outcomes[0])


def _trial_seeds(outcome: Outcome) -> list[int]:
    """The run's seed and those after it."""
    events = outcome.measured["engine"]["events"]
    count = SEEDS if events <= SHORT_EVENTS else FEWEST_SEEDS if events <= MOST_EVENTS else 0
    return [(outcome.seed + number) % 2**64 for number in range(count)]


def _candidate_changes(outcome: Outcome) -> Candidates:
    found: Candidates = {}
    for flow, _, _, _, change, _ in outcome.explanation:
        if change is not None:
            made = Candidate(*change)
            found.setdefault(made.path.rpartition(".")[2], {})[flow] = made
    return found


def _changed_scenarios(scenario: Scenario, candidates: Candidates) -> list[tuple[Scenario, dict[str, Candidate]]]:
    """The scenario with each kind of change, without those that its text has no place for."""
    found = []
    for changes in candidates.values():
        changed = scenario
        for change in dict.fromkeys(changes.values()):
            changed = changed.set_text(change.path, change.value)
        try:
            _ = changed.validated
        except ScenarioError:  # such as a link that a topology laid out
            continue
        found.append((changed, changes))
    return found


def _make_trial(flow: str, change: Candidate, base: Sequence[Outcome], after: Sequence[Outcome]) -> Trial:
    goodput = [_measured_values(flow, "goodput_bps", outcomes) for outcomes in (base, after)]
    delay = [_measured_values(flow, "delay_mean_s", outcomes) for outcomes in (base, after)]
    whole = [sum(sum(each["goodput_bps"] for each in one.measured["flows"]) for one in part) for part in (base, after)]
    gain = statistics.ratio(goodput[1], goodput[0])
    slower = statistics.ratio(delay[1], delay[0]) if len(delay[0]) == len(delay[1]) else None
    return Trial(
        flow=flow,
        change=change,
        seeds=tuple(one.seed for one in base),
        goodput_bps=(fmean(goodput[0]), fmean(goodput[1])),
        delay_s=(fmean(delay[0]) if delay[0] else None, fmean(delay[1]) if delay[1] else None),
        objection=_objection(gain, slower, has_lost=whole[1] < whole[0]) or _of_workloads(base, after),
    )


def _objection(gain: Interval | None, slower: Interval | None, *, has_lost: bool) -> str:
    """The first criterion of advice that the ratios of goodput and of delay do not meet; empty if they meet all."""
    if gain is None or gain.low is None or gain.low <= 1:
        return "the 95 % CI of the goodput's ratio includes 1"
    if gain.mean < LEAST_GAIN:
        return f"goodput grows by less than {LEAST_GAIN - 1:.0%}"
    if slower is None or slower.mean > MOST_DELAY:
        return f"the mean delay grows more than {MOST_DELAY:g} times"
    return "the goodput of all flows together falls" if has_lost else ""


def _of_workloads(base: Sequence[Outcome], after: Sequence[Outcome]) -> str:
    """Name the first workload whose flows take longer with the change; empty without one.

    The time is the mean over the seeds of the 95th percentile. It has no end where that is an unfinished flow's.
    """
    for each in base[0].measured["workloads"]:
        if each["class"] != ALL:
            continue
        times = [fmean(_percentiles(each["workload"], part)) for part in (base, after)]
        if times[1] > times[0]:
            shown = [labels.value_text(time, "completion_s", 3) if time < math.inf else "unfinished" for time in times]
            return f"p95 of the completion times of {each['workload']} rises, {' -> '.join(shown)}"
    return ""


def _percentiles(workload: str, outcomes: Sequence[Outcome]) -> list[float]:
    rows = [row for one in outcomes for row in one.measured["workloads"] if row["workload"] == workload]
    times = [row["completion_p95_s"] for row in rows if row["class"] == ALL and row["arrivals"]]
    return [math.inf if time is None else time for time in times] or [0.0]


def _measured_values(flow: str, measure: str, outcomes: Sequence[Outcome]) -> list[float]:
    rows = (row for outcome in outcomes for row in outcome.measured["flows"] if row["flow"] == flow)
    return [row[measure] for row in rows if row[measure] is not None]
