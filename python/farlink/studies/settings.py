"""A study's settings: one scenario for all, grids over it, and each open point another way.

Experiments stand in `experiments.toml`, apart, so that the hash of the settings is that of what the verdicts rest on:
additional ones, which the paper does not have, and controlled ones, each of which switches off or forces one cause of
what is missed. Where the program's defaults changed since the settings were fixed, `since.toml` has what they were:
`set` for all scenarios, before the settings' own values, and each `override` for the points that have certain values;
`intervals` for how means are estimated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar, get_args

from farlink.errors import UsageError
from farlink.runs.change import Change
from farlink.runs.scenario import Scenario, load
from farlink.runs.seeds import check_seeds, parse_seeds
from farlink.spelling import remedy
from farlink.statistics import Estimator
from farlink.studies.alternative import Alternative, Case, StudyGrid, Values
from farlink.studies.intervals import METHODS
from farlink.sweeps.grid import Grid, Override
from farlink.sweeps.sweep import Sweep
from farlink.system import toml_file
from farlink.system.checksums import digest
from farlink.system.files import read_bytes, read_text

Effort: TypeAlias = Literal["quick", "full"]

T = TypeVar("T")

SETTINGS, EXPERIMENTS, SINCE = "settings.toml", "experiments.toml", "since.toml"
CORRECTIONS, FACTORS = "corrections.toml", "factors.toml"
OTHERWISE = (FACTORS, CORRECTIONS, SETTINGS)
"""Where the values of alternatives are sought."""
RATE = "links.0.error.rate"
VARIANT = "flows.0.tcp.congestion_control"


@dataclass(frozen=True)
class Choice:
    """What the paper leaves open, and how it was chosen."""

    point: str
    chosen: str = ""
    why: str = ""


@dataclass(frozen=True)
class More:
    """What one of the efforts sets more."""

    set: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Sensitivity:
    """Each open point another way: over the grids of the claims, grids of their own, or all error rates of a link."""

    seeds: Mapping[str, str]
    case: Sequence[Case]
    grid: Sequence[StudyGrid] = ()
    rates: Sequence[float] = ()
    variants: Sequence[str] = ()

    def grids(self, case: Case, of_claims: Sequence[StudyGrid]) -> Sequence[StudyGrid]:
        """Those that are run for a case."""
        if self.grid or case.grids is not None:
            return [grid for grid in self.grid or of_claims if case.concerns(grid.name)]
        axes = {RATE: self.rates, VARIANT: list(case.replace.values()) or self.variants} if self.rates else {}
        return [StudyGrid(name="", series=bool(axes), vary=axes)]


@dataclass(frozen=True)
class Experiments:
    """What `experiments.toml` says: additional grids, and controlled cases."""

    grid: Sequence[StudyGrid] = ()
    case: Sequence[Case] = ()

    def __post_init__(self) -> None:
        """Refuse seeds that are none."""
        for grid in self.grid:
            _check_seeds(f"grid {grid.name}: seeds", grid.seeds or "1", ["full"])
        for case in self.case:
            _check_seeds(f"case {case.name}: seeds", case.seeds or "1", ["quick"])


@dataclass(frozen=True)
class Since:
    """What `since.toml` says: old defaults."""

    set: Values = field(default_factory=dict)
    override: Sequence[Override] = ()
    intervals: str = "t"
    """How means are estimated: a key of `intervals.METHODS`."""

    def __post_init__(self) -> None:
        """Refuse a method that there is not."""
        if self.intervals not in METHODS:
            raise UsageError(f'intervals = "{self.intervals}": {remedy(self.intervals, [*METHODS])}')


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What `settings.toml` says, and the files beside it."""

    folder: Path
    sha256: str
    title: str
    paper: str
    file: str = field(metadata={toml_file.KEY: "scenario"})
    """The name or the file of the scenario."""
    set: Values
    choices: Sequence[Choice] = field(metadata={toml_file.KEY: "choice"})
    seeds: Mapping[str, str]
    grid: Sequence[StudyGrid]
    cases: Sensitivity = field(metadata={toml_file.KEY: "sensitivity"})
    quick: More = More()
    full: More = More()

    def __post_init__(self) -> None:
        """Refuse seeds that are none or of one effort alone, and cases of grids that are not there."""
        _check_seeds("seeds", self.seeds, get_args(Effort))
        _check_seeds("sensitivity.seeds", self.cases.seeds)
        for grid in self.grid:
            _check_seeds(f"grid {grid.name}: seeds", grid.seeds or self.seeds, get_args(Effort))
        for case in self.cases.case:
            _check_seeds(f"sensitivity.case {case.name}: seeds", case.seeds or {})
            names = [grid.name for grid in self.cases.grid or self.grid]
            for name in case.grids or ():
                if name not in names:
                    raise UsageError(f"sensitivity.case {case.name}: there is no grid `{name}`; {remedy(name, names)}")

    @cached_property
    def experiments(self) -> Experiments:
        """What `experiments.toml` says; nothing where a study has none."""
        return _read_if_any(self.folder / EXPERIMENTS, Experiments)

    @property
    def experiments_sha256(self) -> str:
        """Of `experiments.toml`; empty where a study has none."""
        path = self.folder / EXPERIMENTS
        return digest(read_bytes(path)) if path.exists() else ""

    @cached_property
    def since(self) -> Since:
        """What `since.toml` says; nothing where a study has none."""
        return _read_if_any(self.folder / SINCE, Since)

    @property
    def estimator(self) -> Estimator:
        """How means are estimated."""
        return METHODS[self.since.intervals]

    def scenario(self, effort: Effort = "full", own: str | None = None) -> Scenario:
        """The scenario of the study, or a grid's own; what takes less effort may set more."""
        old = [each.set for each in self.since.override if each.when.items() <= self.set.items()]
        scenario = self._set(self._load(own or self.file), SETTINGS, self.set)
        return self._set(self._set(scenario, SINCE, *old), SETTINGS, getattr(self, effort).set)

    def _load(self, name: str, file: str = SETTINGS) -> Scenario:
        """A scenario, which a file names, with the old defaults of all, over which the settings set theirs."""
        with naming(f"{self.folder / file}: scenario"):
            return self._set(load(self.folder / name if name.endswith(".toml") else name), SINCE, self.since.set)

    def _set(self, scenario: Scenario, file: str, *tables: Values) -> Scenario:
        """The scenario with the values of tables of a file, the later over the earlier."""
        given = ((path, value) for table in tables for path, value in table.items())
        return scenario.changed(*(Change.of(path, value, self._origin(path, file)) for path, value in given))

    def _origin(self, path: str, *files: str) -> str:
        """What messages call the place of a path: the first file that has it, and its line if it is there once."""
        file = next((each for each in files if path in self._texts.get(each, "")), files[0])
        line = toml_file.line_of(self._texts.get(file, ""), path)
        return f"{self.folder / file}:{line}" if line else f"{self.folder / file}, {path}"

    @cached_property
    def _texts(self) -> dict[str, str]:
        """The files that set something."""
        files = [self.folder / name for name in (SETTINGS, EXPERIMENTS, SINCE, CORRECTIONS, FACTORS)]
        return {path.name: read_text(path) for path in files if path.exists()}

    def _seeds(self, grid: StudyGrid, effort: Effort) -> str:
        """Those of a grid; where nothing is random they are the same whatever the effort."""
        return _of_effort(grid.seeds or self.seeds, effort)

    @property
    def grid_names(self) -> list[str]:
        """The grids of the claims, in the order of the file."""
        return [grid.name for grid in self.grid]

    def grids(self, effort: Effort) -> Iterator[tuple[str, Sweep]]:
        """What the claims are measured on, in the order of the file."""
        for grid in self.grid:
            yield grid.name, self._sweep(grid, self._base(grid, effort), self._seeds(grid, effort), SETTINGS)

    def changed(
        self, alternatives: Sequence[Alternative], seeds: str | None = None, effort: Effort = "full"
    ) -> Iterator[tuple[str, Sweep]]:
        """The grids of the claims with alternatives of factors and corrections laid over them one after the other.

        Without seeds each grid has those of the effort; one in which nothing is random keeps its own seed.
        """
        for grid in self.grid:
            chosen = seeds if seeds and not isinstance(grid.seeds, str) else self._seeds(grid, effort)
            paths = {path for each in alternatives if each.concerns(grid.name) for path in each.paths}
            yield (
                grid.name,
                self._sweep(grid.changed(alternatives), self._base(grid, effort), chosen, *OTHERWISE, changed=paths),
            )

    def additional(self) -> Iterator[tuple[str, Sweep]]:
        """Additional experiments, which the paper does not have."""
        for grid in self.experiments.grid:
            base = self._load(grid.scenario, EXPERIMENTS) if grid.scenario else self.scenario()
            yield (
                grid.name,
                self._sweep(grid, self._set(base, EXPERIMENTS, grid.set), self._seeds(grid, "full"), EXPERIMENTS),
            )

    def sensitivity_cases(self, effort: Effort) -> Iterator[tuple[Case, StudyGrid]]:
        """Each open point another way: a case, and each grid that is run for it; none where the effort is too small."""
        for case in self.cases.case:
            seeds = case.seeds or self.cases.seeds
            if isinstance(seeds, str) or effort in seeds:
                yield from ((case, grid) for grid in self.cases.grids(case, self.grid))

    def sensitivity(self, effort: Effort) -> Iterator[tuple[str, Sweep]]:
        """The runs of `sensitivity_cases`; a case of several grids is distinguished by `part`."""
        for case, grid in self.sensitivity_cases(effort):
            yield self._of_case(case, grid, effort, case.seeds or self.cases.seeds, SETTINGS)

    def controlled_cases(self) -> Iterator[tuple[Case, StudyGrid]]:
        """Each controlled experiment on a cause, and each grid of the claims that is run for it."""
        return ((case, grid) for case in self.experiments.case for grid in self.grid if case.concerns(grid.name))

    def controlled(self) -> Iterator[tuple[str, Sweep]]:
        """The runs of `controlled_cases`, which are those of the lesser effort whatever is asked for."""
        for case, grid in self.controlled_cases():
            yield self._of_case(case, grid, "quick", case.seeds or self.seeds, EXPERIMENTS, SETTINGS)

    def _of_case(
        self, case: Case, grid: StudyGrid, effort: Effort, seeds: str | Mapping[str, str], *files: str
    ) -> tuple[str, Sweep]:
        made = self._sweep(grid.of_case(case), self._base(grid, effort), _of_effort(seeds, effort), *files)
        return part_name(case.name, grid.name), made

    def _base(self, grid: StudyGrid, effort: Effort) -> Scenario:
        """What a grid is laid over."""
        return self._set(self.scenario(effort, grid.scenario), SETTINGS, grid.set, getattr(grid, effort))

    def _sweep(
        self, grid: StudyGrid, base: Scenario, seeds: str, *files: str, changed: Set[str] = frozenset()
    ) -> Sweep:
        """Make the runs of a grid, whose values are in these files.

        Old defaults are those of what the settings set, not of what is changed.
        """
        axes = {**grid.vary, **grid.zip}
        old = [
            each
            for each in self.since.override
            if all(value in axes.get(path, ()) for path, value in each.when.items())
            and not changed & {*each.when, *each.set}
        ]
        overrides = [*old, *grid.override]
        paths = {*axes, *grid.derive, *(path for each in overrides for path in each.set)}
        origins = {path: self._origin(path, *files, SINCE) for path in paths}
        with naming(f"{self.folder / files[0]}: grid {grid.name}"):
            made = Grid(grid.vary, grid.zip, overrides, grid.derive, origins=origins, may_replace=True)
            return Sweep(base, made, tuple(parse_seeds(seeds)), grid.series)


