"""`make demo`: which TCP wins on a lossy satellite link, by how much, and how sure that is.

Several variants run the built-in scenario `satellite` with the same seeds; a table is printed, a picture written.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from farlink.cli.options import seeds_option
from farlink.cli.terminal import print_table, progress
from farlink.drawing import of_runs
from farlink.drawing.recorded import Series
from farlink.runs import run_table
from farlink.runs.run import Run
from farlink.runs.scenario import load


@click.command()
@click.argument("variants", nargs=-1, required=True)
@seeds_option("Which, or how many.", default="1..10", show_default=True)
@click.option("--picture", type=click.Path(path_type=Path), required=True)
def demo(variants: tuple[str, ...], seeds: list[int], picture: Path) -> None:
    """Run the satellite scenario with each of VARIANTS."""
    runs = {variant: _run_variant(variant, seeds) for variant in variants}
    flows = [replace(run.summary[0], flow=variant) for variant, run in runs.items()]
    flows.sort(key=lambda flow: -flow.goodput_bps.mean if flow.goodput_bps else 0.0)
    print_table(run_table.of_flows("satellite", flows, seeds))
    picture.parent.mkdir(parents=True, exist_ok=True)
    series = {
        name: Series.of(run.scenario.resolved, run.seeds, run.series, run.link_series) for name, run in runs.items()
    }
    of_runs.save_figure(of_runs.over_time(series), picture)
    click.echo(f"picture: {picture}")


def _run_variant(variant: str, seeds: list[int]) -> Run:
    scenario = load("satellite").set("flows.0.tcp.congestion_control", variant)
    with progress(variant) as report_progress:
        return scenario.run(seeds=seeds, progress=report_progress)


if __name__ == "__main__":
    demo()
