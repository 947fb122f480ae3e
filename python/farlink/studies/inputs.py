"""What a study's own module gets, settings and the runs that were made, and what all studies make of them."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies import claims, explanation, single_runs, written
from farlink.studies.alternative import Case, StudyGrid
from farlink.studies.claims import Claim
from farlink.studies.experiments import Experiments
from farlink.studies.runs import MissingError
from farlink.studies.runs import Runs as BaseRuns
from farlink.studies.settings import Effort, Settings, part_name
from farlink.studies.single_runs import SingleRuns
from farlink.studies.verdict import Finding, Judgement, accepts, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Runs = TypeVar("Runs", bound="BaseRuns[Any, Any]")

AS_COMMITTED = "as committed"
"""How tables call the study's settings."""


class Inputs(ABC, Generic[Runs]):
    """The settings and the runs; a study says how it reads them.

    A study has at least `read_results` and `find_all`. What explains a missed claim stands in `explanations.toml`
    beside its module, with names of `facts` in braces.
    """

    metrics: Mapping[str, Callable[[Any], float]] = MappingProxyType({})
    """Numbers of a run that are shown of every case, by the names of columns."""
    data_name = "cases"
    """The file with a row per case."""
    peer_runs = ""
    """How the recorded runs of the paper's own simulator differ from those of the settings."""

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

    @staticmethod
    @abstractmethod
    def read_results(parts: Mapping[str, ResultStore]) -> Runs:
        """The runs in the results of some grids."""

    def read(self, parts: Mapping[str, ResultStore]) -> Runs:
        """The same, with intervals by the method of the settings."""
        return self.read_results(parts).estimated_by(self._settings.estimator)

    @staticmethod
    @abstractmethod
    def find_all(runs: Runs, reading: Mapping[str, str]) -> dict[str, Finding]:
        """What the runs say of each claim, by its number; without claims that they cannot measure.

        `reading` is how the paper's words are read, where that needs no other runs; empty as the settings say.
        """

    def facts(self, claim: Claim, others: Mapping[str, Finding]) -> Mapping[str, str]:
        """The numbers that the explanation of a claim may name; `others` is what other settings give."""
        return {}

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """The paper's figures redrawn, with captions; a study has none of its own accord."""
        yield from ()

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """What else is in the report, with captions."""
        yield from ()

    def experiments(self) -> Experiments | None:
        """What the additional experiments gave; None where they were not run."""
        return None

    def case_rows(self, runs: Runs) -> Iterator[dict[str, Any]]:
        """A row per case with what was measured, for programs; where `metrics` says what, their means."""
        for case, numbers in runs.numbers(self.metrics) if self.metrics else ():
            yield {**self.case_columns(case), "runs": runs.count(case), **written.means(numbers)}

    @staticmethod
    def case_columns(case: Any) -> dict[str, Any]:
        """The columns of tables that name a case."""
        columns: dict[str, Any] = case._asdict()
        return columns

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """All that was measured, as tables for programs, with file names."""
        rows = [{"setting": name, **row} for name, runs in self.tried.items() for row in self.case_rows(runs)]
        if rows:
            yield self.data_name, ReportTable.of(rows)

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order; raises `MissingError` for one without a finding."""
        if missing := [claim.id for claim in claims if claim.id not in self.found]:
            raise MissingError(missing[0])
        words = explanation.read(self.folder / "explanations.toml")
        return [self._judge_claim(claim, words.get(claim.id, ())) for claim in claims]

    def _judge_claim(self, claim: Claim, sentences: Sequence[str]) -> Judgement:
        others = self.found_otherwise(claim)
        return judge(
            claim,
            self.finding(claim),
            peer=self.found_by_peer.get(claim.id),
            peer_runs=self.peer_runs,
            cause=self.cause(claim, sentences, others),
            otherwise=self.reproduced_with(claim, others),
        )

    def finding(self, claim: Claim) -> Finding:
        """What the runs say of a claim."""
        return self.found[claim.id]

    def cause(self, claim: Claim, sentences: Sequence[str], others: Mapping[str, Finding]) -> str:
        """Why a claim may be missed: the sentences of its explanation whose facts are known."""
        return explanation.text(sentences, self.facts(claim, others)) if sentences else ""

    def reproduced_with(self, claim: Claim, others: Mapping[str, Finding]) -> list[str]:
        """The other settings that meet a claim."""
        return [name for name, found in others.items() if accepts(claim, found.value)]

    def found_otherwise(self, claim: Claim) -> dict[str, Finding]:
        """What a claim gives under the other settings that have the runs it needs."""
        return {name: found[claim.id] for name, found in self._found_elsewhere.items() if claim.id in found}

    @property
    def elsewhere(self) -> Mapping[str, Runs]:
        """The runs of settings that may reproduce a claim which is missed."""
        return self.others

    @property
    def tried(self) -> dict[str, Runs]:
        """The runs of all settings, by name."""
        return {AS_COMMITTED: self.runs, **self.others, **self.controlled}

    @cached_property
    def found(self) -> dict[str, Finding]:
        """What the runs say of each claim, by its number."""
        return self.find_all(self.runs, {})

    @cached_property
    def found_by_peer(self) -> dict[str, Finding]:
        """What the paper's own simulator was recorded to give of some claims, by their numbers."""
        return {}

    @cached_property
    def _found_elsewhere(self) -> dict[str, dict[str, Finding]]:
        return {name: self.find_all(runs, {}) for name, runs in self.elsewhere.items()}

    def single_runs(self, claims: Sequence[Claim]) -> dict[str, SingleRuns]:
        """In how many single runs each claim holds, by its number."""
        return single_runs.of_claims(claims, self.runs, lambda each: self.find_all(each, {}))

    @property
    def folder(self) -> Path:
        """Where the study's module is, with its claims and explanations."""
        return Path(inspect.getfile(type(self))).parent

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """What the paper says, by number."""
        return {claim.id: claim for claim in claims.read(self.folder / "claims.csv")}

    @property
    def has_experiments(self) -> bool:
        """Whether all additional experiments were run."""
        return set(self._additional) == {name for name, _ in self._settings.additional()}

    @cached_property
    def runs(self) -> Runs:
        """Those under the study's settings, on which the claims are measured."""
        return self.read({name: self._results[name] for name, _ in self._settings.grids(self._effort)})

    @cached_property
    def others(self) -> dict[str, Runs]:
        """Those of each open point another way."""
        return self._runs_by_case(self._settings.sensitivity_cases(self._effort))

    @cached_property
    def controlled(self) -> dict[str, Runs]:
        """Those of each controlled experiment."""
        return self._runs_by_case(self._settings.controlled_cases())

    def _runs_by_case(self, asked: Iterable[tuple[Case, StudyGrid]]) -> dict[str, Runs]:
        """By case; cases without runs are left out."""
        found: dict[str, dict[str, ResultStore]] = {}
        for case, grid in asked:
            results = self._results[part_name(case.name, grid.name)]
            if results.runs.num_rows:
                found.setdefault(case.name, {})[grid.name] = results
        return {case: self.read(parts) for case, parts in found.items()}