def part_name(case: str, grid: str) -> str:
    """The name of the runs of a grid that are made for a case."""
    return f"{case}: {grid}" if grid else case


def read(path: Path) -> Settings:
    """Read a study's settings; their hash is that of the file. What is no regular file is a `UsageError`."""
    found = toml_file.read(path, Settings, folder=path.parent, sha256=digest(read_bytes(path)))
    _ = found.experiments, found.since
    return found


def _read_if_any(path: Path, kind: type[T]) -> T:
    return toml_file.read(path, kind) if path.exists() else kind()


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Say where what is refused was written."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None


def _check_seeds(where: str, seeds: str | Mapping[str, str], needed: Sequence[str] = ()) -> None:
    """Refuse, before anything runs, what are no seeds, of an effort that there is not, or of too few efforts."""
    texts = dict.fromkeys(get_args(Effort), seeds) if isinstance(seeds, str) else seeds
    if missing := [each for each in needed if each not in texts]:
        raise UsageError(f'{where}: `{missing[0]}` is missing; write a text such as "1..10"')
    for effort, text in texts.items():
        if effort not in get_args(Effort):
            raise UsageError(f"{where}: unknown key `{effort}`; {remedy(effort, get_args(Effort))}")
        with naming(where if isinstance(seeds, str) else f"{where}.{effort}"):
            check_seeds(parse_seeds(text))


def _of_effort(seeds: str | Mapping[str, str], effort: Effort) -> str:
    return seeds if isinstance(seeds, str) else seeds[effort]
