"""What is kept of a universe: for each claim the measured mean, and the share of single runs that meet it.

One row of `universes.csv` per universe. The file is written as a whole after every batch: a kill loses one batch
at most, whose runs are still in its stores.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from farlink.errors import UsageError
from farlink.studies.claims import Claim
from farlink.studies.multiverse.factors import DESIGN, Factors, Universe
from farlink.studies.verdict import is_met_by_mean
from farlink.system.files import read_text, write_text

ALONE, SAMPLE, SEARCH, FULL = "alone", "sample", "search", "full"
"""Why a universe was run: one level alone, the sample, the search, or a repetition with full runs."""
COMMITTED, FULL_COMMITTED = "settings", "full settings"
"""The committed settings without corrections, with short and with full runs: no universes."""
SINGLE = " single runs"
"""Ends the name of the column with the share of single runs."""
DIGITS = 6


@dataclass(frozen=True)
class Measurement:
    """Of a claim in a universe."""

    mean: float
    single: float | None
    """The share of its single runs that meet the claim; None where no single run measures it."""

    @classmethod
    def rounded(cls, mean: float, single: float | None) -> Measurement:
        """As it is read again from the file: what follows is the same after a resumption."""
        return cls(float(_format_mean(mean)), None if single is None else float(_format_share(single)))


@dataclass(frozen=True)
class Row:
    """A universe that was run."""

    design: str
    universe: Universe
    claims: Mapping[str, Measurement]
    """By the claim's number; without those that its runs cannot measure."""

    def holds(self, claim: Claim) -> bool | None:
        """Whether the mean meets the claim; None where it was not measured."""
        found = self.claims.get(claim.id)
        return None if found is None else is_met_by_mean(claim, found.mean)

    def met(self, claims: Iterable[Claim]) -> int:
        """How many of these claims the means meet."""
        return sum(self.holds(claim) is True for claim in claims)


def write(path: Path, factors: Factors, claims: Sequence[Claim], rows: Sequence[Row]) -> None:
    """Write all rows; the file is replaced at once."""
    sink = io.StringIO()
    out = csv.writer(sink, lineterminator="\n")
    ids = [claim.id for claim in claims]
    out.writerow([DESIGN, *(each.name for each in factors.items), *ids, *(f"{each}{SINGLE}" for each in ids)])
    for row in rows:
        found = [row.claims.get(each) for each in ids]
        means = ["" if each is None else _format_mean(each.mean) for each in found]
        shares = ["" if each is None or each.single is None else _format_share(each.single) for each in found]
        out.writerow([row.design, *factors.names(row.universe).values(), *means, *shares])
    write_text(path, sink.getvalue())


def read(path: Path, factors: Factors) -> list[Row]:
    """Read the rows; none where there is no file. Raises `UsageError` where they are of other factors."""
    if not path.exists():
        return []
    given = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        return [_parse_row(row, factors) for row in given]
    except (KeyError, ValueError, csv.Error):
        where = f"{path}:{given.line_num}"
        raise UsageError(f"{where}: not a universe of these factors, or damaged; choose another --out") from None


def _parse_row(row: Mapping[str, str], factors: Factors) -> Row:
    if None in row or None in row.values():
        raise ValueError("a row that is longer or shorter than the header")
    places = [[level.name for level in each.levels].index(row[each.name]) for each in factors.items]
    names = [name.removesuffix(SINGLE) for name in row if name.endswith(SINGLE)]
    return Row(
        row[DESIGN],
        tuple(places),
        {name: Measurement(float(row[name]), _parse_share(row[name + SINGLE])) for name in names if row[name]},
    )


def _format_mean(mean: float) -> str:
    return f"{mean:.{DIGITS}g}"


def _format_share(share: float) -> str:
    return f"{share:.3g}"


def _parse_share(text: str) -> float | None:
    return float(text) if text else None
