"""How flows share a bottleneck: BBR and Prague beside CUBIC, and a bottleneck that becomes slower.

    python measure_sharing.py PAGE.md      # what `make verify-sharing` does: minutes of CPU time

The tables stand between the markers of the page. The sweeps are the files of the folder sharing.
"""

import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import farlink as fl
import l4s_tests
from farlink.statistics import interval, mean_of
from farlink.sweeps.description import read

SWEEPS = Path(__file__).with_name("sharing")
BEGIN, END = "<!-- measured: make verify-sharing -->", "<!-- end of measured -->"
FIRST, SECOND = "flows.0.tcp.congestion_control", "flows.1.tcp.congestion_control"
QUEUE = "links.2.queue"
Row = dict[str, Any]
Key = TypeVar("Key")
Rates = list[tuple[float, float]]
"""Goodput of both flows in Mbit/s, by run."""

# From the scenario 6 table: Prague to the other, by queue (with target in ms), the other and whether it uses ECN.
PUBLISHED_SHARED = {
    ("codel", 5, "cubic", True): 24,
    ("codel", 5, "cubic", False): 25,
    ("codel", 5, "reno", True): 42,
    ("codel", 5, "reno", False): 40,
    ("codel", 1, "cubic", True): 27,
    ("codel", 1, "cubic", False): 25,
    ("codel", 1, "reno", True): 37,
    ("codel", 1, "reno", False): 29,
    ("pie", 15, "cubic", True): 23,
    ("pie", 15, "cubic", False): 23,
    ("pie", 15, "reno", True): 60,
    ("pie", 15, "reno", False): 48,
    ("pie", 5, "cubic", True): 20,
    ("pie", 5, "cubic", False): 23,
    ("pie", 5, "reno", True): 26,
    ("pie", 5, "reno", False): 35,
}


def flows(name: str, folder: Path, seeds: int | None = None, duration_s: int | None = None) -> list[Row]:
    """The rows of the flows of the sweep NAME.toml, with fewer seeds or shorter runs if wanted."""
    sweep = read(SWEEPS / f"{name}.toml")
    sweep = sweep if duration_s is None else replace(sweep, scenario=sweep.scenario.set("duration", f"{duration_s} s"))
    sweep = sweep if seeds is None else replace(sweep, seeds=range(1, seeds + 1))
    rows: list[Row] = sweep.run(out=folder / name).flows.to_pylist()
    return rows


def paired(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, Rates]:
    """Both flows of every run, by what `key` makes of a row."""
    runs: dict[tuple[str, int], dict[str, Row]] = {}
    for row in rows:
        runs.setdefault((row["key"], row["seed"]), {})[row["flow"]] = row
    found: dict[Key, Rates] = {}
    for pair in runs.values():
        rates = pair["first"]["goodput_bps"] / 1e6, pair["second"]["goodput_bps"] / 1e6
        found.setdefault(key(pair["first"]), []).append(rates)
    return found


def beside_cubic(rows: Iterable[Row]) -> dict[tuple[str, str, int], tuple[list[float], list[float]]]:
    """CUBIC's share of the goodput, and the share of packets that BBR retransmits, in per cent by run."""

    def case(row: Row) -> tuple[str, str, int]:
        return row[FIRST], row["flows.0.tcp.preset"], round(row["links.2.queue.limit_packets"])

    listed = list(rows)
    losses: dict[tuple[str, str, int], list[float]] = {}
    for row in listed:
        if row["flow"] == "first":
            losses.setdefault(case(row), []).append(100 * row["packets_retransmitted"] / row["packets_sent"])
    return {
        key: ([100 * cubic / (bbr + cubic) for bbr, cubic in rates], losses[key])
        for key, rates in paired(listed, case).items()
    }


def in_one_queue(rows: Iterable[Row]) -> dict[tuple[str, str, int, str, bool], float]:
    """The ratio of mean goodputs by sender, queue, its target, the classic sender and whether that uses ECN."""
    fallback = f"{FIRST}.classic_ecn_fallback"

    def case(row: Row) -> tuple[str, str, int, str, bool]:
        sender = "fall-back" if row[fallback] == "True" else row[FIRST]
        has_ecn = str(row["flows.1.tcp.ecn"]) != "False"
        return sender, row[QUEUE], round(1e3 * row[f"{QUEUE}.target_s"]), row[SECOND], has_ecn

    return {key: ratio(rates) for key, rates in paired(rows, case).items()}


