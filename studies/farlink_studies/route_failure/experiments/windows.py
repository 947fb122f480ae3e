"""An additional experiment: what a window is worth where no route fails."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from farlink.results.result_store import ResultStore
from farlink.studies.experiments import Experiments
from farlink.studies.runs import resolved
from farlink.tables import parameters
from farlink.tables.rows import grouped

from farlink_studies.route_failure import findings
from farlink_studies.route_failure.runs import BITS_PER_KBIT, Runs

WINDOWS = {"four": "window, four nodes", "five": "window, five nodes"}
"""The grids, by the word that explanations use."""


class Windows:
    """Reno's goodput by its largest window, kbit/s of every seed."""

    def __init__(self, more: Mapping[str, ResultStore]) -> None:
        self.by_nodes = {word: _by_window(more[grid]) for word, grid in WINDOWS.items() if grid in more}

    def facts(self) -> dict[str, str]:
        """Of the goodput with the largest window, as explanations name it."""
        return {
            f"window_{word}_{window}": f"{fmean(values) / fmean(by_window[max(by_window)]):.0%}"
            for word, by_window in self.by_nodes.items()
            for window, values in by_window.items()
        }

    def report(self, runs: Runs) -> Experiments | None:
        """As a table; intervals are those of `runs`."""
        if len(self.by_nodes) < len(WINDOWS):
            return None
        windows = sorted(self.by_nodes["five"])
        rows = [
            {"largest window": window}
            | {
                f"{word} nodes": findings.format_interval(runs.interval(by_window[window]))
                for word, by_window in self.by_nodes.items()
            }
            for window in windows
        ]
        found = self.facts()
        finding = (
            f"Where no route fails, a window of 2 packets carries {found['window_four_2']} of what one of "
            f"{windows[-1]} does over three hops, and {found['window_five_2']} over four."
        )
        return Experiments.of_table("Goodput of Reno without failures [kbit/s]", rows, [finding])


def _by_window(results: ResultStore) -> dict[int, list[float]]:
    windows = {
        key: int(parameters.si_number(parameters.flatten(text), "flows.0.tcp.max_window"))
        for key, text in resolved(results).items()
    }
    flows = results.flows.to_pylist()
    return grouped((windows[flow["key"]], flow["goodput_bps"] / BITS_PER_KBIT) for flow in flows)
