"""What explains the verdicts, in measured numbers; the words around them stand in `explanations.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding

from farlink_studies.frn.experiments.controlled import NO_COPIES
from farlink_studies.frn.retries import ERROR, LIMIT, LONG, SHORT
from farlink_studies.frn.runs import INTERVALS, Case, Runs

WORDS = Path(__file__).parent / "explanations.toml"
OTHER_SETTINGS = {
    "lines": "interference along the lines drawn",
    "nobody_senses": "all that are due send",
    "ideal": "neighbours never collide",
    "turn": "packets are forwarded in turn",
    "turn_many": "packets are forwarded in turn, any number in flight",
    "many": "any number in flight",
    "recognised": "duplicates are detected",
    "on_time": "late echoes do not count",
    "echo_timeout": "waits counted from the missing echo",
    "three": "three attempts per neighbour",
    "window": "window of 8 packets",
    "rto": "timeouts of at least 1 s",
    "slots": "slots of 20 ms",
    "age": "attempts of the last 5 s",
    "start": "the first 2 000 slots not counted",
}
"""The cases of the settings that explanations speak of, by the word they use."""
LOST = ("collision", "receiver_transmitting", "capture_lost", "no_response", "bit_error")
SOME_CASES: Mapping[str, Case] = {
    "plain": Case("chain 4"),
    "combined": Case("chain 4", is_combined=True),
    "short_plain": Case("chain 4", longest=SHORT),
    "short_combined": Case("chain 4", is_combined=True, longest=SHORT),
    "cross_plain": Case("cross 4"),
    "cross_combined": Case("cross 4", is_combined=True),
    "mesh_plain": Case("mesh"),
    "mesh_combined": Case("mesh", is_combined=True),
    "fixed_4": Case("chain 4", longest=SHORT, limit=LIMIT),
    "fixed_8": Case("chain 8", longest=SHORT, limit=LIMIT),
    "fixed_8_error": Case("chain 8", longest=SHORT, limit=LIMIT, error=ERROR),
    "changing_4": Case("chain 4", longest=SHORT, loaded=13, limit=LIMIT),
    "changing_8": Case("chain 8", longest=SHORT, loaded=17, limit=LIMIT),
    "mesh_fixed": Case("mesh", longest=SHORT, limit=LIMIT),
    "mesh_fixed_error": Case("mesh", longest=SHORT, limit=LIMIT, error=ERROR),
    "mesh_changing": Case("mesh", longest=SHORT, loaded=17, limit=LIMIT),
    "many_attempts": Case("chain 8", longest=SHORT, limit=15),
    "long_many_attempts": Case("chain 8", longest=LONG, limit=15),
    "long_few_attempts": Case("chain 8", longest=LONG, limit=LIMIT),
}
"""What explanations speak of."""


def channel_events(runs: Runs) -> Iterator[dict[str, Any]]:
    """Outcomes of the attempts, for the named topologies, plain and combined, and with a limit."""
    for place in ("chain 4", "cross 4", "mesh"):
        for combined in (False, True):
            for longest in INTERVALS:
                yield from _interval_rows(runs, Case(place, combined, longest=longest))
    for place in ("chain 4", "chain 8", "cross 4", "cross 8", "mesh"):
        for loaded in (None, 13, 17, 25):
            yield from _interval_rows(runs, Case(place, longest=SHORT, loaded=loaded, limit=LIMIT))


def _interval_rows(runs: Runs, case: Case) -> Iterator[dict[str, Any]]:
    try:
        numbers = _facts_of_case(runs, case)
    except MissingError:
        return
    interval = f"3-{case.longest}" + (f" to 3-{case.loaded}" if case.loaded else "")
    frames = "combined" if case.is_combined else "plain"
    yield {"place": case.place, "frames": frames, "interval": interval, **numbers}


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


def facts(runs: Runs, experiments: Mapping[str, Runs]) -> dict[str, str]:
    """The numbers of some cases, by the case's word and a short one; without copies they begin with `alone`."""
    words = {
        "packets per slot": "rate",
        "attempts per packet": "attempts",
        "collision [% of attempts]": "collisions",
        "no response [% of attempts]": "unanswered",
        "receiver transmitting [% of attempts]": "receiver_transmitting",
        "lost copies per packet": "lost",
        "duplicates per packet": "again",
        "timeouts per 100 packets": "timeouts",
    }
    found: dict[str, str] = {}
    for begin, of in (("", runs), ("alone_", experiments.get(NO_COPIES, Runs({})))):
        for word, case in SOME_CASES.items():
            try:
                numbers = _facts_of_case(of, case)
            except MissingError:
                continue
            found |= {f"{begin}{word}_{short}": numbers[name] for name, short in words.items()}
    return found


def of_others(others: Mapping[str, Finding]) -> dict[str, str]:
    """The claim's number under the settings that explanations speak of."""
    return {word: f"{others[name].value.mean:.3g}" for word, name in OTHER_SETTINGS.items() if name in others}
