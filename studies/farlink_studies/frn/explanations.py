"""What explains the verdicts, in measured numbers; the words around them stand in `explanations.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import Any

from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding

from farlink_studies.frn.retries import ERROR, LIMIT, LONG, SHORT
from farlink_studies.frn.runs import INTERVALS, Case, Runs

OTHER_SETTINGS = {
    "lines": "interference along the lines drawn",
    "turn": "packets are forwarded in turn",
}
"""The cases of the settings that explanations speak of, by the word they use."""
LOST = ("collision", "receiver_transmitting", "capture_lost", "no_response", "bit_error")
SOME_CASES: Mapping[str, Case] = {
    "plain": Case("chain 4"),
    "combined": Case("chain 4", is_combined=True),
    "fixed_8": Case("chain 8", longest=SHORT, limit=LIMIT),
    "fixed_8_error": Case("chain 8", longest=SHORT, limit=LIMIT, error=ERROR),
    "mesh_fixed": Case("mesh", longest=SHORT, limit=LIMIT),
    "mesh_fixed_error": Case("mesh", longest=SHORT, limit=LIMIT, error=ERROR),
    "long_many_attempts": Case("chain 8", longest=LONG, limit=15),
    "long_few_attempts": Case("chain 8", longest=LONG, limit=LIMIT),
}
"""What explanations speak of."""
FACTS = {
    "collision [% of attempts]": "collisions",
    "duplicates per packet": "again",
    "timeouts per 100 packets": "timeouts",
}
"""The columns that they name, by the word they use."""


def channel_events(runs: Runs) -> Iterator[dict[str, Any]]:
    """Outcomes of the attempts, for the named topologies, plain and combined, and with a limit."""
    unlimited = product(("chain 4", "cross 4", "mesh"), (False, True), INTERVALS)
    limited = product(("chain 4", "chain 8", "cross 4", "cross 8", "mesh"), (None, 13, 17, 25))
    for case in (
        *(Case(place, combined, longest=longest) for place, combined, longest in unlimited),
        *(Case(place, longest=SHORT, loaded=loaded, limit=LIMIT) for place, loaded in limited),
    ):
        with suppress(MissingError):
            interval = f"3-{case.longest}" + (f" to 3-{case.loaded}" if case.loaded else "")
            frames = "combined" if case.is_combined else "plain"
            yield {"place": case.place, "frames": frames, "interval": interval, **_facts_of_case(runs, case)}


def _facts_of_case(runs: Runs, case: Case) -> dict[str, str]:
    """Of all seeds of a case."""
    packets = runs.total(case, lambda one: one.packets) or 1.0
    attempts = runs.total(case, lambda one: one.attempts) or 1.0
    found = {
        "packets per slot": f"{packets / runs.total(case, lambda one: one.slots):.4f}",
        "attempts per packet": f"{attempts / packets:.1f}",
    }
    for cause in LOST:
        share = runs.total(case, lambda one, cause=cause: one.failed.get(cause, 0)) / attempts  # type: ignore[misc]
        found[f"{cause.replace('_', ' ')} [% of attempts]"] = f"{100 * share:.1f}"
    lost = runs.total(case, lambda one: sum(one.drops.values()))
    found["lost copies per packet"] = f"{lost / packets:.2f}"
    found["duplicates per packet"] = f"{runs.total(case, lambda one: one.again) / packets:.1f}"
    found["timeouts per 100 packets"] = f"{100 * runs.total(case, lambda one: one.timeouts) / packets:.1f}"
    return found


def facts(runs: Runs) -> dict[str, str]:
    """The numbers of some cases, by the case's word and a short one."""
    found: dict[str, str] = {}
    for word, case in SOME_CASES.items():
        with suppress(MissingError):
            numbers = _facts_of_case(runs, case)
            found |= {f"{word}_{short}": numbers[name] for name, short in FACTS.items()}
    return found


def of_others(others: Mapping[str, Finding]) -> dict[str, str]:
    """The claim's number under the settings that explanations speak of."""
    return {word: f"{others[name].value.mean:.3g}" for word, name in OTHER_SETTINGS.items() if name in others}
