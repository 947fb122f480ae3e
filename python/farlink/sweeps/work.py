"""One seed of one point, and what came of it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field

from farlink.errors import ExecutorError
from farlink.execution.execute import Order, Watch, simulate
from farlink.execution.plug import Plug
from farlink.runs.scenario import Scenario
from farlink.store import record
from farlink.store.record import Record


@dataclass(frozen=True)
class Task:
    """A run to be made. Small enough to be sent to another machine."""

    key: str
    scenario: Scenario
    seed: int
    series: bool = False
    plugs: Mapping[int, Plug] = field(default_factory=dict)
    max_events: int | None = None
    written: str | None = None
    """How the scenario was written (`Written.to_text`)."""


@dataclass(frozen=True)
class Finished:
    """A run that was made: its record, and its time series as Parquet if they were asked for."""

    record: Record
    series: bytes | None

    def values(self, measure: str) -> dict[str, float | None]:
        """A measure of every flow."""
        return {flow["flow"]: flow[measure] for flow in self.record.measured["flows"]}


def run(task: Task, watch: Watch | None = None) -> Finished:
    """Make a run, here or on another machine; raises `KeyboardInterrupt` when `watch` stops it."""
    validated = task.scenario.validated
    for plug in task.plugs.values():
        if not plug.is_same_here():
            raise ExecutorError(f"a worker has another version of {plug.name}, give all the same")
    classes = {index: plug.factory for index, plug in task.plugs.items()}
    order = Order(validated, [task.seed], series=task.series, congestion_control=classes, max_events=task.max_events)
    outcome = simulate(order, task.seed, watch or _go_on)
    if outcome is None:
        raise KeyboardInterrupt
    identified = record.identifying_text(validated, task.plugs)
    made = record.record_of_outcome(identified, validated.name, outcome, task.written)
    if made.key != task.key:
        raise ExecutorError("a worker runs another build of farlink or reads other files, give all the same")
    if not task.series:
        return Finished(made, None)
    import pyarrow as pa
    import pyarrow.parquet

    from farlink.tables import arrow

    table = arrow.series([task.seed], [outcome.flow_series])
    sink = io.BytesIO()
    keys = pa.repeat(pa.scalar(task.key), table.num_rows)
    pyarrow.parquet.write_table(table.add_column(0, "key", keys), sink, compression="zstd")
    return Finished(made, sink.getvalue())


def _go_on(share: float) -> bool:
    del share
    return True
