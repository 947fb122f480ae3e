"""How claims are measured: by functions of runs, which need not hold what every one of them asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Concatenate, Generic, ParamSpec, TypeVar

from farlink.studies.runs import MissingError
from farlink.studies.verdict import Finding

Runs = TypeVar("Runs")
Of = TypeVar("Of")
Given = ParamSpec("Given")


@dataclass(frozen=True)
class Measure(Generic[Runs, Of]):
    """How a claim is measured, and what explains it when it is missed."""

    find: Callable[[Runs], Finding]
    of: Of

    def __call__(self, runs: Runs) -> Finding:
        """Measure the claim; raises `MissingError`."""
        return self.find(runs)


def measuring(find: Callable[Concatenate[Runs, Given], Of]) -> Callable[Given, Callable[[Runs], Of]]:
    """Let a function of runs, and of what is asked of them, be called with the latter: it gives a function of runs."""

    def ask(*args: Given.args, **kwargs: Given.kwargs) -> Callable[[Runs], Of]:
        return lambda runs: find(runs, *args, **kwargs)

    return ask


def find_each(measures: Mapping[str, Callable[[Runs], Finding]], runs: Runs) -> dict[str, Finding]:
    """The finding for every claim that these runs can measure, by its number."""
    found = {}
    for claim, find in measures.items():
        with suppress(MissingError):
            found[claim] = find(runs)
    return found
