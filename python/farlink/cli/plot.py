"""`farlink plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from farlink.cli.options import FIGURES, Place, choice_option, is_saved_run, print_left_out, question_options
from farlink.drawing.panels import DEFAULT, PANELS, parse
from farlink.errors import UsageError
from farlink.results.measure import MEASURES
from farlink.results.result_store import ResultStore
from farlink.runs import saved
from farlink.system.files import check_target
from farlink.tables import parameters

OF_A_STORE = ("x", "y", "by", "kind", "where", "labels", "interval")
"""Options that a saved run over time has no use for."""
NOT_OF_ARRIVALS = ("x", "by", "where", "labels", "interval", "panels", "bin")
"""Options that a distribution of a saved run has no use for."""


@click.command()
@click.argument("results", type=Place(), metavar="RESULTS")
@click.option("--x", metavar="PATH", help="The parameter along the axis; of lines and bars.")
@click.option(
    "--y",
    metavar="COLUMN",
    help=f"The measure; default: {MEASURES[0]}, over time {PANELS['delivery']}; completion:p95 is a percentile.",
)
@click.option("--by", metavar="PATH", help="A line or bar for every value of this parameter.")
@question_options
@choice_option(
    "--kind",
    ["line", "bar", "cdf", "time"],
    "Means over x (line or bar); distribution over the runs; time series.",
)
@click.option("--panels", metavar="NAMES", help=f"Of a saved run: {','.join(PANELS)}; default: {','.join(DEFAULT)}.")
@click.option("--title", metavar="TEXT", help="Title of the figure, instead of the one that is made.")
@choice_option("--log", ["auto", "none", "x", "y", "xy"], "Logarithmic axes; auto: x, where its values are far apart.")
@click.option("--bin", metavar="T", help="Average a time series over T, such as '0.5 s'.")
@choice_option("--style", ["screen", "print"], "print: a column of a journal, 88 mm, fonts of 8 pt, no title.")
@click.option("-o", "--output", type=Place(), required=True, metavar="F", help=".png, .svg or .pdf")
@click.pass_context
def plot(context: click.Context, /, results: Path, panels: str | None, output: Path, **chosen: Any) -> None:
    """Draw a measure of RESULTS over a parameter or over time, or how it is distributed.

    RESULTS is the store of a sweep, or a folder that `farlink run --out` wrote, of which panels over time are drawn,
    or with --kind cdf the distribution over its flows that arrived.

    \b
    farlink plot STORE --x links.0.error.rate --by flows.0.tcp.congestion_control -o goodput.png
    farlink plot STORE --kind cdf --y completion --where 'flow=web*' -o completion.pdf
    farlink plot STORE --kind time --y cwnd_segments --by flows.0.tcp.congestion_control -o window.pdf
    farlink plot RUN --panels goodput,rtt,queue --bin '1 s' --style print -o run.pdf
    farlink plot RUN --kind cdf --y completion_s -o completion.pdf
    """
    check_target(output, FIGURES)
    if is_saved_run(results):
        is_cdf = chosen["kind"] == "cdf"
        unused = NOT_OF_ARRIVALS if is_cdf else OF_A_STORE
        for option in context.command.params:
            is_given = context.get_parameter_source(option.name or "") is not ParameterSource.DEFAULT
            if option.name in unused and is_given:
                where = "not for a distribution" if is_cdf else "for the store of a sweep"
                remedy = "of a saved run choose --panels, or --kind cdf with --y"
                raise UsageError(f"{results}: {option.opts[0]} is {where}; {remedy}")
        if is_cdf:
            _plot_arrivals(results, output, chosen)
        else:
            _plot_run(results, panels, output, {name: chosen[name] for name in ("title", "log", "bin", "style")})
    elif panels is not None:
        raise UsageError(f"{results}: --panels are those of a saved run; of a store draw --kind time with --y")
    elif chosen["x"] is None and chosen["kind"] in ("line", "bar"):
        raise click.UsageError(f"--kind {chosen['kind']}: name the parameter along the axis, --x PATH")
    else:
        ResultStore(results).plot(path=output, **chosen)


def _plot_run(folder: Path, panels: str | None, output: Path, chosen: dict[str, Any]) -> None:
    """Draw a saved run over time."""
    from farlink.drawing import of_runs
    from farlink.drawing.look import Look

    look = Look(bin_s=parameters.seconds("--bin", chosen.pop("bin")), **chosen)
    series = saved.SavedRun.open(folder).series()
    shown = DEFAULT if panels is None else parse(panels)
    notify = None if shown is DEFAULT else print_left_out
    of_runs.save_figure(of_runs.over_time({series.name: series}, shown, look, notify=notify), output)


def _plot_arrivals(folder: Path, output: Path, chosen: dict[str, Any]) -> None:
    """Draw a distribution over the flows that arrived in a saved run."""
    from farlink.drawing import of_arrivals, of_runs
    from farlink.drawing.look import Look

    look = Look(title=chosen["title"], log=chosen["log"], style=chosen["style"])
    arrivals = saved.SavedRun.open(folder).table("arrivals")
    of_runs.save_figure(of_arrivals.distribution(arrivals, chosen["y"] or of_arrivals.MEASURES[0], look), output)
