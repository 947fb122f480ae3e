"""A grid over a scenario: every point is the scenario with its changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from farlink.errors import UsageError
from farlink.runs import paths
from farlink.runs.change import Change
from farlink.runs.scenario import Scenario
from farlink.sweeps import formula
from farlink.sweeps.grid import Grid, Setting, Settings

OVERRIDE = "override"
"""What messages call a setting of one."""


@dataclass(frozen=True)
class Given:
    """Values that a sweep sets at a path; `name` is how its author wrote that, `path` has numbers instead of labels."""

    name: str
    path: str
    values: Sequence[Any]
    group: int
    """Of those that are set together: a group of `zip`, `cross`, an override, `derive`."""
    is_override: bool = False


@dataclass(frozen=True)
class Overlay:
    """A grid over a scenario; its paths have numbers in place of labels. Raises `ScenarioError` for unknown labels."""

    base: Scenario
    grid: Grid

    def __post_init__(self) -> None:
        """Refuse two changes of which the later replaces the earlier at every point."""
        if not self.grid.may_replace:
            refuse_overlaps(self._given())
        seen = set()
        for path in (path for group in (*self.grid.groups, self.grid.cross) for path in group):
            if self._number[path] in seen:
                raise UsageError(f"{path}: given twice; leave one of them out")
            seen.add(self._number[path])

    def refuse_replaced(self, what: str, changes: Sequence[Change]) -> None:
        """Refuse changes in the base that every point replaces; messages call them `what`."""
        for path, _, _ in changes:
            for other in (*self.grid.axes, *self.grid.derive):
                if paths.replaces(self._number[other], self.base.resolve(path)):
                    verb = "derives" if other in self.grid.derive else "varies"
                    raise UsageError(
                        f"{what} {path}: the sweep {verb} {other}, which replaces it; leave one of them out"
                    )

    @cached_property
    def axes(self) -> dict[str, Sequence[Setting]]:
        """The values of every path that varies."""
        return {self._number[path]: values for path, values in self.grid.axes.items()}

    def scenarios(self) -> Iterator[tuple[Scenario, Settings]]:
        """The scenario of every point, not yet checked, and the values there of what varies."""
        points = list(self._points())
        varying = [path for path, values in self.axes.items() if len(values) > 1]
        settings = [laid for _, laid in points]
        more = dict.fromkeys(path for laid in settings for path in laid if path not in varying)
        varying += [path for path in more if any(laid.get(path) != settings[0].get(path) for laid in settings)]
        for scenario, laid in points:
            yield scenario, {path: laid[path] for path in varying if path in laid}

    def _points(self) -> Iterator[tuple[Scenario, Settings]]:
        """The scenario of every point with all that is set there."""
        for point in self.grid.points():
            overrides = [each.set for each in self.grid.overrides if each.applies(point)]
            laid = {self._number[path]: (path, value) for each in (point, *overrides) for path, value in each.items()}
            scenario = self.base.changed(
                *(
                    Change.of(number, value, self.grid.origin(path, self.grid.option))
                    for number, (path, value) in laid.items()
                )
            )
            for path, template in self.grid.derive.items():
                derived = formula.fill_template(template, scenario)
                scenario = scenario.changed(Change(self._number[path], derived, self.grid.origin(path, "derive")))
                laid[self._number[path]] = (path, derived)
            yield scenario, {path: value for path, (_, value) in laid.items()}

    @cached_property
    def _number(self) -> Mapping[str, str]:
        """The paths with numbers in place of the labels of the scenario's items."""
        return {path: self.base.resolve(path) for path in self.grid.paths}

    def _given(self) -> list[Given]:
        """What is set at a point, in that order."""
        grid = self.grid
        groups: list[tuple[str, Mapping[str, Sequence[Setting]]]] = [
            *((grid.option, group) for group in (*grid.groups, grid.cross)),
            *((OVERRIDE, {path: [value] for path, value in each.set.items()}) for each in grid.overrides),
            ("derive", dict.fromkeys(grid.derive, ())),
        ]
        return [
            Given(f"{word} {path}".strip(), self._number[path], values, number, word == OVERRIDE)
            for number, (word, group) in enumerate(groups)
            for path, values in group.items()
        ]


def refuse_overlaps(given: Sequence[Given]) -> None:
    """Refuse the first two of these, in the order in which they are set, of which one replaces the other.

    A key may follow the table that it is in, unless a value of the table has the key, too: first the queue, then its
    limit. An override replaces the value of the same path, or of another override.
    """
    for place, later in enumerate(given):
        for earlier in given[:place]:
            is_meant = later.is_override and (earlier.is_override or earlier.path == later.path)
            if not is_meant and paths.overlap(earlier.path, later.path) and not _follows(earlier, later):
                reason = "both set the same value, and the second replaces the first; leave one of them out"
                if earlier.group == later.group and _follows(later, earlier):
                    reason = f"{later.path} replaces the table that {earlier.path} is in; write {later.name} first"
                raise UsageError(f"{earlier.name} and {later.name}: {reason}")


def _follows(table: Given, key: Given) -> bool:
    """Whether this is a key in a table none of whose values has it."""
    rest = key.path.split(".")[len(table.path.split(".")) :]
    return bool(rest) and not any(_has(value, rest) for value in table.values)


def _has(value: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]
    return True
