"""Corrections of a study's settings: what the paper, or its simulator, demands, found after the first full run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from farlink.studies.alternative import Alternative
from farlink.system import toml_file
from farlink.system.checksums import digest
from farlink.system.files import read_bytes


@dataclass(frozen=True, kw_only=True)
class Correction(Alternative):
    """One of them, with its reason."""

    point: str
    committed: str
    """What the settings say, in words."""
    corrected: str
    why: str
    """The sentence of the paper, or the place in the simulator's source."""


@dataclass(frozen=True)
class Corrections:
    """A dated set, which the committed settings file does not contain."""

    date: str
    sha256: str
    items: Sequence[Correction] = field(default=(), metadata={toml_file.KEY: "correction"})

    @property
    def reading(self) -> Mapping[str, str]:
        """How the runs are read."""
        return {key: value for each in self.items for key, value in each.reading.items()}


NONE = Corrections(date="", sha256="")


def read(path: Path) -> Corrections:
    """Read `corrections.toml`; a study without one needs none. Raises `UsageError` for a file of another form."""
    return toml_file.read(path, Corrections, sha256=digest(read_bytes(path))) if path.exists() else NONE
