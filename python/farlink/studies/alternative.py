"""Other values than those of a study's settings: what a correction, a level of a factor or a case sets in its grids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from farlink.errors import UsageError
from farlink.sweeps.grid import Override
from farlink.system import toml_file

MODELS = ("congestion_control", "route_failure")
"""The last keys of the paths to whose values `replace` gives parameters."""

Values = Mapping[str, Any]
Axes = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """What is set otherwise, in the grids that are named, or in all."""

    set: Values = field(default_factory=dict)
    """Values by path; they replace an axis, unless `vary` has values for it, and what a grid derives."""
    derive: Mapping[str, str] = field(default_factory=dict)
    """Templates by path, filled in for every point; see `farlink.sweep`."""
    vary: Axes = field(default_factory=dict)
    """Values of an axis, where a grid has it."""
    replace: Mapping[str, Values] = field(default_factory=dict)
    """Parameters by the name of a congestion control or a reaction to route failures, wherever an axis has it."""
    set_with: Mapping[str, Values] = field(default_factory=dict)
    """Values by path at the points with a congestion control, by its name."""
    reading: Mapping[str, str] = field(default_factory=dict)
    """How the study's module reads the runs."""
    grids: Sequence[str] | None = None

    @property
    def paths(self) -> Collection[str]:
        """What is set, derived or varied."""
        return {*self.set, *self.derive, *self.vary}

    def concerns(self, grid: str) -> bool:
        """Whether a grid is changed."""
        return self.grids is None or grid in self.grids


@dataclass(frozen=True, kw_only=True)
class Correction(Alternative):
    """What the paper, or its simulator, demands of the settings, found after the first full run."""

    point: str
    committed: str
    """What the settings say, in words."""
    corrected: str
    why: str
    """The sentence of the paper, or the place in the simulator's source."""


@dataclass(frozen=True)
class Corrections:
    """What `corrections.toml` says: a dated set, which the committed settings file does not contain."""

    date: str = ""
    items: Sequence[Correction] = field(default=(), metadata={toml_file.KEY: "correction"})
    sha256: str = ""

    @property
    def reading(self) -> Values:
        """How the runs are read."""
        return {key: value for each in self.items for key, value in each.reading.items()}


@dataclass(frozen=True, kw_only=True)
class Case(Alternative):
    """An alternative with a name: an open point another way, or a controlled experiment."""

    name: str
    zip: Axes = field(default_factory=dict)
    seeds: str | Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse what a case does not do."""
        for name, given in (("derive", self.derive), ("set_with", self.set_with), ("reading", self.reading)):
            if given:
                raise UsageError(f"case {self.name}: `{name}` has no effect there; leave it out")


@dataclass(frozen=True, kw_only=True)
class StudyGrid:
    """A grid of a study, over its scenario or one of its own."""

    name: str
    vary: Axes
    zip: Axes = field(default_factory=dict)
    derive: Mapping[str, str] = field(default_factory=dict)
    override: Sequence[Override] = ()
    set: Values = field(default_factory=dict)
    quick: Values = field(default_factory=dict)
    full: Values = field(default_factory=dict)
    scenario: str | None = None
    seeds: str | Mapping[str, str] | None = None
    series: bool = False

    def of_case(self, case: Case) -> StudyGrid:
        """The grid with the values of a case, which may add axes and derives nothing."""
        # What the case sets comes last: a grid may set a whole table, of which the case changes a key.
        vary = {**self.vary, **case.vary, **{path: [value] for path, value in case.set.items()}}
        along = {path: values for path, values in {**self.zip, **case.zip}.items() if path not in vary}
        return replace(self, vary=vary, zip=along, derive={}, override=())

    def changed(self, alternatives: Iterable[Alternative]) -> StudyGrid:
        """The grid with alternatives laid over it one after the other; the last one of a path holds."""
        vary, along, derive = dict(self.vary), dict(self.zip), dict(self.derive)
        parameters: dict[str, dict[str, Any]] = {}
        with_model: dict[str, dict[str, Any]] = {}
        for each in alternatives:
            if not each.concerns(self.name):
                continue
            varied = {path for path in each.vary if path in vary or path in along}
            for path in varied:
                (vary if path in vary else along)[path] = each.vary[path]
            for path, value in each.set.items():
                if path not in varied:
                    _discard(path, vary, along, derive)
                    _put(vary, path, [value])
            for path, template in each.derive.items():
                _discard(path, vary, along, derive)
                derive[path] = template
            for found, given in ((parameters, each.replace), (with_model, each.set_with)):
                for name, values in given.items():
                    found.setdefault(name, {}).update(values)
        for path, value in self.set.items():  # a model that the grid sets once becomes an axis
            if path.endswith(MODELS) and path not in {**vary, **along} and _name(value) in {*parameters, *with_model}:
                vary[path] = [value]
        overrides = list(self.override)
        for axes in (vary, along):
            for path in (each for each in axes if each.endswith(MODELS)):
                axes[path] = [_with_parameters(value, parameters) for value in axes[path]]
                overrides += [
                    Override({path: value}, with_model[_name(value)])
                    for value in axes[path]
                    if _name(value) in with_model
                ]
        return replace(self, vary=vary, zip=along, derive=derive, override=overrides)


def _discard(path: str, *tables: dict[str, Any]) -> None:
    for table in tables:
        table.pop(path, None)


def _put(axes: dict[str, Sequence[Any]], path: str, values: Sequence[Any]) -> None:
    """As the last axis, but before those that give keys of what it sets as a whole."""
    kept = {other: axes.pop(other) for other in list(axes) if other.startswith(f"{path}.")}
    axes.update({path: values, **kept})


def _name(value: Any) -> str:
    """The name of a model, which is given by a name or a table."""
    return str(value["name"] if isinstance(value, Mapping) else value)


def _with_parameters(value: Any, parameters: Mapping[str, Values]) -> Any:
    """A model, given by a name or a table, with its parameters."""
    name = _name(value)
    if name not in parameters:
        return value
    return {**(value if isinstance(value, Mapping) else {"name": value}), **parameters[name]}
