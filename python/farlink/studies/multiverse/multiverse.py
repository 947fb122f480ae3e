"""A multiverse analysis from the first universe to the last: levels alone, the sample, the search, full runs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

from farlink.execution.execute import Progress
from farlink.studies.multiverse import design
from farlink.studies.multiverse.classes import Answer, classify
from farlink.studies.multiverse.factors import Universe
from farlink.studies.multiverse.folded import ALONE, COMMITTED, FULL, FULL_COMMITTED, SAMPLE, SEARCH, Row
from farlink.studies.multiverse.running import Runner, Space
from farlink.studies.multiverse.search import Half, best, halves, search
from farlink.studies.study import parts_of

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
class Score:
    """Claims of the half that a universe was not chosen on."""

    of: str
    met: int
    met_full: int | None
    """With full runs; None where there are none."""


@dataclass(frozen=True)
class Best:
    """The universe that meets most claims of one half of the figures; the first of those that meet as many."""

    half: Half
    tied: Sequence[Row]
    """All that meet as many, itself first."""
    met_full: int | None
    """Claims of its own half that it meets with full runs; None where there are none."""
    scores: Sequence[Score]
    """Its own, that of the corrected settings, and that of the settings as committed."""

    @property
    def row(self) -> Row:
        """The universe."""
        return self.tied[0]

    @property
    def range(self) -> tuple[int, int]:
        """How many claims of the other half those meet that are tied: at least, at most."""
        met = [row.met(self.half.judged_on) for row in self.tied]
        return min(met), max(met)


@dataclass(frozen=True)
class Agreement:
    """Short runs against full ones."""

    universes: int
    compared: int
    """Judgements of counted claims, holds or not, over the universes."""
    same: int
    by_claim: Mapping[str, tuple[int, int]]
    """By the number of a claim, counted or not: judgements that are the same, and how many there are."""
    holds: Mapping[str, tuple[int, int]]
    """The same: universes in which it holds with short runs, and with full ones."""


@dataclass(frozen=True)
class Multiverse:
    """What was run."""

    space: Space
    asked: Asked
    alone: Sequence[Row]
    sample: Sequence[Row]
    searched: Sequence[Row]
    full: Sequence[Row]
    committed: Sequence[Row]
    """The committed settings without corrections: with short runs, and where there are full ones with these."""
    cpu_hours: float

    @property
    def universes(self) -> int:
        """How many different ones were run."""
        return len({row.universe for row in [*self.alone, *self.sample, *self.searched, *self.full]})

    @cached_property
    def answers(self) -> list[Answer]:
        """The answer for each claim, by the sample."""
        return [classify(claim, self.space.factors, self.sample) for claim in self.space.study.claims]

    @cached_property
    def bests(self) -> list[Best]:
        """The best universe of each half, without those that the search for the other half proposed."""
        common = [*self.alone, *self.sample]
        return [self._scored(half, best([*common, *self._searched_for(half)], half.chosen_on)) for half in self.halves]

    @property
    def halves(self) -> list[Half]:
        """Those of the figures."""
        return halves(self.space.counted)

    def _scored(self, half: Half, tied: Sequence[Row]) -> Best:
        """Judge on the other half."""
        full = {row.universe: row for row in self.full}
        short, corrected = tied[0], self.alone[0]
        committed, committed_full = self.committed[0], dict(enumerate(self.committed)).get(1)
        return Best(
            half,
            tied,
            full[short.universe].met(half.chosen_on) if short.universe in full else None,
            [
                Score(name, row.met(half.judged_on), again.met(half.judged_on) if again else None)
                for name, row, again in (
                    ("the reading chosen on the other half", short, full.get(short.universe)),
                    ("the corrected settings", corrected, full.get(corrected.universe)),
                    ("the settings as committed", committed, committed_full),
                )
            ],
        )

    def _searched_for(self, half: Half) -> list[Row]:
        return [row for row in self.searched if row.design == _search_name(half)]

    @cached_property
    def agreement(self) -> Agreement | None:
        """How well short runs agree with full ones; None where no universe was repeated."""
        short = {row.universe: row for row in [*self.searched, *self.sample, *self.alone]}
        found, holds = {}, {}
        for claim in self.space.study.claims:
            pairs = [(short[row.universe].holds(claim), row.holds(claim)) for row in self.full]
            both = [(mine, theirs) for mine, theirs in pairs if mine is not None and theirs is not None]
            if both:
                found[claim.id] = (sum(mine is theirs for mine, theirs in both), len(both))
                holds[claim.id] = (sum(mine for mine, _ in both), sum(theirs for _, theirs in both))
        if not found:
            return None
        counted = [found[claim.id] for claim in self.space.counted if claim.id in found]
        return Agreement(len(self.full), sum(of for _, of in counted), sum(same for same, _ in counted), found, holds)


def run(asked: Asked, runner: Runner, progress: Progress | None = None) -> Multiverse:
    """Run what the folder of `runner` does not hold yet.

    Raises `UsageError` before the first run where a scenario of a universe is refused.
    """
    space = runner.space
    alone = [space.factors.base] if asked.effort == "quick" else design.one_at_a_time(space.factors)
    drawn = design.sample(space.factors, asked.universes)
    folded_before = {row.universe for row in runner.rows}
    for universe in (*alone, *drawn):
        if universe not in folded_before:
            space.checked_sweeps(universe)
    if not folded_before:
        # With less effort some grids are left out, and with them what some levels change.
        replace(space, effort="short").check_levels()
    if asked.repeated:
        replace(space, effort="full").checked_sweeps(space.factors.base)
    claims = halves(space.counted)
    reports = parts_of(progress, [len(alone), len(drawn), *(asked.searched for _ in claims)])
    alone_rows = runner.run(ALONE, alone, next(reports))
    sample_rows = runner.run(SAMPLE, drawn, next(reports))
    found: list[Row] = []
    for half in claims if asked.searched else []:
        run_batch = partial(runner.run, _search_name(half), progress=next(reports))
        found += search(space.factors, half.chosen_on, [*alone_rows, *sample_rows], asked.searched, run_batch)
    committed = runner.run_committed(COMMITTED, alone_rows[0])
    made = Multiverse(space, asked, alone_rows, sample_rows, found, [], committed, 0.0)
    if asked.repeated:
        full_runner = replace(runner, space=replace(space, effort="full"))
        full = full_runner.run(FULL, _repeated(made), progress)
        committed_full = full_runner.run_committed(FULL_COMMITTED, full[0])
        made = replace(made, full=full, committed=[*committed, *committed_full])
    return replace(made, cpu_hours=runner.cpu_hours)


def _search_name(half: Half) -> str:
    return f"{SEARCH} {half.name}"


def _repeated(made: Multiverse) -> list[Universe]:
    """What also has full runs: the corrected settings, the best universes, and a draw of the sample."""
    drawn = random.Random(SEED).sample(
        [row.universe for row in made.sample], min(made.asked.repeated, len(made.sample))
    )
    bests = [each.row.universe for each in made.bests]
    return list(dict.fromkeys([made.space.factors.base, *bests, *drawn]))
