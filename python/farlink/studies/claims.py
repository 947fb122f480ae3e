"""What a paper claims, and within which bounds a measurement counts as the same."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path

from farlink.errors import UsageError
from farlink.system.files import read_text


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
    def written_unit(self) -> str:
        """The unit as it stands after a number; empty for a ratio."""
        return "" if self.unit == "ratio" else f" {self.unit}"

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        unit = self.written_unit
        least, most = ("at least", "at most") if self.kind == "value" else ("more than", "less than")
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least:g} to {self.at_most:g}{unit}"
        if self.at_least is not None:
            return f"{least} {self.at_least:g}{unit}"
        if self.at_most is not None:
            return f"{most} {self.at_most:g}{unit}"
        return "anything"


def read(path: Path) -> list[Claim]:
    """Read a study's claims; raises `UsageError` for what is no table of claims."""
    try:
        rows = csv.DictReader(StringIO(read_text(path), newline=""))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; it has a row for every claim") from None
    if missing := [each.name for each in fields(Claim) if each.name not in (rows.fieldnames or ())]:
        raise UsageError(f"{path}: the column `{missing[0]}` is missing")
    return [_parse_claim(row, f"{path}, line {number}") for number, row in enumerate(rows, 2)]


def _parse_claim(row: dict[str, str], where: str) -> Claim:
    values = {each.name: row[each.name] or "" for each in fields(Claim)}
    bounds = {name: _parse_number(values[name], f"{where}: {name}") for name in ("at_least", "at_most")}
    return Claim(**{**values, **bounds, "counted": values["counted"] == "yes"})  # type: ignore[arg-type]


def _parse_number(text: str, where: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise UsageError(f"{where}: {text!r} is no number; leave it empty where there is no bound") from None
