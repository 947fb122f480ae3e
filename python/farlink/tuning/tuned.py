"""What a tuning found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink import statistics
from farlink._farlink import __version__
from farlink.arguments import PLACE, check_argument_types
from farlink.results import comparison, no_arrival
from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.results.workload_values import Workloads
from farlink.spelling import counted
from farlink.statistics import Interval
from farlink.tables import labels, parameters
from farlink.tuning.race import Goal, Race, TriedPoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from farlink.runs.scenario import Scenario
    from farlink.tuning.space import Space


@dataclass(frozen=True)
class Tuned:
    """The best point, all that were tried (the best first), and the runs."""

    scenario: Scenario
    space: Space
    goal: Goal
    seeds: Sequence[int]
    fresh_seeds: Sequence[int]
    """Those that had no part in choosing the best point."""
    points: Sequence[TriedPoint]
    interval: Interval | None
    """Of the best point's mean, from fresh seeds: they had no part in its being chosen. None if a run has no value."""
    results: ResultStore

    @classmethod
    def of(cls, race: Race, results: ResultStore) -> Tuned:
        """Sum up a race that is over."""
        assert race.best is not None, "a race ends with its best point"
        best = [value for value in race.values(race.best) if value is not None]
        found = []
        for entry in sorted(race.tried, key=lambda entry: (entry.seeds, entry.scores[entry.seeds]), reverse=True):
            values = race.values(entry)
            known = [value for value in values if value is not None]
            is_whole = len(known) == len(values)
            # The best point has a value of every seed.
            behind = statistics.difference(known, best[: len(known)]) if is_whole and entry is not race.best else None
            found.append(
                TriedPoint(
                    settings=dict(zip((each.path for each in race.space.parameters), entry.setting, strict=True)),
                    seeds=entry.seeds,
                    is_finished=is_whole and entry.seeds == len(race.seeds),
                    interval=_interval_or_none(values, race.goal.measure),
                    behind=behind,
                )
            )
        interval = _interval_or_none(race.fresh_values(), race.goal.measure)
        return cls(race.base, race.space, race.goal, race.seeds, race.fresh, found, interval, results)

    @property
    def best(self) -> Mapping[str, str]:
        """The values to set."""
        return self.points[0].settings

    @property
    def compared(self) -> tuple[str, str]:
        """The columns of `table` with the measure, and with the difference to the best point, in the same unit."""
        measure = self.goal.measure
        unit = labels.suffix_of(measure)
        return measure, f"against_best_{unit}" if unit else "against_best"

    @cached_property
    def table(self) -> ReportTable:
        """A row per point: parameters, seeds, mean, difference to the best point over the same seeds."""
        measure, against_best = self.compared
        columns = parameters.parameter_columns(_numeric_settings(point.settings) for point in self.points)
        rows = []
        for index, point in enumerate(self.points):
            row: dict[str, Any] = {name: values[index] for name, values in columns.items()}
            row |= {"seeds": point.seeds} | comparison.interval_cells(measure, point.interval)
            rows.append(row | comparison.interval_cells(against_best, point.behind))
        intervals = [each for point in self.points for each in (point.interval, point.behind)]
        notes = [statistics.method([*intervals, self.interval]), self._worst, self._no_arrival]
        return ReportTable.of(rows, "; ".join(filter(None, notes)))

    @property
    def _worst(self) -> str:
        """How many points have no mean, and why."""
        count = sum(point.interval is None for point in self.points)
        points = counted(len(self.points), "point")
        return f"{count} of {points} count as worst, for each has a run {self.goal.without_value}" if count else ""

    @property
    def _no_arrival(self) -> str:
        """At which points nothing arrived."""
        rows, workloads = self.results.flows.to_pylist(), Workloads(self.results.workloads.to_pylist())
        rows = rows or self.results.runs.to_pylist()
        return no_arrival.note([self.goal.measure], rows, self.results.varied, workloads, labels.Names())

    @property
    def runs(self) -> int:
        """How many runs it took, those for the final interval included."""
        return int(self.results.runs.num_rows)

    @property
    def sweep_runs(self) -> int | None:
        """How many runs a sweep over all values takes with all seeds; None where there is no end of values."""
        count = self.space.count
        return None if math.isinf(count) else int(count) * len(self.seeds)

    @property
    def document(self) -> dict[str, Any]:
        """What `farlink tune --json` prints."""
        goal = self.goal
        return {
            "schema": 1,
            "farlink": __version__,
            "scenario": self.scenario.validated.name,
            "maximize" if goal.is_large else "minimize": goal.measure,
            "flow": goal.flow,
            "seeds": list(self.seeds),
            "fresh_seeds": list(self.fresh_seeds),
            "best": dict(self.best),
            "value": _interval_document(self.interval),
            "points": [
                {
                    "settings": dict(point.settings),
                    "seeds": point.seeds,
                    "finished": point.is_finished,
                    "value": _interval_document(point.interval),
                    "against_best": _interval_document(point.behind),
                    "may_be_best": point.may_be_best,
                    "worst_because": None if point.interval else f"a run {goal.without_value}",
                }
                for point in self.points
            ],
            "runs": self.runs,
            "sweep_runs": self.sweep_runs,
        }

    @check_argument_types(path=PLACE)
    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the measure over every parameter; written to `path` (.png, .svg, .pdf) if given."""
        from farlink.drawing import of_runs
        from farlink.tables.labels import Names
        from farlink.tuning import curve

        names = Names.of_scenarios([self.scenario.validated.resolved])
        figure = curve.draw_tuning_curve(self.space.parameters, self.goal.measure, self.points, self.interval, names)
        if path is not None:
            of_runs.save_figure(figure, Path(path))
        return figure

    def __repr__(self) -> str:
        best = ", ".join(f"{path} = {value}" for path, value in self.best.items())
        return f"<Tuned {self.scenario.origin}: best {best}, of {len(self.points)} points in {self.runs} runs>"


def _interval_or_none(values: Sequence[float | None], measure: str) -> Interval | None:
    known = [value for value in values if value is not None]
    return statistics.of_measure(known, labels.bounds_of(measure)) if len(known) == len(values) else None


def _numeric_settings(settings: Mapping[str, str]) -> dict[str, parameters.Scalar]:
    """A bare number stands for itself."""
    made: dict[str, parameters.Scalar] = {}
    for path, text in settings.items():
        try:
            made[path] = float(text)
        except ValueError:
            made[path] = text
    return made


def _interval_document(found: Interval | None) -> dict[str, Any] | None:
    return None if found is None else {"mean": found.mean, "low": found.low, "high": found.high, "method": found.method}
