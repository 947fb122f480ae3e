"""Varied parameters on which no result depends: their rows look like measurements of an effect.

Such as the length of a chain whose flow ends at a fixed node, or a queue that no variant fills.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from farlink._farlink import ScenarioWarning
from farlink.printable import printable
from farlink.system.toml import tomllib
from farlink.tables import labels

Row: TypeAlias = "Mapping[str, Any]"
MOST_NAMED = 3
"""Flows in a message."""
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
    of all their flows are equal to the last digit.
    """
    settings: dict[str, dict[str, Any]] = {}
    results: dict[str, int] = {}
    for flow in flows:
        settings.setdefault(flow["key"], {name: flow[name] for name in ("seed", *varied)})
        measured = tuple(value for name, value in flow.items() if name != "key" and name not in varied)
        # As text, for hash(-1) is hash(-2), and NaN is equal to no other.
        results[flow["key"]] = results.get(flow["key"], 0) + hash(repr(measured))
    found: list[Ineffective] = []
    for column in varied:
        along = tuple(other for other in varied if other != column and _goes_along(other, column, settings.values()))
        if any(column in each.along for each in found):
            continue
        fixed = [name for name in ("seed", *varied) if name != column and name not in along]
        if values := _equal_values(column, fixed, settings, results):
            found.append(Ineffective(column, along, values))
    return found


def _goes_along(other: str, column: str, settings: Iterable[Row]) -> bool:
    """Whether every value of `column` has one of `other`."""
    pairs = {(each[column], each[other]) for each in settings}
    return len(pairs) == len({value for value, _ in pairs})


def _equal_values(column: str, fixed: Sequence[str], settings: Mapping[str, Row], results: Mapping[str, int]) -> int:
    """Count the values of a column if all of them have equal results; 0 if they differ or were not all compared."""
    groups: dict[tuple[Any, ...], list[tuple[Any, int]]] = {}
    for key, row in settings.items():
        groups.setdefault(tuple(row[name] for name in fixed), []).append((row[column], results[key]))
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
    named = ", ".join(f"{label} from {origin} to {target}" for label, origin, target in ends[0][:MOST_NAMED])
    rest = f" and {len(ends[0]) - MOST_NAMED} more" if len(ends[0]) > MOST_NAMED else ""
    return f"every point has the same flows: {named}{rest}"
