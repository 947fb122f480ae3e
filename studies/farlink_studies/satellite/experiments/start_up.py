"""The start of Enhanced Hybla at high error rates, as published and with a remedy in two halves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.statistics import Interval
from farlink.studies.comparisons import lower_end, upper_end
from farlink.studies.experiments import Experiments
from farlink.studies.written import half_width
from farlink.tables import parameters

from farlink_studies.satellite import drawing
from farlink_studies.satellite.explanations import PACKET_BITS
from farlink_studies.satellite.runs import Runs, TimeSeries, time_series

GRID = "start-up"
SPANS_S = (10.0, 30.0)
LINK_MBPS = 100 * 1448 / 1500
PUBLISHED, KEPT_BOARD, KEPT_FLIGHT, BOTH = "as published", "scoreboard kept", "flight kept", "both kept"
SCHEMES = (PUBLISHED, KEPT_BOARD, KEPT_FLIGHT, BOTH)


class Start(NamedTuple):
    """Which scheme at which bit error rate."""

    rate: float
    scheme: str


Starts = dict[Start, dict[int, TimeSeries]]


def of_results(results: ResultStore) -> Starts:
    """Read the time_series out of the store."""
    found: Starts = {}
    by_key = time_series(results)
    for run in results.runs.to_pylist():
        values = parameters.flatten(run["resolved"])
        keeps_board = values["flows.0.tcp.recovery.clear_scoreboard_on_exit"] is False
        keeps_flight = values["flows.0.tcp.congestion_control.flight_share"] == 1.0
        scheme = SCHEMES[keeps_board + 2 * keeps_flight]
        rate = float(values["links.0.error.rate"])
        found.setdefault(Start(rate, scheme), {})[run["seed"]] = by_key[run["key"]]
    return found


def report(found: Starts, runs: Runs) -> Experiments:
    """The table, the figure, and what follows; intervals are those of `runs`."""
    caption = (
        "Start-up of Enhanced Hybla: data delivered in the first seconds, and time until the cumulative goodput is "
        "50 % and 90 % of the link's capacity; mean and 95 % CI, paired by seed"
    )
    panels: dict[float, dict[str, list[TimeSeries]]] = {}
    for start, seeds in found.items():
        panels.setdefault(start.rate, {})[start.scheme] = [*seeds.values()]
    figure = drawing.draw_start_up(runs, panels)
    return Experiments(
        findings=[*_finding_sentences(found, runs)],
        tables=[(caption, ReportTable.of(_start_row(found, start, runs) for start in found))],
        figures=[("Figure B: start-up of Enhanced Hybla, as published and with remedies", figure)],
    )


def _start_row(found: Starts, start: Start, runs: Runs) -> dict[str, Any]:
    seeds = found[start]
    row: dict[str, Any] = {"BER": f"{start.rate:g}", "Enhanced Hybla": start.scheme}
    for span in SPANS_S:
        arrived = [bytes_arrived(series, span) / 1e6 for series in seeds.values()]
        row[f"MB in {span:g} s"] = half_width(runs.interval(arrived))
    row[f"ratio in {SPANS_S[-1]:g} s"] = (
        "-" if start.scheme == PUBLISHED else half_width(_gain_interval(found, start, runs))
    )
    for share in (0.5, 0.9):
        times = [time_to_goodput(series, share * capacity_mbps(start.rate)) for series in seeds.values()]
        known = [time for time in times if time is not None]
        part = f"{len(known)} of {len(times)} within 60 s"
        row[f"s until {share:.0%}"] = half_width(runs.interval(known)) if len(known) == len(times) else part
    return row


def _finding_sentences(found: Starts, runs: Runs) -> Iterator[str]:
    for start in found:
        if start.scheme == PUBLISHED:
            continue
        gain = _gain_interval(found, start, runs)
        low, high = lower_end(gain), upper_end(gain)
        verdict = "more than" if low > 1 else "less than" if high < 1 else "no significant difference from"
        yield (
            f"BER {start.rate:g}, {start.scheme}: in the first {SPANS_S[-1]:g} s {verdict} as published, "
            f"{gain.mean:.3g} times ({low:.3g} to {high:.3g})."
        )


def _gain_interval(found: Starts, start: Start, runs: Runs) -> Interval:
    ours, theirs = found[start], found[Start(start.rate, PUBLISHED)]
    span = SPANS_S[-1]
    arrived = ({seed: bytes_arrived(series, span) for seed, series in seeds.items()} for seeds in (ours, theirs))
    return runs.ratio(*arrived)


def bytes_arrived(series: TimeSeries, end_s: float) -> float:
    """Bytes in order by then."""
    return float(np.interp(end_s, series.time_s, series.received_bytes))


def time_to_goodput(series: TimeSeries, goodput_mbps: float) -> float | None:
    """When goodput over the time so far was first that large."""
    past = series.time_s > 0
    so_far = series.received_bytes[past] * 8 / series.time_s[past] / 1e6
    places = np.flatnonzero(so_far >= goodput_mbps)
    return float(series.time_s[past][places[0]]) if places.size else None


def capacity_mbps(rate: float) -> float:
    """Payload that the link can carry: its rate without headers and without the packets that errors destroy."""
    return LINK_MBPS * math.exp(PACKET_BITS * math.log1p(-rate))
