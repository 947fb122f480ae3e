"""A study: run its grids into a store, find, judge."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import module_from_spec, spec_from_file_location
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from farlink.errors import UsageError
from farlink.execution.execute import Progress
from farlink.execution.progress import part_of
from farlink.results.result_store import ResultStore
from farlink.store import known_keys
from farlink.studies import claims, settings
from farlink.studies.alternative import Corrections
from farlink.studies.claims import Claim
from farlink.studies.inputs import Inputs
from farlink.studies.settings import CORRECTIONS, SETTINGS, Effort, Settings, naming, part_name
from farlink.studies.single_runs import SingleRuns
from farlink.studies.verdict import Judgement, judge
from farlink.system import toml_file
from farlink.system.checksums import digest
from farlink.system.entry_points import additions, find
from farlink.system.files import read_bytes, read_text, write_text

if TYPE_CHECKING:
    from farlink.sweeps.sweep import Sweep

GROUP = "farlink.studies"
"""Entry points of installed packages, `farlink-studies` and others, which name Python packages with a study's files."""
NO_STUDY = "no study is installed; `pip install farlink-studies` installs those of Farlink"
EFFORT = "effort"
"""The file in a study's folder of results that says how much is to be run."""
CORRECTED = "corrected"
"""Begins the names of the stores with the runs of corrected settings."""
FEWEST = 2
"""Seeds of every point without which there is no report."""


