"""Controlled experiments: causes of what is missed, each switched off or forced by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from farlink.studies.claims import Claim
from farlink.studies.measures import find_each
from farlink.studies.verdict import Finding, accepts

from farlink_studies.route_failure import explanations, findings
from farlink_studies.route_failure.findings import MEASURES
from farlink_studies.route_failure.runs import ELFN, FIVE, LONG, RENO, Runs

WORDS = {
    "near": "nodes 180 m apart",
    "kept": "relays keep packets",
    "newreno": "NewReno after a long outage",
    "waiting": "packets wait for 60 s",
    "pauses": "pauses of ns-2",
    "today": "today's preset ns2 of DSR",
    "preset": "today's preset ns2 of DSR, replies from caches",
    "ideal": "ideal routing",
    "same": "as committed, 30 nodes",
    "ideal_random": "ideal routing, 30 nodes",
    "small": "window of 4 packets, 30 nodes",
    "onward_random": "TCP-FSR does not go back, 30 nodes",
    "onward": "TCP-FSR does not go back",
    "threshold": "threshold kept by further timeouts",
    "there_2": "the route is up for 2 s",
    "there_1": "the route is up for 1 s",
    "there_half": "the route is up for 0.5 s",
    "back_192": "link 2-3 breaks 192 ms sooner",
    "back_65": "link 2-3 breaks 65 ms sooner",
    "on_13": "link 3-4 breaks 13 ms sooner",
    "on_26": "link 3-4 breaks 26 ms sooner",
    "on_66": "link 3-4 breaks 66 ms sooner",
}
"""Every experiment, by the word that explanations use."""
ORDER = ("back_192", "back_65", "", "on_13", "on_26", "on_66")
"""Those on which of node 3's links breaks first, and how long before the other; both at once, as committed, between."""
AT_ONCE = "both break at once, as committed"


def facts(experiment: str, named: Mapping[str, Runs]) -> dict[str, str]:
    """By an experiment's word: every claim's number, and what happened in the runs of the grid asked for."""
    found: dict[str, str] = {}
    for word, name in WORDS.items():
        runs = named.get(name, Runs({}))
        values = _values(runs)
        if {RENO, ELFN} <= set(runs.variants(LONG)):
            values["elfn_gain"] = findings.format_interval(findings.sequence_gain(LONG, ELFN, RENO)(runs).value)
        values |= explanations.of_experiment(runs, experiment)
        found |= {f"{word}_{fact}": value for fact, value in values.items()}
    return found


def _values(runs: Runs) -> dict[str, str]:
    """Every claim's number that these runs can tell."""
    return {id_: findings.format_interval(found.value) for id_, found in find_each(MEASURES, runs).items()}


def claims_otherwise(
    committed: Mapping[str, Finding], found: Mapping[Claim, Mapping[str, Finding]], named: Iterable[str]
) -> Iterator[dict[str, Any]]:
    """A row per claim that is missed and experiment; `*` where it holds then."""
    for claim, others in sorted(found.items(), key=lambda each: each[0].id):
        base = committed[claim.id].value
        for name in named if not accepts(claim, base) else ():
            if name in others:
                value = others[name].value
                yield {
                    "claim": claim.id,
                    "experiment": name,
                    "measured": findings.format_interval(value) + (" *" if accepts(claim, value) else ""),
                    "as committed": findings.format_interval(base),
                }


def by_order(committed: Runs, named: Mapping[str, Runs]) -> Iterator[dict[str, Any]]:
    """What TCP-F meets after the repairs, by which of node 3's links breaks first."""
    for word in ORDER:
        name = WORDS[word] if word else AT_ONCE
        if runs := named.get(name) if word else committed:
            known = {**explanations.of_experiment(runs, FIVE), **_values(runs)}
            yield {"node 3's": name} | {column: known.get(fact, "-") for column, fact in OF_ORDER.items()}


OF_ORDER = {
    "only TCP-F retransmits fast [%] (Z-25)": "Z-25",
    "undisturbed": "tcp_f_undisturbed",
    "timer": "tcp_f_timed_out",
    "notified in time": "tcp_f_notified",
    "of those fast": "tcp_f_notified_fast",
    "of the others": "tcp_f_late_fast",
    "gain of TCP-FSR [%] (Z-22)": "Z-22",
    "its lead, two links [RTT] (Z-26)": "Z-26",
}
"""The columns of that table, and the facts in them."""
