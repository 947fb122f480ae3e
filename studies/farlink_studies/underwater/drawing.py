"""The paper's figures from our runs; distinguished by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from farlink.drawing.of_runs import COLOURS
from farlink.studies.drawing import draw_mean_curve, label_axes, legend_above, new_figure
from matplotlib.figure import Figure

from farlink_studies.underwater.findings import CHAIN, SIZE, delivery_percent, throughput_kbps
from farlink_studies.underwater.runs import HOPS, HYBLA, NAMES, NEWRENO, SIZES, WINDOWS, Case, Runs

LOOKS = ((0, "-"), (1, "--"), (2, "-."), (3, ":"))
"""Place of the colour and marker, and the dash."""
APART = 0.06
"""How far the marks of two curves are apart, so that their intervals do not hide each other."""


def figures(runs: Runs, what: str = "") -> Iterator[tuple[str, Figure]]:
    """Every figure with its caption."""
    by_hops = {
        NAMES[variant]: [Case(hops, variant, SIZE, runs.unlimited) for hops in HOPS] for variant in (NEWRENO, HYBLA)
    }
    yield (
        f"Figure 3{what}: throughput and arrival rate over the hops",
        _draw_two_panels(runs, by_hops, HOPS, "hops", ()),
    )
    by_window = {f"{size} B": [Case(CHAIN, NEWRENO, size, window) for window in WINDOWS] for size in SIZES}
    free = [Case(CHAIN, NEWRENO, size, runs.unlimited) for size in SIZES]
    yield (
        f"Figure 4{what}: throughput and arrival rate over the largest window, NewReno, four hops (level: not limited)",
        _draw_two_panels(runs, by_window, WINDOWS, "largest window [packets]", free),
    )


def _draw_two_panels(
    runs: Runs, curves: dict[str, list[Case]], along: Sequence[int], over: str, free: Sequence[Case]
) -> Figure:
    figure, (left, right) = new_figure(9, 4, 2)
    for axes, number, up in (
        (left, throughput_kbps, "throughput [kbit/s]"),
        (right, delivery_percent, "arrival rate [%]"),
    ):
        for place, (name, cases) in enumerate(curves.items()):
            look, dash = LOOKS[place]
            found = [runs.interval(runs.values(case, number)) for case in cases]
            draw_mean_curve(axes, [each + APART * place for each in along], found, look, dash, name)
        for place, case in enumerate(free):
            colour = COLOURS[LOOKS[place][0]]
            axes.axhline(fmean(runs.values(case, number)), color=colour, linewidth=0.8, alpha=0.6)
        label_axes(axes, over, up, along)
    right.set_ylim(0, 105)
    legend_above(figure, left, len(curves))
    return figure
