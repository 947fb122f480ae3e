"""What explains the verdicts, in measured numbers; the words around them stand in `explanations.toml`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from farlink import statistics
from farlink.studies.single_runs import SingleRuns
from farlink.studies.verdict import Finding
from farlink.studies.written import ends

from farlink_studies.manet.findings import clip_interval
from farlink_studies.manet.nearness import Pair, Pairs
from farlink_studies.manet.readings import percent_change
from farlink_studies.manet.runs import CONNECTIONS, ERRORS, UNITS, VARIANTS, Case, Runs, SeedResult

WORTH_TELLING = 0.05
OTHER_SETTINGS = {
    "lasting": "shadowing constant for seconds, 200 s",
    "shorter": "path-loss exponent 2.7, 200 s",
    "half": "errors half as frequent, 200 s",
}
"""The cases of the settings that explanations speak of, by the word they use."""


def of_sweep(runs: Runs, pairs: Pairs, sweep: str) -> dict[str, str]:
    """What is known about the runs of a sweep, and about their connections."""
    levels = runs.levels_of(sweep)
    first, last = (pairs.at(sweep, level) for level in (levels[0], levels[-1]))
    errorless = [pair for pair in pairs.all if pair.sweep != ERRORS]
    far = [pair for pair in errorless if not pair.near]
    return {
        "near_first": f"{fmean(pair.near for pair in first):.1%}",
        "near_last": f"{fmean(pair.near for pair in last):.1%}",
        "open_first": _delivering_share(runs, sweep, levels[0]),
        "open_last": _delivering_share(runs, sweep, levels[-1]),
        "far": f"{len(far) / len(errorless):.0%}",
        "far_payload": f"{100 * _total_goodput(far) / _total_goodput(errorless):.2g} %",
        "best_first": _share_of_best_seed(runs, sweep, levels[0]),
        "best_last": _share_of_best_seed(runs, sweep, levels[-1]),
    }


def of_same_pairs(runs: Runs) -> dict[str, str]:
    """What more connections cost those that were there before: the same pairs, moving the same."""
    levels = runs.levels_of(CONNECTIONS)
    few, many = (
        {variant: runs.of(Case(CONNECTIONS, level, variant)) for variant in VARIANTS}
        for level in (levels[0], levels[-1])
    )
    seeds = set.intersection(*(set(ones) for part in (few, many) for ones in part.values()))
    first = round(levels[0])
    rows = [[sum(sum(part[name][seed].each[:first]) for name in VARIANTS) for part in (few, many)] for seed in seeds]
    found = clip_interval(statistics.jackknife(rows, lambda row: percent_change(*row)), 100)
    return {"same_pairs": ends(found)}


def of_delay(runs: Runs, sweep: str) -> dict[str, str]:
    """On how few runs the mean delay hangs at the ends of a sweep."""
    levels = runs.levels_of(sweep)
    ends = [[one.delay_s for one in runs.at(sweep, level) if one.delay_s is not None] for level in levels]
    first, last = ends[0], ends[-1]
    if not first or not last:
        return {}
    slowest = sorted(first, reverse=True)[: max(1, len(first) // 10)]
    return {
        "slowest_first": f"{sum(slowest) / sum(first):.0%}",
        "median_first": f"{median(first):.2g}",
        "median_last": f"{median(last):.2g}",
    }


def of_seeds(found: SingleRuns) -> dict[str, str]:
    """What single seeds say about a claim."""
    return {"alone_low": f"{min(found.means):.3g}", "alone_high": f"{max(found.means):.3g}"}


def of_others(others: Mapping[str, Finding]) -> dict[str, str]:
    """What a claim is under other settings."""
    return {word: ends(others[setting].value) for word, setting in OTHER_SETTINGS.items() if setting in others}


def sender_states(runs: Runs) -> Iterator[dict[str, Any]]:
    """What held senders back and why packets were lost, a row for each end of each sweep."""
    for sweep in UNITS:
        levels = runs.levels_of(sweep)
        for level in (levels[0], levels[-1]):
            yield {"condition": f"{level:g} {UNITS[sweep]}", **_connection_facts(runs.at(sweep, level))}


def _delivering_share(runs: Runs, sweep: str, level: float) -> str:
    ones = runs.at(sweep, level)
    return f"{sum(one.delivering for one in ones) / sum(one.connections for one in ones):.0%}"


def _total_goodput(pairs: Sequence[Pair]) -> float:
    return sum(pair.goodput for pair in pairs)


def _share_of_best_seed(runs: Runs, sweep: str, level: float) -> str:
    """The share of all throughput at a level that the best seed has."""
    by_seed: dict[int, float] = {}
    for variant in VARIANTS:
        for seed, one in runs.of(Case(sweep, level, variant)).items():
            by_seed[seed] = by_seed.get(seed, 0.0) + one.throughput
    whole = sum(by_seed.values())
    return f"{max(by_seed.values()) / whole:.0%}" if whole else "none"


def _connection_facts(ones: list[SeedResult]) -> dict[str, Any]:
    delivering = sum(one.delivering for one in ones) / sum(one.connections for one in ones)
    limits = {name: fmean(one.limited_by[name] for one in ones) for name in ones[0].limited_by}
    drops: Counter[str] = Counter()
    for one in ones:
        drops.update(one.drops)
    lost, sent = sum(drops.values()), sum(one.sent for one in ones)
    return {
        "connections that deliver": f"{delivering:.0%}",
        "senders' time by limit": _largest_shares(limits),
        "dropped per packet sent": f"{lost / sent:.2g}" if sent else "-",
        "dropped by": _largest_shares({name.replace("_", " "): count / lost for name, count in drops.items()})
        if lost
        else "-",
    }


def _largest_shares(shares: dict[str, float]) -> str:
    largest = sorted(shares.items(), key=lambda each: -each[1])[:3]
    return ", ".join(f"{name} {share:.0%}" for name, share in largest if share > WORTH_TELLING)