def ratio(rates: Rates) -> float:
    """Of the mean goodputs."""
    return sum(first for first, _ in rates) / sum(second for _, second in rates)


def one_flow(queue: str, control: str) -> fl.Scenario:
    """It sends alone through this queue."""
    queues: dict[str, dict[str, str | bool]] = {
        "dualpi2": {"name": "dualpi2", "preset": "linux"},
        "fq_codel": {"name": "fq_codel", "ecn": True},
    }
    return (
        fl.load(SWEEPS / "rate_step.toml")
        .set("links.1.queue", queues[queue])
        .set("flows.0.tcp.congestion_control", control)
        .set("flows.0.tcp.ecn", "classic" if control == "cubic" else "auto")
    )


def steps(
    lower_mbps: Sequence[int], pairs: Sequence[tuple[str, str]]
) -> dict[tuple[int, str, str], tuple[float, float]]:
    """The largest RTT in ms after the rate fell, and the seconds until it was last 60 ms above that of the path."""
    found = {}
    for rate in lower_mbps:
        for queue, control in pairs:
            falls = {"steps": [["0 s", "50 Mbit/s"], ["30 s", f"{rate} Mbit/s"]]}
            scenario = one_flow(queue, control).set("links.1.rate", falls)
            after = [row for row in scenario.run(seed=1).series.to_pylist() if row["time_s"] >= 30 and row["rtt_s"]]
            high = [row["time_s"] - 30 for row in after if row["rtt_s"] > 0.140]
            found[rate, queue, control] = (1e3 * max(row["rtt_s"] for row in after), max(high, default=0.0))
    return found


def bursts(queue: str, control: str) -> tuple[float, float]:
    """Goodput in Mbit/s at a bottleneck of 50 Mbit/s, evenly and if packets arrive in bursts of 4 ms."""
    every = {"steps": [["0 s", "0 bit/s"], ["3.75 ms", "1 Gbit/s"]], "every": "4 ms"}
    even = one_flow(queue, control).set("links.1.rate", "50 Mbit/s")
    first, second = (
        scenario.run(seed=1).flows["goodput_bps"][0].as_py() / 1e6
        for scenario in (even, even.set("links.0.rate", every))
    )
    return first, second


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    align = "|---" + "|--:" * (len(heads) - 1) + "|"
    return ["| " + " | ".join(heads) + " |", align, *("| " + " | ".join(row) + " |" for row in rows), ""]


def with_interval(values: Sequence[float], digits: int) -> str:
    found = interval(values)
    if found is None or found.low is None or found.high is None:
        return f"{mean_of(values):.{digits}f}"
    return f"{found.mean:.{digits}f} ({found.low:.{digits}f}..{found.high:.{digits}f})"


def bbr_table(folder: Path) -> list[str]:
    found = beside_cubic(flows("bbr3", folder))
    buffers = {33: "1 BDP", 133: "4 BDP", 533: "16 BDP"}
    rows = []
    for packets, buffer in buffers.items():
        for preset in ("rfc", "linux"):
            cells = [found[control, preset, packets] for control in ("bbr", "bbr3")]
            numbers = [with_interval(cell[part], digits) for part, digits in ((0, 1), (1, 2)) for cell in cells]
            rows.append([f"{buffer}, `{preset}`", *numbers])
    heads = (
        "buffer, preset",
        *(f"{what}, {control}" for what in ("CUBIC's share", "retransmitted") for control in ("`bbr`", "`bbr3`")),
    )
    return ["### BBR beside CUBIC", "", *table(heads, rows)]


