"""Compare Farlink's preset `linux` with recordings of the kernel: a table and figures.

python compare.py [SCENARIO ..] [--recordings DIR] [--tcp OPTION=VALUE ..] [--figures DIR] [--json]
"""

import argparse
import json
import math
import os
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import recordings
from comparison import Comparison, settings_of
from curve import ALIGNMENTS
from curves import draw
from scenarios import CONGESTION_CONTROLS, SCENARIOS
from simulated import Setting, simulate
from tabulate import tabulate

WINDOW_HEADERS = (
    "scenario", "control", "runs", "cwnd at equal time: replayed", "own", "hosts", "kernel", "at equal bytes: replayed",
    "own", "hosts", "kernel", "exits: kernel", "own", "on its host", "hosts",
)  # fmt: skip
TOTAL_HEADERS = (
    "scenario", "control", "goodput [Mbit/s]: kernel", "replayed", "own", "hosts", "retransmissions: kernel",
    "replayed", "own", "hosts", "ACKs per segment: kernel", "replayed", "own", "hosts",
)  # fmt: skip
FLOW_HEADERS = (
    "scenario", "control", "flow", "goodput [Mbit/s]: kernel", "replayed", "own", "hosts", "retransmissions: kernel",
    "replayed", "own", "hosts",
)  # fmt: skip
SIDES = ("kernel", "replayed", "own", "hosts")
COMPLETION_HEADERS = (
    "scenario", "control", "size [kB]", "completion [s]: kernel", "own", "difference", "hosts", "difference",
)  # fmt: skip


def compare_all(
    names: Sequence[str],
    controls: Sequence[str],
    folder: Path,
    options: tuple[tuple[str, str], ...] = (),
    on_hosts: Sequence[str] = CONGESTION_CONTROLS,
) -> dict[str, dict[str, Comparison]]:
    """Run Farlink for all recordings in a folder, those of `on_hosts` on hosts that take time, too.

    Equal settings run once.
    """
    found: dict[tuple[str, str], list[recordings.Recording]] = {}
    for name in names:
        for control in controls:
            paths = sorted((folder / name).glob(f"{control}-*.parquet"))
            if paths:
                found[name, control] = [recordings.read(path) for path in paths]
    wanted = {
        key: settings_of(Setting(SCENARIOS[key[0]], key[1], options=options), runs, has_hosts=key[1] in on_hosts)
        for key, runs in found.items()
    }
    distinct = list(dict.fromkeys(each for settings in wanted.values() for each in settings.all))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(distinct, pool.map(simulate, distinct), strict=True))
    compared: dict[str, dict[str, Comparison]] = {}
    for (name, control), settings in wanted.items():
        compared.setdefault(name, {})[control] = Comparison(
            found[name, control],
            replayed=[results[each] for each in settings.replayed],
            own=results[settings.own],
            on_its_host=[results[each] for each in settings.on_its_host],
            hosts=[results[each] for each in settings.hosts],
        )
    return compared


def as_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "runs": len(comparison.recordings),
        "kernels": sorted({each.facts["kernel"] for each in comparison.recordings}),
        "cwnd_rms_percent": {
            alignment: {key: None if math.isnan(value) else value for key, value in comparison.rms(alignment).items()}
            for alignment in ALIGNMENTS
        },
        "goodput_mbps": comparison.goodput_mbps(),
        "retransmissions": comparison.retransmissions(),
        "acks_per_segment": comparison.acks_per_segment(),
        "slow_start_exits": comparison.exits(),
        "completion_s": comparison.completion_s(),
    }


def kernels(compared: dict[str, dict[str, Comparison]]) -> str:
    """The kernels that were recorded."""
    recorded = (
        run.facts["kernel"] for group in compared.values() for each in group.values() for run in each.recordings
    )
    return "Recorded: " + "; ".join(f"{kernel}, {runs} runs" for kernel, runs in sorted(Counter(recorded).items()))


