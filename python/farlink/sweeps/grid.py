"""The points of a sweep: parameters crossed, zipped, overridden and derived."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from farlink._farlink import quantity
from farlink.arguments import LIST, TABLE, TEXT, Kind
from farlink.errors import UsageError
from farlink.execution.congestion import Factory
from farlink.runs.paths import replaces
from farlink.runs.scenario import Scenario
from farlink.runs.toml_text import Value
from farlink.sweeps import formula, overlaps

Setting: TypeAlias = "Value | Factory"
Settings: TypeAlias = "Mapping[str, Setting]"
Axes: TypeAlias = "Mapping[str, Sequence[Setting]]"
OVERRIDES = "override"
"""What messages call a setting of one."""
MOST = 100_000
"""Points of a sweep: each is a validated scenario in memory."""


@dataclass(frozen=True)
class Override:
    """Settings for the points that have the values of `when`."""

    when: Settings
    set: Settings

    def __post_init__(self) -> None:
        """Refuse what is no mapping of paths."""
        for name, settings in (("when", self.when), ("set", self.set)):
            TABLE.require(name, settings)
            _require_paths(settings)

    def applies(self, settings: Settings) -> bool:
        """Whether a point is meant."""
        return all(settings[path] == value for path, value in self.when.items())


OVERRIDE = Kind("an Override", lambda value: isinstance(value, Override))
ZIP = Kind("a mapping, or a list of them", lambda value: TABLE.holds(value) or LIST.holds(value))


def _refuse_equal_values(path: str, values: Sequence[Setting]) -> None:
    """Refuse values that are the same one: their runs are, too."""
    for place, value in enumerate(values):
        for other in values[:place]:
            if _compared(value) == _compared(other):
                same = f" as {other}" if repr(value) != repr(other) else ""
                raise UsageError(f"{path}: {value} is given twice{same}; leave one of them out")


def _compared(value: Setting) -> object:
    if isinstance(value, str):
        return quantity(value) or value
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
    may_replace: bool = False
    """Whether a path may replace what one before it sets, as a case of a study changes its grids."""

    def __post_init__(self) -> None:
        """Refuse a grid without points, or with two opinions on one path."""
        for group in self.groups:
            TABLE.require("zip", group)
        for settings in (self.cross, *self.groups, self.derive):
            _require_paths(settings)
        for override in self.overrides:
            OVERRIDE.require("override", override)
        for path, template in self.derive.items():
            TEXT.require(f"derive {path}", template)
        axes = self.axes
        for path, values in axes.items():
            if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not values:
                raise UsageError(f"{path}: give a list of values, with at least one in it")
            if path in self.cross:
                _refuse_equal_values(path, values)
        if (count := self.count) > MOST:
            raise UsageError(f"{count} points; a sweep has at most {MOST}")
        for group in self.groups:
            lengths = {path: len(values) for path, values in group.items()}
            if len(set(lengths.values())) > 1:
                written = ", ".join(f"{path} has {length}" for path, length in lengths.items())
                raise UsageError(f"zipped parameters need equally many values; {written}")
        given = Counter(path for settings in (self.cross, *self.groups, self.derive) for path in settings)
        if twice := sorted(path for path, count in given.items() if count > 1):
            raise UsageError(f"{twice[0]} is given twice")
        for override in self.overrides:
            if unknown := sorted(override.when.keys() - axes.keys()):
                raise UsageError(f"override when {unknown[0]}: the sweep's parameters are {', '.join(axes)}")
            if not any(override.applies(settings) for settings in self._settings_of_points()):
                written = ", ".join(f"{path} = {value!r}" for path, value in override.when.items())
                raise UsageError(
                    f"override when {written}: no point has that; write the values as they stand in the grid"
                )

    def refuse_replaced(self, base: Scenario, what: str, paths: Iterable[str]) -> None:
        """Refuse values that were set over `base` and that every point replaces; messages call them `what`."""
        later = [*self.axes, *self.derive]
        for path in paths:
            for other in later:
                if replaces(base.resolve(other), base.resolve(path)):
                    verb = "derives" if other in self.derive else "varies"
                    raise UsageError(
                        f"{what} {path}: the sweep {verb} {other}, which replaces it; leave one of them out"
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
    def count(self) -> int:
        """How many points there are."""
        along = (len(next(iter(group.values()))) for group in self.groups)
        return math.prod([*along, *(len(values) for values in self.cross.values())])

    def points(self) -> Iterator[Settings]:
        """The settings of every point, the last crossed path varying fastest."""
        for settings in self._settings_of_points():
            overrides = [override.set for override in self.overrides if override.applies(settings)]
            yield {path: value for part in (settings, *overrides) for path, value in part.items()}

    def _settings_of_points(self) -> Iterator[Settings]:
        """Those of every point before anything is overridden."""
        places = [range(len(next(iter(group.values())))) for group in self.groups]
        for chosen in product(*places):
            along = {
                path: values[place]
                for group, place in zip(self.groups, chosen, strict=True)
                for path, values in group.items()
            }
            for values in product(*self.cross.values()):
                yield {**along, **dict(zip(self.cross, values, strict=True))}

    def at(self, base: Scenario) -> Grid:
        """Give the grid with numbers in place of the labels of the scenario's items.

        Raises `ScenarioError` for an unknown label, and `UsageError` where two paths set the same value.
        """

        def resolved(settings: Mapping[str, Any]) -> dict[str, Any]:
            made: dict[str, Any] = {}
            for path, value in settings.items():
                if (number := base.resolve(path)) in made:
                    raise UsageError(f"{path} is {number}, which is given twice")
                made[number] = value
            return made

        if not self.may_replace:
            overlaps.refuse(self._given(base))
        overrides = [Override(resolved(each.when), resolved(each.set)) for each in self.overrides]
        groups = [resolved(group) for group in self.groups]
        return Grid(resolved(self.cross), groups, overrides, resolved(self.derive), self.option)

    def _given(self, base: Scenario) -> list[overlaps.Given]:
        """What is set at a point, in that order."""
        groups: list[tuple[str, Mapping[str, Any]]] = [
            *((self.option, group) for group in (*self.groups, self.cross)),
            *((OVERRIDES, {path: [value] for path, value in each.set.items()}) for each in self.overrides),
            ("derive", dict.fromkeys(self.derive, ())),
        ]
        return [
            overlaps.Given(f"{word} {path}".strip(), base.resolve(path), values, number, is_override=word == OVERRIDES)
            for number, (word, group) in enumerate(groups)
            for path, values in group.items()
        ]

    def scenarios(self, base: Scenario) -> Iterator[tuple[Scenario, Settings]]:
        """The scenario of every point, and the values there of what varies.

        Raises `ScenarioError` for the first that is refused.
        """
        for settings in self.points():
            scenario = base
            for path, value in settings.items():
                call = f"{self.option} {path}" if self.option else None
                scenario = scenario.set_for(call, path, value)
            for path, template in self.derive.items():
                scenario = scenario.set_text(path, formula.fill_template(template, scenario))
            yield scenario, {path: settings[path] for path, values in self.axes.items() if len(values) > 1}
