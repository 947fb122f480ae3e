"""Points of a sweep at which all seeds gave equal results: their means have no error, and so no interval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from farlink.tables import labels, parameters

MOST_NAMED = 3
"""Points in a line about them."""


class EqualPoints:
    """Which points these are among the runs with these flows; `scenarios` gives each run's by its key."""

    def __init__(self, flows: Iterable[Mapping[str, Any]], scenarios: Mapping[str, str], varied: Sequence[str]) -> None:
        runs: dict[str, dict[str, list[dict[str, Any]]]] = {}
        settings: dict[str, dict[str, Any]] = {}
        for flow in flows:
            key = flow["key"]
            measured = {name: value for name, value in flow.items() if name not in ("key", "seed")}
            runs.setdefault(scenarios[key], {}).setdefault(key, []).append(measured)
            settings.setdefault(scenarios[key], {name: flow[name] for name in varied})
        self._points = len(runs)
        several = {point: [*of.values()] for point, of in runs.items() if len(of) > 1}
        equal = [point for point, of in several.items() if all(run == of[0] for run in of)]
        self._settings = [settings[point] for point in equal]
        self._seeds = max((len(of) for of in several.values()), default=0)
        self._point_of = {key: point for point in equal for key in runs[point]}

    def has(self, keys: Iterable[str]) -> bool:
        """Whether all these runs are of one such point."""
        points = {self._point_of.get(key) for key in keys}
        return len(points) == 1 and None not in points

    @property
    def note(self) -> str:
        """Say which they are; empty if there are none."""
        if not self._settings:
            return ""
        if self._points == 1:
            return f"all {self._seeds} seeds gave equal results: nothing random took effect"
        if len(self._settings) == self._points:
            return f"at all {self._points} points all seeds gave equal results: nothing random took effect"
        ordered = sorted(self._settings, key=lambda point: [parameters.sort_key(value) for value in point.values()])
        named = "; ".join(map(_named, ordered[:MOST_NAMED]))
        rest = f"; and {len(ordered) - MOST_NAMED} more" if len(ordered) > MOST_NAMED else ""
        at = f"at {len(ordered)} of {self._points} points ({named}{rest})"
        return f"{at} all seeds gave equal results: nothing random took effect"


def _named(point: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{labels.without_unit(column)} {labels.value_text(value, column)}" for column, value in point.items()
    )
