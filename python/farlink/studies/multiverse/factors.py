"""What a paper leaves open as factors with levels: `factors.toml`.

A factor is one open point, a level one plausible answer to it; a universe takes one level of each factor (Steegen et
al., "Increasing Transparency Through a Multiverse Analysis", 2016). What a sentence of the paper rules out is listed
and never sampled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from farlink.errors import UsageError
from farlink.studies.change import Change
from farlink.studies.table_file import Table, read_table

DESIGN = "design"
"""The column of `universes.csv` that says why a universe was run."""

Universe: TypeAlias = "tuple[int, ...]"
"""The place of the level of each factor, in their order."""


@dataclass(frozen=True)
class Level:
    """A plausible answer."""

    name: str
    why: str
    """The sentence of the paper that allows it, or what makes it plausible where the paper is silent."""
    change: Change


@dataclass(frozen=True)
class RuledOut:
    """An answer that contradicts a sentence of the paper."""

    name: str
    quote: str


@dataclass(frozen=True)
class Factor:
    """One open point; its first level is the one of the settings with their corrections."""

    name: str
    point: str
    """Of the `[[choice]]` in `settings.toml` that it stands for."""
    levels: Sequence[Level]
    ruled_out: Sequence[RuledOut]


@dataclass(frozen=True)
class Contradiction:
    """Levels that do not go together, by factor."""

    levels: Mapping[str, Sequence[str]]
    why: str


@dataclass(frozen=True)
class Joint:
    """What is set where certain levels, by factor, come together: of values that two factors make up."""

    levels: Mapping[str, str]
    change: Change


@dataclass(frozen=True)
class Size:
    """How much is run for a universe: its seeds, and what is set for less effort."""

    seeds: str | None
    """None: those of `farlink study run --full`."""
    change: Change
    """Its `grids` are those that are run at all."""
    changes: Sequence[Change]
    """Further ones, for some of the grids."""

    @property
    def is_whole(self) -> bool:
        """Whether a universe has all runs of `farlink study run --full`."""
        return self.seeds is None and self.change == Change() and not self.changes


@dataclass(frozen=True)
class Factors:
    """All factors of a study."""

    sha256: str
    items: Sequence[Factor]
    contradictions: Sequence[Contradiction]
    joints: Sequence[Joint]
    sizes: Mapping[str, Size]
    averaged_figures: Collection[str]
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

    def changes(self, universe: Universe) -> list[Change]:
        """What the levels change, and then what they change together."""
        names = self.names(universe)
        joints = [each.change for each in self.joints if each.levels.items() <= names.items()]
        return [*(level.change for level in self.levels(universe)), *joints]

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
    given = read_table(path)
    found = Factors(
        sha256=given.sha256,
        items=[_parse_factor(each, grids) for each in given.tables("factor")],
        contradictions=[_parse_contradiction(each) for each in given.tables("contradiction")],
        joints=[_parse_joint(each, grids) for each in given.tables("joint")],
        sizes={name: _parse_size(name, given, grids) for name in given.table("runs")},
        averaged_figures=given.texts("averaged_figures"),
    )
    given.refuse_unknown()
    if unknown := sorted(set(found.averaged_figures) - set(figures)):
        raise UsageError(f"{path}: averaged_figures: no claim is of {unknown[0]!r}; known: {', '.join(figures)}")
    for problem in _problems(found, points):
        raise UsageError(f"{path}: {problem}")
    return found


def _parse_size(name: str, given: Table, grids: Collection[str]) -> Size:
    values = given.table("runs")[name]
    if not isinstance(values, Mapping) or "reading" in values:
        raise UsageError(f"{given.where}: runs.{name}: write a table of seeds and what is set for less effort")
    table = Table(f"{given.where}: runs.{name}", values)
    more = table.tables("change")
    seeds = table.text("seeds", "" if name == "full" else None) or None
    size = Size(seeds, _parse_change(table, grids), [_parse_change(each, grids) for each in more])
    for each in more:
        each.refuse_unknown()
    table.refuse_unknown()
    return size


def _parse_change(table: Table, grids: Collection[str]) -> Change:
    change = table.change()
    if unknown := sorted(set(change.grids or ()) - set(grids)):
        raise UsageError(f"{table.where}: grids: there is no grid {unknown[0]!r}; known: {', '.join(grids)}")
    return change


def _parse_contradiction(table: Table) -> Contradiction:
    levels = table.table("levels")
    for factor, names in levels.items():
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            raise UsageError(f"{table.where}: levels.{factor}: write a list of levels")
    found = Contradiction(levels, table.text("why"))
    table.refuse_unknown()
    return found


def _parse_joint(table: Table, grids: Collection[str]) -> Joint:
    joint = Joint(dict(table.table("levels")), _parse_change(table, grids))
    table.refuse_unknown()
    return joint


def _parse_factor(table: Table, grids: Collection[str]) -> Factor:
    levels, ruled_out = [], []
    for each in table.tables("level"):
        quote = each.text("ruled_out", "")
        if quote:
            ruled_out.append(RuledOut(each.text("name"), quote))
        else:
            levels.append(Level(each.text("name"), each.text("why"), _parse_change(each, grids)))
        each.refuse_unknown()
    factor = Factor(table.text("name"), table.text("point"), levels, ruled_out)
    table.refuse_unknown()
    return factor


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
