"""Universes run: their sweeps into stores, a batch at a time, and each folded into a row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import farlink._farlink as engine
from farlink.errors import UsageError
from farlink.execution.execute import Progress
from farlink.execution.progress import part_of
from farlink.results.result_store import ResultStore
from farlink.studies import single_runs
from farlink.studies.alternative import Alternative
from farlink.studies.claims import Claim
from farlink.studies.inputs import Inputs
from farlink.studies.multiverse import factors as reading
from farlink.studies.multiverse import folded
from farlink.studies.multiverse.factors import Factors, Size, Universe
from farlink.studies.multiverse.folded import COMMITTED, FULL_COMMITTED, Measurement, Row
from farlink.studies.study import Study, store_folder
from farlink.sweeps.into_store import Executor, IntoStore
from farlink.sweeps.sweep import Sweep, run_together
from farlink.system.files import read_bytes, read_text, write_text

OF_REPORT = ("drawing", "explanations", "experiments", "tests")
"""Files and folders of a study that only its report needs: universes do not rest on them."""
NO_UNIVERSES = (COMMITTED, FULL_COMMITTED)
SECONDS_PER_HOUR = 3600
BATCH = 10
"""Universes whose runs share stores: what several of them ask for is run once."""


@dataclass(frozen=True)
class Space:
    """The universes of a study, with as many runs for each as a size says."""

    study: Study
    effort: str
    is_committed: bool = False
    """Whether the settings are run as committed, without corrections and whatever the universe."""

    @cached_property
    def factors(self) -> Factors:
        """What the paper leaves open."""
        settings = self.study.settings
        points = [choice.point for choice in settings.choices]
        figures = dict.fromkeys(claim.figure for claim in self.study.claims)
        return reading.read(self.study.folder / "factors.toml", points, settings.grid_names, figures)

    @cached_property
    def counted(self) -> list[Claim]:
        """The claims that count."""
        return [claim for claim in self.study.claims if claim.counted]

    @cached_property
    def _measured(self) -> Inputs[Any]:
        """How the study reads its runs."""
        made: Inputs[Any] = self.study.module.measured(self.study.settings, "full", {}, {})
        return made

    @property
    def made_with(self) -> dict[str, str]:
        """What the rows of its universes rest on."""
        return {
            "settings_sha256": self.study.settings.sha256,
            "corrections_sha256": self.study.corrections.sha256,
            "factors_sha256": self.factors.sha256,
            "study_sha256": self._folder_sha256,
            "build": engine.__build__,
        }

    @property
    def _folder_sha256(self) -> str:
        """Of the claims, the module and the scenarios beside the settings."""
        found = hashlib.sha256()
        for path in sorted(self.study.folder.rglob("*")):
            of_report = path.relative_to(self.study.folder).parts[0].split(".")[0] in OF_REPORT
            if path.suffix in (".py", ".toml", ".csv") and not of_report and path.is_file():
                found.update(path.relative_to(self.study.folder).as_posix().encode() + read_bytes(path))
        return found.hexdigest()

    @property
    def size(self) -> Size:
        """How much is run for a universe."""
        return self.factors.sizes[self.effort]

    def sweeps(self, universe: Universe) -> dict[str, Sweep]:
        """Its runs by grid."""
        less = [replace(self.size, grids=None), *self.size.more]
        made = self.study.settings.changed([*less, *self._alternatives(universe)], self.size.seeds)
        return {name: sweep for name, sweep in made if self.size.concerns(name)}

    def _alternatives(self, universe: Universe) -> list[Alternative]:
        return [] if self.is_committed else [*self.study.corrections.items, *self.factors.alternatives(universe)]

    def checked_sweeps(self, universe: Universe) -> dict[str, Sweep]:
        """Its runs by grid; a scenario that is refused is a `UsageError` that names the levels."""
        try:
            made = self.sweeps(universe)
            for sweep in made.values():
                sweep.points()
            return made
        except ValueError as error:
            levels = ", ".join(f"{factor} = {level}" for factor, level in self.factors.names(universe).items())
            refused = str(error).splitlines()[0]
            raise UsageError(f"{self.study.folder / 'factors.toml'}: universe {levels}: {refused}") from error

    def check_levels(self) -> None:
        """Refuse a level that changes neither runs nor how they are read; raises `UsageError`."""
        base = self._texts(self.factors.base)
        joint = {name for each in self.factors.joints for name in each.levels}
        for place, factor in enumerate(self.factors.items):
            for number, level in enumerate(factor.levels[1:], 1):
                universe = (*self.factors.base[:place], number, *self.factors.base[place + 1 :])
                if factor.name not in joint and not level.reading and self._texts(universe) == base:
                    where = f"{self.study.folder / 'factors.toml'}: factor {factor.name}: level {level.name}"
                    raise UsageError(f"{where}: changes nothing; set what the paper leaves open, or take it out")

    def _texts(self, universe: Universe) -> dict[str, list[str]]:
        """The scenarios of its grids."""
        sweeps = self.checked_sweeps(universe)
        return {name: [point.identified for point in sweep.points()] for name, sweep in sweeps.items()}

    def fold(self, design: str, universe: Universe, results: Mapping[str, ResultStore]) -> Row:
        """Judge the claims by its runs."""
        how = {key: value for each in self._alternatives(universe) for key, value in each.reading.items()}
        runs = self._measured.read(results)
        whole = self._measured.find_all(runs, how)
        shown_alone = [claim for claim in self.study.claims if claim.figure not in self.factors.averaged_figures]
        alone = single_runs.of_claims(shown_alone, runs, lambda each: self._measured.find_all(each, how))
        return Row(
            design,
            universe,
            {
                claim.id: Measurement.rounded(
                    whole[claim.id].mean, alone[claim.id].share if claim.id in alone else None
                )
                for claim in self.study.claims
                if claim.id in whole
            },
        )


@dataclass(frozen=True)
class Runner:
    """Runs universes and keeps their rows in a folder; the same call resumes."""

    space: Space
    out: Path
    jobs: int | None
    executor: Executor
    scheduler: str | None

    @property
    def _folder(self) -> Path:
        """Rows of another effort are in another folder."""
        return self.out / self.space.effort

    @cached_property
    def rows(self) -> list[Row]:
        """Those that are folded; raises `UsageError` where they are of other settings or another build."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path, rows = self._folder / "made_with.json", self._folder / "universes.csv"
        made_with = json.dumps(self.space.made_with, indent=1) + "\n"
        if not path.exists():
            if rows.exists():
                raise UsageError(
                    f"{path}: no such file, so nothing says what {rows.name} rests on; choose another --out"
                )
            write_text(path, made_with)
        elif read_text(path) != made_with:
            raise UsageError(
                f"{path}: its universes were run with other settings or another build of farlink; choose another --out"
            )
        return folded.read(rows, self.space.factors)

    def run(self, design: str, universes: Sequence[Universe], progress: Progress | None) -> list[Row]:
        """Run those that have no row yet, and give the rows of all, in their order."""
        known = self._known(design)
        for number, start in enumerate(range(0, len(universes), BATCH)):
            batch = universes[start : start + BATCH]
            if missing := [universe for universe in batch if universe not in known]:
                report = part_of(progress, start, len(batch), len(universes))
                self.rows.extend(self._run_batch(design, f"{design}-{number:03}", missing, report))
                folded.write(self._folder / "universes.csv", self.space.factors, self.space.study.claims, self.rows)
                known = self._known(design)
            if progress:
                progress(min(1.0, (start + len(batch)) / len(universes)))
        return [known[universe] for universe in universes]

    def run_committed(self, design: str, corrected: Row) -> list[Row]:
        """The settings as committed; those of a study without corrections are the settings with them."""
        if not self.space.study.corrections.items:
            return [replace(corrected, design=design)]
        return self.run(design, [self.space.factors.base], None)

    @property
    def cpu_hours(self) -> float:
        """Processor time of the runs that the folder holds."""
        import pyarrow.parquet

        stored = (pyarrow.parquet.read_table(path, columns=["cpu_s"]) for path in self.out.rglob("timings.parquet"))
        return sum(sum(table["cpu_s"].to_pylist()) for table in stored) / SECONDS_PER_HOUR

    def _known(self, design: str) -> dict[Universe, Row]:
        """The rows of a design, and of the same universes in others."""
        own = {row.universe: row for row in self.rows if row.design == design}
        if design in NO_UNIVERSES:
            return own
        return {row.universe: replace(row, design=design) for row in self.rows if row.design not in NO_UNIVERSES} | own

    def _run_batch(self, design: str, name: str, batch: Sequence[Universe], progress: Progress | None) -> Iterator[Row]:
        space = replace(self.space, is_committed=design in NO_UNIVERSES)
        sweeps = [space.checked_sweeps(universe) for universe in batch]
        results: list[dict[str, ResultStore]] = [{} for _ in batch]
        grids = list(sweeps[0])
        for place, grid in enumerate(grids):
            report = part_of(progress, place, 1, len(grids))
            folder = store_folder(self._folder, f"{name}/{grid}")
            into = IntoStore(folder, self.jobs, self.executor, self.scheduler, None, report, False, False)
            made = run_together([each[grid] for each in sweeps], into)
            for found, store in zip(results, made, strict=True):
                found[grid] = store
        for universe, found in zip(batch, results, strict=True):
            yield space.fold(design, universe, found)
