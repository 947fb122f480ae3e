"""Controlled experiments: causes of what is missed, each switched off or measured by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
from farlink import statistics
from farlink.statistics import Interval
from farlink.studies.claims import Claim
from farlink.studies.comparisons import mean_gain, percent_gain, rank_correlation
from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding, accepts
from farlink.studies.written import ends

from farlink_studies.frn.retries import CHANGING, ERROR, LIMIT, LONG, SHORT
from farlink_studies.frn.runs import INTERVALS, LOADS, MODES, Case, Runs, SeedResult

NO_COPIES = "no copies"
LINES = "no copies, interference along the lines drawn"
SLOW_TIMER = "no copies, timeouts of at least 3 s"
SLOW_TIMER_LINES = "no copies, timeouts of at least 3 s, interference along the lines drawn"
LIVES_LONG = "lifetime of 320 slots"
LIVES_LONG_ALONE = "no copies, lifetime of 320 slots"
MANY_ATTEMPTS = "no copies, history of a thousand attempts"
START = "the first 2 000 slots alone"
ELSEWHERE = "elsewhere, "
"""How experiments are called that try an open point on the grids for which the settings do not."""
COPIES = {
    "another neighbour, not detected": "",
    "another neighbour, detected while it is there": (
        "duplicates are detected while the packet is there, other neighbours next"
    ),
    "another neighbour, detected": "duplicates are detected, other neighbours next",
    "the same neighbour, not detected": "duplicates not detected, the same neighbour again",
    "the same neighbour, detected": NO_COPIES,
}
"""How copies are switched off, and the experiment; the first is the study's setting."""
SWITCHED = {
    NO_COPIES: "no_copies",
    LINES: "lines_alone",
    SLOW_TIMER: "slow_timer",
    SLOW_TIMER_LINES: "slow_timer_lines",
    LIVES_LONG: "lives_long",
    LIVES_LONG_ALONE: "lives_long_alone",
}
"""The experiments that show what becomes of a claim, with the words that explanations use for them."""
PLACES = ("chain 4", "chain 8", "cross 4", "cross 8", "mesh")


def per_packet(ones: Mapping[int, SeedResult], name: str) -> float:
    """So many per packet that arrived, over all seeds."""
    packets = sum(one.packets for one in ones.values()) or 1.0
    return sum(float(getattr(one, name)) for one in ones.values()) / packets


def frames_saved_percent(combined: Mapping[int, SeedResult]) -> float:
    """By how many per cent more packets fit in as many frames, if combined ones replace two each."""
    frames = per_packet(combined, "frames")
    return 100 * per_packet(combined, "combined") / frames if frames else 0.0


def gains_of_combining(runs: Runs) -> Iterator[tuple[Case, Interval, float]]:
    """Every case of combined frames on places with names: what they gain, and what the frames saved are worth."""
    for case, combined in runs.all():
        if not case.is_combined or case.place.startswith("random"):
            continue
        with suppress(MissingError):
            rows = runs.rows([case, case._replace(is_combined=False)])
            yield case, mean_gain(rows), frames_saved_percent(combined)


def combining_rows(named: Mapping[str, Runs]) -> Iterator[dict[str, Any]]:
    """What combined frames save and gain at 3-17 with an ACK per packet, under every setting."""
    for setting, runs in named.items():
        for case, gain, worth in gains_of_combining(runs):
            if case.longest != LONG or case.is_delayed or case.place not in ("chain 4", "cross 4", "mesh"):
                continue
            yield {
                "setting": setting,
                "place": case.place,
                "combined frames per packet": f"{per_packet(runs.of(case), 'combined'):.2f}",
                "frames per packet": f"{per_packet(runs.of(case), 'frames'):.1f}",
                "worth [%]": f"{worth:.1f}",
                "gain [%]": ends(gain),
            }


