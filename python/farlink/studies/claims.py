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
        match self.at_least, self.at_most:
            case float(low), float(high):
                return f"{low:g} to {high:g}{unit}"
            case float(low), None:
                return f"at least {low:g}{unit}" if self.kind == "value" else f"more than {low:g}{unit}"
            case None, float(high):
                return f"at most {high:g}{unit}" if self.kind == "value" else f"less than {high:g}{unit}"
        return "anything"


def read(path: Path) -> list[Claim]:
    """Read a study's claims."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_claim(row) for row in csv.DictReader(file)]


def _claim(row: dict[str, str]) -> Claim:
    texts = {
        name: row[name] for name in ("id", "figure", "variants", "condition", "published", "kind", "claim", "unit")
    }
    return Claim(
        **texts,
        at_least=_number(row["at_least"]),
        at_most=_number(row["at_most"]),
        counted=row["counted"] == "yes",
        why_not_counted=row["why_not_counted"],
    )


def _number(text: str) -> float | None:
    return float(text) if text else None
