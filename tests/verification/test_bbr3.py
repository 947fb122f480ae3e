"""BBR version 3 beside CUBIC: it loses less than version 1, and leaves more to CUBIC where the buffer is small.

Sources: draft-ietf-ccwg-bbr, "Bandwidth Probing and Coexistence with Reno/CUBIC"; M. Hock, R. Bless, M. Zitterbart,
"Experimental Evaluation of BBR Congestion Control", ICNP 2017, for the losses that version 1 causes in a small buffer.
"""

from pathlib import Path
from statistics import mean

import farlink as fl

SCENARIO = """
name = "share"
duration = "60 s"
nodes = [{ name = "a" }, { name = "b" }, { name = "left" }, { name = "right" }]

[[links]]
between = ["a", "left"]
rate = "1 Gbit/s"
delay = "1 ms"

[[links]]
between = ["b", "left"]
rate = "1 Gbit/s"
delay = "1 ms"

[[links]]
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "19 ms"

[[flows]]
label = "model"
from = "a"
to = "right"
start = "0 s..1 s"
tcp = { congestion_control = "bbr3", recovery = "rack" }

[[flows]]
label = "cubic"
from = "b"
to = "right"
start = "0 s..1 s"
tcp = { congestion_control = "cubic", recovery = "rack" }
"""
# One, four and sixteen bandwidth-delay products.
BUFFERS = (33, 133, 533)
CONTROL, LIMIT = "flows.0.tcp.congestion_control", "links.2.queue.limit"


def shared(folder: Path) -> dict[tuple[str, int], tuple[float, float]]:
    """CUBIC's share of the goodput, and the share of packets that the other flow retransmits."""
    path = folder / "share.toml"
    path.write_text(SCENARIO)
    axes = {CONTROL: ["bbr", "bbr3"], LIMIT: [f"{packets} packets" for packets in BUFFERS]}
    flows = fl.sweep(fl.load(path), axes, seeds=3).run(out=folder / "store").flows.to_pylist()
    found = {}
    for control in axes[CONTROL]:
        for packets in BUFFERS:
            cell = [row for row in flows if row[CONTROL] == control and round(row[f"{LIMIT}_packets"]) == packets]
            own = [row for row in cell if row["flow"] == "model"]
            other = [row for row in cell if row["flow"] == "cubic"]
            goodput = mean(row["goodput_bps"] for row in other) / mean(row["goodput_bps"] for row in cell) / 2
            losses = mean(row["packets_retransmitted"] / row["packets_sent"] for row in own)
            found[control, packets] = (goodput, losses)
    return found


def test_version_3_loses_less_and_starves_cubic_less_than_version_1(tmp_path: Path) -> None:
    found = shared(tmp_path)
    assert all(found["bbr3", packets][1] < found["bbr", packets][1] for packets in BUFFERS)
    smallest = BUFFERS[0]
    assert found["bbr3", smallest][0] > 2 * found["bbr", smallest][0]
    assert found["bbr3", smallest][0] > 0.3
