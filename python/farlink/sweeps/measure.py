"""Which measures and flows a scenario has."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from typing import Any

from farlink._farlink import Simulation
from farlink.errors import UsageError
from farlink.results import end_to_end
from farlink.results.measure import Measure
from farlink.results.run_values import RUN_VALUES, Airtime, is_of_run, is_of_station, value_without_flows
from farlink.results.workload_values import Workloads
from farlink.runs.scenario import Scenario
from farlink.spelling import remedy
from farlink.tables import parameters
from farlink.tables.labels import without_unit
from farlink.tables.workload_columns import is_of_workload

FLOW = "flow"


def check_question(scenarios: Sequence[Scenario], measures: Sequence[str] | None, where: Mapping[str, str]) -> None:
    """Refuse measures of the results, and a choice of flows, that none of these scenarios has.

    Parameters are refused once there are results.
    """
    flows = _measured(scenarios[0])["flows"]
    names = {name: value for flow in flows for name, value in flow.items()}
    columns = [*(name for name, value in names.items() if not isinstance(value, dict)), *RUN_VALUES]
    find = partial(parameters.find_column, columns=columns)
    for name in measures or ():
        if is_of_station(name):
            _airtime(scenarios).check(name.partition(":")[0])
        elif is_of_workload(name.partition(":")[0]):
            _workloads(scenarios).check(name.partition(":")[0])
        elif "." not in name.partition(":")[0] and not name.startswith("limited_by_"):
            Measure.parse(name, find if flows else partial(value_without_flows, workloads=_workloads(scenarios)))
    if (flow := where.get(FLOW)) is not None:
        known = [(each.validated.flow_labels, end_to_end.names(each.validated.resolved)) for each in scenarios]
        labels = list(dict.fromkeys(label for names in known for label in chain(*names)))
        if not any(label == flow or fnmatchcase(label, flow) for label in labels):
            raise UsageError(f"no flow is {flow}; {remedy(flow, labels)}")


def _measured(scenario: Scenario) -> Mapping[str, list[dict[str, Any]]]:
    """A run of no time: it measures nothing, but says what it would measure of each flow and station."""
    found: Mapping[str, list[dict[str, Any]]] = json.loads(Simulation(scenario.validated, 0, False).finish().json())
    return found


def _airtime(scenarios: Sequence[Scenario]) -> Airtime:
    """Give the stations of these scenarios, without values."""
    different = {repr((each.validated.nodes, each.validated.channels)): each for each in scenarios}
    rows = ((key, row) for key, each in different.items() for row in _measured(each)["airtime"])
    return Airtime([{"key": key, **row} for key, row in rows])


def _workloads(scenarios: Sequence[Scenario]) -> Workloads:
    """Give the workloads of these scenarios, without values."""
    rows = ((str(key), row) for key, each in enumerate(scenarios) for row in _measured(each)["workloads"])
    return Workloads([{"key": key, **row} for key, row in rows])


def check_measure(scenario: Scenario, measure: str, flow: str | None) -> None:
    """Refuse a measure or a flow that the scenario does not have."""
    if is_of_workload(measure):
        if ":" in measure:
            raise UsageError(f"{measure}: a percentile over flows is for tables and figures; write completion_p95_s")
        if (whole := _workloads([scenario]).check(measure)) != measure:
            raise UsageError(f"there is no measure {measure}; write {whole}")
        if flow is not None:
            raise UsageError(f"flow {flow}: {measure} is a measure of a workload; leave the flow out")
        return
    flows = _measured(scenario)["flows"]
    if not flows:
        raise UsageError(f"{measure}: a measure is one of a flow, and there are no flows; add [[flows]]")
    measures = [name for name, value in flows[0].items() if not isinstance(value, str | dict) and name != "seed"]
    if ":" in measure or is_of_run(measure) or measure in map(without_unit, RUN_VALUES):
        what = "tables and figures have it; a stopping rule and a tuning take a measure of each flow, or of a workload"
        raise UsageError(f"{measure}: {what}: {', '.join(measures)}")
    if measure not in measures:
        raise UsageError(f"there is no measure {measure}; {remedy(measure, measures)}")
    labels = [str(each["flow"]) for each in flows]
    if flow is not None and flow not in labels:
        raise UsageError(f"there is no flow {flow}; {remedy(flow, labels)}")
