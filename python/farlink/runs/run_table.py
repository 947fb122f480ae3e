"""The tables that a person reads of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from farlink import statistics
from farlink.runs.grid import Grid
from farlink.runs.summary import FlowSummary, count_transfers
from farlink.statistics import Interval
from farlink.tables import labels
from farlink.tables.rows import Row, grouped, stations

ROUNDING = 1e-12
"""Of a mean of equal values, relative to it."""
MOST_STATIONS, BUSIEST = 12, 5
"""Stations, each with a row; and how many of more of them have one."""
PERCENT = 0.01


def of_flows(title: str, flows: Sequence[FlowSummary], seeds: Sequence[int], note: str = "") -> Grid:
    """A row per flow; `note` says more below the table."""
    mean = partial(format_mean, of=len(seeds))
    rate_scale, rate_unit = _scale(flows, "goodput_bps", ((1e6, "Mbit/s"), (1e3, "kbit/s")))
    time_scale, time_unit = _scale(flows, "completion_s", ((1.0, "s"), (1e-3, "ms")))
    has_datagrams, has_transfers = any(each.loss_rate for each in flows), any(each.transfers for each in flows)
    has_calls = any(each.late_rate for each in flows)
    columns = {
        "": [each.flow for each in flows],
        f"goodput {rate_unit}": [mean(each.goodput_bps, rate_scale) for each in flows],
        "delay ms": [mean(each.delay_mean_s, 1e-3) for each in flows],
    }
    if has_datagrams:
        columns["lost %"] = [mean(each.loss_rate, PERCENT) for each in flows]
    # What calls make of it are their late packets; the table has room for one of both.
    if any(each.loss_rate and not each.late_rate for each in flows):
        columns["delay variation ms"] = [mean(each.delay_variation_mean_s, 1e-3) for each in flows]
    if has_calls:
        columns["late %"] = [mean(each.late_rate, PERCENT) for each in flows]
        columns["mouth to ear ms"] = [mean(each.mouth_to_ear_s, 1e-3) for each in flows]
        columns["MOS"] = [mean(each.mos) for each in flows]
    if has_transfers:
        counts = [f"{each.completed} of {each.transfers}" if each.transfers else "-" for each in flows]
        columns["completed"] = counts
        columns[f"completion {time_unit}"] = [mean(each.completion_s, time_scale) for each in flows]
    if not has_calls or any(each.packets_retransmitted for each in flows):
        columns["retransmitted"] = [mean(each.packets_retransmitted) for each in flows]
    columns["dropped"] = [mean(each.packets_dropped) for each in flows]
    columns["dominant limit"] = [_dominant_limit(each) for each in flows]
    caption = "; ".join(filter(None, [note, *_reading(seeds, flows)]))
    return Grid(list(columns), list(zip(*columns.values(), strict=True)), title, caption, (0, len(columns) - 1))


def of_airtime(rows: Sequence[Row]) -> Grid:
    """How long the medium was busy at stations, the busiest first: the `airtime` of a document."""
    found = grouped(zip(stations(rows, "seed"), rows, strict=True))
    ordered = sorted(found, key=lambda name: _busiest_first(found[name]))
    shown = ordered if len(ordered) <= MOST_STATIONS else ordered[:BUSIEST]
    rest = f"; the {len(shown)} busiest of {len(found)} stations: --json has all" if len(shown) < len(found) else ""
    shares = ("busy_share", "transmitting_share")
    return Grid(
        headings=["station", "medium busy %", "transmitting %"],
        rows=[[name, *(format_mean(_share(found[name], share), PERCENT) for share in shares)] for name in shown],
        caption=f"busy: the station transmits or senses a transmission, % of the run{rest}",
    )


def _share(rows: Sequence[Row], column: str) -> Interval | None:
    return statistics.of_measure([row[column] for row in rows], labels.bounds_of(column))


def _busiest_first(rows: Sequence[Row]) -> tuple[float, float]:
    """Where all hear each other the medium is equally busy; the one that transmits most comes first there."""
    busy, transmitting = (
        statistics.mean_of([row[column] for row in rows]) for column in ("busy_share", "transmitting_share")
    )
    return -round(busy, 3), -transmitting


def _reading(seeds: Sequence[int], flows: Sequence[FlowSummary]) -> list[str]:
    """Say how sure the numbers are, over which time goodput is taken, and which transfers do not end."""
    if len(seeds) == 1:
        lines = [f"seed {seeds[0]}; with several (--seeds 20) there are intervals"]
    else:
        method = statistics.method(each for flow in flows for each in flow.intervals)
        lines = [f"{len(seeds)} seeds; mean ± half-width, or mean [low, high]", method]
        if any(each.count < len(seeds) for flow in flows for each in flow.intervals):
            lines.append(f"(n of {len(seeds)}): the mean is over n seeds, the others have no value")
    if any(each.completed for each in flows):
        lines.append("goodput is over a flow's time, which ends when its transfer is complete")
    if any(each.late_rate for each in flows):
        lines.append("late: after its time of playout, so not heard; MOS by ITU-T G.107, from 1 (bad) to 4.5")
    if any(each.mouth_to_ear_s and not each.mos for each in flows):
        lines.append("MOS needs `ie` and `bpl` of the codec")
    completed, transfers = count_transfers(flows)
    if 0 < completed < transfers:
        lines.append(f"completion is the mean of {completed} transfers; {transfers - completed} are unfinished")
    return lines


def _dominant_limit(flow: FlowSummary) -> str:
    """The saturated link or channel if there is one, else what limited the flow for the largest share of its time."""
    if flow.bottleneck:
        return f"{flow.bottleneck[0]} {100 * flow.bottleneck[1]:.0f} % busy"
    if flow.limited_by:
        return f"{flow.limited_by[0].replace('_', ' ')} {100 * flow.limited_by[1]:.0f} %"
    return "-"


def _scale(flows: Sequence[FlowSummary], measure: str, units: Sequence[tuple[float, str]]) -> tuple[float, str]:
    """The first of two units if it suits the largest mean, or there is none; else the other."""
    found: list[Any] = [each for flow in flows if (each := getattr(flow, measure))]
    largest = max((each.mean for each in found), default=units[0][0])
    return next((each for each in units if largest >= each[0]), units[-1])


def format_mean(value: Interval | None, scale: float = 1.0, of: int = 0) -> str:
    """A mean to three digits, or to as many as its interval leaves standing; and of how many seeds, if not of all."""
    if value is None:
        return "-"
    if value.count < of:
        return f"{format_mean(value, scale)} ({value.count} of {of})"
    mean = value.mean / scale
    as_single = f"{mean:.{0 if mean.is_integer() else decimals(mean, 3)}f}"
    if value.low is None or value.high is None:
        return as_single
    low, high = value.low / scale, value.high / scale
    half_width = (high - low) / 2
    if half_width <= ROUNDING * abs(mean):  # all values are equal, which a line below the table says
        return as_single
    digits = decimals(half_width, 2)
    if math.isclose(mean - low, high - mean, rel_tol=1e-6, abs_tol=1e-9 * abs(mean)):
        written = f"{half_width:.{digits}f}"
        return f"{mean:.{digits}f} ± {written if float(written) else f'{half_width:.1g}'}"
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def decimals(number: float, significant: int, most: int = 3) -> int:
    """How many decimals show so many digits of a number, `most` at most."""
    if number == 0:
        return 0
    return min(max(significant - 1 - math.floor(math.log10(abs(number))), 0), most)
