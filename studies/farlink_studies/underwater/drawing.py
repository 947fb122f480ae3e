"""The paper's figures from our runs; distinguished by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from farlink.drawing.of_runs import COLOURS
from farlink.studies.drawing import clear_frame, draw_mean_curve, legend_above
from farlink.studies.written import interval
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
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes, number in ((left, throughput_kbps), (right, delivery_percent)):
        for place, (name, cases) in enumerate(curves.items()):
            look, dash = LOOKS[place]
            found = [interval([number(one) for one in runs.of(case).values()]) for case in cases]
            draw_mean_curve(axes, [each + APART * place for each in along], found, look, dash, name)
        for place, case in enumerate(free):
            values = [number(one) for one in runs.of(case).values()]
            axes.axhline(sum(values) / len(values), color=COLOURS[LOOKS[place][0]], linewidth=0.8, alpha=0.6)
        axes.set_xticks(list(along))
        axes.set_xlabel(over)
        axes.set_ylim(bottom=0)
        clear_frame(axes)
    left.set_ylabel("throughput [kbit/s]")
    right.set_ylabel("arrival rate [%]")
    right.set_ylim(0, 105)
    legend_above(figure, left, len(curves))
    return figure
