r"""A table for a paper: `tabular` with the rules of booktabs, and numbers in columns of siunitx.

A measure is its mean with the half-width of its 95 % CI, of an interval that is not symmetric the longer side. Where
that is beyond what the mean can be, or where an end is open, both ends are written. Its unit is in the head. What all
rows have alike is left out, and said in a comment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from farlink.printable import printable
from farlink.runs.run_table import decimals
from farlink.tables import labels

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
"""What LaTeX takes for a command, or prints as another letter."""
MICRO = {"us": r"\textmu s"}
MOST_DECIMALS = 6
DIGITS, DIGITS_OF_HALF_WIDTH = 3, 2
"""Significant digits of a number without interval, and of a half-width."""
EXPONENT = re.compile(r"(.+)e([+-]\d+)")


@dataclass(frozen=True)
class Column:
    """The kind of a column of a `tabular`, its head, the unit below that, and its cells."""

    kind: str
    head: str
    unit: str
    cells: Sequence[str]


def tabular(columns: Sequence[Column], comments: Sequence[str]) -> str:
    """Write the table, with the packages it needs and the comments before it."""
    needs = [r"needs \usepackage{booktabs} and \usepackage{siunitx}"]
    lines = [f"% {printable(comment)}" for comment in (*needs, *comments) if comment]
    lines.append(f"\\begin{{tabular}}{{{''.join(f'{column.kind} ' for column in columns).rstrip()}}}")
    lines += [r"\toprule", _row([column.head for column in columns])]
    if any(column.unit for column in columns):
        lines.append(_row([column.unit for column in columns]))
    lines.append(r"\midrule")
    lines += [_row(row) for row in zip(*(column.cells for column in columns), strict=True)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def measure(
    head: str,
    unit: str,
    factor: float,
    cells: Sequence[tuple[Any, Any, Any]],
    bounds: tuple[float, float] = (0.0, math.inf),
) -> Column:
    """Give the column of a measure; a cell is mean, low and high end, in units of which `factor` are one of `unit`.

    The mean is within `bounds`.
    """
    found = [_mean_and_interval(cell, factor, bounds) for cell in cells]
    numbers = [each for each in found if not isinstance(each, str)]
    written = [each if isinstance(each, str) else r" \pm ".join(filter(None, each)) for each in found]
    unit = f"{{{_unit(unit)}}}" if unit else ""
    return Column(_number_column(numbers), f"{{{escape(head)}}}", unit, written)


def parameter(head: str, column: str, values: Sequence[Any]) -> Column:
    """Give the column of a parameter: numbers in one unit, or words."""
    known = [value for value in values if value is not None]
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return text(head, [labels.value_text(value, column) for value in values])
    factor, unit = labels.scale(column, known)
    cells = ["--" if value is None else _plain_number(value / factor) for value in values]
    return Column("r", escape(head), _unit(unit), cells)


def text(head: str, cells: Sequence[str]) -> Column:
    """Give a column of words."""
    return Column("l", escape(head), "", [escape(cell) if cell != "-" else "--" for cell in cells])


def escape(words: str) -> str:
    """Write a text so that LaTeX prints it as it is."""
    return "".join(SPECIAL.get(letter, letter) for letter in printable(words))


def _unit(unit: str) -> str:
    return f"[{MICRO.get(unit, escape(unit))}]" if unit else ""


def _row(cells: Sequence[str]) -> str:
    row = " & ".join(cells) + r" \\"
    # The row or the rule before it takes a bracket or a star for an argument.
    return f"{{}}{row}" if row.startswith(("[", "*")) else row


def _plain_number(value: float) -> str:
    written = f"{value:.6g}"
    found = EXPONENT.fullmatch(written)
    return f"\\num{{{found[1]}e{int(found[2])}}}" if found else written


def _mean_and_interval(cell: tuple[Any, Any, Any], factor: float, bounds: tuple[float, float]) -> tuple[str, str] | str:
    """Write a mean and its half-width with the same decimals; the half-width is empty where there is none.

    Where an end is open, and where the longer side of the interval would be out of bounds on the other side, both ends
    are written. Braces keep siunitx from reading a number there.
    """
    mean, low, high = scaled = [None if value is None else value / factor for value in cell]
    if mean is None:
        return "{--}"
    length = max((abs(mean - end) for end in (low, high) if end is not None), default=0.0)
    digits = decimals(length, DIGITS_OF_HALF_WIDTH, MOST_DECIMALS) if length else decimals(mean, DIGITS, MOST_DECIMALS)
    if low is None or high is None:
        has_ends = (low is None) != (high is None)
    else:
        least, most = (bound / factor for bound in bounds)
        has_ends = mean - (high - mean) < least <= low or mean + (mean - low) > most >= high
    if has_ends:
        mean, low, high = ("--" if value is None else f"{value:.{digits}f}" for value in scaled)
        return f"{{{mean} [{low}, {high}]}}"
    if length:
        return f"{mean:.{digits}f}", f"{length:.{digits}f}"
    return f"{mean:.{digits if mean % 1 else 0}f}", ""


def _number_column(parts: Sequence[tuple[str, str]]) -> str:
    """Give the column of siunitx that has room for these numbers."""
    digits = [part[0].lstrip("-").partition(".") for part in parts]
    whole = max((len(before) for before, _, _ in digits), default=1)
    behind = max((len(behind) for _, _, behind in digits), default=0)
    sign = "-" if any(mean.startswith("-") for mean, _ in parts) else ""
    uncertain = max((len(half.replace(".", "").lstrip("0")) for _, half in parts), default=0)
    width = f"{sign}{whole}" + (f".{behind}" if behind else "") + (f"({uncertain})" if uncertain else "")
    return f"S[table-format={width}{', separate-uncertainty' if uncertain else ''}]"


def report_columns(
    columns: Mapping[str, Sequence[Any]], kept: Sequence[str], names: labels.Names, sizes: Mapping[str, Sequence[Any]]
) -> tuple[list[Column], list[str]]:
    """Give the columns of a report, in `sizes` those of measures with their numbers, and what all rows have alike."""
    made, alike = [], []
    for name, cells in columns.items():
        if name in sizes:
            factor, unit = labels.scale(name, sizes[name])
            made.append(measure(names.words(name), unit, factor, cells, labels.bounds_of(name)))
        elif len(set(cells)) == 1 and name not in kept:
            alike.append(f"{names.words(name)}: {labels.value_text(cells[0], name)}")
        else:
            made.append(parameter(names.words(name), name, cells))
    return made, alike
