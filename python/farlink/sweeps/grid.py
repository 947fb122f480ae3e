"""What varies in a sweep: parameters crossed, zipped, overridden and derived."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from farlink._farlink import quantity
from farlink.arguments import LIST, TABLE, TEXT, Kind
from farlink.errors import UsageError
from farlink.execution.congestion import Factory
from farlink.runs.toml_text import Value

Setting: TypeAlias = "Value | Factory"
Settings: TypeAlias = "Mapping[str, Setting]"
Axes: TypeAlias = "Mapping[str, Sequence[Setting]]"
MOST = 100_000
"""Points of a sweep: each is a validated scenario in memory."""


@dataclass(frozen=True)
class Override:
    """Settings for the points that have the values of `when`."""

    when: Mapping[str, Any] = field(default_factory=dict)
    set: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no mapping of paths, and an override that sets none."""
        for name, settings in (("when", self.when), ("set", self.set)):
            TABLE.require(name, settings)
            _require_paths(settings)
        if not self.set:
            raise UsageError("an override without `set` changes nothing; write in `set` what its points have instead")

    def applies(self, settings: Settings) -> bool:
        """Whether a point is meant."""
        return all(settings[path] == value for path, value in self.when.items())


OVERRIDE = Kind("an Override", lambda value: isinstance(value, Override))
ZIP = Kind("a mapping, or a list of them", lambda value: TABLE.holds(value) or LIST.holds(value))


def _refuse_equal_values(path: str, values: Sequence[Setting]) -> None:
    """Refuse values that are the same one: their runs are, too."""
    known: dict[Hashable, Setting] = {}
    for value in values:
        key = _compared(value)
        if key in known:
            same = f" as {known[key]}" if repr(value) != repr(known[key]) else ""
            raise UsageError(f"{path}: {value} is given twice{same}; leave one of them out")
        known[key] = value


def _compared(value: Setting) -> Hashable:
    if isinstance(value, str):
        return quantity(value) or value
    if isinstance(value, Mapping):
        return frozenset((key, _compared(inner)) for key, inner in value.items())
    if isinstance(value, Sequence):
        return tuple(map(_compared, value))
    return (type(value), value) if isinstance(value, bool) else value


def _require_paths(settings: Mapping[str, object]) -> None:
    for path in settings:
        TEXT.require("path", path)
        if path == "seed":
            raise UsageError("seed: a sweep runs every point with the same seeds; write `--seeds`, or `seeds = ...`")


@dataclass(frozen=True)
class Grid:
    """Every value of each path in `cross` with every other; those of a group in `zip` go along with each other.

    Several groups are crossed with each other, too.
    """

    cross: Axes = field(default_factory=dict)
    zip: Axes | Sequence[Axes] = field(default_factory=dict)
    overrides: Sequence[Override] = ()
    derive: Mapping[str, str] = field(default_factory=dict)
    option: str = ""
    """What messages call a value in front of its path; empty: the call of `set`."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """What messages call the place where the values of a path were written, instead."""
    may_replace: bool = False
    """Whether a path may replace what one before it sets, as a case of a study changes its grids."""

    def __post_init__(self) -> None:
        """Refuse a grid without points, and what is no grid."""
        for group in self.groups:
            TABLE.require("zip", group)
        for settings in (self.cross, *self.groups, self.derive):
            _require_paths(settings)
        for override in self.overrides:
            OVERRIDE.require("override", override)
        for path, template in self.derive.items():
            TEXT.require(f"derive {path}", template)
        for group in (*self.groups, self.cross):
            for path, values in group.items():
                if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not values:
                    raise UsageError(f"{path}: give a list of values, with at least one in it")
        for path, values in self.cross.items():
            _refuse_equal_values(path, values)
        if (count := self.count) > MOST:
            raise UsageError(f"{count} points; a sweep has at most {MOST}")
        for group in self.groups:
            lengths = {path: len(values) for path, values in group.items()}
            if len(set(lengths.values())) > 1:
                written = ", ".join(f"{path} has {length}" for path, length in lengths.items())
                raise UsageError(f"zipped parameters need equally many values; {written}")
        for override in self.overrides:
            if unknown := sorted(override.when.keys() - self.axes.keys()):
                raise UsageError(f"override when {unknown[0]}: the sweep's parameters are {', '.join(self.axes)}")
            if not any(override.applies(point) for point in self.points()):
                written = ", ".join(f"{path} = {value!r}" for path, value in override.when.items())
                raise UsageError(
                    f"override when {written}: no point has that; write the values as they stand in the grid"
                )

    @property
    def groups(self) -> tuple[Axes, ...]:
        """The groups of paths whose values go along with each other."""
        groups = (self.zip,) if isinstance(self.zip, Mapping) else tuple(self.zip)
        return tuple(group for group in groups if group or not isinstance(group, Mapping))

    @property
    def axes(self) -> dict[str, Sequence[Setting]]:
        """The values of every path that varies."""
        return {path: values for group in (*self.groups, self.cross) for path, values in group.items()}

    @property
    def paths(self) -> set[str]:
        """Every path that is set somewhere."""
        return {*self.axes, *(path for each in self.overrides for path in each.set), *self.derive}

    def origin(self, path: str, word: str) -> str | None:
        """What messages call the place of a value at a path, which its author wrote after `word`."""
        return self.origins.get(path) or (f"{word} {path}" if word else None)

    @property
    def count(self) -> int:
        """How many points there are."""
        along = (len(next(iter(group.values()))) for group in self.groups)
        return math.prod([*along, *(len(values) for values in self.cross.values())])

    def points(self) -> Iterator[dict[str, Setting]]:
        """The values of every point, before anything is overridden; the last crossed path varies fastest."""
        groups = [*self.groups, *({path: values} for path, values in self.cross.items())]
        rows = [[dict(zip(group, row, strict=True)) for row in zip(*group.values(), strict=True)] for group in groups]
        for chosen in product(*rows):
            yield {path: value for part in chosen for path, value in part.items()}
