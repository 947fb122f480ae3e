"""Figures of runs over time: a panel per measure; legible in print, for colour-blind readers, and in grey."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from farlink.drawing import fitting, outages, time_series
from farlink.drawing.look import DPI, SETTINGS, Look, clear_frame, draw_legend
from farlink.drawing.panels import DEFAULT, PANELS, WITHOUT, check
from farlink.errors import UsageError
from farlink.printable import drawn
from farlink.system.files import check_target, write_bytes
from farlink.tables import labels

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink.drawing.recorded import Series

FORMATS = (".png", ".svg", ".pdf")
# M. Okabe, K. Ito, "Color Universal Design", 2008; without yellow, which vanishes on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
STYLES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))
"""Five go with seven colours: the same pair comes back after 35 lines only."""
LEAST_QUEUE = 0.01
"""Of the longest mean queue: shorter ones would be lines along the axis."""
MOST_QUEUES = 6
"""Lines of a panel of queues: those of the links that queued most."""


@dataclass(frozen=True)
class Line:
    """A line of a panel."""

    label: str
    series: time_series.TimeSeries


def over_time(
    runs: Mapping[str, Series],
    panels: Sequence[str] = DEFAULT,
    look: Look | None = None,
    about: Sequence[str] = (),
    notify: Callable[[str], None] | None = None,
) -> Figure:
    """Draw a panel for each of `panels`, with a line per flow (or link) of every run; bands are 95 % intervals.

    `about` says what is special of the runs, below the title. Panels without a line are left out, such as the
    congestion window where no flow has one; `notify` gets a text for each.
    """
    look = look or Look()
    look.refuse_logarithmic("x", "time")
    lines = {panel: list(_lines(runs, panel, look)) for panel in check(panels)}
    shown = [panel for panel in lines if lines[panel]]
    for panel in lines:
        if notify and not lines[panel]:
            notify(f"panel {panel} is left out: it has no values; {WITHOUT[panel]}")
    if not shown:
        raise UsageError(f"no flow has values over time of {', '.join(panels)}")
    flows = dict.fromkeys(line.label for panel in shown if panel != "queue" for line in lines[panel])
    down = outages.common(run.outages_s for run in runs.values())
    with look.applied():
        figure = look.panels(len(shown), 3.0 if len(shown) < 3 else 2.1)
        all_axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False).ravel()
        for axes, panel in zip(all_axes, shown, strict=True):
            # A flow has the same colour in all panels, also where others have no line.
            names = [line.label for line in lines[panel]] if panel == "queue" else flows
            styles = dict(zip(names, cycle(product(STYLES, COLOURS)), strict=False))
            most, floor = labels.most_of(PANELS[panel]), look.floor(line.series.mean for line in lines[panel])
            for line in lines[panel]:
                style, colour = styles[line.label]
                time_series.draw_mean_line(axes, line.series, line.label, colour, style, most, floor)
            clear_frame(axes)
            look.scale_measure(axes, floor=floor)
            look.label_axis(axes.yaxis, PANELS[panel])
            axes.set_xlim(0, max(run.duration_s for run in runs.values()))
            outages.mark(axes, down)
        all_axes[-1].set_xlabel("time [s]")
        outages.draw_legend(figure, down)
        _name_lines(figure, dict(zip(shown, all_axes, strict=True)), list(flows), look)
        look.set_title(all_axes[0], _title(runs), about)
        figure.align_ylabels()
    return figure


def _name_lines(figure: Figure, panels: Mapping[str, Axes], flows: Sequence[str], look: Look) -> None:
    """Name lines at their ends; in a legend those of flows that are more than colours, or than the room."""
    fitting.lay_out(figure)
    of_flows = [axes for panel, axes in panels.items() if panel != "queue"]
    texts = time_series.end_labels(flows, look.style)
    if len(flows) > len(COLOURS) or not all(time_series.fits_beside(axes, texts.values()) for axes in of_flows):
        drawn_lines = {str(line.get_label()): line for axes in of_flows for line in axes.get_lines()}
        draw_legend(figure, look, None, {flow: drawn_lines[flow] for flow in flows})
        of_flows = []
    for axes in panels.values():
        if axes in of_flows or axes is panels.get("queue"):
            names = (str(line.get_label()) for line in axes.get_lines())
            time_series.label_ends(axes, time_series.end_labels(names, look.style))


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure, whole or not at all; the same figure gives the same bytes."""
    check_target(path, FORMATS)
    form = path.suffix.lower().removeprefix(".")
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    style = str(figure.get_label() or "screen")
    sink = io.BytesIO()  # of a file that cannot be written Matplotlib raises errors of its own
    with rc_context({**SETTINGS[style], "svg.hashsalt": "farlink"}):
        figure.savefig(sink, format=form, dpi=DPI[style], metadata=undated)
    write_bytes(path, sink.getvalue())


