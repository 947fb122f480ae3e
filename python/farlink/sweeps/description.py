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

import sys
from collections.abc import Sequence
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from farlink.errors import UsageError
from farlink.runs.kind import is_scenario
from farlink.runs.scenario import Scenario, load
from farlink.runs.seeds import parse_seeds
from farlink.sweeps.grid import Axes, Grid, Override
from farlink.sweeps.sweep import Sweep
from farlink.sweeps.until import Until
from farlink.system.files import read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SEEDS = 10
"""Of a sweep that does not say how many."""
KEYS = ("scenario", "seeds", "set", "cross", "zip", "override", "derive", "series", "until")


def read(path: Path) -> Sweep:
    """Read the file; raises `UsageError` for the first thing that is wrong."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; `farlink sweep --help` shows a file of a sweep") from None
    try:
        return _read_sweep(_parse_toml(text), path.parent)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(str(error)) from None
    except RecursionError:
        raise UsageError("lists or tables are nested too deeply") from None
    except ValueError:  # of int(), without a place
        raise UsageError(f"a number has more than {sys.get_int_max_str_digits()} digits") from None
    _refuse_long_numbers(given)
    return given


def _refuse_long_numbers(value: Any) -> None:
    """Refuse what cannot be written in decimal digits again, in a message or in a scenario."""
    match value:
        case int() if value.bit_length() > 64:
            raise UsageError("a number does not fit into 64 bits")
        case dict() | list():
            for inner in value.values() if isinstance(value, dict) else value:
                _refuse_long_numbers(inner)


def _read_sweep(given: dict[str, Any], folder: Path) -> Sweep:
    if is_scenario(given):
        raise UsageError(
            "a scenario, not a sweep; `farlink run` runs it, and `farlink sweep` with --vary PATH=a,b,c compares values"
        )
    _refuse_unknown(given, KEYS)
    if "scenario" not in given:
        raise UsageError('`scenario` is missing; write scenario = "satellite" or the name of a file')
    scenario = _load_scenario(_typed_value(given, "scenario", str, "a name"), folder)
    settings = _typed_value(given, "set", dict, "a table")
    for path, value in settings.items():
        scenario = scenario.set(path, value)
    overrides = []
    for table in _typed_value(given, "override", list, "an array of tables [[override]]"):
        if not isinstance(table, dict):
            raise UsageError(f"`override` must be an array of tables [[override]], not of {table!r}")
        _refuse_unknown(table, ("when", "set"))
        overrides.append(
            Override(_typed_value(table, "when", dict, "a table"), _typed_value(table, "set", dict, "a table"))
        )
    derive = _typed_value(given, "derive", dict, "a table")
    grid = Grid(
        cross=_typed_value(given, "cross", dict, "a table"),
        zip=_read_groups(given.get("zip", {})),
        overrides=overrides,
        derive={path: _typed_value(derive, path, str, "a text") for path in derive},
    )
    grid.refuse_replaced(scenario, "set", settings)
    series = _typed_value(given, "series", bool, "true or false")
    return Sweep(
        scenario,
        grid,
        _parse_seeds(given.get("seeds", SEEDS)),
        series,
        _parse_until(_typed_value(given, "until", dict, "a table")),
    )


def _read_groups(given: Any) -> Axes | list[Axes]:
    """Read one group of values that go along with each other, or several."""
    if isinstance(given, dict) or (isinstance(given, list) and all(isinstance(group, dict) for group in given)):
        return given
    raise UsageError(f"`zip` must be a table, or an array of tables [[zip]], not {given!r}")


def _parse_seeds(given: Any) -> tuple[int, ...]:
    """A number says how many, a text such as `1..20` which."""
    if isinstance(given, str) or (isinstance(given, int) and not isinstance(given, bool) and given > 0):
        return tuple(parse_seeds(str(given)))
    raise UsageError(f'`seeds` must be a text such as "1..20", or how many, not {given!r}')


def _parse_until(table: dict[str, Any]) -> Until | None:
    if not table:
        return None
    known = [each.name for each in fields(Until)]
    _refuse_unknown(table, known)
    if "half_width" not in table:
        raise UsageError('until: `half_width` is missing; write half_width = "5 %"')
    for key in ("measure", "flow", "time_at_most"):
        if key in table:
            _typed_value(table, key, str, "a text")
    if "seeds_at_most" in table:
        _typed_value(table, "seeds_at_most", int, "a number")
    return Until(**table)


def _load_scenario(name: str, folder: Path) -> Scenario:
    """Files stand beside the sweep's."""
    return load(folder / name) if name.endswith(".toml") else load(name)


def _typed_value(table: dict[str, Any], key: str, kind: type, what: str) -> Any:
    value = table.get(key, kind())
    if not isinstance(value, kind):
        raise UsageError(f"`{key}` must be {what}, not {value!r}")
    return value


def _refuse_unknown(table: dict[str, Any], known: Sequence[str]) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            remedy = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known)}"
            raise UsageError(f"unknown key `{key}`; {remedy}")
