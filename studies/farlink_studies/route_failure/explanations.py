"""What explains the verdicts, in measured numbers; the words around them stand in `explanations.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from farlink.studies import recorded
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding

from farlink_studies.route_failure import findings, timeline
from farlink_studies.route_failure.runs import FIVE, FSR, RANDOM, RENO, TCP_F, TWO, TWO_CACHED, Case, Runs, SeedResult
from farlink_studies.route_failure.timeline import Events

OTHER_SETTINGS = {
    "away_1": "away for 1.2 s",
    "away_4": "away for 4 s",
    "away_10": "away for 10 s",
    "asking": "relays keep packets and ask, as in ns-2",
    "rts": "RTS",
    "small_window": "window of 8 packets",
    "newreno_too": "recovery of NewReno",
    "shorter": "end at 60 s",
}
"""The cases of the settings that explanations speak of, by the word they use."""


def of_experiment(runs: Runs, experiment: str) -> dict[str, str]:
    """What each variant did around the failures, by its name and a word; less where a run was stopped early."""
    variants = runs.variants(experiment)
    if experiment == RANDOM:
        return _of_speeds(runs)
    found: dict[str, str] = {}
    for variant in variants:
        events = [event for events in timeline.of_case(runs, Case(experiment, variant)) for event in events]
        facts = {**(_facts_around_repairs(events) if events else {}), **_means(runs, Case(experiment, variant))}
        found |= {f"{variant}_{word}": value for word, value in facts.items()}
    if experiment == FIVE and RENO in variants:
        found |= _of_slow_start(list(runs.of(Case(FIVE, RENO)).values()))
    if experiment == FIVE and {RENO, FSR} <= set(variants):
        found |= _of_waiting(runs)
    if experiment in (TWO, TWO_CACHED) and {TCP_F, FSR} <= set(variants):
        found |= _lead_in_rtts(runs, experiment)
    return found


def of_ns2(path: Path) -> dict[str, str]:
    """What ns-2's Reno over its own DSR was recorded to do in the five failures."""
    runs = recorded.read(path)
    since = [run["end"] - run["before"] for run in runs]
    return {
        "ns2_before": f"{fmean(run['before'] for run in runs):.0f}",
        "ns2_since": f"{fmean(since):.0f}",
        "ns2_least": f"{min(since):.0f}",
        "ns2_most": f"{max(since):.0f}",
        "ns2_runs": f"{len(since)}",
    }


def of_others(others: Mapping[str, Finding]) -> dict[str, str]:
    """What the same claim gives under other settings."""
    return {
        word: findings.format_interval(others[name].value) for word, name in OTHER_SETTINGS.items() if name in others
    }


def _facts_around_repairs(events: Sequence[Events]) -> dict[str, str]:
    """What happened after the repairs."""
    disturbed = [each.fast is not None or each.timed_out is not None for each in events]
    return {
        "arriving": f"{fmean(each.arriving - each.repaired for each in events):.2f} s",
        "fast": f"{fmean(each.fast is not None for each in events):.0%}",
        "timed_out": f"{fmean(each.timed_out is not None for each in events):.0%}",
        "undisturbed": f"{1 - fmean(disturbed):.0%}",
        **_notification_share(events),
    }


def _notification_share(events: Sequence[Events]) -> dict[str, str]:
    """How often the source was notified before its timer expired, and what follows if so and if not."""
    in_time = [each for each in events if each.frozen is not None and not each.is_late]
    late = [each for each in events if each.is_late]
    if not in_time:
        return {}
    found = {
        "notified": f"{len(in_time) / (len(in_time) + len(late)):.0%}",
        "notified_fast": f"{fmean(each.fast is not None for each in in_time):.0%}",
    }
    return found | ({"late_fast": f"{fmean(each.fast is not None for each in late):.0%}"} if late else {})


def _means(runs: Runs, case: Case) -> dict[str, str]:
    """Means over the runs."""
    causes = {cause for one in runs.of(case).values() for cause in one.drops}
    return {
        "since": f"{fmean(runs.values(case, findings.packets_after_failure)):.0f}",
        "timeouts": f"{fmean(runs.values(case, lambda one: one.timeouts)):.1f}",
        "lost": f"{fmean(runs.values(case, lambda one: one.lost)):.1f}",
        **{cause: f"{fmean(one.drops.get(cause, 0) for one in runs.of(case).values()):.1f}" for cause in causes},
    }


