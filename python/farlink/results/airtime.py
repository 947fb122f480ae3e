"""How long a station transmitted and the medium was busy there, as a measure of a run: `airtime.gateway.busy_share`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from farlink.errors import UsageError
from farlink.tables.rows import stations

Row: TypeAlias = "dict[str, Any]"
PREFIX = "airtime."
COLUMNS = ("busy_share", "transmitting_share", "busy_s", "transmitting_s")
"""Those of the table `airtime`; the first is what is usually asked for."""
MOST_NAMED = 12
"""Stations in a message."""


def is_of_station(measure: str) -> bool:
    """Whether a measure is a column of the table `airtime` at a node."""
    return measure.startswith(PREFIX)


class Airtime:
    """The values at each station of the runs; `rows` are those of the table `airtime`."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._stations: dict[str, dict[str, Mapping[str, Any]]] = {}
        """By the name of the station, then by the key of the run."""
        for name, row in zip(stations(rows, "key"), rows, strict=True):
            self._stations.setdefault(name, {})[row["key"]] = row

    def check(self, measure: str) -> str:
        """Give a measure that exists; raises `UsageError` with what there is instead."""
        station, _, column = measure.removeprefix(PREFIX).rpartition(".")
        if not self._stations:
            raise UsageError(f"{measure}: no run has a shared channel")
        if station not in self._stations:
            names = list(self._stations)
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            known = f"the stations are {', '.join(names[:MOST_NAMED])}{more}"
            raise UsageError(f"{measure}: write {PREFIX}STATION.{COLUMNS[0]}; {known}")
        if column not in COLUMNS:
            raise UsageError(f"{measure}: the columns of a station are {', '.join(COLUMNS)}")
        return measure

    def added_to(self, rows: Iterable[Row], measures: Sequence[str]) -> list[Row]:
        """Add these measures of its run to every flow; None where the run has no such station."""
        asked = {measure: measure.removeprefix(PREFIX).rpartition(".") for measure in measures}
        return [
            {**row, **{measure: self._value(row["key"], place[0], place[2]) for measure, place in asked.items()}}
            for row in rows
        ]

    def _value(self, key: str, station: str, column: str) -> float | None:
        found = self._stations[station].get(key)
        return None if found is None else found[column]
