"""The paper's two suggestions, tried: senders that tell losses apart, and queues that tell senders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from farlink.results.result_store import ResultStore
from farlink.statistics import Interval
from farlink.studies.comparisons import is_sure, mean_gain
from farlink.studies.experiments import Experiments
from farlink.studies.written import half_width

from farlink_studies.manet.runs import CONNECTIONS, ERRORS, NODES, Runs, SeedResult, Setting, read

NEWRENO, VENO, BOUND = "NewReno", "Veno", "no loss is congestion"
QUEUES = {"drop_tail": "drop-tail", "red": "RED that marks", "codel": "CoDel that marks"}


class Trial(NamedTuple):
    """A combination of congestion control, queue and condition."""

    nodes: int
    connections: int
    errors: float
    """Per frame."""
    sender: str
    queue: str

    @property
    def base(self) -> Trial:
        """What it is compared with."""
        return self._replace(sender=NEWRENO, queue=QUEUES["drop_tail"])

    @property
    def place(self) -> tuple[float, ...]:
        """Where it stands in the table."""
        return *self[:3], list(QUEUES.values()).index(self.queue), (NEWRENO, VENO, BOUND).index(self.sender)


Trials = dict[Trial, dict[int, SeedResult]]


def of_results(more: Mapping[str, ResultStore]) -> Trials:
    """Read the runs out of the store."""
    found: Trials = {}
    for results in more.values():
        for setting, seed, one in read(results):
            found.setdefault(_parse_trial(setting), {})[seed] = one
    return dict(sorted(found.items(), key=lambda each: each[0].place))


def _parse_trial(setting: Setting) -> Trial:
    levels, values = setting.levels, setting.values
    is_bound = values.get("flows.0.tcp.congestion_control.random_loss_kept") == 1
    sender = BOUND if is_bound else {"reno": NEWRENO, "veno": VENO}[setting.variant]
    queue = QUEUES[str(values["channels.0.queue"])]
    return Trial(int(levels[NODES]), int(levels[CONNECTIONS]), levels[ERRORS], sender, queue)


def report(more: Mapping[str, ResultStore], runs: Runs) -> Experiments:
    """What the suggestions are worth; intervals are those of `runs`."""
    trials = of_results(more)
    rows = [_trial_row(trials, trial, runs) for trial in trials]
    caption = "The paper's two suggestions: goodput against NewReno over drop-tail queues, losses, and delay"
    return Experiments.of_table(caption, rows, _finding_sentences(trials))


def goodput_gain(trials: Mapping[Trial, Mapping[int, SeedResult]], trial: Trial) -> Interval | None:
    """By how many per cent goodput exceeds that of NewReno over drop-tail queues; None where that has none."""
    base = trials[trial.base]
    seeds = sorted(set(base) & set(trials[trial]))
    rows = [[trials[trial][seed].goodput, base[seed].goodput] for seed in seeds]
    if sum(theirs > 0 for _, theirs in rows) < 2:
        return None
    return mean_gain(rows)


def _trial_row(trials: Trials, trial: Trial, runs: Runs) -> dict[str, Any]:
    ones = list(trials[trial].values())
    lost = sum(one.dropped for one in ones)
    value = goodput_gain(trials, trial)
    return {
        **trial._asdict(),
        "goodput [kbit/s]": half_width(runs.estimator([one.goodput for one in ones])),
        "against NewReno [%]": "-" if trial == trial.base else half_width(value, "+"),
        "delay [s]": half_width(runs.estimator([one.delay_s for one in ones if one.delay_s is not None])),
        "packets dropped": f"{lost / len(ones):.3g}",
        "of them at a queue [%]": f"{100 * _at_queues(ones):.3g}",
        "runs": len(ones),
    }


def _finding_sentences(trials: Trials) -> Iterator[str]:
    compared = {trial: goodput_gain(trials, trial) for trial in trials if trial != trial.base}
    sure = {trial: value for trial, value in compared.items() if value and (is_sure(value, 1) or is_sure(value, -1))}
    for trial, value in sure.items():
        yield (
            f"{trial.nodes} nodes, {trial.connections} connections, {trial.errors:g} errors per frame: "
            f"{trial.sender} ({trial.queue} queues) changes goodput by {half_width(value, '+')} % against NewReno over "
            "drop-tail queues."
        )
    yield f"In {len(compared) - len(sure)} of {len(compared)} trials no difference of goodput is significant."
    shares = [share for trial, ones in trials.items() if trial.sender == BOUND and (share := _at_queues(ones.values()))]
    if shares:
        yield (
            f"Where a sender treats no loss as congestion, up to {max(shares):.0%} of the losses are at queues: "
            "there the cause is congestion."
        )


def _at_queues(ones: Iterable[SeedResult]) -> float:
    """The share of the packets dropped that queues dropped."""
    lost = full = 0
    for one in ones:
        lost += one.dropped
        full += one.drops.get("queue_full", 0) + one.drops.get("early_drop", 0)
    return full / lost if lost else 0.0
