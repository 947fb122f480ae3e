"""What a study's own module gets: settings, and the runs that were made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from farlink.results.result_store import ResultStore
from farlink.studies import single_runs
from farlink.studies.claims import Claim
from farlink.studies.measured import Experiments
from farlink.studies.runs import MissingError
from farlink.studies.settings import Effort, Settings, part_name
from farlink.studies.single_runs import SingleRuns
from farlink.studies.verdict import Finding, Judgement, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from farlink.results.report_table import ReportTable

Runs = TypeVar("Runs")


class Inputs(ABC, Generic[Runs]):
    """The settings and the runs; a study says how it reads them."""

    def __init__(
        self,
        settings: Settings,
        effort: Effort,
        results: Mapping[str, ResultStore],
        additional: Mapping[str, ResultStore],
    ) -> None:
        self._settings = settings
        self._effort = effort
        self._results = results
        self._additional = additional

    @abstractmethod
    def read_results(self, parts: Mapping[str, ResultStore]) -> Runs:
        """The runs in the results of some grids."""

    @staticmethod
    def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
        """What the runs say of each claim, by its number; without claims that they cannot measure.

        `reading` is how the paper's words are read, where that needs no other runs; empty as the settings say.
        """
        raise NotImplementedError

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order; raises `MissingError` for one without a finding."""
        found = self.find_all(self.runs, {})
        if missing := [claim.id for claim in claims if claim.id not in found]:
            raise MissingError(missing[0])
        return [judge(claim, found[claim.id]) for claim in claims]

    def single_runs(self, claims: Sequence[Claim]) -> dict[str, SingleRuns]:
        """In how many single runs each claim holds, by its number; nothing in a study without `find_all`."""
        with suppress(NotImplementedError):
            return single_runs.of_claims(claims, self.runs, lambda each: self.find_all(each, {}))
        return {}

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """The paper's figures redrawn, with captions; a study has none of its own accord."""
        yield from ()

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """What else is in the report, with captions."""
        yield from ()

    def experiments(self) -> Experiments | None:
        """What the additional experiments gave."""
        return None

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """All that was measured, as tables for programs, with file names."""
        yield from ()

    @cached_property
    def runs(self) -> Runs:
        """Those under the study's settings, on which the claims are measured."""
        return self.read_results({name: self._results[name] for name, _ in self._settings.grids(self._effort)})

    @cached_property
    def others(self) -> dict[str, Runs]:
        """Those of each open point another way."""
        return self._runs_by_case(self._settings.sensitivity_cases(self._effort))

    @cached_property
    def controlled(self) -> dict[str, Runs]:
        """Those of each controlled experiment."""
        return self._runs_by_case(self._settings.controlled_cases())

    @staticmethod
    def _findings_of_cases(find: Callable[[Runs], Finding], others: Mapping[str, Runs]) -> dict[str, Finding]:
        """What a claim's measure gives for those of the runs that it can be measured on, by their names."""
        found: dict[str, Finding] = {}
        for name, runs in others.items():
            with suppress(MissingError):
                found[name] = find(runs)
        return found

    def _runs_by_case(self, asked: Iterable[tuple[str, str]]) -> dict[str, Runs]:
        """By case; cases without runs are left out."""
        found: dict[str, dict[str, ResultStore]] = {}
        for case, grid in asked:
            results = self._results[part_name(case, grid)]
            if results.runs.num_rows:
                found.setdefault(case, {})[grid] = results
        return {case: self.read_results(parts) for case, parts in found.items()}