def tables(compared: dict[str, dict[str, Comparison]], form: str = "simple") -> str:
    """RMS errors of the window in per cent with exits from slow start; totals; shares of flows; completion times."""
    flat = [(name, control, each) for name, group in compared.items() for control, each in group.items()]
    rows = [(_window_row(*each), _total_row(*each)) for each in flat]
    shared = [each for each in flat if each[2].flows > 1 and not SCENARIOS[each[0]].sizes]
    flows = [_flow_row(*each, flow) for each in shared for flow in range(each[2].flows)]
    completions = [_completion_row(*each, size) for each in flat for size in sorted(set(SCENARIOS[each[0]].sizes))]
    windows, totals = zip(*rows, strict=True)
    parts = [
        (windows, WINDOW_HEADERS), (totals, TOTAL_HEADERS), (flows, FLOW_HEADERS), (completions, COMPLETION_HEADERS),
    ]  # fmt: skip
    return "\n\n".join(tabulate(lines, headers, form, disable_numparse=True) for lines, headers in parts if lines)


def _window_row(name: str, control: str, comparison: Comparison) -> list[str]:
    rms = [_number(value) for alignment in ALIGNMENTS for value in comparison.rms(alignment).values()]
    exits = comparison.exits()
    left = [", ".join(str(flow or "-") for run in runs for flow in run) for runs in exits.values()]
    return [name, control, str(len(comparison.recordings)), *rms, *left]


def _total_row(name: str, control: str, comparison: Comparison) -> list[str]:
    cells = [name, control]
    cells += [_range(comparison.goodput_mbps()[side], ".2f") for side in SIDES]
    cells += [_range(comparison.retransmissions()[side], "d") for side in SIDES]
    cells += [_range(comparison.acks_per_segment()[side], ".3f") for side in SIDES]
    return cells


def _flow_row(name: str, control: str, comparison: Comparison, flow: int) -> list[str]:
    cells = [name, control, str(flow + 1)]
    cells += [_range(comparison.goodput_mbps(flow)[side], ".2f") for side in SIDES]
    cells += [_range(comparison.retransmissions(flow)[side], "d") for side in SIDES]
    return cells


def _completion_row(name: str, control: str, comparison: Comparison, size: int) -> list[str]:
    medians = medians_of(comparison, SCENARIOS[name].sizes, size)
    cells = [name, control, str(size // 1000), f"{medians['kernel']:.3f}"]
    for key in (side for side in ("own", "hosts") if side in medians):
        cells += [f"{medians[key]:.3f}", f"{100 * (medians[key] / medians['kernel'] - 1):+.1f} %"]
    return cells


def medians_of(comparison: Comparison, sizes: Sequence[int], size: int) -> dict[str, float]:
    """Completion times of the transfers of one size."""
    return {
        key: statistics.median(each for run in runs for each, of in zip(run, sizes, strict=True) if of == size)
        for key, runs in comparison.completion_s().items()
        if runs
    }


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.1f}"


def _range(values: Sequence[float], form: str) -> str:
    if not values:
        return "-"
    least, most = format(min(values), form), format(max(values), form)
    return least if least == most else f"{least}..{most}"


def _option(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{text}: OPTION=VALUE is needed, a value of TOML")
    return key, value


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare Farlink's preset `linux` with recordings of the kernel.")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    parser.add_argument("--congestion-control", nargs="+", default=CONGESTION_CONTROLS)
    parser.add_argument("--recordings", type=Path, default=recordings.FOLDER, help="folder of the recordings")
    parser.add_argument("--tcp", type=_option, action="append", default=[], help="an option of TCP: OPTION=VALUE")
    parser.add_argument("--figures", type=Path, help="folder of the figures")
    parser.add_argument("--markdown", action="store_true", help="tables as Markdown")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    asked = parser.parse_args()
    names = asked.scenarios or list(SCENARIOS)
    unknown = sorted(set(names) - set(SCENARIOS))
    if unknown:
        parser.error(f"no such scenario: {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    compared = compare_all(names, asked.congestion_control, asked.recordings, tuple(asked.tcp))
    if not compared:
        print(f"{asked.recordings}: no recordings", file=sys.stderr)
        return 2
    if asked.json:
        results = {name: {key: as_json(each) for key, each in group.items()} for name, group in compared.items()}
        print(json.dumps(results, indent=1))
    else:
        print(kernels(compared), tables(compared, "pipe" if asked.markdown else "simple"), sep="\n\n")
    if asked.figures:
        for name, comparisons in compared.items():
            draw(name, comparisons, asked.figures / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
