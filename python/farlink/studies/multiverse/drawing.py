"""Figures of a multiverse: the specification curve, and where each claim holds by the level of each factor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

from farlink.drawing.of_runs import COLOURS
from farlink.studies.drawing import clear_frame
from farlink.studies.multiverse.classes import explained
from farlink.studies.multiverse.factors import Factor
from farlink.studies.multiverse.multiverse import Multiverse

LINE_IN = 0.17
"""Height of a line of text, in inches."""


def figures(made: Multiverse) -> Iterator[tuple[str, Figure]]:
    """Both figures with their captions."""
    yield (
        "Specification curve: the counted claims that each reading of the sample meets, above its levels. Brackets "
        "give the share of the variance of claims met that a factor explains",
        specification_curve(made),
    )
    yield (
        "Claims by level: the share of the readings with a level in which a claim holds, in %. Brackets give the "
        "number of these readings",
        claims_by_level(made),
    )


def specification_curve(made: Multiverse) -> Figure:
    """Universes in the order of the claims they meet, and their levels below.

    U. Simonsohn, J. Simmons, L. Nelson, "Specification curve analysis", Nature Human Behaviour 4, 2020.
    """
    claims = made.space.counted
    rows = sorted(made.sample, key=lambda row: row.met(claims))
    by_strength = _by_strength(made)
    factors = [factor for factor, _, _ in by_strength]
    lines = sum(len(factor.levels) + 1 for factor in factors)
    figure = Figure(figsize=(10, 2.5 + LINE_IN * lines), layout="constrained")
    curve, board = figure.subplots(2, 1, sharex=True, height_ratios=[2.5, LINE_IN * lines])
    along = np.arange(len(rows))
    curve.plot(along, [row.met(claims) for row in rows], color=COLOURS[0], marker=".", linestyle="none")
    curve.axhline(made.alone[0].met(claims), color="0.4", linestyle="--", label="corrected settings")
    curve.set_ylabel(f"claims met, of {len(claims)}")
    curve.legend(frameon=False, loc="lower right")
    clear_frame(curve)
    names, at = [], 0
    for number, (factor, place, share) in enumerate(by_strength):
        for level, described in enumerate(factor.levels):
            has = [one for one, row in enumerate(rows) if row.universe[place] == level]
            board.plot(has, [at] * len(has), color=COLOURS[number % 2], marker="|", linestyle="none", markersize=5)
            names.append((at, f"{factor.name} ({share:.0%}): {described.name}" if level == 0 else described.name))
            at += 1
        at += 1
    board.set_yticks([line for line, _ in names], [name for _, name in names], fontsize=7)
    board.invert_yaxis()
    board.set_xlabel("readings of the sample, by the number of claims they meet")
    board.spines[["top", "right", "left"]].set_visible(False)
    board.tick_params(axis="y", length=0)
    return figure


def _by_strength(made: Multiverse) -> list[tuple[Factor, int, float]]:
    """Factors with several levels, their places, and what each explains of the variance of claims met; most first."""
    met = np.array([row.met(made.space.counted) for row in made.sample], dtype=np.float64)
    found = [
        (factor, place, explained(np.array([row.universe[place] for row in made.sample]), met))
        for place, factor in enumerate(made.space.factors.items)
        if len(factor.levels) > 1
    ]
    return sorted(found, key=lambda each: -each[2])


def claims_by_level(made: Multiverse) -> Figure:
    """A row per level, a column per claim; dark where the claim holds in few universes with the level."""
    factors = [(place, each) for place, each in enumerate(made.space.factors.items) if len(each.levels) > 1]
    claims = made.space.study.claims
    names, shares = [], []
    for place, factor in factors:
        for level, described in enumerate(factor.levels):
            rows = [row for row in made.sample if row.universe[place] == level]
            held = [[found for row in rows if (found := row.holds(claim)) is not None] for claim in claims]
            shares.append([np.mean(each) if each else np.nan for each in held])
            names.append(f"{factor.name}: {described.name} ({len(rows)})")
    figure = Figure(figsize=(3.5 + 0.24 * len(claims), 1.2 + LINE_IN * len(names)), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(np.array(shares), vmin=0, vmax=1, cmap="cividis", aspect="auto", interpolation="none")
    axes.set_xticks(range(len(claims)), [claim.id for claim in claims], rotation=90, fontsize=7)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    for line, row_shares in enumerate(shares):
        for column, share in enumerate(row_shares):
            if not np.isnan(share):
                colour = "black" if share > 0.6 else "white"
                axes.text(column, line, f"{100 * share:.0f}", ha="center", va="center", fontsize=5, color=colour)
    border = -0.5
    for _, factor in factors[:-1]:
        border += len(factor.levels)
        axes.axhline(border, color="white", linewidth=1.5)
    figure.colorbar(
        image,
        label="share of readings in which the claim holds",
        location="top",
        shrink=0.5,
    )
    return figure
