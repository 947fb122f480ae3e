"""What a study's own module makes of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from farlink.studies.claims import Claim
from farlink.studies.single_runs import SingleRuns
from farlink.studies.verdict import Judgement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from farlink.results.report_table import ReportTable


class Measured(Protocol):
    """What a study's own module makes of the runs."""

    def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """A judgement of every claim, in their order."""

    def single_runs(self, claims: Sequence[Claim]) -> Mapping[str, SingleRuns]:
        """In how many single runs each claim holds, by its number."""

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """The paper's figures redrawn, with captions."""

    def tables(self) -> Iterator[tuple[str, ReportTable]]:
        """What else is in the report, with captions."""

    def experiments(self) -> Experiments | None:
        """What the additional experiments gave; None where they were not run."""

    def data(self) -> Iterator[tuple[str, ReportTable]]:
        """All that was measured, as tables for programs, with file names."""


@dataclass(frozen=True)
class Experiments:
    """What additional experiments gave."""

    findings: Sequence[str]
    """What follows from the numbers, in sentences made from them."""
    tables: Sequence[tuple[str, ReportTable]]
    figures: Sequence[tuple[str, Figure]]

    @classmethod
    def of(cls, parts: Sequence[Experiments]) -> Experiments | None:
        """All parts as one, in their order; None where there are none."""
        if not parts:
            return None
        return cls(
            findings=[sentence for part in parts for sentence in part.findings],
            tables=[table for part in parts for table in part.tables],
            figures=[figure for part in parts for figure in part.figures],
        )
