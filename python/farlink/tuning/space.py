"""What may be tried: `0.1..5 s`, `1..10 packets`, `hybla,cubic,westwood`.

The scenario itself says what is right: both ends of a range and every choice are validated before anything runs, and
a range has whole numbers only where the scenario knows nothing between two of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

from farlink._farlink import ScenarioError, quantity
from farlink.arguments import LIST, TEXT
from farlink.errors import UsageError
from farlink.runs.scenario import Scenario
from farlink.runs.toml_text import toml
from farlink.sweeps.overlay import Given, refuse_overlaps
from farlink.tables.parameters import toml_value

DIGITS = 4
"""A range of fractions is cut into steps that move its length's fourth digit, a logarithmic one into values of four."""
QUANTITY = re.compile(r"([-+]?(?:\d(?:_?\d)*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*)")
"""A number and perhaps a unit."""

Written: TypeAlias = "str | tuple[float | str, float | str] | Sequence[str | bool | int | float]"
"""A range or choices as they are written, the two ends of a range, or a list of choices."""
Setting: TypeAlias = "tuple[str, ...]"
"""The text of a value for every parameter."""


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included, in `unit`."""

    path: str
    low: float
    high: float
    unit: str = ""
    log: bool = False
    whole: bool = False

    @property
    def count(self) -> float:
        """How many values there are."""
        return self.high - self.low + 1 if self.whole else math.inf

    def write(self, value: float) -> str:
        """Write a value as it stands in a scenario."""
        number = str(round(value)) if self.whole else repr(self._round_within(value))
        return f"{number} {self.unit}".rstrip()

    def number(self, text: str) -> float:
        """Read what `write` wrote."""
        return float(text.split()[0])

    def at(self, share: float) -> float:
        """Give the value at a share of the range, from 0 to less than 1."""
        low, high = (self.low, self.high + 1) if self.whole else (self.low, self.high)
        found = low * (high / low) ** share if self.log else low + share * (high - low)
        return math.floor(found) if self.whole else found

    def texts(self) -> list[str]:
        """Every value of whole numbers."""
        return [self.write(value) for value in range(round(self.low), round(self.high) + 1)]

    def _round_within(self, value: float) -> float:
        if self.log:
            rounded = float(f"{value:.{DIGITS - 1}e}")
        else:
            rounded = round(value, DIGITS - 1 - math.floor(math.log10(self.high - self.low)))
        return min(max(rounded, self.low), self.high)


@dataclass(frozen=True)
class Choices:
    """Words or numbers without an order."""

    path: str
    values: tuple[str, ...]

    @property
    def count(self) -> float:
        """How many values there are."""
        return len(self.values)

    def texts(self) -> list[str]:
        """Every value."""
        return list(self.values)

    def write(self, value: object) -> str:
        """Write a value as it stands in a scenario."""
        return str(value)

    def at(self, share: float) -> str:
        """Give the value at a share of the list, from 0 to less than 1."""
        return self.values[int(share * len(self.values))]


Parameter: TypeAlias = "Range | Choices"


@dataclass(frozen=True)
class Space:
    """Every combination of the parameters' values."""

    parameters: tuple[Parameter, ...]

    @cached_property
    def count(self) -> float:
        """How many points there are."""
        return math.prod(parameter.count for parameter in self.parameters)

    def all(self) -> Iterator[Setting]:
        """Every point, of a finite space."""
        return product(*(parameter.texts() for parameter in self.parameters))

    def apply(self, scenario: Scenario, setting: Setting) -> Scenario:
        """Set a point's values."""
        for parameter, text in zip(self.parameters, setting, strict=True):
            scenario = scenario.set_text(parameter.path, text)
        return scenario


def space(scenario: Scenario, given: Mapping[str, Written], *, log: bool = False) -> Space:
    """Read what may be tried; raises `UsageError` for the first thing that is wrong."""
    if not given:
        raise UsageError("nothing to tune; give a parameter, such as flows.0.tcp.max_window=1..10 packets")
    _ = scenario.validated  # what is wrong without any parameter is not a parameter's fault
    for path in given:
        TEXT.require("path", path)
    numbered = {scenario.resolve(path): value for path, value in given.items()}
    if len(numbered) < len(given):
        raise UsageError(f"a parameter is given twice: {', '.join(given)}")
    found = Space(tuple(_parse_parameter(scenario, path, value, log) for path, value in numbered.items()))
    written = dict(zip(numbered, given, strict=True))
    refuse_overlaps([Given(written[each.path], each.path, _tables(each), 0) for each in found.parameters])
    if log and all(isinstance(parameter, Choices) for parameter in found.parameters):
        raise UsageError("there is no range that could be logarithmic")
    return found


