"""One variant with many seeds: whether a claim is missed by chance, or by what the settings do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from farlink.results.result_store import ResultStore
from farlink.studies.experiments import Experiments
from farlink.studies.measures import Measure
from farlink.studies.runs import MissingError
from farlink.studies.written import ends

from farlink_studies.manet import runs as reading
from farlink_studies.manet.findings import DIGITS, change_over_sweep
from farlink_studies.manet.runs import CONNECTIONS, METRICS, NODES, SPEED, UNITS, Metric, Runs

VARIANT = "reno"
SWEEPS = (SPEED, NODES, CONNECTIONS)
COMMITTED, LASTING = "as committed", "shadowing constant for seconds"
GRIDS = {COMMITTED: "many seeds", LASTING: "many seeds, constant shadowing"}
"""What the names of the grids in `experiments.toml` begin with."""
READINGS: Mapping[str, Metric] = {
    **METRICS,
    "packets dropped per connection": lambda one: one.dropped / one.connections,
    "packets dropped per packet sent": lambda one: one.dropped / one.sent if one.sent else None,
}


def grid_name(how: str, sweep: str) -> str:
    """The name of a grid."""
    return f"{GRIDS[how]}: {sweep}"


class Many:
    """The ends of the sweeps, with many seeds."""

    def __init__(self, more: Mapping[str, ResultStore]) -> None:
        self._runs = {
            how: reading.of_results(
                {sweep: more[grid_name(how, sweep)] for sweep in SWEEPS if grid_name(how, sweep) in more}
            )
            for how in GRIDS
        }

    @property
    def committed(self) -> Runs:
        """Those under the study's settings."""
        return self._runs[COMMITTED]

    def facts(self, measure: Measure[Runs, str]) -> dict[str, str]:
        """What the explanation of a claim may name: how it goes with so many seeds."""
        found = {"many": self._format_trend(COMMITTED, measure), "many_lasting": self._format_trend(LASTING, measure)}
        return {name: text for name, text in found.items() if text}

    def report(self) -> Experiments | None:
        """The table; None where nothing was run."""
        rows = list(self._trend_rows())
        if not rows:
            return None
        caption = (
            "NewReno with many seeds: change from the lowest to the highest level [%], with its 95 % interval, and "
            "both means"
        )
        return Experiments.of_table(caption, rows)

    def _format_trend(self, how: str, measure: Measure[Runs, str]) -> str:
        try:
            value = measure.find(self._runs[how]).value
        except MissingError:
            return ""
        return f"{ends(value, '+')} % with {value.count} seeds"

    def _trend_rows(self) -> Iterator[dict[str, Any]]:
        for sweep in SWEEPS:
            for name, metric in READINGS.items():
                row: dict[str, Any] = {"over": UNITS[sweep], "metric": name}
                for how, runs in self._runs.items():
                    row[how] = _trend_cell(runs, metric, sweep, name)
                if any(row[how] for how in GRIDS):
                    yield row


def _trend_cell(runs: Runs, metric: Metric, sweep: str, name: str) -> str:
    try:
        found = change_over_sweep(runs, metric, sweep, (VARIANT,))
    except MissingError:
        return ""
    unit = f" {DIGITS[name]}" if name in DIGITS else ""
    return f"{ends(found.value, '+')}, {found.first:.3g} to {found.last:.3g}{unit}, {found.value.count} seeds"
