"""Which measures and flows a scenario has."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from farlink._farlink import Simulation
from farlink.errors import UsageError
from farlink.results.measure import Measure
from farlink.results.run_values import RUN_VALUES, is_of_run
from farlink.runs.scenario import Scenario
from farlink.spelling import remedy
from farlink.tables import parameters
from farlink.tables.labels import without_unit

FLOW = "flow"
END_TO_END = ", end to end"
"""The end of the name of what a relay passes on."""


def check_question(scenarios: Sequence[Scenario], measures: Sequence[str] | None, where: Mapping[str, str]) -> None:
    """Refuse measures of the results, and a choice of flows, that none of these scenarios has.

    What is not checked here, such as airtime and parameters, is refused once there are results.
    """
    columns = [*dict.fromkeys(name for flow in _measured_flows(scenarios[0]) for name in flow), *RUN_VALUES]
    for name in measures or ():
        if "." not in name.partition(":")[0] and not name.startswith("limited_by_"):
            Measure.parse(name, lambda path: parameters.find_column(path, columns))
    if (flow := where.get(FLOW)) is not None and not flow.endswith(END_TO_END):
        labels = list(dict.fromkeys(label for each in scenarios for label in each.validated.flow_labels))
        if not any(label == flow or fnmatchcase(label, flow) for label in labels):
            raise UsageError(f"no flow is {flow}; {remedy(flow, labels)}")


def _measured_flows(scenario: Scenario) -> list[dict[str, object]]:
    """A run of no time: it measures nothing, but says what it would measure of each flow."""
    flows: list[dict[str, object]] = json.loads(Simulation(scenario.validated, 0, False).finish().json())["flows"]
    return flows


def check_measure(scenario: Scenario, measure: str, flow: str | None) -> None:
    """Refuse a measure or a flow that the scenario does not have."""
    flows = _measured_flows(scenario)
    measures = [name for name, value in flows[0].items() if not isinstance(value, str | dict) and name != "seed"]
    if _is_of_tables_only(measure):
        what = "tables and figures have it; a stopping rule and a tuning take a measure of each flow"
        raise UsageError(f"{measure}: {what}: {', '.join(measures)}")
    if measure not in measures:
        raise UsageError(f"there is no measure {measure}; {remedy(measure, measures)}")
    labels = [str(each["flow"]) for each in flows]
    if flow is not None and flow not in labels:
        raise UsageError(f"there is no flow {flow}; {remedy(flow, labels)}")


def _is_of_tables_only(measure: str) -> bool:
    """Whether this is a value of a whole run, or a percentile."""
    return ":" in measure or is_of_run(measure) or measure in map(without_unit, RUN_VALUES)