def _tables(parameter: Parameter) -> list[object]:
    """The choices that may be tables."""
    return [toml_value(text) for text in parameter.values] if isinstance(parameter, Choices) else []


def _parse_parameter(scenario: Scenario, path: str, given: Written, log: bool) -> Parameter:
    if isinstance(given, tuple):
        if len(given) != 2:
            raise UsageError(f"{path}: a range has two ends, not {len(given)}; write a list for choices")
        return _parse_range(scenario, path, str(given[0]), str(given[1]), log)
    if not isinstance(given, str):
        LIST.require(path, given)
        return _parse_choices(scenario, path, [each if isinstance(each, str) else toml(each) for each in given])
    low, dots, high = given.partition("..")
    if dots:
        return _parse_range(scenario, path, low.strip(), high.strip(), log)
    return _parse_choices(scenario, path, [each.strip() for each in given.split(",")])


def _parse_choices(scenario: Scenario, path: str, values: list[str]) -> Choices:
    if len(values) < 2:
        raise UsageError(f"{path}={', '.join(values)}: nothing to choose from; write LOW..HIGH, or a,b,c")
    if len(set(values)) < len(values):
        raise UsageError(f"{path}={','.join(values)}: a value is given twice")
    for value in values:
        _check_value(scenario, path, value)
    return Choices(path, tuple(values))


def _parse_range(scenario: Scenario, path: str, first: str, last: str, log: bool) -> Range:
    written = f"{path}={first}..{last}"
    low, low_unit = _split_unit(written, first)
    high, unit = _split_unit(written, last)
    if low_unit not in ("", unit):
        (low, high), unit = _in_one_unit(written, first, last)
    if not low < high:
        raise UsageError(f"{written}: {'nothing to choose from' if low == high else 'it ends before it begins'}")
    if log and not low > 0:
        raise UsageError(f"{written}: a logarithmic range begins above 0")
    made = Range(path, low, high, unit, log)
    for end in (low, high):
        _check_value(scenario, path, _format_quantity(end, unit))
    if low.is_integer() and high.is_integer() and _knows_nothing_between(scenario, path, low, unit):
        made = Range(path, low, high, unit, log, whole=True)
    return made


def _split_unit(written: str, text: str) -> tuple[float, str]:
    """Split `5 packets` into a number and a unit."""
    found = QUANTITY.fullmatch(text)
    if found and math.isfinite(number := float(found[1])):
        return number, found[2]
    raise UsageError(f"{written}: `{text}` is no number; write LOW..HIGH, such as 1..10 packets or 0.1..5 s")


def _in_one_unit(written: str, *ends: str) -> tuple[list[float], str]:
    """Convert `100 ms` and `5 s` to seconds."""
    from farlink.tables.labels import UNITS

    read = [quantity(end) for end in ends]
    units = {each[1] if each else None for each in read}
    unit = units.pop()
    if units or unit not in UNITS:
        raise UsageError(f"{written}: its ends have different units")
    return [each[0] for each in read if each], UNITS[unit]


def _format_quantity(number: float, unit: str) -> str:
    return f"{int(number) if number.is_integer() else number!r} {unit}".rstrip()


def _knows_nothing_between(scenario: Scenario, path: str, low: float, unit: str) -> bool:
    """Whether the scenario refuses `low` and a half, or rounds it."""
    ends = [scenario.set_text(path, _format_quantity(end, unit)).validated.resolved for end in (low, low + 1)]
    try:
        return scenario.set_text(path, _format_quantity(low + 0.5, unit)).validated.resolved in ends
    except ScenarioError:
        return True


def _check_value(scenario: Scenario, path: str, text: str) -> None:
    try:
        _ = scenario.set_text(path, text).validated
    except ScenarioError as error:
        reason = "; ".join(part for part in (error.message, error.remedy) if part)
        # A value that does not suit another key is refused there.
        where = "" if error.key == path else f"{error.key}: " if error.key else ""
        raise UsageError(f"{path}={text}: {where}{reason}") from None
