"""A study's settings: one scenario for all, grids over it, and each open point another way.

Experiments stand in `experiments.toml`, apart, so that the hash of the settings is that of what the verdicts rest on:
additional ones, which the paper does not have, and controlled ones, each of which switches off or forces one cause of
what is missed. Where the program's defaults changed since the settings were fixed, `since.toml` has what they were:
`set` for all scenarios, before the settings' own values, and each `override` for the points that have certain values.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from farlink.runs.scenario import Scenario, load
from farlink.runs.seeds import parse_seeds
from farlink.studies.change import Axes, Change
from farlink.sweeps.grid import Grid, Override
from farlink.sweeps.sweep import Sweep
from farlink.system.files import read_bytes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Effort: TypeAlias = Literal["quick", "full"]

RATE = "links.0.error.rate"
VARIANT = "flows.0.tcp.congestion_control"


@dataclass(frozen=True)
class Settings:
    """What `settings.toml` says."""

    title: str
    paper: str
    sha256: str
    choices: Sequence[Mapping[str, str]]
    experiments_sha256: str
    """Of `experiments.toml`; empty where a study has none."""
    _folder: Path
    _given: Mapping[str, Any]
    _experiments: Mapping[str, Any]
    _old_defaults: Mapping[str, Any]
    _since: Sequence[Override]

    def scenario(self, effort: Effort = "full", own: str | None = None) -> Scenario:
        """The scenario of the study, or a grid's own; what takes less effort may set more."""
        name = own or self._given["scenario"]
        given = _set_values(self._load(self._folder / name if name.endswith(".toml") else name), self._given["set"])
        for each in self._since:
            if all(self._given["set"].get(path) == value for path, value in each.when.items()):
                given = _set_values(given, each.set)
        return _set_values(given, self._given.get(effort, {}).get("set", {}))

    def _load(self, name_or_path: str | Path) -> Scenario:
        """A scenario with the old defaults of all, over which the settings set theirs."""
        return _set_values(load(name_or_path), self._old_defaults)

    def grids(self, effort: Effort) -> Iterator[tuple[str, Sweep]]:
        """What the claims are measured on, in the order of the file."""
        for grid in self._given["grid"]:
            seeds = self._seeds(grid, effort)
            yield grid["name"], self._make_sweep(grid | {"seeds": seeds}, self._base_scenario(grid, effort))

    def _seeds(self, grid: Mapping[str, Any], effort: Effort) -> str:
        """Those of a grid; where nothing is random they are the same whatever the effort."""
        seeds = grid.get("seeds", self._given["seeds"])
        return seeds if isinstance(seeds, str) else seeds[effort]

    def _base_scenario(self, grid: Mapping[str, Any], effort: Effort) -> Scenario:
        """What a grid is laid over."""
        return _set_values(self.scenario(effort, grid.get("scenario")), grid.get("set", {}) | grid.get(effort, {}))

    def corrected(self, corrections: Sequence[Change]) -> Iterator[tuple[str, Sweep]]:
        """The grids of the claims with corrections laid over them, and the runs of the lesser effort."""
        for grid in self._given["grid"]:
            base = self._base_scenario(grid, "quick")
            yield grid["name"], self._changed(grid, corrections, base, self._seeds(grid, "quick"))

    @property
    def grid_names(self) -> list[str]:
        """The grids of the claims, in the order of the file."""
        return [grid["name"] for grid in self._given["grid"]]

    def changed(self, changes: Sequence[Change], seeds: str | None) -> Iterator[tuple[str, Sweep]]:
        """The grids of the claims with changes laid over them one after the other.

        Without seeds each grid has those of the greatest effort; one in which nothing is random keeps its own seed.
        """
        for grid in self._given["grid"]:
            chosen = seeds if seeds and not isinstance(grid.get("seeds"), str) else self._seeds(grid, "full")
            yield grid["name"], self._changed(grid, changes, self._base_scenario(grid, "full"), chosen)

    def _changed(self, grid: Mapping[str, Any], changes: Sequence[Change], base: Scenario, seeds: str) -> Sweep:
        axes = Axes.changed(grid, changes)
        kept = {"series": grid.get("series", False), "seeds": seeds}
        changed = {path for each in changes if each.concerns(grid["name"]) for path in each.paths}
        return self._make_sweep({**vars(axes), **kept}, base, changed)

    def additional(self) -> Iterator[tuple[str, Sweep]]:
        """Additional experiments, which the paper does not have."""
        for grid in self._experiments.get("grid", ()):
            own = grid.get("scenario")
            base = self._load(self._folder / own) if own else self.scenario()
            yield grid["name"], self._make_sweep(grid, _set_values(base, grid.get("set", {})))

    def sensitivity_cases(self, effort: Effort) -> Iterator[tuple[str, str]]:
        """Each open point another way: a case, and each grid that is run for it; none where the effort is too small."""
        for case, grid in self._sensitivity_cases(effort):
            yield case["name"], grid["name"]

    def sensitivity(self, effort: Effort) -> Iterator[tuple[str, Sweep]]:
        """The runs of `sensitivity_cases`; a case of several grids is distinguished by `part`."""
        for case, grid in self._sensitivity_cases(effort):
            seeds = case.get("seeds", self._given["sensitivity"]["seeds"])[effort]
            yield part_name(case["name"], grid["name"]), self._changed_sweep(case, grid, effort, seeds)

    def controlled_cases(self) -> Iterator[tuple[str, str]]:
        """Each controlled experiment on a cause, and each grid of the claims that is run for it."""
        for case, grid in self._controlled_cases():
            yield case["name"], grid["name"]

    def controlled(self) -> Iterator[tuple[str, Sweep]]:
        """The runs of `controlled_cases`, which are those of the lesser effort whatever is asked for."""
        for case, grid in self._controlled_cases():
            yield part_name(case["name"], grid["name"]), self._changed_sweep(case, grid, "quick", case["seeds"])

    def _controlled_cases(self) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        for case in self._experiments.get("case", ()):
            for grid in self._given["grid"]:
                if grid["name"] in case["grids"]:
                    yield case, grid

    def _changed_sweep(self, case: Mapping[str, Any], grid: Mapping[str, Any], effort: Effort, seeds: str) -> Sweep:
        # What the case sets comes last: a grid may set a whole table, of which the case changes a key.
        vary = {**grid["vary"], **case.get("vary", {}), **_single_values(case.get("set", {}))}
        along = {**grid.get("zip", {}), **case.get("zip", {})}
        along = {path: values for path, values in along.items() if path not in vary}
        own = {"vary": vary, "zip": along, "series": grid.get("series", False), "seeds": seeds}
        return self._make_sweep(own, self._base_scenario(grid, effort))

    def _make_sweep(self, grid: Mapping[str, Any], scenario: Scenario, changed: Set[str] = frozenset()) -> Sweep:
        """Make the runs of a grid; old defaults are those of what the settings set, not of what is changed."""
        axes = {**grid["vary"], **grid.get("zip", {})}
        kept = [
            each
            for each in self._since
            if all(value in axes.get(path, ()) for path, value in each.when.items())
            and not changed & {*each.when, *each.set}
        ]
        overrides = [*kept, *grid.get("overrides", ())]
        made = Grid(grid["vary"], grid.get("zip", {}), overrides, grid.get("derive", {}), may_replace=True)
        return Sweep(scenario, made, tuple(parse_seeds(grid["seeds"])), grid.get("series", False))

    def _sensitivity_cases(self, effort: Effort) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        given = self._given["sensitivity"]
        for case in given["case"]:
            if effort in case.get("seeds", given["seeds"]):
                # Without grids of their own, open points are tried on those of the claims that the case names.
                own = self._given["grid"] if "grids" in case else [_over_rates(given, case)]
                for grid in given.get("grid", own):
                    if grid["name"] in case.get("grids", [grid["name"]]):
                        yield case, grid


