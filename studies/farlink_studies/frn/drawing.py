"""The thesis' figures from our runs; distinguished by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from farlink import statistics
from farlink.studies.drawing import clear_frame, draw_mean_curve, label_axes, legend_above, new_figure
from matplotlib.figure import Figure

from farlink_studies.frn.findings import combined_then_plain_cases, gains_of_chains
from farlink_studies.frn.retries import (
    CHAINS,
    ERROR,
    LIMIT,
    LONG,
    SHORT,
    adaptive_intervals,
    fixed_intervals,
    over_limits,
)
from farlink_studies.frn.runs import HISTORIES, HOPS, INTERVALS, LIMITS, MODES, Case, Runs, throughput

THROUGHPUT = "throughput [packets per slot]"
WAIT = "longest wait [slots]"
DASHES = ("-", "--", "-.", ":")
Panel = tuple[str, Sequence[float], Mapping[str, Sequence[Case]]]
"""Title, where the points are, and the cases of each line."""


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Every figure with its caption."""
    half = len(INTERVALS)
    for number, place, title in ((6, "chain 4", "chain of 4 hops"), (7, "cross 4", "cross"), (8, "mesh", "mesh")):
        cases = {mode: combined_then_plain_cases(place, is_delayed) for mode, is_delayed in MODES.items()}
        panels: list[Panel] = [
            (mode, INTERVALS, {"combined": each[:half], "plain": each[half:]}) for mode, each in cases.items()
        ]
        yield f"Figure {number}: throughput over the longest wait, {title}", _draw_panels(runs, panels, WAIT)
    panels = [
        (mode, HOPS, {
            name: [Case(f"chain {hops}", combined, is_delayed) for hops in HOPS]
            for name, combined in (("combined", True), ("plain", False))
        })
        for mode, is_delayed in MODES.items()
    ]  # fmt: skip
    yield "Figure 9: throughput over the length of the chain, 3-17", _draw_panels(runs, panels, "hops")
    yield "Figure 10: gain of combined frames over the length of the chain", _draw_gains(runs)
    for number, error in ((14, 0.0), (15, ERROR)):
        caption = f"Figure {number}: throughput over the count of retransmissions, {error:.0%} errors"
        yield caption, _over_counts(runs, CHAINS, error)
    panels = [
        (f"{error:.0%} errors", INTERVALS, {place: fixed_intervals(place, error) for place in CHAINS})
        for error in (0.0, ERROR)
    ]
    yield "Figure 16: throughput over the longest wait, count 4", _draw_panels(runs, panels, WAIT)
    caption = "Figures 17 and 18: throughput over the count of retransmissions, crosses and mesh"
    yield caption, _over_counts(runs, ("cross 4", "cross 8", "mesh"))
    for numbers, places in (("19", ("chain 4", "chain 8")), ("21", ("cross 4", "cross 8")), ("22", ("mesh",))):
        caption = f"Figure {numbers}: fixed intervals, and adaptive intervals from 3-5, without errors"
        yield caption, _of_intervals(runs, places)
    histories = [Case("chain 4", longest=SHORT, loaded=13, limit=LIMIT, history=history) for history in HISTORIES]
    caption = "Figure 20: throughput over the length of the history, chain of 4 hops, 3-5 to 3-13"
    yield caption, _draw_panels(runs, [("", HISTORIES, {"changing": histories})], "history [attempts]")
    caption = "Figure 23: fixed intervals, and adaptive intervals from 3-5, 5% errors"
    yield caption, _of_intervals(runs, ("chain 8", "mesh"), ERROR)


def without_copies(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Those figures again that copies of packets change most, from an experiment without them."""
    for number, error in ((14, 0.0), (15, ERROR)):
        caption = f"Figure {number} without copies: throughput over the count of retransmissions, {error:.0%} errors"
        yield caption, _over_counts(runs, CHAINS, error)
    caption = "Figures 19 and 21 without copies: fixed intervals, and adaptive intervals from 3-5"
    yield caption, _of_intervals(runs, ("chain 4", "chain 8", "cross 8"))


def _over_counts(runs: Runs, places: Sequence[str], error: float = 0.0) -> Figure:
    panels: list[Panel] = [
        (f"3-{longest}", LIMITS, {place: over_limits(place, longest, error) for place in places})
        for longest in (SHORT, LONG)
    ]
    return _draw_panels(runs, panels, "largest count of retransmissions")


def _of_intervals(runs: Runs, places: Sequence[str], error: float = 0.0) -> Figure:
    """Fixed intervals, and changing ones at their longest; these begin a step later."""
    panels: list[Panel] = []
    for place in places:
        fixed = fixed_intervals(place, error)
        lines = {"fixed": fixed, "changing": [*fixed[:1], *adaptive_intervals(place, error)]}
        panels.append((place, INTERVALS, lines))
    return _draw_panels(runs, panels, WAIT)


def _draw_panels(runs: Runs, panels: Sequence[Panel], along: str) -> Figure:
    figure, parts = new_figure(4.5 * len(panels), 3.8, len(panels))
    runs = runs.estimated_by(statistics.interval)
    for axes, (title, xs, lines) in zip(parts, panels, strict=True):
        for place, (name, cases) in enumerate(lines.items()):
            found = [runs.interval(runs.values(case, throughput)) for case in cases]
            draw_mean_curve(axes, xs, found, place, DASHES[place], name, markersize=5)
        axes.set_title(title, fontsize="medium")
        label_axes(axes, along, THROUGHPUT if axes is parts[0] else "", xs)
    legend_above(figure, parts[0], 3)
    return figure


def _draw_gains(runs: Runs) -> Figure:
    figure, (axes,) = new_figure(5.5, 3.8)
    for place, (mode, is_delayed) in enumerate(MODES.items()):
        draw_mean_curve(axes, HOPS, gains_of_chains(runs, is_delayed), place, DASHES[place], mode, markersize=5)
    axes.axhline(0, color="0.5", linewidth=0.8)
    axes.set_xticks(HOPS)
    axes.set_xlabel("hops")
    axes.set_ylabel("gain of combined frames [%]")
    clear_frame(axes)
    legend_above(figure, axes, 2)
    return figure