def rtt_tables(folder: Path) -> list[str]:
    published = l4s_tests.published()
    found = l4s_tests.measured(l4s_tests.sweep().run(out=folder / "l4s_tests").flows.to_pylist())
    rates = sorted({rate for rate, _ in published}, reverse=True)
    lines = []
    for queue in dict.fromkeys(queue for _, queue in published):
        rows = []
        for pair in published[rates[0], queue]:
            row = [", ".join(f"{flow.control} {flow.rtt_ms} ms" for flow in pair)]
            for rate in rates:
                ours = found[rate, queue][pair]
                means = [mean_of([run[flow] for run in ours]) for flow in (0, 1)]
                row += [", ".join(f"{mbps:.2f}" for mbps in both) for both in (published[rate, queue][pair], means)]
            rows.append(row)
        heads = [f"{rate} Mbit/s: {whose}" for rate in rates for whose in ("L4S Tests", "Farlink")]
        lines += [f"### Round trips: `{queue}`", "", *table(("flows", *heads), rows)]
    return lines


def step_threshold_table(folder: Path) -> list[str]:
    """Prague beside CUBIC at 10 Mbit/s: a step of today's Linux marks every packet that waited behind a full one."""
    place = 10, "dualpi2"

    def is_mixed(bottleneck: tuple[int, str], pair: l4s_tests.Pair) -> bool:
        return bottleneck == place and pair[0].control != pair[1].control

    found = []
    for packets in (2, 0):
        sweep = l4s_tests.sweep(is_mixed, threshold_packets=packets)
        rows = sweep.run(out=folder / f"step_{packets}").flows.to_pylist()
        found.append(l4s_tests.measured(rows)[place])
    lines = []
    for pair, runs in found[0].items():
        flows = ", ".join(f"{flow.control} {flow.rtt_ms} ms" for flow in pair)
        both = [[mean_of([run[flow] for run in each]) for flow in (0, 1)] for each in (runs, found[1][pair])]
        lines.append([flows, *(", ".join(f"{mbps:.2f}" for mbps in means) for means in both)])
    heads = ("flows", "`threshold_packets = 2`", "default of Linux, 0")
    return ["### Step of `dualpi2` at 10 Mbit/s", "", *table(heads, lines)]


def shared_table(folder: Path) -> list[str]:
    found = in_one_queue(flows("l4s_shared_queue", folder))
    rows = []
    for (queue, target, other, has_ecn), theirs in PUBLISHED_SHARED.items():
        ours = [found[sender, queue, target, other, has_ecn] for sender in ("prague", "fall-back", "dctcp")]
        name = f"`{queue}`, target {target} ms; {other} {'with' if has_ecn else 'without'} ECN"
        rows.append([name, f"{theirs}:1", *(f"{number:.1f}:1" for number in ours)])
    heads = ("queue; the other flow", "L4S Tests, Prague", "Prague", "Prague with fall-back", "DCTCP")
    return ["### One queue for all", "", *table(heads, rows)]


PAIRS = (("fq_codel", "cubic"), ("fq_codel", "prague"), ("dualpi2", "cubic"), ("dualpi2", "prague"))


def step_table() -> list[str]:
    found = steps((25, 5, 1), PAIRS)
    rows: list[list[str]] = []
    for rate in (25, 5, 1):
        cells: Mapping[tuple[str, str], tuple[float, float]] = {pair: found[(rate, *pair)] for pair in PAIRS}
        rows.append([f"{rate} Mbit/s", *(f"{most:.0f} ms, {length:.1f} s" for most, length in cells.values())])
    heads = ("rate after the step", *(f"`{control}`, `{queue}`" for queue, control in PAIRS))
    return ["### A bottleneck that becomes slower", "", *table(heads, rows)]


def burst_table() -> list[str]:
    rows = []
    for queue, control in PAIRS:
        rows.append([f"`{control}`, `{queue}`", *(f"{mbps:.1f}" for mbps in bursts(queue, control))])
    return ["### Bursts", "", *table(("control, queue", "even, Mbit/s", "in bursts of 4 ms, Mbit/s"), rows)]


def main(page: Path) -> None:
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    with tempfile.TemporaryDirectory() as folder:
        tables = (bbr_table, rtt_tables, step_threshold_table, shared_table)
        made = [each(Path(folder)) for each in tables]
        made += [step_table(), burst_table()]
    lines = "\n".join(line for part in made for line in part)
    page.write_text(f"{before}{BEGIN}\n\n{lines}\n{END}{after}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
