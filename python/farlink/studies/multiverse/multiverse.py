"""A multiverse analysis from the first universe to the last: levels alone, the sample, the search, full runs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

from farlink.execution.execute import Progress
from farlink.studies.multiverse import design
from farlink.studies.multiverse.classes import Answer, classify
from farlink.studies.multiverse.folded import ALONE, FULL, SAMPLE, SEARCH, Row
from farlink.studies.multiverse.running import Runner, Space
from farlink.studies.multiverse.search import Half, best, halves, search

Effort: TypeAlias = Literal["quick", "short"]

UNIVERSES = {"quick": 30, "short": 200}
"""Of the sample."""
SEARCHED = {"quick": 0, "short": 30}
"""Universes that the search runs for each half of the figures."""
REPEATED = {"quick": 0, "short": 10}
"""Universes of the sample that are repeated with full runs."""
SEED = 1


@dataclass(frozen=True)
class Asked:
    """How many universes are run; `repeated` of the sample, and the best of each half, also with full runs."""

    effort: Effort
    universes: int
    searched: int
    repeated: int


@dataclass(frozen=True)
class Best:
    """The universe that meets most claims of one half of the figures."""

    half: Half
    row: Row
    base: Row
    """The settings with their corrections, with as many runs."""

    @property
    def judged(self) -> tuple[int, int, int]:
        """Claims of the other half that it meets, that the settings meet, and how many there are."""
        others = self.half.judged_on
        return self.row.met(others), self.base.met(others), len(others)


@dataclass(frozen=True)
class Agreement:
    """Short runs against full ones, over universes and counted claims."""

    universes: int
    compared: int
    same: int
    """Judgements, holds or not, that are the same."""


@dataclass(frozen=True)
class Multiverse:
    """What was run."""

    space: Space
    asked: Asked
    alone: Sequence[Row]
    sample: Sequence[Row]
    searched: Sequence[Row]
    full: Sequence[Row]
    cpu_hours: float

    @cached_property
    def answers(self) -> list[Answer]:
        """The answer for each claim, by the sample."""
        return [classify(claim, self.space.factors, self.sample) for claim in self.space.study.claims]

    @cached_property
    def bests(self) -> list[Best]:
        """The best universe of each half, without those that the search for the other half proposed."""
        common = [*self.alone, *self.sample]
        return [
            Best(half, best([*common, *self._searched_for(half)], half.chosen_on), self.alone[0])
            for half in halves(self.space.counted)
        ]

    def _searched_for(self, half: Half) -> list[Row]:
        return [row for row in self.searched if row.design == _search_name(half)]

    @cached_property
    def agreement(self) -> Agreement | None:
        """How well short runs agree with full ones; None where no universe was repeated."""
        short = {row.universe: row for row in [*self.searched, *self.sample, *self.alone]}
        pairs = [
            (mine, theirs)
            for row in self.full
            for claim in self.space.counted
            if (mine := short[row.universe].holds(claim)) is not None and (theirs := row.holds(claim)) is not None
        ]
        if not pairs:
            return None
        return Agreement(len(self.full), len(pairs), sum(mine is theirs for mine, theirs in pairs))


def run(asked: Asked, runner: Runner, progress: Progress | None = None) -> Multiverse:
    """Run what the folder of `runner` does not hold yet.

    Raises `UsageError` before the first run where a scenario of a universe is refused.
    """
    space = runner.space
    alone = [space.factors.base] if asked.effort == "quick" else design.one_at_a_time(space.factors)
    drawn = design.sample(space.factors, asked.universes)
    for universe in (*alone, *drawn):
        space.check(universe)
    # With less effort some grids are left out, and with them what some levels change.
    replace(space, effort="short").check_levels()
    if asked.repeated:
        replace(space, effort="full").check(space.factors.base)
    claims = halves(space.counted)
    steps = _Steps(progress, len(alone) + len(drawn) + asked.searched * len(claims))
    alone_rows = runner.run(ALONE, alone, steps.next(len(alone)))
    sample_rows = runner.run(SAMPLE, drawn, steps.next(len(drawn)))
    found: list[Row] = []
    for half in claims if asked.searched else []:
        run_batch = partial(runner.run, _search_name(half), progress=steps.next(asked.searched))
        found += search(space.factors, half.chosen_on, [*alone_rows, *sample_rows], asked.searched, run_batch)
    made = Multiverse(space, asked, alone_rows, sample_rows, found, [], 0.0)
    if asked.repeated:
        made = replace(made, full=_repeat(made, runner, progress))
    return replace(made, cpu_hours=runner.cpu_hours)


def _search_name(half: Half) -> str:
    return f"{SEARCH} {half.name}"


def _repeat(made: Multiverse, runner: Runner, progress: Progress | None) -> list[Row]:
    """Run the settings, a draw of the sample, and the best universes with full runs."""
    drawn = random.Random(SEED).sample(
        [row.universe for row in made.sample], min(made.asked.repeated, len(made.sample))
    )
    bests = [each.row.universe for each in made.bests]
    universes = list(dict.fromkeys([made.space.factors.base, *bests, *drawn]))
    return replace(runner, space=replace(runner.space, effort="full")).run(FULL, universes, progress)


class _Steps:
    """Progress of universes, shared among the steps."""

    def __init__(self, progress: Progress | None, universes: int) -> None:
        self._progress = progress
        self._universes = universes
        self._begun = 0

    def next(self, universes: int) -> Progress | None:
        """Report the next so many universes."""
        before, report = self._begun, self._progress
        self._begun += universes
        if report is None:
            return None
        return lambda share: report((before + share * universes) / self._universes)
