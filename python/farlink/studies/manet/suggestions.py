"""The paper's two suggestions, tried: senders that tell losses apart, and queues that tell senders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from farlink import statistics, tables
from farlink.results import Results
from farlink.sheet import Sheet
from farlink.statistics import Interval
from farlink.studies.manet.findings import is_sure
from farlink.studies.manet.runs import CONNECTIONS, ERRORS, NODES, One, Setting, read
from farlink.studies.study import Beyond

NEWRENO, VENO, BOUND = "NewReno", "Veno", "no loss is congestion"
QUEUES = {"drop_tail": "drop-tail", "red": "RED that marks", "codel": "CoDel that marks"}
BASE = (NEWRENO, QUEUES["drop_tail"])


class Trial(NamedTuple):
    """Who sends over which queues, under which condition."""

    condition: str
    sender: str
    queue: str


Trials = dict[Trial, dict[int, One]]


def of_results(more: Mapping[str, Results]) -> Trials:
    """Read the runs out of the store."""
    found: Trials = {}
    for results in more.values():
        for setting, seed, one in read(results):
            found.setdefault(_trial(setting), {})[seed] = one
    return dict(sorted(found.items(), key=lambda each: _order(each[0])))


def _trial(setting: Setting) -> Trial:
    levels, values = setting.levels, setting.values
    condition = f"{levels[NODES]:g} nodes, {levels[CONNECTIONS]:g} connections, {levels[ERRORS]:g} errors per frame"
    is_bound = values.get("flows.0.tcp.congestion_control.random_loss_kept") == 1
    sender = BOUND if is_bound else {"reno": NEWRENO, "veno": VENO}[setting.variant]
    return Trial(condition, sender, QUEUES[str(values["channels.0.queue"])])


def _order(trial: Trial) -> tuple[int, str, int, int]:
    senders = (NEWRENO, VENO, BOUND)
    return len(trial.condition), trial.condition, list(QUEUES.values()).index(trial.queue), senders.index(trial.sender)


def beyond(more: Mapping[str, Results]) -> Beyond:
    """What the suggestions are worth."""
    trials = of_results(more)
    rows = [_row(trials, trial) for trial in trials]
    caption = "The paper's two suggestions: goodput against NewReno over drop-tail queues, what is lost, and the delay"
    return Beyond(said=list(_said(trials)), tables=[(caption, Sheet(tables.from_rows(rows)))], figures=[])


def gain(trials: Mapping[Trial, Mapping[int, One]], trial: Trial) -> Interval | None:
    """By how many per cent goodput exceeds that of NewReno over drop-tail queues; None where that has none."""
    base = trials[Trial(trial.condition, *BASE)]
    seeds = sorted(set(base) & set(trials[trial]))
    rows = [[trials[trial][seed].goodput, base[seed].goodput] for seed in seeds]
    if sum(theirs > 0 for _, theirs in rows) < 2:
        return None
    return statistics.jackknife(rows, lambda row: 100 * (row[0] / row[1] - 1))


def _row(trials: Trials, trial: Trial) -> dict[str, Any]:
    ones = list(trials[trial].values())
    lost = sum(one.dropped for one in ones)
    full = sum(one.drops.get("queue_full", 0) + one.drops.get("early_drop", 0) for one in ones)
    value = gain(trials, trial)
    return {
        **trial._asdict(),
        "goodput [kbit/s]": _told(statistics.interval([one.goodput for one in ones])),
        "against NewReno [%]": "-" if trial[1:] == BASE else _told(value, "+"),
        "delay [s]": _told(statistics.interval([one.delay_s for one in ones if one.delay_s is not None])),
        "packets dropped": f"{lost / len(ones):.3g}",
        "of them at a queue [%]": f"{100 * full / lost:.3g}" if lost else "-",
        "runs": len(ones),
    }


def _said(trials: Trials) -> Iterator[str]:
    for trial in trials:
        value = gain(trials, trial)
        if trial[1:] == BASE or value is None:
            continue
        way = "more than" if is_sure(value, 1) else "less than" if is_sure(value, -1) else "not surely other than"
        yield (
            f"{trial.condition}: {trial.sender} over {trial.queue} queues brings {way} NewReno over drop-tail queues, "
            f"{_told(value, '+')} %."
        )


def _told(value: Interval | None, sign: str = "") -> str:
    if value is None:
        return "-"
    half = "" if value.low is None or value.high is None else f" ± {(value.high - value.low) / 2:.2g}"
    return f"{value.mean:{sign}.3g}{half}"
