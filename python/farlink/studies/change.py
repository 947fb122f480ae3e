"""A change of a study's settings: what a correction, or a level of a factor, sets in the scenarios of its grids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from farlink.sweeps.grid import Override

REPLACED = ("congestion_control", "route_failure")
"""The last keys of the paths whose values `replace` gives parameters."""


@dataclass(frozen=True)
class Change:
    """What is set otherwise, in the grids that are named, or in all."""

    set: Mapping[str, Any] = field(default_factory=dict)
    """Values by path; they replace an axis, unless `vary` has values for it, and what a grid derives."""
    derive: Mapping[str, str] = field(default_factory=dict)
    """Templates by path, filled in for every point; see `farlink.sweep`."""
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Values of an axis, where a grid has it."""
    replace: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters by the name of a congestion control or a reaction to route failures, wherever an axis has it."""
    set_with: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Values by path at the points with a congestion control, by its name."""
    reading: Mapping[str, str] = field(default_factory=dict)
    """How the study's module reads the runs."""
    grids: Sequence[str] | None = None

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Change:
        """Take what is a change out of a table of a file."""
        return cls(**{name: table[name] for name in CHANGED if name in table})

    @property
    def paths(self) -> Collection[str]:
        """What is set, derived or varied."""
        return {*self.set, *self.derive, *self.vary}

    def concerns(self, grid: str) -> bool:
        """Whether a grid is changed."""
        return self.grids is None or grid in self.grids


CHANGED = tuple(each.name for each in fields(Change))
"""The keys of a change in a file."""


@dataclass
class Axes:
    """The axes of a grid, changed one after the other; the last change of a path holds."""

    vary: dict[str, Sequence[Any]]
    zip: dict[str, Sequence[Any]]
    derive: dict[str, str]
    overrides: list[Override] = field(default_factory=list)

    @classmethod
    def changed(cls, grid: Mapping[str, Any], changes: Iterable[Change]) -> Axes:
        """Lay changes over a grid of the settings."""
        axes = cls(
            dict(grid["vary"]), dict(grid.get("zip", {})), dict(grid.get("derive", {})), list(grid.get("overrides", ()))
        )
        parameters: dict[str, dict[str, Any]] = {}
        with_control: dict[str, dict[str, Any]] = {}
        for change in changes:
            if change.concerns(grid["name"]):
                axes._change(change)
                for name, values in change.replace.items():
                    parameters.setdefault(name, {}).update(values)
                for name, values in change.set_with.items():
                    with_control.setdefault(name, {}).update(values)
        axes._take_controls(grid.get("set", {}), {*parameters, *with_control})
        axes._give_parameters(parameters)
        axes._override(with_control)
        return axes

    def _change(self, change: Change) -> None:
        for path, values in change.vary.items():
            for axes in (self.vary, self.zip):
                if path in axes:
                    axes[path] = values
        for path, value in change.set.items():
            if path not in change.vary or path not in {**self.vary, **self.zip}:
                self._remove(path)
                self._put(path, [value])
        for path, template in change.derive.items():
            self._remove(path)
            self.derive[path] = template

    def _put(self, path: str, values: Sequence[Any]) -> None:
        """As the last axis, but before those that give keys of what it sets as a whole."""
        keys = [other for other in self.vary if other.startswith(f"{path}.")]
        kept = {other: self.vary.pop(other) for other in keys}
        self.vary.update({path: values, **kept})

    def _remove(self, path: str) -> None:
        for axes in (self.vary, self.zip, self.derive):
            axes.pop(path, None)

    def _take_controls(self, values: Mapping[str, Any], names: Collection[str]) -> None:
        """A congestion control that the grid sets once, and a change names, becomes an axis."""
        for path, value in values.items():
            if path.endswith(REPLACED) and path not in {**self.vary, **self.zip} and _name(value) in names:
                self.vary[path] = [value]

    def _override(self, with_control: Mapping[str, Mapping[str, Any]]) -> None:
        for path, values in {**self.vary, **self.zip}.items():
            if path.endswith(REPLACED):
                for value in values:
                    if found := with_control.get(_name(value)):
                        self.overrides.append(Override({path: value}, found))

    def _give_parameters(self, parameters: Mapping[str, Mapping[str, Any]]) -> None:
        for axes in (self.vary, self.zip):
            for path, values in axes.items():
                if path.endswith(REPLACED):
                    axes[path] = [_with_parameters(value, parameters) for value in values]


def _name(value: Any) -> str:
    """The name of a model, which is given by a name or a table."""
    return str(value["name"] if isinstance(value, Mapping) else value)


def _with_parameters(value: Any, parameters: Mapping[str, Mapping[str, Any]]) -> Any:
    """A model, given by a name or a table, with its parameters."""
    name = _name(value)
    if name not in parameters:
        return value
    table = value if isinstance(value, Mapping) else {"name": value}
    return {**table, **parameters[name]}
