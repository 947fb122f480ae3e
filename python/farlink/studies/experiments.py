"""What a study's additional experiments gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from farlink.results.report_table import ReportTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Experiments:
    """What additional experiments gave."""

    findings: Sequence[str]
    """What follows from the numbers, in sentences made from them."""
    tables: Sequence[tuple[str, ReportTable]]
    figures: Sequence[tuple[str, Figure]] = ()

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

    @classmethod
    def of_table(cls, caption: str, rows: Iterable[dict[str, Any]], findings: Iterable[str] = ()) -> Experiments:
        """One table, and what follows from it."""
        return cls([*findings], [(caption, ReportTable.of(rows))])