def of_combining(named: Mapping[str, Runs]) -> dict[str, str]:
    """How well what is saved tells the gain, over all settings, places and intervals."""
    found = [(worth, gain.mean) for runs in named.values() for _, gain, worth in gains_of_combining(runs)]
    facts = {}
    if len(found) > 2:
        worths, gains = zip(*found, strict=True)
        facts = {"saved_cases": str(len(found)), "saved_rank": f"{rank_correlation(worths, gains):.2f}"}
    for case, gain, worth in (each for runs in list(named.values())[:1] for each in gains_of_combining(runs)):
        if case.longest == LONG and not case.is_delayed:
            word = case.place.replace(" ", "_")
            facts |= {f"{word}_worth": f"{worth:.1f}", f"{word}_gain": ends(gain)}
    return facts


def at_random(runs: Runs) -> Iterator[dict[str, Any]]:
    """What random connections gain, and those among them that have a node between their ends."""
    for load, (mode, is_delayed) in product(LOADS, MODES.items()):
        gains, far, worth, near = [], [], [], []
        for place in runs.patterns(load):
            mine, theirs = (runs.of(Case(place, combined, is_delayed)) for combined in (True, False))
            rate, base = (per_slot(ones, "throughput") for ones in (mine, theirs))
            rate_near, base_near = (per_slot(ones, "near") for ones in (mine, theirs))
            gains.append(percent_gain(rate, base))
            worth.append(frames_saved_percent(mine))
            near.append(100 * base_near / base)
            if base > base_near:
                far.append((rate - rate_near, base - base_near))
        yield {
            "connections": load,
            "acks": mode,
            "gain [%]": ends(runs.interval(gains)),
            "frames saved [%]": ends(runs.interval(worth)),
            "carried between neighbours [%]": f"{runs.interval(near).mean:.0f}",
            "gain of the others [%]": ends(mean_gain(far)),
        }


def of_random(runs: Runs) -> dict[str, str]:
    """The least and the largest of the numbers of that table."""
    try:
        rows = list(at_random(runs))
    except MissingError:
        return {}
    names = {"frames saved [%]": "worth", "carried between neighbours [%]": "near", "gain of the others [%]": "far"}
    facts = {}
    for name, word in names.items():
        found = sorted((str(row[name]).split(" ")[0] for row in rows), key=float)
        facts[f"random_{word}"] = f"{found[0]} to {found[-1]}"
    return facts


def per_slot(ones: Mapping[int, SeedResult], name: str) -> float:
    """The mean over the seeds."""
    return sum(float(getattr(one, name)) for one in ones.values()) / len(ones)


def duplicate_effects(committed: Runs, experiments: Mapping[str, Runs]) -> Iterator[dict[str, Any]]:
    """What each half of switching copies off does, at 3-17 with a count of 4."""
    for place, (how, name) in product(PLACES, COPIES.items()):
        if (runs := experiments.get(name) if name else committed) is None:
            continue
        with suppress(MissingError):
            ones = runs.of(Case(place, longest=LONG, limit=LIMIT))
            yield {
                "place": place,
                "next attempt, duplicates": how,
                "packets per slot": ends(runs.interval([one.throughput for one in ones.values()])),
                "duplicates per packet": f"{per_packet(ones, 'again'):.1f}",
                "attempts per packet": f"{per_packet(ones, 'attempts'):.1f}",
            }


def drawn_up_to(case: Case, ones: Mapping[int, SeedResult]) -> float:
    """The mean longest wait of an adaptive interval, from the share of failed attempts."""
    attempts = sum(one.attempts for one in ones.values()) or 1
    failed = sum(sum(one.failed.values()) for one in ones.values())
    assert case.loaded is not None, "it changes"
    return case.longest + (case.loaded - case.longest) * failed / attempts


def over_fixed(runs: Runs, case: Case) -> tuple[float, Interval]:
    """The longest wait drawn in the mean, and what the case carries over a fixed interval as long, in per cent.

    Between the intervals that were run the fixed one is interpolated.
    """
    longest = drawn_up_to(case, runs.of(case))
    fixed = [case._replace(longest=each, loaded=None, history=10) for each in INTERVALS]
    rows = runs.rows([case, *fixed])
    return longest, statistics.jackknife(
        rows, lambda means: percent_gain(means[0], float(np.interp(longest, INTERVALS, means[1:])))
    )


