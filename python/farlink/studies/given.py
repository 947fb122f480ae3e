"""What a study's own module is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Generic, TypeVar

from farlink.results import Results
from farlink.studies.settings import Effort, Settings, part

Runs = TypeVar("Runs")


class Given:
    """The settings and the runs that were made."""

    def __init__(
        self, settings: Settings, effort: Effort, results: Mapping[str, Results], more: Mapping[str, Results]
    ) -> None:
        self._settings = settings
        self._effort = effort
        self._results = results
        self._more = more

    def _committed(self) -> dict[str, Results]:
        """What the claims are measured on, by grid."""
        return {name: self._results[name] for name, _ in self._settings.grids(self._effort)}

    def _otherwise_set(self) -> dict[str, dict[str, Results]]:
        """Each open point another way that has runs: by case, then by grid."""
        return self._those_with_runs(self._settings.cases(self._effort))

    def _isolated(self) -> dict[str, dict[str, Results]]:
        """Each experiment that isolates a cause and has runs, in the same way."""
        return self._those_with_runs(self._settings.experiments())

    def _those_with_runs(self, asked: Iterable[tuple[str, str]]) -> dict[str, dict[str, Results]]:
        found: dict[str, dict[str, Results]] = {}
        for case, grid in asked:
            results = self._results[part(case, grid)]
            if results.runs.num_rows:
                found.setdefault(case, {})[grid] = results
        return found


class Read(Given, ABC, Generic[Runs]):
    """The same, for a study that reads its runs in one way, whatever they were made for."""

    @abstractmethod
    def _read(self, parts: Mapping[str, Results]) -> Runs:
        """The runs in the results of some grids."""

    @cached_property
    def runs(self) -> Runs:
        """Those under the study's settings."""
        return self._read(self._committed())

    @cached_property
    def others(self) -> dict[str, Runs]:
        """Those of every other setting."""
        return {case: self._read(found) for case, found in self._otherwise_set().items()}

    @cached_property
    def experiments(self) -> dict[str, Runs]:
        """Those of every experiment that isolates a cause."""
        return {case: self._read(found) for case, found in self._isolated().items()}
