"""The birth of a duplicate, slot by slot (thesis, Figure 11): an echo is lost, and another node gets the packet too."""

from pathlib import Path

import farlink as fl

SCENE = """
name = "figure 11"
duration = "200 ms"

[[nodes]]
name = "a"
position = ["0 m", "0 m"]
[[nodes]]
name = "d"
position = ["300 m", "173 m"]
[[nodes]]
name = "b"
position = ["200 m", "0 m"]
[[nodes]]
name = "c"
position = ["100 m", "173 m"]
[[nodes]]
name = "e"
position = ["400 m", "0 m"]
[[nodes]]
name = "f"
position = ["-200 m", "0 m"]
[[nodes]]
name = "g"
position = ["-400 m", "0 m"]

[radio]
propagation = { name = "disc", range = "250 m" }
delay = "none"
mac = { name = "frn", carrier_sense = "ideal", min_wait = 3, max_wait = 3 }

[routing]
name = "frn"

[[flows]]
from = "a"
to = "e"
start = "5 ms"
application = { name = "constant_bit_rate", rate = "8 kbit/s", packet_size = "1000 B" }

[[flows]]
from = "f"
to = "g"
start = "15 ms"
application = { name = "constant_bit_rate", rate = "8 kbit/s", packet_size = "1000 B" }
"""
NODES = "adbcefg"


def sent(tmp_path: Path, **mac: str) -> list[tuple[int, str, str]]:
    """The slot, the sender and the receiver; answers in brackets."""
    path = tmp_path / "scene.toml"
    path.write_text(SCENE, encoding="utf-8")
    scenario = fl.load(path)
    for name, value in mac.items():
        scenario = scenario.set(f"radio.mac.{name}", value)
    trace = tmp_path / "scene.tr"
    scenario.run(seed=1, trace=trace)
    frames = [line.split() for line in trace.read_text(encoding="utf-8").splitlines() if " MAC " in line]
    return sorted(
        (
            int(float(time) / 0.010),
            NODES[int(node.strip("_"))],
            NODES[int(to, 16)] if kind != "ACK" else f"({NODES[int(to, 16)]})",
        )
        for event, time, node, _, _, _, kind, _, _, to, *_ in frames
        if event == "s"
    )


def test_a_lost_echo_sends_the_packet_to_another_node_and_two_copies_travel(tmp_path: Path) -> None:
    assert sent(tmp_path) == [
        (1, "a", "b"),
        (2, "b", "e"),  # the echo, which meets f's frame at a
        (2, "f", "g"),
        (3, "e", "(b)"),
        (3, "g", "(f)"),
        (4, "a", "c"),  # a does not know, and takes the next of its neighbours
        (5, "c", "d"),
        (6, "d", "e"),
        (7, "e", "(d)"),
    ]


def test_who_remembers_a_packet_knows_it_only_from_the_same_neighbour(tmp_path: Path) -> None:
    assert sent(tmp_path, duplicates="ack") == sent(tmp_path)
