"""A study's settings: one scenario for all, grids over it, and each open point another way.

What goes beyond the paper stands in `beyond.toml`, apart, so that the hash of the settings is that of what the verdicts
rest on.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from farlink.scenario import Scenario, load
from farlink.seeds import parse as parse_seeds
from farlink.sweeps.grid import Grid
from farlink.sweeps.sweep import Sweep

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
    beyond_sha256: str
    """Of `beyond.toml`; empty where a study has none."""
    _folder: Path
    _given: Mapping[str, Any]
    _beyond: Mapping[str, Any]

    def scenario(self) -> Scenario:
        """The scenario of the study."""
        return _set(load(self._given["scenario"]), self._given["set"])

    def grids(self, effort: Effort) -> Iterator[tuple[str, Sweep]]:
        """What the claims are measured on, in the order of the file."""
        for grid in self._given["grid"]:
            yield grid["name"], _sweep(grid, self.scenario(), self._given["seeds"][effort])

    def beyond(self) -> Iterator[tuple[str, Sweep]]:
        """What the paper did not ask."""
        for grid in self._beyond.get("grid", ()):
            own = grid.get("scenario")
            yield grid["name"], _sweep(grid, load(self._folder / own) if own else self.scenario(), grid["seeds"])

    def sensitivity(self, effort: Effort) -> Iterator[tuple[str, Sweep]]:
        """Each open point another way, over all error rates and the variants it concerns."""
        given = self._given["sensitivity"]
        seeds = tuple(parse_seeds(given["seeds"][effort]))
        for case in given["case"]:
            replaced = case.get("replace")
            variants = list(replaced.values()) if replaced else given["variants"]
            grid = Grid(cross={RATE: given["rates"], VARIANT: variants})
            yield case["name"], Sweep(_set(self.scenario(), case.get("set", {})), grid, seeds, series=True)


def read(path: Path) -> Settings:
    """Read a study's settings; their hash is that of the file."""
    data = path.read_bytes()
    given = tomllib.loads(data.decode())
    more = path.with_name("beyond.toml")
    extra = more.read_bytes() if more.exists() else b""
    return Settings(
        title=given["title"],
        paper=given["paper"],
        sha256=hashlib.sha256(data).hexdigest(),
        choices=given["choice"],
        beyond_sha256=hashlib.sha256(extra).hexdigest() if extra else "",
        _folder=path.parent,
        _given=given,
        _beyond=tomllib.loads(extra.decode()),
    )


def _sweep(grid: Mapping[str, Any], scenario: Scenario, seeds: str) -> Sweep:
    made = Grid(cross=grid["vary"], zip=grid.get("zip", {}), derive=grid.get("derive", {}))
    runs = tuple(parse_seeds(grid.get("seeds", seeds)))
    return Sweep(_set(scenario, grid.get("set", {})), made, runs, grid.get("series", False))


def _set(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    for path, value in values.items():
        scenario = scenario.set(path, value)
    return scenario
