"""`farlink run`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from farlink.cli.options import (
    EVERY_FLOW,
    FIGURES,
    Bounds,
    Changes,
    Place,
    all_flows_option,
    folder_option,
    jobs_option,
    json_option,
    loaded,
    max_events_option,
    print_left_out,
    quiet_option,
    scenario_argument,
    seed_option,
    seeds_option,
    strict_option,
    warn,
    warn_of_implausible,
    warn_option,
)
from farlink.cli.terminal import print_line, print_table, progress
from farlink.drawing.panels import DEFAULT, PANELS, parse
from farlink.execution.execute import cores
from farlink.execution.outputs import refuse_inputs
from farlink.printable import printable
from farlink.runs.run import Interrupted, Run
from farlink.runs.scenario import Scenario
from farlink.system import interrupts
from farlink.system.files import check_folder, check_target
from farlink.system.folders import check_for_run

TABLES = (".parquet", ".csv")


@click.command()
@scenario_argument
@seeds_option("So many seeds, 1 to N; or which: 1..20, 1,3,7.")
@seed_option
@jobs_option
@folder_option("--out", "Write all results to DIR, new or of an earlier run.")
@json_option
@click.option("--pcap", type=Place(), metavar="F", help="Capture: .pcap at senders, .pcapng of shared channels.")
@click.option("--pcap-node", metavar="NODE", help="With .pcapng: only what NODE sends and receives.")
@click.option("--trace", type=Place(), metavar="F", help="Write a trace in ns-2's wireless format: .tr.")
@click.option("--animate", type=Place(), metavar="F", help="Write a page that plays the run: .html.")
@click.option("--animate-window", metavar="A..B", help="With --animate: show frames from A to B, such as 10s..20s.")
@click.option("--series", type=Place(), metavar="F", help="Write time series: .parquet or .csv.")
@click.option("--ledger", type=Place(), metavar="F", help="Write every packet's fate: .parquet or .csv.")
@click.option("--plot", type=Place(), metavar="F", help="Draw delivery rate and window: .png, .svg, .pdf.")
@click.option("--panels", metavar="NAMES", help=f"With --plot: {','.join(PANELS)}.")
@all_flows_option
@max_events_option
@warn_option
@strict_option
@quiet_option
def run(
    scenario: str,
    settings: Changes,
    out: Path | None,
    as_json: bool,
    series: Path | None,
    ledger: Path | None,
    plot: Path | None,
    panels: str | None,
    all_flows: bool,
    bounds: tuple[Bounds, ...],
    strict: bool,
    quiet: bool,
    **of_run: Any,
) -> int:
    """Run SCENARIO: a TOML file, or a built-in scenario's name (`farlink list scenarios`).

    With several seeds the table shows means with their 95 % CI. Options write time
    series, captures and figures to files.

    \b
    farlink run satellite
    farlink run satellite --set flows.0.tcp.congestion_control=hybla --seeds 20
    farlink run my.toml --pcap run.pcap --series run.csv --plot run.png
    """
    _check_together(of_run)
    _check_targets(out, (series, ledger), plot)
    shown = _checked_panels(panels, plot)
    made = loaded(scenario, settings)
    refuse_inputs(made.files, (series, ledger, plot))
    keep_series = bool(out or series or plot)
    seeds = of_run["seeds"]
    runs = min(of_run["jobs"] or cores(), len(seeds or [0]))
    warn_of_implausible(made.origin, made.warnings, strict)
    warn(made.origin, made.estimate(series=keep_series), bounds, runs)
    try:
        simulated_s = made.validated.duration_ns / 1e9 * len(seeds or [0])
        with progress(made.validated.name, quiet, simulated_s=simulated_s) as report:
            measured = made.run(series=keep_series, ledger=bool(ledger), progress=report, **of_run)
        status = 0
    except Interrupted as interrupted:
        measured, status = interrupted.run, 130
        _report_interrupted(made, measured, seeds)
    if measured.seeds:
        if plot:
            _draw(measured, made, settings, shown, plot)
        _write_outputs(measured, out, {"series": series, "copies": ledger})
        _print(measured, as_json, all_flows)
        if measured.is_equal_for_all_seeds:
            line = f"all {len(measured.seeds)} seeds gave equal results: nothing random took effect"
            print_line(f"farlink: {line}", err=True)
        if not as_json:
            _report_no_arrival(measured, scenario, settings)
    return status


def _check_together(of_run: Mapping[str, Any]) -> None:
    """Refuse two ways to say the seeds, and options of an output that is not asked for."""
    if of_run["seed"] is not None and of_run["seeds"] is not None:
        raise click.UsageError("give --seed or --seeds, not both")
    if of_run["animate_window"] is not None and of_run["animate"] is None:
        raise click.UsageError("--animate-window needs --animate F.html")
    if of_run["pcap_node"] is not None and of_run["pcap"] is None:
        raise click.UsageError("--pcap-node needs --pcap F.pcapng")


def _check_targets(out: Path | None, tables: tuple[Path | None, ...], plot: Path | None) -> None:
    if out:
        check_folder(out)
        check_for_run(out)
    for table in tables:
        if table:
            check_target(table, TABLES)
    if plot:
        check_target(plot, FIGURES)


def _checked_panels(panels: str | None, plot: Path | None) -> Sequence[str]:
    """Refuse, before a long run, panels that could not be drawn after it."""
    if panels is None:
        return DEFAULT
    if plot is None:
        raise click.UsageError("--panels are those of a figure: give --plot F")
    return parse(panels)


def _write_outputs(measured: Run, out: Path | None, tables: dict[str, Path | None]) -> None:
    """Write the files asked for."""
    if out:
        measured.save(out)
    for name, path in tables.items():
        if path:
            from farlink.tables.arrow import write

            write(getattr(measured, name), path)


def _print(measured: Run, as_json: bool, all_flows: bool) -> None:
    if as_json:
        from farlink.runs.saved import to_json

        click.echo(to_json(measured.document), nl=False)
    else:
        from farlink.runs import run_table, workload_table

        title, document = measured.scenario.name, measured.document
        if document["flows"]:
            flows, note = ([*measured.summary, *measured.end_to_end], "") if all_flows else measured.folded(EVERY_FLOW)
            print_table(run_table.of_flows(title, flows, measured.seeds, note))
        if workloads := document["workloads"]:
            print_table(workload_table.of_workloads(title, workloads, measured.seeds))
        if airtime := document["airtime"]:
            print_table(run_table.of_airtime(airtime))


def _draw(measured: Run, made: Scenario, settings: Changes, panels: Sequence[str], plot: Path) -> None:
    """Draw the run over time; the title names what was set."""
    from farlink.drawing import of_runs
    from farlink.drawing.recorded import Series
    from farlink.tables.labels import Names

    names = Names.of_scenarios([measured.scenario.resolved])
    about = [names.setting(made.resolve(each.path), str(each.value)) for each in settings]
    notify = None if panels is DEFAULT else print_left_out
    series = Series.of(measured.scenario.resolved, measured.seeds, measured.series, measured.link_series)
    figure = of_runs.over_time({series.name: series}, panels, about=about, notify=notify)
    of_runs.save_figure(figure, plot)


def _report_no_arrival(measured: Run, scenario: str, settings: Changes) -> None:
    """Say of which flows no packet arrived, and what shows why; and of which workloads no payload did."""
    from farlink.runs.explanation import flows_without_arrival, workloads_without_arrival

    options = [part for each in settings for part in ("--set", f"{each.path}={each.value}")]
    command = shlex.join(["farlink", "explain", scenario, *options])
    for line in flows_without_arrival(measured.document["flows"], measured.explanation):
        print_line(f"farlink: {line}; see {command}", err=True)
    for line in workloads_without_arrival(measured.document["workloads"]):
        print_line(f"farlink: {line}", err=True)


def _report_interrupted(made: Scenario, measured: Run, seeds: list[int] | None) -> None:
    asked = len(seeds) if seeds else 1
    kept = f"{len(measured.seeds)} of {asked} seeds were finished and are kept" if measured.seeds else "nothing is kept"
    interrupts.report_interruption(printable(f"{made.origin}: interrupted; {kept}"))
