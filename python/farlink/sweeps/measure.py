"""Which measures and flows a scenario has."""

from __future__ import annotations

import json

from farlink._farlink import Simulation
from farlink.errors import UsageError
from farlink.results.run_values import RUN_VALUES, is_of_run
from farlink.runs.scenario import Scenario
from farlink.spelling import remedy
from farlink.tables.labels import without_unit


def check_measure(scenario: Scenario, measure: str, flow: str | None) -> None:
    """Refuse a measure or a flow that the scenario does not have."""
    # A run of no time measures nothing, but says what it would measure.
    flows = json.loads(Simulation(scenario.validated, 0, False).finish().json())["flows"]
    measures = [name for name, value in flows[0].items() if not isinstance(value, str | dict) and name != "seed"]
    if _is_of_tables_only(measure):
        what = "tables and figures have it; a stopping rule and a tuning take a measure of each flow"
        raise UsageError(f"{measure}: {what}: {', '.join(measures)}")
    if measure not in measures:
        raise UsageError(f"there is no measure {measure}; {remedy(measure, measures)}")
    labels = [each["flow"] for each in flows]
    if flow is not None and flow not in labels:
        raise UsageError(f"there is no flow {flow}; {remedy(flow, labels)}")


def _is_of_tables_only(measure: str) -> bool:
    """Whether this is a value of a whole run, or a percentile."""
    return ":" in measure or is_of_run(measure) or measure in map(without_unit, RUN_VALUES)