def _title(runs: Mapping[str, Series]) -> str:
    run = next(iter(runs.values()))
    seeds = f"seed {run.seeds[0]}" if len(run.seeds) == 1 else f"mean of {len(run.seeds)} seeds, 95 % band"
    return f"{run.name} ({seeds})"


def _lines(runs: Mapping[str, Series], panel: str, look: Look) -> Iterator[Line]:
    """The lines of a panel."""
    for name, run in runs.items():
        found = _queue_lines(run, look) if panel == "queue" else _flow_lines(run, PANELS[panel], look)
        for label, series in found:
            is_alone = len(runs) == 1
            yield Line(drawn(label if is_alone else name if len(run.flows) == 1 else f"{name}: {label}"), series)


def _flow_lines(run: Series, column: str, look: Look) -> Iterator[tuple[str, time_series.TimeSeries]]:
    """A flow's measure over time, binned so that all seeds share their instants."""
    table = run.flow_series
    read = time_series.columns_read(column)
    if not set(read) <= set(table.column_names):  # of an earlier Farlink
        return
    for flow, found in _split(table, "flow", run.flows, run.seeds, ("time_s", *read)):
        samples = [(time_s, *time_series.defined(column, values)) for time_s, *values in found]
        if not all(np.isfinite(value).any() for _, *values in samples for value in values):
            continue
        is_fine = len(samples) == 1 and column not in time_series.TOTALS
        most = time_series.FINE_BINS if is_fine else time_series.BINS
        edges = time_series.bin_edges([time_s for time_s, *_ in samples], run.duration_s, most, look.bin_s)
        rows = [time_series.binned(column, edges, time_s, values) for time_s, *values in samples]
        yield flow, time_series.bin_rows(edges, rows)


def _queue_lines(run: Series, look: Look) -> Iterator[tuple[str, time_series.TimeSeries]]:
    """The queues of the links that queued most, in the order of the scenario."""
    table = run.link_series
    if not table.num_rows:
        return
    links = list(dict.fromkeys(table["link"].to_pylist()))
    found = []
    for link, samples in _split(table, "link", links, run.seeds, ("time_s", "queue_packets")):
        total = sum(float(value.sum()) for _, value in samples)
        if total > 0:
            fine = time_series.FINE_BINS if len(samples) == 1 else time_series.BINS
            edges = time_series.bin_edges([at for at, _ in samples], run.duration_s, fine, look.bin_s)
            rows = [time_series.binned("queue_packets", edges, at, [value]) for at, value in samples]
            found.append((total, link, time_series.bin_rows(edges, rows)))
    most = sorted((total for total, _, _ in found), reverse=True)[:MOST_QUEUES]
    yield from ((link, series) for total, link, series in found if total in most and total >= LEAST_QUEUE * most[0])


def _split(
    table: pa.Table, key: str, keys: Sequence[str], seeds: Sequence[int], columns: Sequence[str]
) -> Iterator[tuple[str, list[tuple[time_series.Numbers, ...]]]]:
    """The samples of each flow or link, by seed; none of one with fewer than two samples."""
    if not table.num_rows:
        return
    seed = table["seed"].to_numpy()
    values = [table[name].to_numpy().astype(float) for name in columns]
    whose = np.asarray(table[key].to_pylist())
    for each in keys:
        rows = [(whose == each) & (seed == one) for one in seeds]
        if min(int(mine.sum()) for mine in rows) >= 2:
            yield each, [tuple(value[mine] for value in values) for mine in rows]
