"""Tunings against a sweep over everything: what they lose, what they cost, and whether their intervals hold.

    python measure_tuning.py PAGE.md      # what `make verify-tuning` does: minutes of CPU time

The tables stand between the markers of the page.
"""

import math
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import farlink as fl
from farlink.runs.toml_text import Value
from farlink.statistics import interval

WINDOW = "flows.0.tcp.max_window"
AODV: Value = {"name": "aodv", "jitter_own_requests": False}
"""One source, whose requests left at once when the page was measured."""
TUNINGS = 20
WITHIN = 0.05
BEGIN, END = "<!-- measured: make verify-tuning -->", "<!-- end of measured -->"


@dataclass(frozen=True)
class Case:
    """A scenario whose window is tuned, `windows` being all there are."""

    name: str
    scenario: fl.Scenario
    windows: int
    trials: int
    seeds: int = 20
    """Of a tuning."""
    sweep_seeds: int = 200
    is_skewed: bool = False
    """Now and then a run is much worse than the others."""


@dataclass(frozen=True)
class Outcome:
    """Of one tuning."""

    window: str
    regret: float
    runs: int
    is_fresh_right: bool
    is_choosing_right: bool
    """Whether the interval from the runs by which the window was chosen holds the true mean."""


def cases() -> list[Case]:
    chain = fl.load("chain_80211")
    aodv = chain.set("routing", AODV)
    return [
        Case("4 hops, AODV", aodv, 10, 10, is_skewed=True),
        Case("4 hops, AODV, runs of 5 s", aodv.set("duration", "5 s"), 10, 10, is_skewed=True),
        Case("4 hops, ideal routes", chain, 10, 10),
        Case("4 hops, AODV, Optuna on half of the windows", aodv, 32, 16),
        Case("4 hops, underwater acoustics", fl.load("underwater"), 10, 10, sweep_seeds=100, is_skewed=True),
    ]


def sweep(case: Case, seeds: int, folder: Path, jobs: int | None = None) -> dict[str, list[float]]:
    """The goodputs at every window."""
    windows = [f"{window} packets" for window in range(1, case.windows + 1)]
    flows = fl.sweep(case.scenario, {WINDOW: windows}, seeds=seeds).run(out=folder, jobs=jobs).flows
    found: dict[str, list[float]] = {}
    for flow in flows.to_pylist():
        found.setdefault(f"{flow[f'{WINDOW}_packets']:.0f} packets", []).append(flow["goodput_bps"])
    return found


def tunings(case: Case, truth: dict[str, float], folder: Path, count: int = TUNINGS) -> list[Outcome]:
    """Tune, each time with other seeds, none of which the sweep had."""
    best = max(truth.values())
    outcomes = []
    for number in range(1, count + 1):
        seeds = [10_000 * number + each for each in range(case.seeds)]
        space = {WINDOW: f"1..{case.windows} packets"}
        tuned = fl.tune(case.scenario, space, trials=case.trials, seeds=seeds).run(out=folder)
        window = tuned.best[WINDOW]
        outcomes.append(
            Outcome(
                window,
                1 - truth[window] / best,
                tuned.runs,
                _holds(tuned.interval, truth[window]),
                _holds(tuned.points[0].interval, truth[window]),
            )
        )
    return outcomes


def coverage(case: Case, window: str) -> tuple[int, int]:
    """How often intervals of so many seeds hold the mean of all, at a fixed window."""
    runs = case.scenario.set(WINDOW, window).run(seeds=range(100_000, 100_000 + 100 * case.seeds), series=False)
    values = runs.flows["goodput_bps"].to_pylist()
    mean = statistics.fmean(values)
    groups = [values[begin : begin + case.seeds] for begin in range(0, len(values), case.seeds)]
    return sum(_holds(interval(group), mean) for group in groups), len(groups)


def _holds(found, value: float) -> bool:
    return found.low <= value <= found.high


def measured(folder: Path) -> str:
    rows = [
        "| case | windows | sweep's best | tunings chose | within 5 % | worst regret | runs of a tuning, at most "
        "| half a sweep's | fresh intervals right | those of the choice |",
        "|---|--:|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for index, case in enumerate(cases()):
        values = sweep(case, case.sweep_seeds, folder / f"sweep-{index}")
        truth = {window: statistics.fmean(each) for window, each in values.items()}
        first = max(truth, key=lambda window: truth[window])
        outcomes = tunings(case, truth, folder / f"tune-{index}")
        chosen = {outcome.window: 0 for outcome in sorted(outcomes, key=lambda each: int(each.window.split()[0]))}
        for outcome in outcomes:
            chosen[outcome.window] += 1
        listed = ", ".join(f"{window.split()[0]} ({count})" for window, count in chosen.items())
        good = sum(outcome.regret <= WITHIN for outcome in outcomes)
        half_width = 1.96 * statistics.stdev(values[first]) / math.sqrt(case.sweep_seeds)
        best = f"{first.split()[0]}: {truth[first] / 1e3:.2f} ± {half_width / 1e3:.2f} kbit/s"
        rows.append(
            f"| {case.name} | 1..{case.windows} | {best} "
            f"| {listed} | {good} of {len(outcomes)} | {100 * max(each.regret for each in outcomes):.1f} % "
            f"| {max(each.runs for each in outcomes)} | {case.windows * case.seeds // 2} "
            f"| {sum(each.is_fresh_right for each in outcomes)} | {sum(each.is_choosing_right for each in outcomes)} |"
        )
        print(rows[-1], file=sys.stderr, flush=True)
    rows += ["", "| case | intervals right at a fixed window of 3 |", "|---|--:|"]
    for case in [case for case in cases() if case.is_skewed]:
        right, count = coverage(case, "3 packets")
        rows.append(f"| {case.name} | {right} of {count} |")
    return "\n".join(rows)


def main(page: Path) -> None:
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    with tempfile.TemporaryDirectory() as folder:
        page.write_text(f"{before}{BEGIN}\n\n{measured(Path(folder))}\n\n{END}{after}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
