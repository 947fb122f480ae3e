"""Seeds and varied parameters on which no result depends.

Where all seeds of a point gave equal results, their means have no error, and so no interval. Rows of a parameter
without effect look like measurements of one, such as the length of a chain whose flow ends at a fixed node, or a queue
that no variant fills.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from farlink._farlink import ScenarioWarning
from farlink.printable import printable
from farlink.results.comparison import goes_along
from farlink.spelling import listed
from farlink.system.toml import tomllib
from farlink.tables import labels, parameters
from farlink.tables.rows import grouped

Row: TypeAlias = "Mapping[str, Any]"
OF_TOPOLOGY = "topology"
CHUNK = 10_000
"""Rows of a table that are Python objects at a time."""


@dataclass(frozen=True)
class Ineffective:
    """A varied column without effect."""

    column: str
    along: tuple[str, ...]
    """The columns each of whose values goes with a value of `column`."""
    values: int


def ineffective(flows: Iterable[Row], varied: Sequence[str]) -> list[Ineffective]:
    """Give the columns of `varied` whose value changes nothing, the other columns and the seed being equal.

    `flows` has the rows of all runs. A column is given if runs with every value of it were compared, and the results
    of all their flows are equal to the last digit. Runs without a value, such as those of another scenario, count only
    if they can be compared.
    """
    settings, results = _by_run(flows, varied)
    found: list[Ineffective] = []
    for column in varied:
        if any(column in each.along for each in found):
            continue
        having = {key: run for key, run in settings.items() if run[column] is not None}
        made = _of_column(column, varied, settings, results) or _of_column(column, varied, having, results)
        found += [made] if made else []
    return found


def _of_column(
    column: str, varied: Sequence[str], settings: Mapping[str, dict[str, Any]], results: Mapping[str, int]
) -> Ineffective | None:
    """Give the column if its value changes nothing in these runs."""
    along = tuple(other for other in varied if other != column and goes_along(other, column, settings.values()))
    # What is equal in all of these runs, such as in those of one scenario, goes along with nothing.
    differing = tuple(other for other in along if len({run[other] for run in settings.values()}) > 1)
    fixed = [name for name in ("seed", *varied) if name != column and name not in along]
    values = _equal_values(column, fixed, settings, results)
    return Ineffective(column, differing, values) if values else None


def _by_run(flows: Iterable[Row], varied: Sequence[str]) -> tuple[dict[str, dict[str, Any]], dict[str, int]]:
    """Give by the keys of runs their settings, and a hash of their results."""
    settings: dict[str, dict[str, Any]] = {}
    results: dict[str, int] = {}
    for flow in flows:
        settings.setdefault(flow["key"], {name: flow[name] for name in ("seed", *varied)})
        measured = tuple(value for name, value in flow.items() if name not in ("key", "seed", *varied))
        # As text, for hash(-1) is hash(-2), and NaN is equal to no other.
        results[flow["key"]] = results.get(flow["key"], 0) + hash(repr(measured))
    return settings, results


def _equal_values(column: str, fixed: Sequence[str], settings: Mapping[str, Row], results: Mapping[str, int]) -> int:
    """Count the values of a column if all of them have equal results; 0 if they differ or were not all compared."""
    pairs = ((tuple(row[name] for name in fixed), (row[column], results[key])) for key, row in settings.items())
    groups = grouped(pairs)
    compared = [group for group in groups.values() if len(group) > 1]
    if any(len({result for _, result in group}) > 1 for group in compared):
        return 0
    values = {row[column] for row in settings.values()}
    return len(values) if values == {value for group in compared for value, _ in group} else 0


def warning(found: Ineffective, store: str, resolved: Sequence[str]) -> ScenarioWarning:
    """Describe it, with the likely cause; `resolved` has the scenarios of the runs."""
    path = labels.without_unit(found.column)
    names = [labels.without_unit(name) for name in found.along]
    along = f", nor has {' or '.join(names)}, which varies along with it" if names else ""
    message = f"has no effect: for all {found.values} values the results of every flow are equal{along}"
    ends = _fixed_ends(resolved) if path.split(".")[0] == OF_TOPOLOGY else ""
    remedy = f"{ends}; give `from` and `to` values along with {path}, by [zip] or [derive]" if ends else ""
    parts = {"file": store, "line": None, "column": None, "key": path, "message": message, "remedy": remedy}
    made = ScenarioWarning(printable(f"{store}: {path}: {message}{'; ' if remedy else ''}{remedy}"))
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def _fixed_ends(resolved: Sequence[str]) -> str:
    """Say between which nodes flows run, if these are the same in all scenarios; empty if they are not."""
    ends = [
        [(flow["label"], flow["from"], flow["to"]) for flow in tomllib.loads(text).get("flows", [])]
        for text in dict.fromkeys(resolved)
    ]
    if not ends or any(each != ends[0] for each in ends):
        return ""
    named = listed([f"{label} from {origin} to {target}" for label, origin, target in ends[0]])
    return f"every point has the same flows: {named}"


class EqualPoints:
    """Points of a sweep at which all seeds gave equal results, among the runs with these flows.

    `scenarios` gives each run's by its key.
    """

    def __init__(self, flows: Iterable[Row], scenarios: Mapping[str, str], varied: Sequence[str]) -> None:
        settings, results = _by_run(flows, varied)
        points = grouped((scenarios[key], key) for key in results)
        several = [keys for keys in points.values() if len(keys) > 1]
        equal = [keys for keys in several if len({results[key] for key in keys}) == 1]
        self._settings = [{name: settings[keys[0]][name] for name in varied} for keys in equal]
        self._all_points = {key: number for number, keys in enumerate(points.values()) for key in keys}
        self._seeds = max(map(len, several), default=0)
        self._point_of = {key: number for number, keys in enumerate(equal) for key in keys}

    def has(self, keys: Iterable[str]) -> bool:
        """Whether all these runs are of one such point."""
        points = {self._point_of.get(key) for key in keys}
        return len(points) == 1 and None not in points

    def note(self, keys: Iterable[str], names: labels.Names) -> str:
        """Say which points of these runs they are, under these names; empty if there are none."""
        shown = set(keys)
        equal = {self._point_of[key] for key in shown if key in self._point_of}
        if not equal:
            return ""
        points = len({self._all_points[key] for key in shown})
        found = [self._settings[number] for number in equal]
        ordered = sorted(found, key=lambda point: [parameters.sort_key(value) for value in point.values()])
        if points == 1:
            where = f"all {self._seeds} seeds"
        elif len(ordered) == points:
            where = f"at all {points} points all seeds"
        else:
            named = listed([_named(point, names) for point in ordered], separator="; ")
            where = f"at {len(ordered)} of {points} points ({named}) all seeds"
        return f"{where} gave equal results: nothing random took effect"


def _named(point: Mapping[str, Any], names: labels.Names) -> str:
    return ", ".join(f"{_heading(column, names)} {names.value(value, column)}" for column, value in point.items())


def _heading(column: str, names: labels.Names) -> str:
    return names.renamed.get(column, labels.without_unit(column))