def adaptive_interval_rows(named: Mapping[str, Runs]) -> Iterator[dict[str, Any]]:
    """Adaptive against fixed intervals of the same mean, and the effect of a longer history."""
    for setting, place, error, loaded in product(named, PLACES, (0.0, ERROR), (LONG, CHANGING[-1])):
        case = Case(place, longest=SHORT, loaded=loaded, limit=LIMIT, error=error)
        with suppress(MissingError):
            longest, over = over_fixed(named[setting], case)
            least, most = among_nodes(named[setting].of(case))
            yield {
                "setting": setting,
                "place": place,
                "errors [%]": f"{100 * error:.0f}",
                "adaptive up to": f"3-{loaded}",
                "in the mean": f"3-{longest:.1f}",
                "over a fixed one of equal mean [%]": ends(over),
                "failed attempts, by node [%]": f"{least:.0f} to {most:.0f}",
            }


def among_nodes(ones: Mapping[int, SeedResult]) -> tuple[float, float]:
    """The least and the largest share of failures among the nodes, in per cent."""
    nodes = sorted({node for one in ones.values() for node in one.stations})
    means = [
        100 * float(np.mean([one.stations[node] for one in ones.values() if node in one.stations])) for node in nodes
    ]
    return min(means), max(means)


def of_changing(committed: Runs, experiments: Mapping[str, Runs]) -> dict[str, str]:
    """What changing intervals carry over fixed ones of the same mean, and over ones that do not change in time."""
    facts: dict[str, str] = {}
    for word, runs in (("fixed", committed), ("fixed_alone", experiments.get(NO_COPIES))):
        found = [] if runs is None else list(_all_over_fixed(runs))
        if found:
            least, most = min(each.mean for each in found), max(each.mean for each in found)
            facts |= {f"{word}_least": f"{least:.1f}", f"{word}_most": f"{most:.1f}", f"{word}_cases": str(len(found))}
            facts[f"{word}_mean"] = ends(committed.interval([each.mean for each in found]))
    if NO_COPIES in experiments and MANY_ATTEMPTS in experiments:
        ratios = list(_ten_over_many(experiments[NO_COPIES], experiments[MANY_ATTEMPTS]))
        facts |= {"memory_mean": ends(committed.interval(ratios)), "memory_cases": str(len(ratios))}
    return facts


def _all_over_fixed(runs: Runs) -> Iterator[Interval]:
    for case, _ in runs.all():
        if case.loaded is not None and case.history == 10:
            with suppress(MissingError):
                yield over_fixed(runs, case)[1]


def _ten_over_many(ten: Runs, many: Runs) -> Iterator[float]:
    """The same cases, in per cent."""
    for case, ones in many.all():
        with suppress(MissingError):
            mine = ten.of(case._replace(history=10))
            yield percent_gain(per_slot(mine, "throughput"), per_slot(ones, "throughput"))


def claims_otherwise(found: Mapping[Claim, Mapping[str, Finding]]) -> Iterator[dict[str, Any]]:
    """What is measured for each claim in each experiment; `*` where that lies within the claim's bounds."""
    for claim, others in found.items():
        cells = {
            name: ends(others[name].value) + (" *" if accepts(claim, others[name].value) else "")
            for name in SWITCHED
            if name in others
        }
        if cells:
            head = {"claim": claim.id, "published": claim.published}
            yield head | {name: cells.get(name, "-") for name in SWITCHED}


def of_claim(others: Mapping[str, Finding]) -> dict[str, str]:
    """The claim's number in each experiment and what it consists of, by the word that explanations use."""
    facts: dict[str, str] = {}
    for name, word in SWITCHED.items():
        if name in others:
            facts |= {word: ends(others[name].value), f"{word}_note": others[name].note}
    return facts
