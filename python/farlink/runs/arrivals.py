"""Flows of which no packet arrived, and the main cause: a goodput of 0 may be a mistake in the scenario."""

from __future__ import annotations

from collections import Counter

from farlink.runs.run import Run


def flows_without(run: Run) -> list[str]:
    """Give a line for each flow of which no packet arrived with any seed."""
    arrived: Counter[str] = Counter()
    for flow in run.document["flows"]:
        arrived[flow["flow"]] += flow["packets_delivered"]
    of = "" if len(run.seeds) == 1 else f" with any of {len(run.seeds)} seeds"
    return [f"{flow}: no packet arrived{of}: {_main_cause(run, flow)}" for flow, count in arrived.items() if not count]


def _main_cause(run: Run, flow: str) -> str:
    """What `farlink explain` says of it most often."""
    rows = [row for row in run.explanation if row["flow"] == flow]
    drops: Counter[tuple[str, str]] = Counter()
    limits: Counter[str] = Counter()
    for row in rows:
        for each in row["drops"]:
            drops[each["place"], each["cause"]] += each["packets"]
        for cause, share in row["limited_by"].items():
            limits[cause] += share / len(rows)
    if drops:
        [((place, cause), count)] = drops.most_common(1)
        return f"{count} packets were dropped at {place} ({cause.replace('_', ' ')})"
    if limits:
        [(cause, share)] = limits.most_common(1)
        return f"no packet was dropped, and the {cause.replace('_', ' ')} took {100 * share:.0f} % of its time"
    return "no packet was dropped"
