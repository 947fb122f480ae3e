"""What the paper did not ask (`beyond.toml`): what a window is worth where no route fails."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from farlink import parameters, statistics, tables
from farlink.results import Results
from farlink.sheet import Sheet
from farlink.studies.route_failure import findings
from farlink.studies.route_failure.runs import BITS_PER_KBIT
from farlink.studies.study import Beyond

WINDOWS = {"four": "window, four nodes", "five": "window, five nodes"}
"""The grids, by the word that explanations use."""


class Windows:
    """Reno's goodput by its largest window, kbit/s of every seed."""

    def __init__(self, more: Mapping[str, Results]) -> None:
        self.by_nodes = {word: _by_window(more[grid]) for word, grid in WINDOWS.items() if grid in more}

    def facts(self) -> dict[str, str]:
        """Of the goodput with the largest window, as explanations name it."""
        return {
            f"window_{word}_{window}": f"{fmean(values) / fmean(by_window[max(by_window)]):.0%}"
            for word, by_window in self.by_nodes.items()
            for window, values in by_window.items()
        }

    def beyond(self) -> Beyond | None:
        """As a table."""
        if len(self.by_nodes) < len(WINDOWS):
            return None
        windows = sorted(self.by_nodes["five"])
        rows = [
            {
                "largest window": window,
                **{f"{word} nodes": _mean(by_window[window]) for word, by_window in self.by_nodes.items()},
            }
            for window in windows
        ]
        found = self.facts()
        said = (
            f"Where no route fails, a window of 2 packets carries {found['window_four_2']} of what one of "
            f"{windows[-1]} does over three hops, and {found['window_five_2']} over four."
        )
        sheet = Sheet(tables.from_rows(rows))
        return Beyond([said], [("Goodput of Reno without failures [kbit/s]", sheet)], [])


def _by_window(results: Results) -> dict[int, list[float]]:
    windows = {
        row["key"]: int(str(parameters.flat(row["resolved"])["flows.0.tcp.max_window"]).split()[0])
        for row in results.runs.select(["key", "resolved"]).to_pylist()
    }
    found: dict[int, list[float]] = {}
    for flow in results.flows.to_pylist():
        found.setdefault(windows[flow["key"]], []).append(flow["goodput_bps"] / BITS_PER_KBIT)
    return found


def _mean(values: list[float]) -> str:
    found = statistics.interval(values)
    assert found is not None, "every window has a run"
    return findings.written(found)
