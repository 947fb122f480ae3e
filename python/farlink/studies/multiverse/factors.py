"""What a paper leaves open as factors with levels: `factors.toml`.

A factor is one open point, a level one plausible answer to it; a universe takes one level of each factor (Steegen et
al., "Increasing Transparency Through a Multiverse Analysis", 2016). What a sentence of the paper rules out is listed
and never sampled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from farlink.errors import UsageError
from farlink.studies.alternative import Alternative
from farlink.system import toml_file
from farlink.system.checksums import digest
from farlink.system.files import read_bytes

DESIGN = "design"
"""The column of `universes.csv` that says why a universe was run."""

Universe: TypeAlias = "tuple[int, ...]"
"""The place of the level of each factor, in their order."""


@dataclass(frozen=True, kw_only=True)
class Level(Alternative):
    """An answer: a plausible one, or one that contradicts a sentence of the paper."""

    name: str
    why: str = ""
    """The sentence of the paper that allows it, or what makes it plausible where the paper is silent."""
    ruled_out: str = ""
    """The sentence of the paper that it contradicts."""


@dataclass(frozen=True)
class Factor:
    """One open point; its first level is the one of the settings with their corrections."""

    name: str
    point: str
    """Of the `[[choice]]` in `settings.toml` that it stands for."""
    answers: Sequence[Level] = field(default=(), metadata={toml_file.KEY: "level"})

    @cached_property
    def levels(self) -> Sequence[Level]:
        """The plausible answers."""
        return [each for each in self.answers if not each.ruled_out]

    @property
    def ruled_out(self) -> Sequence[Level]:
        """The other answers."""
        return [each for each in self.answers if each.ruled_out]


@dataclass(frozen=True)
class Contradiction:
    """Levels that do not go together, by factor."""

    levels: Mapping[str, Sequence[str]]
    why: str


@dataclass(frozen=True, kw_only=True)
class Joint(Alternative):
    """What is set where certain levels, by factor, come together: of values that two factors make up."""

    levels: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Size(Alternative):
    """How much is run for a universe: its seeds, and what is set for less effort; `grids` are those that are run."""

    seeds: str | None = None
    """None: those of `farlink study run --full`."""
    more: Sequence[Alternative] = field(default=(), metadata={toml_file.KEY: "change"})
    """Further alternatives, for some of the grids."""

    @property
    def is_whole(self) -> bool:
        """Whether a universe has all runs of `farlink study run --full`."""
        return self == Size()


@dataclass(frozen=True)
class Factors:
    """All factors of a study."""

    sha256: str
    sizes: Mapping[str, Size] = field(metadata={toml_file.KEY: "runs"})
    items: Sequence[Factor] = field(default=(), metadata={toml_file.KEY: "factor"})
    contradictions: Sequence[Contradiction] = field(default=(), metadata={toml_file.KEY: "contradiction"})
    joints: Sequence[Joint] = field(default=(), metadata={toml_file.KEY: "joint"})
    averaged_figures: Sequence[str] = ()
    """Figures of the paper that show means over several runs: no claim of them is a matter of chance."""

    @property
    def base(self) -> Universe:
        """The settings with their corrections."""
        return (0,) * len(self.items)

    @property
    def space(self) -> int:
        """How many universes there are, contradictory ones included."""
        count = 1
        for factor in self.items:
            count *= len(factor.levels)
        return count

    def levels(self, universe: Universe) -> list[Level]:
        """The level of each factor."""
        return [factor.levels[place] for factor, place in zip(self.items, universe, strict=True)]

    def names(self, universe: Universe) -> dict[str, str]:
        """The name of each factor's level."""
        return {factor.name: level.name for factor, level in zip(self.items, self.levels(universe), strict=True)}

    def alternatives(self, universe: Universe) -> list[Alternative]:
        """What the levels set, and then what they set together."""
        names = self.names(universe)
        return [*self.levels(universe), *(each for each in self.joints if each.levels.items() <= names.items())]

    def contradicts(self, universe: Universe) -> Contradiction | None:
        """The first contradiction among the levels; None if they go together."""
        names = self.names(universe)
        for each in self.contradictions:
            if all(names[factor] in levels for factor, levels in each.levels.items()):
                return each
        return None


def read(path: Path, points: Collection[str], grids: Collection[str], figures: Collection[str]) -> Factors:
    """Read the factors of a study with these open points, grids and figures; raises `UsageError`."""
    if not path.exists():
        raise UsageError(f"{path}: no such file; a multiverse analysis needs factors")
    found = toml_file.read(path, Factors, sha256=digest(read_bytes(path)))
    for problem in chain(_of_other_files(found, grids, figures), _problems(found, points)):
        raise UsageError(f"{path}: {problem}")
    return found


def _of_other_files(found: Factors, grids: Collection[str], figures: Collection[str]) -> Iterator[str]:
    """Grids and figures that there are not."""
    if unknown := sorted(set(found.averaged_figures) - set(figures)):
        yield f"averaged_figures: no claim is of {unknown[0]!r}; known: {', '.join(figures)}"
    named: dict[str, Sequence[Alternative]] = {
        **{f"factor {each.name}: level {level.name}": [level] for each in found.items for level in each.answers},
        **{f"runs.{name}": [size, *size.more] for name, size in found.sizes.items()},
        "joint": found.joints,
    }
    for name, alternatives in named.items():
        for each in alternatives:
            if unknown := sorted(set(each.grids or ()) - set(grids)):
                yield f"{name}: grids: there is no grid {unknown[0]!r}; known: {', '.join(grids)}"


def _problems(found: Factors, points: Collection[str]) -> Iterator[str]:
    """What does not fit together, in the order in which it is to be mended."""
    names = [factor.name for factor in found.items]
    if DESIGN in names:
        yield f"factor {DESIGN}: the name is that of a column of universes.csv; choose another"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"factor {name} is there twice"
    for point in points:
        if (count := [factor.point for factor in found.items].count(point)) != 1:
            yield f"the choice {point!r} of settings.toml has {count} factors; it needs one"
    by_name = {factor.name: [level.name for level in factor.levels] for factor in found.items}
    for name, levels in by_name.items():
        if not levels or len(set(levels)) < len(levels):
            yield f"factor {name}: {'a level is there twice' if levels else 'no level that is not ruled out'}"
    for factor in found.items:
        yield from (
            f"factor {factor.name}: level {each.name}: `why` is missing" for each in factor.levels if not each.why
        )
    for each in found.contradictions:
        for name, contradicting in each.levels.items():
            for level in contradicting:
                if level not in by_name.get(name, ()):
                    yield f"contradiction: there is no level {level!r} of a factor {name!r}"
    for joint in found.joints:
        for name, level in joint.levels.items():
            if level not in by_name.get(name, ()):
                yield f"joint: there is no level {level!r} of a factor {name!r}"
    if found.items and (wrong := found.contradicts(found.base)):
        yield f"the first levels contradict each other: {wrong.why}"
    if "short" not in found.sizes or "quick" not in found.sizes or "full" not in found.sizes:
        yield "[runs.quick], [runs.short] and [runs.full] are needed"
    for name, size in found.sizes.items():
        if size.reading or (name != "full" and size.seeds is None):
            yield f"runs.{name}: {'it cannot say how runs are read' if size.reading else '`seeds` is missing'}"