def part_name(case: str, grid: str) -> str:
    """The name of the runs of a grid that are made for a case."""
    return f"{case}: {grid}" if grid else case


def read(path: Path) -> Settings:
    """Read a study's settings; their hash is that of the file. What is no regular file is a `UsageError`."""
    data = read_bytes(path)
    given = tomllib.loads(data.decode())
    experiments, since = (_if_any(path.with_name(name)) for name in ("experiments.toml", "since.toml"))
    old = tomllib.loads(since.decode())
    return Settings(
        title=given["title"],
        paper=given["paper"],
        sha256=hashlib.sha256(data).hexdigest(),
        choices=given["choice"],
        experiments_sha256=hashlib.sha256(experiments).hexdigest() if experiments else "",
        _folder=path.parent,
        _given=given,
        _experiments=tomllib.loads(experiments.decode()),
        _old_defaults=old.get("set", {}),
        _since=[Override(**each) for each in old.get("override", ())],
    )


def _if_any(path: Path) -> bytes:
    """What is in a file; nothing where there is none."""
    try:
        return read_bytes(path)
    except FileNotFoundError:
        return b""


def _over_rates(given: Mapping[str, Any], case: Mapping[str, Any]) -> Mapping[str, Any]:
    """The only grid of a study of one link: all error rates, and the variants that a case concerns."""
    if "rates" not in given:
        return {"name": "", "vary": {}}
    variants = list(case["replace"].values()) if "replace" in case else given["variants"]
    return {"name": "", "series": True, "vary": {RATE: given["rates"], VARIANT: variants}}


def _single_values(values: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Each path with a list of its only value."""
    return {path: [value] for path, value in values.items()}


def _set_values(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    for path, value in values.items():
        scenario = scenario.set(path, value)
    return scenario
