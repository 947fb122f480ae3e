"""The table a person reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from farlink import statistics
from farlink.printable import printable
from farlink.runs.html import table as grid
from farlink.runs.summary import FlowSummary, count_transfers
from farlink.statistics import Interval

if TYPE_CHECKING:
    from rich.table import Table


ROUNDING = 1e-12
"""Of a mean of equal values, relative to it."""


def table(title: str, rows: Iterable[tuple[str, FlowSummary]], seeds: Sequence[int], note: str = "") -> Table:
    """A row per (name, summary); `note` says more below the table."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    rows = list(rows)
    made = Table(
        title=Text(printable(title)),
        caption=Text("; ".join(filter(None, [note, caption(seeds, (summary for _, summary in rows))]))),
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=0,
    )
    first, *measures, last = headings(rows)
    made.add_column(first, no_wrap=True)
    for heading in measures:
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column(last)
    for cells in cells_of(rows):
        made.add_row(*(Text(cell) for cell in cells))
    return made


def html(title: str, seeds: Sequence[int], summaries: Sequence[FlowSummary], note: str = "") -> str:
    """The same for a notebook."""
    rows = [(summary.flow, summary) for summary in summaries]
    about = "; ".join(filter(None, [note, caption(seeds, summaries)]))
    return grid(f"{title}: {about}", headings(rows), cells_of(rows))


def caption(seeds: Sequence[int], summaries: Iterable[FlowSummary]) -> str:
    """Say how sure the numbers are."""
    if len(seeds) == 1:
        several = f"seed {seeds[0]}; with several (--seeds 20) there are intervals"
        return "; ".join(filter(None, [several, _own_times(summaries)]))
    summaries = list(summaries)
    method = statistics.method(each for summary in summaries for each in summary.intervals)
    spread = f"{len(seeds)} seeds; mean ± half-width, or mean [low, high]"
    return "; ".join(filter(None, [spread, method, _own_times(summaries)]))


def _own_times(summaries: Iterable[FlowSummary]) -> str:
    """Say over which time goodput is taken where flows end before the run does, and which transfers do not end."""
    summaries = list(summaries)
    completed, transfers = count_transfers(summaries)
    has_ended = any(each.completed for each in summaries)
    lines = ["goodput is over a flow's time, which ends when its transfer is complete"] if has_ended else []
    if 0 < completed < transfers:
        lines.append(f"completion is the mean of {completed} transfers; {transfers - completed} are unfinished")
    return "; ".join(lines)


def headings(rows: Sequence[tuple[str, FlowSummary]]) -> list[str]:
    """The columns' names with their units."""
    _, rate_unit = rate_scale(summary for _, summary in rows)
    of_datagrams = ["lost %", "delay variation ms"] if _has_datagrams(rows) else []
    of_transfers = ["completed", f"completion {_time_scale(rows)[1]}"] if _has_transfers(rows) else []
    measures = [f"goodput {rate_unit}", "delay ms", *of_datagrams, *of_transfers, "retransmitted", "dropped"]
    return ["", *measures, "dominant limit"]


def _has_datagrams(rows: Sequence[tuple[str, FlowSummary]]) -> bool:
    return any(summary.loss_rate for _, summary in rows)


def _has_transfers(rows: Sequence[tuple[str, FlowSummary]]) -> bool:
    return any(summary.transfers for _, summary in rows)


def cells_of(rows: Sequence[tuple[str, FlowSummary]]) -> Iterable[list[str]]:
    """The rows as text."""
    scale, _ = rate_scale(summary for _, summary in rows)
    time_scale, _ = _time_scale(rows)
    has_datagrams, has_transfers = _has_datagrams(rows), _has_transfers(rows)
    for name, summary in rows:
        of_datagrams = (format_mean(summary.loss_rate, 1e-2), format_mean(summary.delay_variation_mean_s, 1e-3))
        completed = f"{summary.completed} of {summary.transfers}" if summary.transfers else "-"
        of_transfers = (completed, format_mean(summary.completion_s, time_scale))
        yield [
            printable(name),
            format_mean(summary.goodput_bps, scale),
            format_mean(summary.delay_mean_s, 1e-3),
            *(of_datagrams if has_datagrams else ()),
            *(of_transfers if has_transfers else ()),
            format_mean(summary.packets_retransmitted),
            format_mean(summary.packets_dropped),
            printable(dominant_limit(summary)),
        ]


def dominant_limit(summary: FlowSummary) -> str:
    """The saturated link or channel if there is one, else what limited the flow for the largest share of its time."""
    if summary.bottleneck:
        return f"{summary.bottleneck[0]} {100 * summary.bottleneck[1]:.0f} % busy"
    if summary.limited_by:
        return f"{summary.limited_by[0].replace('_', ' ')} {100 * summary.limited_by[1]:.0f} %"
    return "-"


def rate_scale(summaries: Iterable[FlowSummary]) -> tuple[float, str]:
    """The unit that suits the fastest flow."""
    fastest = max((summary.goodput_bps.mean for summary in summaries if summary.goodput_bps), default=0.0)
    return (1e6, "Mbit/s") if fastest >= 1e6 else (1e3, "kbit/s")


def _time_scale(rows: Sequence[tuple[str, FlowSummary]]) -> tuple[float, str]:
    """The unit that suits the slowest transfer."""
    slowest = max((summary.completion_s.mean for _, summary in rows if summary.completion_s), default=1.0)
    return (1.0, "s") if slowest >= 1 else (1e-3, "ms")


def format_mean(value: Interval | None, scale: float = 1.0) -> str:
    """A mean to three digits, or to as many as its interval leaves standing."""
    if value is None:
        return "-"
    mean = value.mean / scale
    if value.low is None or value.high is None:
        digits = 0 if mean.is_integer() else decimals(mean, 3)
        return f"{mean:.{digits}f}"
    low, high = value.low / scale, value.high / scale
    half_width = (high - low) / 2
    if half_width <= ROUNDING * abs(mean):  # all values are equal, which a line below the table says
        return f"{mean:.{0 if mean.is_integer() else decimals(mean, 3)}f}"
    digits = decimals(half_width, 2)
    if math.isclose(mean - low, high - mean, rel_tol=1e-6, abs_tol=1e-9 * abs(mean)):
        written = f"{half_width:.{digits}f}"
        return f"{mean:.{digits}f} ± {written if float(written) else f'{half_width:.1g}'}"
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def decimals(number: float, significant: int) -> int:
    """How many decimals show so many digits of a number; at most three."""
    if number == 0:
        return 0
    return min(max(significant - 1 - math.floor(math.log10(abs(number))), 0), 3)
