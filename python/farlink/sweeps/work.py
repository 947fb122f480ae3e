"""A point of a sweep, one seed of it as a run to be made, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import farlink._farlink as engine
from farlink.errors import ExecutorError
from farlink.execution import packaged
from farlink.execution.execute import Order, Watch, simulate
from farlink.execution.plug import Plug
from farlink.runs.scenario import Scenario
from farlink.store import record
from farlink.store.order import plain_value
from farlink.store.record import Record
from farlink.sweeps.grid import Settings
from farlink.tables import parameters
from farlink.tables.coordinates import Written
from farlink.tables.workload_columns import ValueOf, is_of_workload, place


@dataclass(frozen=True)
class Point:
    """A scenario of the grid."""

    scenario: Scenario
    identified: str
    plugs: Mapping[int, Plug]
    varied: Mapping[str, parameters.Scalar]
    """What the sweep varies, by path as in columns."""

    @classmethod
    def of(cls, scenario: Scenario, varied: Settings) -> Point:
        """Make the point of a scenario; raises `ScenarioError`."""
        named, classes = scenario.plugged()
        plugs = {index: Plug.of(factory) for index, factory in classes.items()}
        for plug in plugs.values():
            plug.require_file()
        # Of a class the name that it has here: in another process its module may have another one.
        plain = {path: plain_value(value) for path, value in varied.items()}
        return cls(named, record.identifying_text(named.validated, plugs), plugs, plain)

    @cached_property
    def written(self) -> str:
        """How the scenario was written (`Written.to_text`)."""
        made = self.scenario
        keys = parameters.flatten(engine.to_toml(made.text, made.origin, made.settings))
        plugged = {f"flows.{index}.tcp.congestion_control": plug.name for index, plug in self.plugs.items()}
        return Written(self.varied, {**keys, **plugged}).to_text()

    def key(self, seed: int) -> str:
        """The name of a run."""
        return record.run_key(self.identified, seed)


@dataclass(frozen=True)
class Task:
    """A run to be made. Small enough to be sent to another machine."""

    key: str
    point: Point
    seed: int
    series: bool = False
    max_events: int | None = None

    @property
    def scenario(self) -> Scenario:
        """That of its point."""
        return self.point.scenario


@dataclass(frozen=True)
class Finished:
    """A run that was made: its record, and its time series as Parquet if they were asked for."""

    record: Record
    series: bytes | None

    def values(self, measure: str, value_of: ValueOf) -> dict[str, float | None]:
        """A measure of every flow, or the one of a workload: `value_of` its row."""
        if is_of_workload(measure):
            *of_class, column = place(measure)
            rows = self.record.measured["workloads"]
            found = [row for row in rows if [row["workload"], row["class"]] == of_class]
            return {row["workload"]: value_of(row, column) for row in found}
        return {flow["flow"]: value_of(flow, measure) for flow in self.record.measured["flows"]}


_FOUND: dict[tuple[str, str | None], Plug] = {}
"""Classes by name and package, as they were when this process imported them: files may change while it lives."""


def _here(plug: Plug) -> Plug:
    """Give what this process has of a name."""
    place = (plug.name, plug.package)
    if place not in _FOUND:
        _FOUND[place] = packaged.named(plug.name) if plug.package else Plug.of(plug.factory)
    return _FOUND[place]


def run(task: Task, watch: Watch | None = None) -> Finished:
    """Make a run, here or on another machine; raises `KeyboardInterrupt` when `watch` stops it."""
    validated = task.scenario.validated
    for plug in task.point.plugs.values():
        if not plug.is_same(_here(plug)):
            raise ExecutorError(f"a worker has another version of {plug.name}, give all the same")
    classes = {index: plug.factory for index, plug in task.point.plugs.items()}
    order = Order(validated, [task.seed], series=task.series, congestion_control=classes, max_events=task.max_events)
    outcome = simulate(order, task.seed, watch)
    if outcome is None:
        raise KeyboardInterrupt
    identified = record.identifying_text(validated, task.point.plugs)
    made = Record(
        key=record.run_key(identified, task.seed),
        scenario=validated.name,
        seed=task.seed,
        build=engine.__build__,
        resolved=identified,
        measured=outcome.measured,
        cpu_s=outcome.cpu_s,
        written=task.point.written,
    )
    if made.key != task.key:
        raise ExecutorError("a worker runs another build of farlink or reads other files, give all the same")
    if not task.series:
        return Finished(made, None)
    import pyarrow as pa

    from farlink.store import tables
    from farlink.tables import arrow

    table = arrow.series([task.seed], [outcome.flow_series])
    keys = pa.repeat(pa.scalar(task.key), table.num_rows)
    return Finished(made, tables.encode(table.add_column(0, "key", keys)))
