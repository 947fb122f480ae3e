"""Corrections of a study's settings: what the paper, or its simulator, demands, found after the first full run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from farlink.studies.change import Change
from farlink.studies.table_file import Table, read_table


@dataclass(frozen=True)
class Correction:
    """One of them, with its reason."""

    point: str
    committed: str
    """What the settings say, in words."""
    corrected: str
    why: str
    """The sentence of the paper, or the place in the simulator's source."""
    change: Change


@dataclass(frozen=True)
class Corrections:
    """A dated set, which the committed settings file does not contain."""

    date: str
    sha256: str
    items: Sequence[Correction]

    @property
    def changes(self) -> list[Change]:
        """All of them, in their order."""
        return [each.change for each in self.items]

    @property
    def reading(self) -> Mapping[str, str]:
        """How the runs are read."""
        return {key: value for change in self.changes for key, value in change.reading.items()}


NONE = Corrections(date="", sha256="", items=())


def read(path: Path) -> Corrections:
    """Read `corrections.toml`; a study without one needs none. Raises `UsageError` for a file of another form."""
    if not path.exists():
        return NONE
    given = read_table(path)
    found = Corrections(
        date=given.text("date"),
        sha256=given.sha256,
        items=[_parse_correction(each) for each in given.tables("correction")],
    )
    given.refuse_unknown()
    return found


def _parse_correction(table: Table) -> Correction:
    found = Correction(
        table.text("point"), table.text("committed"), table.text("corrected"), table.text("why"), table.change()
    )
    table.refuse_unknown()
    return found
