"""The universe that meets most claims, chosen on one half of the figures and judged on the other, both ways.

Chosen and judged on the same claims, the best of many universes would look better than it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from farlink.studies.claims import Claim
from farlink.studies.multiverse.factors import Factors, Universe
from farlink.studies.multiverse.folded import Row
from farlink.tables.rows import grouped
from farlink.tuning.proposer import PATIENCE, new_optuna_study, quiet_optuna

if TYPE_CHECKING:
    import optuna

_ONE_FIGURE = re.compile(r"(?:\d[\d.]* )?(?:fig|(?P<table>[Tt]able ?))?(?P<number>\d+)[a-z]?")
SEED = 1
BATCH = 10
"""Universes chosen at a time, before any of them has run."""
MOST_ASKED = 1000
"""Proposals in vain, before the search ends for want of new universes."""


@dataclass(frozen=True)
class Half:
    """Claims that a universe is chosen on, and the others, which it is judged on."""

    name: str
    chosen_on: Sequence[Claim]
    judged_on: Sequence[Claim]

    @property
    def figures_chosen_on(self) -> list[str]:
        """Their names, such as `figure 6`."""
        return _figures_of(self.chosen_on)

    @property
    def figures_judged_on(self) -> list[str]:
        """Their names, such as `figure 6`."""
        return _figures_of(self.judged_on)


def halves(claims: Sequence[Claim]) -> list[Half]:
    """The claims by figure or table, those with most claims first, each to the half with fewer; both ways.

    Panels are of their figure. Claims of several figures, and of the text alone, are in neither half. Empty where all
    claims are of one figure. The halves share runs, so that they are not independent.
    """
    by_figure = grouped((figure, claim) for claim in claims if (figure := figure_of(claim.figure)))
    if len(by_figure) < 2:
        return []
    first: list[Claim] = []
    second: list[Claim] = []
    for found in sorted(by_figure.values(), key=len, reverse=True):
        (second if len(second) < len(first) else first).extend(found)
    return [Half("first", first, second), Half("second", second, first)]


def figure_of(named: str) -> str | None:
    """The figure or table that a claim names: `3.3.2 fig6a` is of figure 6; None for several, and for text.

    Capital letters are those of sections.
    """
    found = _ONE_FIGURE.fullmatch(named)
    return f"{'table' if found['table'] else 'figure'} {found['number']}" if found else None


def _figures_of(claims: Sequence[Claim]) -> list[str]:
    return list(dict.fromkeys(name for claim in claims if (name := figure_of(claim.figure))))


def best(rows: Sequence[Row], claims: Sequence[Claim]) -> list[Row]:
    """The universes that meet most of these claims, each once, in their order."""
    most = max(row.met(claims) for row in rows)
    return list({row.universe: row for row in reversed(rows) if row.met(claims) == most}.values())[::-1]


def search(
    factors: Factors,
    claims: Sequence[Claim],
    known: Sequence[Row],
    count: int,
    run: Callable[[Sequence[Universe]], Sequence[Row]],
) -> list[Row]:
    """Run `count` universes, each batch chosen by the tree-structured Parzen estimator from all before it.

    J. Bergstra et al., "Algorithms for Hyper-Parameter Optimization", NIPS 2011.
    """
    found: list[Row] = []
    study = _optuna_study(factors, claims, known)
    with quiet_optuna():
        seen = {row.universe for row in known}
        while len(found) < count:
            asked = list(islice(_proposals(study, factors, seen), min(BATCH, count - len(found))))
            if not asked:
                break
            rows = run([*(row.universe for row in found), *(universe for _, universe in asked)])[len(found) :]
            for (trial, _), row in zip(asked, rows, strict=True):
                study.tell(trial, row.met(claims))
            found += rows
    return found


def _proposals(study: optuna.Study, factors: Factors, seen: set[Universe]) -> Iterator[tuple[optuna.Trial, Universe]]:
    """Universes that were not run yet and do not contradict themselves."""
    import optuna

    wanted = _distributions(factors)
    # The best of many candidates is often a universe that was run: then each draw from the good ones is a proposal,
    # and where these are exhausted, each universe.
    chooser, at_random = study.sampler, optuna.samplers.RandomSampler(SEED)
    from_good = optuna.samplers.TPESampler(
        seed=SEED, multivariate=True, constant_liar=True, n_startup_trials=1, n_ei_candidates=1
    )
    in_vain = 0
    while in_vain < MOST_ASKED:
        study.sampler = chooser if in_vain < PATIENCE else from_good if in_vain < MOST_ASKED / 2 else at_random
        trial = study.ask(wanted)
        study.sampler = chooser
        universe = tuple(trial.params[factor.name] for factor in factors.items)
        if universe in seen or factors.contradicts(universe):
            in_vain += 1
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            continue
        in_vain = 0
        seen.add(universe)
        yield trial, universe


def _distributions(factors: Factors) -> dict[str, optuna.distributions.BaseDistribution]:
    from optuna.distributions import CategoricalDistribution

    return {factor.name: CategoricalDistribution(range(len(factor.levels))) for factor in factors.items}


def _optuna_study(factors: Factors, claims: Sequence[Claim], known: Sequence[Row]) -> optuna.Study:
    """A search that knows these rows."""
    study = new_optuna_study(SEED)
    import optuna

    wanted = _distributions(factors)
    for row in known:
        levels = {factor.name: place for factor, place in zip(factors.items, row.universe, strict=True)}
        study.add_trial(optuna.create_trial(params=levels, distributions=wanted, value=row.met(claims)))
    return study
