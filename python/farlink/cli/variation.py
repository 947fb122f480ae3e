"""A sweep that is written on the command line: a scenario, and the values of some parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from farlink._farlink import ScenarioError, built_in
from farlink.cli.options import Changes, loaded
from farlink.errors import UsageError
from farlink.runs import libraries
from farlink.runs.scenario import Scenario
from farlink.runs.seeds import chosen_seeds
from farlink.sweeps import description
from farlink.sweeps.grid import Grid
from farlink.sweeps.sweep import Sweep
from farlink.tables.parameters import written_values

EXAMPLE = "--vary flows.0.tcp.congestion_control=cubic,hybla"


def read(name: str, variations: Mapping[str, str], settings: Changes, seeds: list[int] | None) -> Sweep:
    """Read a sweep file, or make the sweep of a scenario over the values of `--vary`."""
    if variations:
        return _vary(name, variations, settings, seeds)
    if name in {each for each, _, _ in built_in()} or (not Path(name).exists() and libraries.path_of(name)):
        raise UsageError(f"{name}: a scenario; give what to compare, such as {EXAMPLE}")
    made = description.read(Path(name))
    if settings:
        made = replace(made, scenario=made.scenario.changed(*settings))
        made.overlay.refuse_replaced("--set", settings)
    return replace(made, seeds=tuple(seeds)) if seeds else made


def default_folder(name: str, made: Sweep) -> Path:
    """Where the store is without `--out`: beside a file, or in `results`."""
    return folder_beside(name) or Path("results") / f"sweep-{made.scenario.validated.name}"


def folder_beside(name: str) -> Path | None:
    """Where the store of a file is."""
    path = Path(name)
    return path.with_suffix(".results") if path.is_file() else None


def _refuse_unknown_keys(base: Scenario, cross: Mapping[str, Sequence[Any]]) -> None:
    """Refuse unknown keys, naming the option; the engine names the place in a value."""
    for path, values in cross.items():
        try:
            base.set(path, values[0])
        except ScenarioError as error:
            raise UsageError(f"--vary {path}: {error.message}; {error.remedy}") from None


def _vary(name: str, variations: Mapping[str, str], settings: Changes, seeds: list[int] | None) -> Sweep:
    base = loaded(name, settings, remedy="add the values to its table [cross]")
    cross = {path: written_values(text) for path, text in variations.items()}
    for path, values in cross.items():
        if "" in values:
            raise UsageError(f"--vary {path}={variations[path]}: a value is empty; write PATH=a,b,c")
    _ = base.validated  # an error of the scenario itself is not one of --vary
    _refuse_unknown_keys(base, cross)
    grid = Grid(cross, option="--vary")
    made = Sweep(base, grid, tuple(seeds) if seeds else chosen_seeds(description.SEEDS))
    made.overlay.refuse_replaced("--set", settings)
    return made