def _of_slow_start(ones: Sequence[SeedResult]) -> dict[str, str]:
    """Reno's threshold, and for how much of the time it is in slow start while data arrive and while none do."""
    thresholds = [float(one.path.ssthresh[one.path.at(each.repaired_s)]) for one in ones for each in one.absences]
    waits: list[bool] = []
    slow: list[bool] = []
    for one in ones:
        series, part = one.path, findings.first_timeout_to_last_repair(one)
        is_waiting = np.zeros(len(series.time_s), dtype=bool)
        for absence, each in zip(one.absences, timeline.repair_timelines(series, one.absences), strict=False):
            is_waiting[series.at(absence.broken_s) : series.at(absence.broken_s + each.arriving)] = True
        waits += is_waiting[part].tolist()
        slow += findings.is_slow(series)[part].tolist()
    by_wait = {
        wait: [below for below, waiting in zip(slow, waits, strict=True) if waiting == wait]
        for wait in dict.fromkeys(waits)
    }
    found = {"threshold": f"{fmean(thresholds):.2g}", "waiting": f"{fmean(waits):.0%}"}
    return found | {
        "slow_waiting" if wait else "slow_arriving": f"{fmean(shares):.0%}" for wait, shares in by_wait.items()
    }


def _of_waiting(runs: Runs) -> dict[str, str]:
    """What Reno's later start after the repairs costs at the rate before the first of them, and TCP-FSR's lead."""
    costs, leads = [], []
    for _, (reno, fsr) in runs.together(Case(FIVE, RENO), Case(FIVE, FSR)):
        waits = [
            sum(each.arriving for each in timeline.repair_timelines(one.path, one.absences)) for one in (reno, fsr)
        ]
        begun = reno.path.time_s[np.argmax(reno.path.sent > 0)]
        costs.append(
            (waits[0] - waits[1]) * findings.sequence_at_first_failure(reno) / (findings.FIRST_FAILURE_S - float(begun))
        )
        leads.append(findings.final_sequence_number(fsr) - findings.final_sequence_number(reno))
    return {"later_cost": f"{fmean(costs):.0f}", "lead_sent": f"{fmean(leads):.0f}"}


def _lead_in_rtts(runs: Runs, experiment: str) -> dict[str, str]:
    """TCP-FSR's lead in round trips: where TCP-F retransmits fast, where its timer expires, and where neither is so."""
    leads: dict[str, list[float]] = {"fast": [], "late": [], "none": []}
    for tcp_f, fsr, rtt_s in timeline.first_repairs(runs, Case(experiment, TCP_F), Case(experiment, FSR)):
        how = "late" if tcp_f.timed_out is not None else "fast" if tcp_f.fast is not None else "none"
        leads[how].append((tcp_f.normal - fsr.normal) / rtt_s)
    return {
        **{f"lead_{how}": f"{fmean(each):.2g}" if each else "-" for how, each in leads.items()},
        **{f"count_{how}": f"{len(each)}" for how, each in leads.items()},
    }


def _of_speeds(runs: Runs) -> dict[str, str]:
    """How much movements differ, and variants; of those with runs enough to tell at every speed."""
    try:
        speeds = runs.speeds()
    except MissingError:
        return {}
    cases = {name: [Case(RANDOM, name, speed) for speed in speeds] for name in runs.variants(RANDOM)}
    enough = {name: each for name, each in cases.items() if all(runs.count(case) > 1 for case in each)}
    found: dict[str, str] = {}
    if set(findings.THREE) <= set(enough):
        rows = zip(*(findings.gains_at(runs, speed) for speed in speeds), strict=True)
        for word, gains in zip(("f", "fsr"), rows, strict=False):
            means = [gain.mean for gain in gains]
            found[f"{word}_gain"] = f"{min(means):+.1f} to {max(means):+.1f} %"
    for variant, each in enough.items():
        throughputs = [runs.values(case, lambda one: one.throughput) for case in each]
        spreads = [stdev(values) / fmean(values) for values in throughputs]
        found[f"{variant}_spread"] = f"{fmean(spreads):.0%}"
        for word, place in (("slow", 0), ("quick", -1)):
            name = f"{variant}_{word}"
            found |= {name: f"{fmean(throughputs[place]):.0f} kbit/s", f"{name}_spread": f"{spreads[place]:.0%}"}
            for fact, (number, form) in AT_A_SPEED.items():
                found[f"{name}_{fact}"] = f"{fmean(runs.values(each[place], number)):{form}}"
    return found


AT_A_SPEED: Mapping[str, tuple[Callable[[SeedResult], float], str]] = {
    "freezes": (lambda one: one.freezes, ".0f"),
    "frozen": (lambda one: one.frozen, ".0%"),
    "again": (lambda one: one.again, ".0f"),
    "lost": (lambda one: one.lost, ".0f"),
    "timeouts": (lambda one: one.timeouts, ".1f"),
}
"""What explanations name of the slowest and of the quickest movement, and how it is written."""
