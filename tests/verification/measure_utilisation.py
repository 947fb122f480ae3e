"""Utilisation of a clean bottleneck: every congestion control by every recovery by buffers from 0.25 to 4 BDP.

    python measure_utilisation.py PAGE.md      # what `make verify-utilisation` does: minutes of CPU time

The tables stand between the markers of the page. The same cells in short runs go to utilisation.json, with which the
test compares.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import farlink as fl
from farlink import _farlink

SEGMENT_BYTES, PACKET_BYTES = 1448, 1500
LEAST = 0.85
"""A lower utilisation is printed bold, and the page gives its reason."""
BUFFERS = (0.25, 0.5, 1.0, 4.0)
"""In bandwidth-delay products."""
BEGIN, END = "<!-- measured: make verify-utilisation -->", "<!-- end of measured -->"
CONTROL, RECOVERY, LIMIT = "flows.0.tcp.congestion_control", "flows.0.tcp.recovery", "links.0.queue.limit"


@dataclass(frozen=True)
class Bottleneck:
    """A link without errors."""

    rate_mbps: int
    rtt_ms: int

    def buffer_packets(self, products: float) -> int:
        return round(products * self.rate_mbps * self.rtt_ms * 1e3 / 8 / PACKET_BYTES)

    def scenario(self, folder: Path, duration_s: int) -> fl.Scenario:
        path = folder / f"{self.rate_mbps}-{self.rtt_ms}.toml"
        path.write_text(f"""
name = "utilisation"
duration = "{duration_s} s"
seed = 1
nodes = [{{ name = "from" }}, {{ name = "to" }}]

[[links]]
between = ["from", "to"]
rate = "{self.rate_mbps} Mbit/s"
delay = "{self.rtt_ms * 500} us"
queue = {{ name = "drop_tail", limit = "100 packets" }}

[[flows]]
from = "from"
to = "to"
application = "bulk"
tcp = {{}}
""")
        return fl.load(path)


BOTTLENECKS = (Bottleneck(10, 50), Bottleneck(100, 20))
SHORT_S = {10: 10, 100: 2}
"""The duration of short runs by Mbit/s."""
RECORDED = Path(__file__).with_name("utilisation.json")


def registered(kind: str) -> list[str]:
    """The names of all members."""
    return [model["name"] for model in json.loads(_farlink.models()) if model["kind"] == kind]


def setting(control: str, bottleneck: Bottleneck) -> str | dict[str, str]:
    """The control; one that has to know the link's rate gets it."""
    if control == "enhanced_hybla":
        return {"name": control, "capacity": f"{bottleneck.rate_mbps} Mbit/s"}
    return control


def utilisations(
    bottleneck: Bottleneck,
    controls: Sequence[str],
    recoveries: Sequence[str],
    buffers: Sequence[float],
    folder: Path,
    duration_s: int = 120,
) -> dict[tuple[str, str, float], float]:
    """Goodput over what the link can carry, by control, recovery and buffer; headers count, and the start, too."""
    limits = {bottleneck.buffer_packets(buffer): buffer for buffer in buffers}
    axes = {RECOVERY: list(recoveries), LIMIT: [f"{limit} packets" for limit in limits]}
    capacity_bps = bottleneck.rate_mbps * 1e6 * SEGMENT_BYTES / PACKET_BYTES
    measured = {}
    for control in controls:
        scenario = bottleneck.scenario(folder, duration_s).set(CONTROL, setting(control, bottleneck))
        store = folder / f"store-{bottleneck.rate_mbps}-{control}"
        for flow in fl.sweep(scenario, axes, seeds=1).run(out=store).flows.to_pylist():
            # What has one value only is no column.
            limit = round(flow.get(f"{LIMIT}_packets", next(iter(limits))))
            recovery = flow.get(RECOVERY, recoveries[0])
            measured[control, recovery, limits[limit]] = flow["goodput_bps"] / capacity_bps
    return measured


def short_runs(folder: Path) -> dict[str, list[float]]:
    """Utilisation of every cell in short runs, in per cent by link, control and recovery; a value per buffer."""
    found: dict[str, list[float]] = {}
    for bottleneck in BOTTLENECKS:
        names = registered("congestion_control"), registered("recovery")
        measured = utilisations(bottleneck, *names, BUFFERS, folder, SHORT_S[bottleneck.rate_mbps])
        for (control, recovery, _), share in sorted(measured.items()):
            row = f"{bottleneck.rate_mbps} Mbit/s, {control}, {recovery}"
            found.setdefault(row, []).append(round(100 * share, 1))
    return found


def sawtooth(buffer: float) -> float:
    """Utilisation of Reno's window between half of the pipe with a full buffer and all of it, in its steady state.

    Windows in bandwidth-delay products; a round trip takes one, or as many as the window once a queue stands.
    """
    most = 1 + buffer
    least = most / 2
    empty_time, empty_sent = max(1 - least, 0), max(1 - least**2, 0) / 2
    queue_time = (most**2 - max(least, 1) ** 2) / 2
    return (empty_sent + queue_time) / (empty_time + queue_time)


def table(measured: Mapping[tuple[str, str, float], float]) -> list[str]:
    buffers = sorted({buffer for _, _, buffer in measured})
    heads = [f"{buffer:g} BDP" for buffer in buffers]
    rows = [f"| control | recovery | {' | '.join(heads)} |", "|---|---|" + "--:|" * len(buffers)]
    for control, recovery in dict.fromkeys((control, recovery) for control, recovery, _ in measured):
        shares = [measured[control, recovery, buffer] for buffer in buffers]
        cells = [f"{100 * share:.1f}" if share >= LEAST else f"**{100 * share:.1f}**" for share in shares]
        rows.append(f"| {control} | {recovery} | {' | '.join(cells)} |")
    return rows


def pages(folder: Path) -> str:
    controls, recoveries = registered("congestion_control"), registered("recovery")
    rows = ["| | " + " | ".join(f"{buffer:g} BDP" for buffer in BUFFERS) + " |", "|---|" + "--:|" * len(BUFFERS)]
    rows.append("| sawtooth of Reno | " + " | ".join(f"{100 * sawtooth(buffer):.1f}" for buffer in BUFFERS) + " |")
    for bottleneck in BOTTLENECKS:
        measured = utilisations(bottleneck, controls, recoveries, BUFFERS, folder)
        packets = ", ".join(str(bottleneck.buffer_packets(buffer)) for buffer in BUFFERS)
        rows += ["", f"## {bottleneck.rate_mbps} Mbit/s, RTT {bottleneck.rtt_ms} ms", ""]
        rows += [f"Buffers of {packets} packets.", "", *table(measured)]
    return "\n".join(rows)


def record(folder: Path) -> None:
    rows = [f"{json.dumps(name)}: {json.dumps(shares)}" for name, shares in short_runs(folder).items()]
    RECORDED.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def main(page: Path) -> None:
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    with tempfile.TemporaryDirectory() as folder:
        page.write_text(f"{before}{BEGIN}\n\n{pages(Path(folder))}\n\n{END}{after}")
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
