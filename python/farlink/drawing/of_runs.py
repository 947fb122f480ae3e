"""Figures of runs over time: a panel per measure; legible in print, for colour-blind readers, and in grey."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from farlink.drawing.recorded import longest_queues
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
QUEUE_COLOURS = ("#000000", "#5F5F5F", "#9A9A9A")
"""Shades of grey: no line of a queue has the colour of a flow in the same figure."""


@dataclass(frozen=True)
class Line:
    """A line of a panel."""

    label: str
    series: time_series.TimeSeries
    group: str
    """What has its colour and its name: the line itself, or the flows that are equal to it."""


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
    flows = dict.fromkeys(line.group for panel in shown if panel != "queue" for line in lines[panel])
    down = outages.common(run.outages_s for run in runs.values())
    with look.applied():
        figure = look.panels(len(shown), 3.0 if len(shown) < 3 else 2.1)
        all_axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False).ravel()
        for axes, panel in zip(all_axes, shown, strict=True):
            floor = look.floor(line.series.mean for line in lines[panel])
            _draw_panel(axes, panel, lines[panel], _looks(panel, lines[panel], list(flows), shown), floor)
            clear_frame(axes)
            look.scale_measure(axes, floor=floor)
            look.label_axis(axes.yaxis, PANELS[panel])
            axes.set_xlim(0, max(run.duration_s for run in runs.values()))
            outages.mark(axes, down)
        has_band = any(axes.collections for axes in all_axes)
        all_axes[-1].set_xlabel("time [s]")
        outages.draw_legend(figure, down)
        _name_lines(figure, dict(zip(shown, all_axes, strict=True)), list(flows), look)
        of_flows = [lines[panel] for panel in shown if panel != "queue"]
        look.set_title(all_axes[0], _title(runs, has_band=has_band), [*about, _folded_note(of_flows)])
        figure.align_ylabels()
    return figure


def _looks(panel: str, lines: Sequence[Line], flows: Sequence[str], shown: Sequence[str]) -> dict[str, Any]:
    """Give the style and the colour of every group of lines in a panel.

    A flow has the same in all panels, also where others have no line, and none has the black of a queue.
    """
    if panel == "queue":
        return dict(zip((line.group for line in lines), cycle(product(STYLES, QUEUE_COLOURS)), strict=False))
    colours = [colour for colour in COLOURS if "queue" not in shown or colour not in QUEUE_COLOURS]
    return dict(zip(flows, cycle(product(STYLES, colours)), strict=False))


def _draw_panel(axes: Axes, panel: str, lines: Sequence[Line], looks: Mapping[str, Any], floor: float) -> None:
    """Draw the lines of a panel; those of a group are thin, and the first has its name."""
    most, members = labels.bounds_of(PANELS[panel])[1], Counter(line.group for line in lines)
    named = set()
    for line in lines:
        style, colour = looks[line.group]
        label = line.group if line.group not in named else f"_{line.label}"
        is_one = members[line.group] == 1
        time_series.draw_mean_line(axes, line.series, label, colour, style, most, floor, is_thin=not is_one)
        named.add(line.group)


def _folded_note(panels: Iterable[Sequence[Line]]) -> str:
    """Say how many flows have the colour of a group; empty if none has."""
    groups = {line.label: line.group for lines in panels for line in lines}
    members = Counter(groups.values())
    several = sum(count for count in members.values() if count > 1)
    return f"{several} of {len(groups)} flows have the colour of their group" if several else ""


def _name_lines(figure: Figure, panels: Mapping[str, Axes], flows: Sequence[str], look: Look) -> None:
    """Name lines at their ends; in a legend those of flows that are more than colours, or than the room."""
    fitting.lay_out(figure)
    of_flows = [axes for panel, axes in panels.items() if panel != "queue"]
    texts = time_series.end_labels(flows, look.style)
    if len(flows) > len(COLOURS) - ("queue" in panels) or not all(
        time_series.fits_beside(axes, texts.values()) for axes in of_flows
    ):
        drawn_lines = {str(line.get_label()): line for axes in of_flows for line in axes.get_lines()}
        draw_legend(figure, look, None, {flow: drawn_lines[flow] for flow in flows})
        of_flows = []
    for panel, axes in panels.items():
        if axes in of_flows or panel == "queue":
            names = [label for line in axes.get_lines() if not (label := str(line.get_label())).startswith("_")]
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


def _title(runs: Mapping[str, Series], *, has_band: bool) -> str:
    run = next(iter(runs.values()))
    seeds = (
        f"seed {run.seeds[0]}"
        if len(run.seeds) == 1
        else f"mean of {len(run.seeds)} seeds{', 95 % band' if has_band else ''}"
    )
    return f"{run.name} ({seeds})"


def _lines(runs: Mapping[str, Series], panel: str, look: Look) -> Iterator[Line]:
    """The lines of a panel: of flows, or of the links that queued most, in the order of the scenario."""
    column = PANELS[panel]
    for name, run in runs.items():
        if panel == "queue":
            found = _split(run.link_series, "link", longest_queues(run.link_series), run.seeds, column)
        else:
            found = _split(run.flow_series, "flow", run.flows, run.seeds, column)
        for label, samples in found:
            series = time_series.resampled(column, samples, run.duration_s, look.bin_s)
            group = label if panel == "queue" else run.groups.get(label, label)
            if len(runs) > 1:
                label, group = (name if len(run.flows) == 1 else f"{name}: {each}" for each in (label, group))
            yield Line(drawn(label), series, drawn(group))


def _split(
    table: pa.Table, key: str, keys: Sequence[str], seeds: Sequence[int], measure: str
) -> Iterator[tuple[str, list[list[time_series.Numbers]]]]:
    """The samples of each flow or link, by seed; none of one with fewer than two samples, or without a value."""
    if not table.num_rows:
        return
    seed, time_s = table["seed"].to_numpy(), table["time_s"].to_numpy()
    values = [table[name].to_numpy().astype(float) for name in time_series.columns_read(measure)]
    whose = np.asarray(table[key].to_pylist())
    for each in keys:
        rows = [(whose == each) & (seed == one) for one in seeds]
        if min(int(mine.sum()) for mine in rows) < 2:
            continue
        found = [[time_s[mine], *time_series.defined(measure, [value[mine] for value in values])] for mine in rows]
        if all(np.isfinite(column).any() for _, *columns in found for column in columns):
            yield each, found
