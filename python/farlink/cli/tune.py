"""`farlink tune`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from farlink.cli.into_store import IntoStore, into_store_options
from farlink.cli.options import FIGURES, Changes, Place, json_option, loaded, pairs, scenario_argument, seeds_option
from farlink.cli.terminal import print_line
from farlink.spelling import counted
from farlink.store.missing import naming_packages
from farlink.system.files import check_target
from farlink.tables import labels

if TYPE_CHECKING:
    from farlink.tuning.tuned import Tuned


@click.command()
@scenario_argument
@click.option(
    "--param",
    "parameters",
    multiple=True,
    required=True,
    metavar="PATH=LOW..HIGH",
    callback=pairs("PATH=LOW..HIGH, or PATH=a,b,c"),
    help="Search range: 0.1..5 s, 1..10 packets; or choices: reno,cubic,hybla.",
)
@click.option("--log", is_flag=True, help="Search ranges on a logarithmic scale.")
@click.option("--maximize", metavar="COLUMN", help="Measure to maximize; default: goodput_bps.")
@click.option("--minimize", metavar="COLUMN", help="Measure to minimize, such as delay_mean_s.")
@click.option("--flow", metavar="LABEL", help="Flow that has the measure; default: the mean over all flows.")
@click.option(
    "--trials", type=click.IntRange(min=1), default=32, show_default=True, metavar="N", help="Points to try at most."
)
@seeds_option("Seeds of a point at most: how many, or which.", default="20", show_default=True)
@into_store_options
@json_option
@click.option("--plot", type=Place(), metavar="F", help="Draw the response curve: .png, .svg, .pdf.")
def tune(
    scenario: str,
    settings: Changes,
    parameters: dict[str, str],
    into: IntoStore,
    as_json: bool,
    plot: Path | None,
    **goal: Any,
) -> None:
    """Find the values of parameters at which a measure is best; the store is results/tune-NAME by default.

    Every point is run with a few seeds, the better half with more, and so on; the best is run once more with seeds
    that had no part in choosing it, for an unbiased 95 % CI. Killed or interrupted and started again, it resumes.

    \b
    farlink tune chain_80211 --param flows.0.tcp.max_window='1..10 packets' --trials 10
    farlink tune satellite --param links.0.queue.limit='10..5000 packets' --log --plot curve.png
    """
    from farlink.tuning.tuning import tune as describe

    if plot:
        check_target(plot, FIGURES)
    base = loaded(scenario, settings)
    folder = into.out or Path("results") / f"tune-{base.validated.name}"
    with naming_packages(folder):
        into.warn(base.origin, base.warnings, base.estimate(series=False))
        described = describe(base, parameters, **goal)
    tuned = into.run(described.run, folder, f"tune {base.validated.name}")
    if plot:
        tuned.plot(plot)
    _print_tuned(tuned, as_json)


def _print_tuned(tuned: Tuned, as_json: bool) -> None:
    from farlink.runs.saved import to_json

    if as_json:
        click.echo(to_json(tuned.document), nl=False)
        return
    goal = tuned.goal
    table = tuned.table
    click.echo(table.narrow(one_unit=tuned.compared))
    if table.caption:
        print_line(table.caption, err=True)
    best = ", ".join(f"{path} = {value}" for path, value in tuned.best.items())
    click.echo()
    print_line(f"best: {best}")
    if tuned.interval:
        found = (tuned.interval.mean, tuned.interval.low, tuned.interval.high)
        mean, *ends = (labels.value_text(each, goal.measure, 4) for each in found if each is not None)
        fresh = f"{mean}, 95 % CI {' .. '.join(ends)}"
        print_line(f"{goal.measure}: {fresh}, from {len(tuned.fresh_seeds)} fresh seeds")
    else:
        fresh = f"no mean from {len(tuned.fresh_seeds)} fresh seeds: there is a run {goal.without_value}"
        print_line(f"{goal.measure}: {fresh}")
    others = [", ".join(point.settings.values()) for point in tuned.points if point.is_finished and point.may_be_best]
    if others:
        print_line(f"not significantly worse over {len(tuned.seeds)} seeds: {'; '.join(others)}")
    whole = f"; a sweep over all values takes {tuned.sweep_runs}" if tuned.sweep_runs else ""
    print_line(f"{counted(tuned.runs, 'run')} in {tuned.results.folder}{whole}", err=True)
