"""A grid over a scenario: every value becomes a change once, and every point the scenario with its changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from farlink.errors import UsageError
from farlink.runs import paths
from farlink.runs.change import Change
from farlink.runs.scenario import Scenario
from farlink.sweeps import formula, overlaps
from farlink.sweeps.grid import Grid, Setting, Settings, points

OVERRIDE = "override"
"""What messages call a setting of one."""


class Laid(NamedTuple):
    """A value as it is written, and the change that it makes."""

    value: Setting
    change: Change


@dataclass(frozen=True)
class Overlay:
    """A grid over a scenario; its paths have numbers in place of labels. Raises `ScenarioError` for unknown labels."""

    base: Scenario
    grid: Grid

    def __post_init__(self) -> None:
        """Refuse two changes of which the later replaces the earlier at every point."""
        if not self.grid.may_replace:
            overlaps.refuse(self._given())
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
        crossed = [{path: values} for path, values in self.grid.cross.items()]
        groups = [
            {self._number[path]: [self._laid(path, value) for value in values] for path, values in group.items()}
            for group in (*self.grid.groups, *crossed)
        ]
        overrides = [
            (
                {self._number[path]: value for path, value in each.when.items()},
                {self._number[path]: self._laid(path, value) for path, value in each.set.items()},
            )
            for each in self.grid.overrides
        ]
        varying = [path for path, values in self.axes.items() if len(values) > 1]
        for point in points(groups):
            laid = dict(point)
            for when, values in overrides:
                if all(point[path].value == value for path, value in when.items()):
                    laid.update(values)
            scenario = self.base.changed(*(each.change for each in laid.values()))
            for path, template in self.grid.derive.items():
                derived = formula.fill_template(template, scenario)
                scenario = scenario.changed(Change(self._number[path], derived, self.grid.origin(path, "derive")))
            yield scenario, {path: laid[path].value for path in varying}

    def _laid(self, path: str, value: Setting) -> Laid:
        return Laid(value, Change.of(self._number[path], value, self.grid.origin(path, self.grid.option)))

    @cached_property
    def _number(self) -> Mapping[str, str]:
        """The paths with numbers in place of the labels of the scenario's items."""
        return {path: self.base.resolve(path) for path in self.grid.paths}

    def _given(self) -> list[overlaps.Given]:
        """What is set at a point, in that order."""
        grid = self.grid
        groups: list[tuple[str, Mapping[str, Sequence[Setting]]]] = [
            *((grid.option, group) for group in (*grid.groups, grid.cross)),
            *((OVERRIDE, {path: [value] for path, value in each.set.items()}) for each in grid.overrides),
            ("derive", dict.fromkeys(grid.derive, ())),
        ]
        return [
            overlaps.Given(f"{word} {path}".strip(), self._number[path], values, number, word == OVERRIDE)
            for number, (word, group) in enumerate(groups)
            for path, values in group.items()
        ]