@dataclass(frozen=True)
class Study:
    """A study: a name, and the folder with its files."""

    name: str
    folder: Path

    @cached_property
    def settings(self) -> Settings:
        """What the paper left open, and how it was chosen."""
        return settings.read(self.folder / SETTINGS)

    @cached_property
    def corrections(self) -> Corrections:
        """What the paper, or its simulator, turned out to demand of the settings."""
        path = self.folder / CORRECTIONS
        return toml_file.read(path, Corrections, sha256=digest(read_bytes(path))) if path.exists() else Corrections()

    @cached_property
    def claims(self) -> list[Claim]:
        """What the paper says."""
        return claims.read(self.folder / "claims.csv")

    @cached_property
    def module(self) -> Any:
        """Its Python module, whose `measured` is a subclass of `Inputs`; raises `UsageError` where it has none."""
        known = find(GROUP, self.name)
        # Other settings of an installed study need no module of their own.
        if known and (self.folder == known.folder_with(SETTINGS) or not (self.folder / "__init__.py").exists()):
            package, place = known.load(), known.package
        else:
            package, place = _import_package(self.folder), str(self.folder / "__init__.py")
        if not hasattr(package, "measured"):
            raise UsageError(f"{place}: it has no `measured`, a subclass of Inputs")
        return package

    def run(
        self,
        effort: Effort,
        out: Path,
        *,
        experiments: bool = False,
        corrected: bool = False,
        jobs: int | None = None,
        progress: Progress | None = None,
        repair: bool = False,
    ) -> Outcome:
        """Run what the store in `out` does not hold yet; on demand also the experiments, and the corrected settings.

        Interrupted or killed, the same call resumes. `repair` makes the runs of damaged files again. Raises
        `UsageError` where there are no corrections.
        """
        _ = self.module, self.claims  # what is wrong with them is said before hours of runs
        asked = _in_rounds(self.settings.grids(effort))
        asked += self.settings.sensitivity(effort)
        asked += [*self.settings.controlled(), *self.settings.additional()] if experiments else ()
        if corrected:
            if not self.corrections.items:
                raise UsageError(f"{self.folder}: it has no corrections.toml; run it without --corrected")
            asked += self._corrected_sweeps()
        parts = []
        for name, sweep in asked:
            with naming(f"{self.folder}: {name}"):
                parts.append(len(sweep.tasks()))
        out.mkdir(parents=True, exist_ok=True)
        write_text(out / EFFORT, f"{effort}\n")
        for (name, sweep), report in zip(asked, parts_of(progress, parts), strict=True):
            sweep.run(out=store_folder(out, name), jobs=jobs, progress=report, repair=repair)
        return self.outcome(out)

    def outcome(self, out: Path) -> Outcome:
        """What an earlier run in `out` gives, also one that was stopped once it had two runs of every case."""
        try:
            effort = cast("Effort", read_text(out / EFFORT).strip())
        except FileNotFoundError:
            raise UsageError(f"{out}: no run of a study; `farlink study run {self.name}` makes one") from None
        if effort not in get_args(Effort):
            raise UsageError(f"{out / EFFORT}: not an effort; `farlink study run {self.name}` writes one")
        for name, sweep in self.settings.grids(effort):
            needed = {task.key for task in sweep.tasks() if task.seed in sweep.seeds[:FEWEST]}
            if missing := len(needed - known_keys(store_folder(out, name))):
                raise UsageError(
                    f"{out}: {missing} runs of `{name}` are missing for these settings and this build of farlink; "
                    f"`farlink study run {self.name} --{effort} --out {out}` makes them"
                )
        results = {name: self._results_of_grid(out, name, sweep) for name, sweep in self._all_sweeps(effort)}
        additional = _complete_results(out, self.settings.additional())
        measured = self.module.measured(self.settings, effort, results, additional)
        return Outcome(self, effort, measured, self._coverages(effort, results), self._judge_corrected(out, measured))

    def _corrected_sweeps(self) -> list[tuple[str, Sweep]]:
        made = self.settings.changed(self.corrections.items, effort="quick")
        return [(part_name(CORRECTED, grid), sweep) for grid, sweep in made]

    def _judge_corrected(self, out: Path, measured: Any) -> Sequence[Judgement]:
        """What the corrected settings give; nothing unless all their runs were made."""
        complete = _complete_results(out, self._corrected_sweeps()) if self.corrections.items else {}
        if len(complete) < len(self.settings.grid_names):
            return []
        parts = dict(zip(self.settings.grid_names, complete.values(), strict=True))
        found = measured.find_all(measured.read(parts), self.corrections.reading)
        return [judge(claim, found[claim.id]) for claim in self.claims if claim.id in found]

    def _coverages(self, effort: Effort, results: Mapping[str, ResultStore]) -> Sequence[Coverage]:
        asked = (
            ("the claims", self.settings.grids(effort)),
            ("alternative settings", self.settings.sensitivity(effort)),
            ("control experiments", self.settings.controlled()),
        )
        return [
            Coverage(
                what,
                points=sum(len(sweep.tasks()) // len(sweep.seeds) for _, sweep in sweeps),
                asked=sum(len(sweep.tasks()) for _, sweep in sweeps),
                done=sum(results[name].runs.num_rows for name, _ in sweeps),
            )
            for what, sweeps in ((what, list(made)) for what, made in asked)
            if sweeps
        ]

    def _results_of_grid(self, out: Path, name: str, sweep: Sweep) -> ResultStore:
        """The runs of a grid; none where it was not begun."""
        store = store_folder(out, name)
        if not known_keys(store):
            first, _ = next(self.settings.grids("quick"))
            return ResultStore(store_folder(out, first), [])
        return ResultStore(store, [task.key for task in sweep.tasks()])

    def _all_sweeps(self, effort: Effort) -> list[tuple[str, Sweep]]:
        return [*self.settings.grids(effort), *self.settings.sensitivity(effort), *self.settings.controlled()]


@dataclass(frozen=True)
class Coverage:
    """How much was run."""

    what: str
    points: int
    asked: int
    """Runs of all points."""
    done: int


@dataclass(frozen=True)
class Outcome:
    """A study that was run."""

    study: Study
    effort: Effort
    measured: Inputs[Any]
    coverages: Sequence[Coverage] = ()
    corrected: Sequence[Judgement] = ()
    """With the corrections, each claim that their runs measure; without the verdict of ns-2."""

    @cached_property
    def judgements(self) -> list[Judgement]:
        """A judgement of every claim."""
        return self.measured.judge(self.study.claims)

    @cached_property
    def single_runs(self) -> Mapping[str, SingleRuns]:
        """In how many single runs each claim holds, by its number."""
        return self.measured.single_runs(self.study.claims)

    @property
    def document(self) -> dict[str, Any]:
        """What `farlink study run --json` prints."""
        corrected = {
            "corrections_sha256": self.study.corrections.sha256,
            "corrected": [judgement.row() for judgement in self.corrected],
        }
        return {
            "study": self.study.name,
            "settings_sha256": self.study.settings.sha256,
            "claims": [judgement.row() for judgement in self.judgements],
            **(corrected if self.corrected else {}),
        }


def studies() -> dict[str, Study]:
    """Every installed study by its name."""
    return {each.name: load(each.name) for each in additions(GROUP)}


def load(name: str) -> Study:
    """The installed study of this name, or the one in the folder that is named."""
    if known := find(GROUP, name):
        return Study(name, known.folder_with(SETTINGS))
    folder = Path(name)
    if (folder / SETTINGS).exists():
        return Study(folder.resolve().name, folder)
    names = dict.fromkeys(each.name for each in additions(GROUP))
    remedy = f"known: {', '.join(names)}" if names else NO_STUDY
    raise UsageError(f"there is no study {name}, nor a folder with settings.toml; {remedy}")


def _import_package(folder: Path) -> Any:
    """Import a folder as a package, whatever its name and wherever it is."""
    spec = spec_from_file_location(f"farlink_study_{folder.resolve().name}", folder / "__init__.py")
    assert spec and spec.loader, "a path that ends with .py has a loader"
    if not (folder / "__init__.py").exists():
        raise UsageError(f"{folder / '__init__.py'}: no such file; it defines `measured`, a subclass of Inputs")
    package = module_from_spec(spec)
    sys.modules[spec.name] = package
    try:
        spec.loader.exec_module(package)
    except (Exception, SystemExit) as error:
        raise UsageError(f"{folder / '__init__.py'}: {type(error).__name__}: {error}") from error
    return package


def _complete_results(out: Path, grids: Iterable[tuple[str, Sweep]]) -> dict[str, ResultStore]:
    """The results of those grids of which all runs were made."""
    keys = {name: [task.key for task in sweep.tasks()] for name, sweep in grids}
    stores = {name: store_folder(out, name) for name in keys}
    return {name: ResultStore(stores[name], keys[name]) for name in keys if known_keys(stores[name]) >= set(keys[name])}


def parts_of(progress: Progress | None, sizes: Sequence[int]) -> Iterator[Progress | None]:
    """Report the progress of each part, one after the other, as that of the whole."""
    for begun, size in zip(accumulate(sizes, initial=0), sizes, strict=False):
        yield part_of(progress, begun, size, sum(sizes))


def _in_rounds(grids: Iterable[tuple[str, Sweep]]) -> list[tuple[str, Sweep]]:
    """A seed of every grid before a further one of any: a study that is stopped has something of every point."""
    named = list(grids)
    rounds = range(max(len(sweep.seeds) for _, sweep in named))
    return [
        (name, replace(sweep, seeds=(sweep.seeds[place],)))
        for place in rounds
        for name, sweep in named
        if place < len(sweep.seeds)
    ]


def store_folder(out: Path, name: str) -> Path:
    """Where the runs of a grid, or of a grid another way, are kept.

    Each has a store of its own: adding runs to one costs as much as it holds.
    """
    return out / "store" / re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
