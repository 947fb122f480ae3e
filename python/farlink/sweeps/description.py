"""A sweep written as a TOML file.

scenario = "satellite"                 # a built-in scenario's name, or a file beside this one
seeds = "1..20"

[set]                                  # at every point
duration = "60 s"

[cross]                                # each with each
"links.0.error.rate" = [0, 1e-8, 1e-7]
"flows.0.tcp.congestion_control" = ["hybla", "westwood"]

[zip]                                  # along with each other; several groups as [[zip]]
"links.0.rate" = ["10 Mbit/s", "100 Mbit/s"]
"links.0.delay" = ["50 ms", "300 ms"]

[until]                                # more seeds, point by point, until the mean is known this well
measure = "goodput_bps"
half_width = "5 %"
seeds_at_most = 100

[[override]]                           # at the points that have these values
when = { "links.0.error.rate" = 1e-7 }
set = { duration = "600 s" }

[derive]                               # computed from the rest
"links.0.queue.limit" = "{links.0.rate * links.0.delay / 12000:.0f} packets"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from farlink.errors import UsageError
from farlink.printable import printable
from farlink.runs.change import Change
from farlink.runs.kind import is_scenario
from farlink.runs.scenario import load
from farlink.runs.seeds import parse_seeds
from farlink.sweeps.grid import Grid, Override
from farlink.sweeps.sweep import Sweep
from farlink.sweeps.until import Until
from farlink.system import toml_file
from farlink.system.files import read_text
from farlink.system.toml_file import WRITE

SEEDS = 10
"""Of a sweep that does not say how many."""


@dataclass(frozen=True)
class Description:
    """What the file says."""

    scenario: str = field(metadata={WRITE: 'a name such as "satellite", or that of a file'})
    seeds: str | int = field(default=SEEDS, metadata={WRITE: 'a text such as "1..20", or how many'})
    set: Mapping[str, Any] = field(default_factory=dict)
    cross: Mapping[str, Any] = field(default_factory=dict)
    zip: Mapping[str, Any] | Sequence[Mapping[str, Any]] = field(default_factory=dict)
    override: Sequence[Override] = ()
    derive: Mapping[str, str] = field(default_factory=dict)
    series: bool = False
    until: Until | None = None

    def sweep(self, folder: Path, origins: Mapping[str, str]) -> Sweep:
        """Make the sweep; a scenario's file is in `folder`, and messages call the places of paths `origins`."""
        scenario = load(folder / self.scenario if self.scenario.endswith(".toml") else self.scenario)
        changes = [Change.of(path, value, origins.get(path)) for path, value in self.set.items()]
        grid = Grid(self.cross, self.zip, self.override, self.derive, origins=origins)
        made = Sweep(scenario.changed(*changes), grid, tuple(parse_seeds(str(self.seeds))), self.series, self.until)
        made.overlay.refuse_replaced("set", changes)
        return made


def read(path: Path) -> Sweep:
    """Read the file; raises `UsageError` for the first thing that is wrong."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; `farlink sweep --help` shows a file of a sweep") from None
    tables = toml_file.parse_tables(str(path), text)
    if is_scenario(tables):
        raise UsageError(
            f"{path}: a scenario, not a sweep; `farlink run` runs it, and `farlink sweep` with --vary PATH=a,b,c "
            "compares values"
        )
    described = toml_file.convert(tables, Description, str(path))
    try:
        return described.sweep(path.parent, _origins(path, text, described))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _origins(path: Path, text: str, described: Description) -> dict[str, str]:
    """The place of every path in the file: its line, unless several tables have it."""
    groups = [described.zip] if isinstance(described.zip, Mapping) else described.zip
    given = (described.set, described.cross, *groups, *(each.set for each in described.override), described.derive)
    paths = [path for table in given for path in table]
    lines = {each: toml_file.line_of(text, each) if paths.count(each) == 1 else None for each in paths}
    return {each: printable(f"{path}:{line}" if line else f"{path}, {each}") for each, line in lines.items()}
