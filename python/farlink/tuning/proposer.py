"""Which points are tried: all, where trials suffice for that; else Optuna's choice, in batches.

The first batch is spread evenly (a Latin hypercube), the others are chosen by the tree-structured Parzen estimator
(J. Bergstra et al., "Algorithms for Hyper-Parameter Optimization", NIPS 2011). A batch is chosen before any of it has
run, whatever the number of cores: the same command evaluates the same points everywhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from farlink.errors import UsageError
from farlink.tuning.space import Choices, Parameter, Setting, Space

if TYPE_CHECKING:
    import optuna

BATCH = 8
"""Points chosen at a time."""
PATIENCE = 20
"""Points in a row that were tried already, before one is drawn at random."""


class Proposer:
    """Gives batches of points, each once, and learns how good they were."""

    def __init__(self, space: Space, trials: int, seed: int) -> None:
        self.space = space
        self._seed = seed
        self._seen: dict[Setting, optuna.Trial] = {}
        self._optuna_study: optuna.Study | None = None
        self.batches = [int(min(space.count, trials))]
        """The sizes of the batches to come."""
        if space.count > trials:
            self._optuna_study = new_optuna_study(seed)
            self.batches = [min(BATCH, trials - begun) for begun in range(0, trials, BATCH)]

    def batch(self) -> list[Setting]:
        """Give the next points; none when all trials are spent."""
        if not self.batches:
            return []
        size = self.batches.pop(0)
        if self._optuna_study is None:
            return list(self.space.all())
        with quiet_optuna():
            if not self._seen:
                self._enqueue_spread_points(size)
            return list(islice(self._untried_settings(self._optuna_study), size))

    def learn(self, setting: Setting, scores: Mapping[int, float], *, is_finished: bool) -> None:
        """Learn of a point of the last batch how good it was after so many seeds, and whether it had all."""
        if self._optuna_study is None:
            return
        from optuna.trial import TrialState

        with quiet_optuna():
            trial = self._seen[setting]
            for seeds, score in scores.items():
                trial.report(score, seeds)
            if is_finished:
                self._optuna_study.tell(trial, list(scores.values())[-1])
            else:
                self._optuna_study.tell(trial, state=TrialState.PRUNED)

    def _untried_settings(self, study: optuna.Study) -> Iterator[Setting]:
        """Give points that were not tried yet."""
        import optuna

        wanted = {parameter.path: _optuna_distribution(parameter) for parameter in self.space.parameters}
        chooser, at_random = study.sampler, optuna.samplers.RandomSampler(self._seed)
        in_vain = 0
        while True:
            study.sampler = chooser if in_vain < PATIENCE else at_random
            trial = study.ask(wanted)
            study.sampler = chooser
            setting = tuple(each.write(trial.params[each.path]) for each in self.space.parameters)
            if setting in self._seen:
                in_vain += 1
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
                continue
            in_vain = 0
            self._seen[setting] = trial
            yield setting

    def _enqueue_spread_points(self, size: int) -> None:
        """Have Optuna begin with points that are spread over every parameter's values."""
        from scipy.stats.qmc import LatinHypercube

        assert self._optuna_study is not None, "an exhaustive search spreads nothing"
        parameters = self.space.parameters
        for shares in LatinHypercube(len(parameters), rng=self._seed).random(size):
            self._optuna_study.enqueue_trial(
                {each.path: each.at(float(share)) for each, share in zip(parameters, shares, strict=True)}
            )


def new_optuna_study(seed: int) -> optuna.Study:
    """Begin a search for the largest value; raises `UsageError` where Optuna is missing."""
    try:
        import optuna
    except ImportError:
        raise UsageError("to choose what is tried, a search needs an extra: pip install 'farlink[tune]'") from None
    with quiet_optuna():
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True, n_startup_trials=1)
        return optuna.create_study(direction="maximize", sampler=sampler)


def _optuna_distribution(parameter: Parameter) -> optuna.distributions.BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(parameter, Choices):
        return CategoricalDistribution(parameter.values)
    if parameter.whole:
        return IntDistribution(round(parameter.low), round(parameter.high), log=parameter.log)
    return FloatDistribution(parameter.low, parameter.high, log=parameter.log)


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Keep Optuna from telling what it does, and that a part of it may change: its version is locked."""
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(before)
