"""The paper's figures from our runs; told apart by colour, marker and dash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from farlink import statistics
from farlink.figures import MARKERS
from farlink.plots import COLOURS
from farlink.studies.underwater.findings import CHAIN, SIZE, Number, arrival, throughput
from farlink.studies.underwater.runs import HOPS, HYBLA, NAMES, NEWRENO, SIZES, WINDOWS, Case, Runs

LOOKS = ((0, "-"), (1, "--"), (2, "-."), (3, ":"))
"""Place of the colour and marker, and the dash."""
APART = 0.06
"""How far the marks of two curves are apart, so that their intervals do not hide each other."""


def figures(runs: Runs, what: str = "") -> Iterator[tuple[str, Figure]]:
    """Every figure with its caption."""
    by_hops = {
        NAMES[variant]: [Case(hops, variant, SIZE, runs.unlimited) for hops in HOPS] for variant in (NEWRENO, HYBLA)
    }
    yield f"Figure 3{what}: throughput and arrival rate over the hops", _two(runs, by_hops, HOPS, "hops", ())
    by_window = {f"{size} B": [Case(CHAIN, NEWRENO, size, window) for window in WINDOWS] for size in SIZES}
    free = [Case(CHAIN, NEWRENO, size, runs.unlimited) for size in SIZES]
    yield (
        f"Figure 4{what}: throughput and arrival rate over the largest window, NewReno, four hops (level: not limited)",
        _two(runs, by_window, WINDOWS, "largest window [packets]", free),
    )


def _two(runs: Runs, curves: dict[str, list[Case]], along: Sequence[int], over: str, free: Sequence[Case]) -> Figure:
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes, number in ((left, throughput), (right, arrival)):
        for place, (name, cases) in enumerate(curves.items()):
            _curve(axes, runs, cases, along, (name, place), number)
        for place, case in enumerate(free):
            values = [number(one) for one in runs.of(case).values()]
            axes.axhline(sum(values) / len(values), color=COLOURS[LOOKS[place][0]], linewidth=0.8, alpha=0.6)
        axes.set_xticks(list(along))
        axes.set_xlabel(over)
        axes.set_ylim(bottom=0)
        axes.grid(color="0.85")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    left.set_ylabel("throughput [kbit/s]")
    right.set_ylabel("arrival rate [%]")
    right.set_ylim(0, 105)
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=len(curves), frameon=False)
    return figure


def _curve(
    axes: Axes, runs: Runs, cases: Sequence[Case], along: Sequence[int], who: tuple[str, int], number: Number
) -> None:
    name, place = who
    look, dash = LOOKS[place]
    found = [statistics.interval([number(one) for one in runs.of(case).values()]) for case in cases]
    made = [each for each in found if each is not None]
    at = [each + APART * place for each in along]
    means = [each.mean for each in made]
    axes.plot(at, means, label=name, linewidth=1.5, color=COLOURS[look], marker=MARKERS[look], linestyle=dash)
    low = [each.mean if each.low is None else each.low for each in made]
    high = [each.mean if each.high is None else each.high for each in made]
    axes.vlines(at, low, high, color=COLOURS[look], linewidth=0.8)
