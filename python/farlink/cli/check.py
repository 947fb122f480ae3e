"""`farlink check`."""

from __future__ import annotations

import re

import click

import farlink._farlink as engine
from farlink.cli.options import (
    Bounds,
    Changes,
    loaded,
    scenario_argument,
    strict_option,
    warn,
    warn_of_implausible,
    warn_option,
)
from farlink.cli.terminal import print_line
from farlink.execution import packaged
from farlink.tables import parameters

CHOICES = (".tcp.congestion_control", ".tcp.congestion_control.name")
WORKLOAD = re.compile(r"workloads\.\d+\.label")


@click.command()
@scenario_argument
@warn_option
@strict_option
def check(scenario: str, settings: Changes, bounds: tuple[Bounds, ...], strict: bool) -> None:
    """Validate SCENARIO without a run, and print its flows and the estimated events and memory.

    Events and memory are estimates to an order of magnitude, of a run that keeps time series. A congestion control that
    is built in is refused where an installed package has one of the same name.
    """
    made = loaded(scenario, settings)
    validated = made.validated
    # As written: of `newreno` the resolved scenario has `reno`.
    written = parameters.flatten(engine.to_toml(made.text, made.origin, made.settings))
    chosen = {str(value) for path, value in written.items() if path.endswith(CHOICES)}
    packaged.refuse_built_in(chosen - set(validated.plugged.values()))
    workloads = [
        str(value) for path, value in parameters.flatten(validated.resolved).items() if WORKLOAD.fullmatch(path)
    ]
    found = {"flows": validated.flow_labels, "workloads": workloads}
    named = "; ".join(f"{what}: {', '.join(labels)}" for what, labels in found.items() if labels)
    warn_of_implausible(made.origin, validated.warnings, strict)
    estimate = made.estimate()
    print_line(f"{made.origin}: valid; {validated.duration_ns / 1e9:g} s, {estimate}, {named}")
    warn(made.origin, estimate, bounds)
