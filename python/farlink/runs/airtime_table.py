"""How long the medium was busy at stations on shared channels, for a person: the busiest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from farlink.printable import printable
from farlink.runs.run_table import format_mean
from farlink.statistics import Interval, of_measure
from farlink.tables import labels, stations

if TYPE_CHECKING:
    from rich.table import Table

MOST_SHOWN = 12
"""Stations, each with a row."""
SHOWN_OF_MANY = 5
PERCENT = 0.01


@dataclass(frozen=True)
class Station:
    """Means over the seeds, as shares of the run."""

    name: str
    busy: Interval | None
    """The station transmitted, or sensed a transmission."""
    transmitting: Interval | None


def summarise(rows: Sequence[Mapping[str, Any]]) -> list[Station]:
    """Summarise the `airtime` of a document, the stations where the medium is busiest first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for name, row in zip(stations.names(rows, "seed"), rows, strict=True):
        found.setdefault(name, []).append(row)
    made = [Station(name, _mean(of, "busy_share"), _mean(of, "transmitting_share")) for name, of in found.items()]
    return sorted(made, key=_order)


def _order(station: Station) -> tuple[float, float]:
    """Where all hear each other the medium is equally busy; the one that transmits most comes first there."""
    busy, transmitting = (each.mean if each else 0.0 for each in (station.busy, station.transmitting))
    return -round(busy, 3), -transmitting


def _mean(rows: Sequence[Mapping[str, Any]], column: str) -> Interval | None:
    return of_measure([row[column] for row in rows], labels.most_of(column))


def table(found: Sequence[Station]) -> Table:
    """A row per station; of more than a dozen the busiest few."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = found if len(found) <= MOST_SHOWN else found[:SHOWN_OF_MANY]
    rest = f"; the {len(shown)} busiest of {len(found)} stations: --json has all" if len(shown) < len(found) else ""
    made = Table(
        caption=Text(f"busy: the station transmits or senses a transmission, % of the run{rest}"),
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=0,
    )
    made.add_column("station", no_wrap=True)
    for heading in ("medium busy %", "transmitting %"):
        made.add_column(heading, justify="right", no_wrap=True)
    for station in shown:
        cells = (
            printable(station.name),
            *(format_mean(each, PERCENT) for each in (station.busy, station.transmitting)),
        )
        made.add_row(*(Text(cell) for cell in cells))
    return made
