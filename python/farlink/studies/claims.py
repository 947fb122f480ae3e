"""What a paper claims, and within which bounds a measurement counts as the same."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Claim:
    """One published statement. The bounds were set before anything was measured."""

    id: str
    figure: str
    variants: str
    condition: str
    published: str
    kind: str
    """`value`: the mean must lie within the bounds. `ordering`, `trend`: its whole 95 % interval must."""
    claim: str
    unit: str
    at_least: float | None
    at_most: float | None
    counted: bool
    why_not_counted: str

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        unit = "" if self.unit == "ratio" else f" {self.unit}"
        least, most = ("at least", "at most") if self.kind == "value" else ("more than", "less than")
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least:g} to {self.at_most:g}{unit}"
        if self.at_least is not None:
            return f"{least} {self.at_least:g}{unit}"
        if self.at_most is not None:
            return f"{most} {self.at_most:g}{unit}"
        return "anything"


def read(path: Path) -> list[Claim]:
    """Read a study's claims."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_parse_claim(row) for row in csv.DictReader(file)]


def _parse_claim(row: dict[str, str]) -> Claim:
    texts = {
        name: row[name] for name in ("id", "figure", "variants", "condition", "published", "kind", "claim", "unit")
    }
    return Claim(
        **texts,
        at_least=_parse_number(row["at_least"]),
        at_most=_parse_number(row["at_most"]),
        counted=row["counted"] == "yes",
        why_not_counted=row["why_not_counted"],
    )


def _parse_number(text: str) -> float | None:
    return float(text) if text else None
