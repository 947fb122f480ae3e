"""Radio against what can be derived on paper or was published; docs/verification/radio.md says what each assumes."""

import math
import re
import statistics
import subprocess
import sys
from pathlib import Path

import farlink as fl
import pytest

PLAIN = "whole_microseconds = false"
GROUND = f"""
propagation = "two_ray"
phy = {{ name = "dsss", rate = "2 Mbit/s", {PLAIN} }}
mac = {{ name = "dcf", rules = "ns2", header = "34 B", rts_threshold = "0 B" }}
"""
DIRECT = '{ name = "shortest_path", metric = "hops" }'


def run(folder: Path, text: str, seeds: int) -> fl.Run:
    path = folder / "radio.toml"
    path.write_text(text)
    return fl.load(path).run(seeds=list(range(1, seeds + 1)))


def scenario(nodes: str, routing: str, radio: str, flows: list[str], duration_s: float) -> str:
    listed = "\n".join(f"[[flows]]\n{flow}" for flow in flows)
    return f"""
name = "radio"
duration = "{duration_s} s"
{nodes}
routing = {routing}
[radio]
{radio}
{listed}
"""


def on_a_line(metres: list[float]) -> str:
    listed = ", ".join(f'{{ name = "n{i}", position = ["{x} m", "0 m"] }}' for i, x in enumerate(metres))
    return f"nodes = [{listed}]"


def datagrams(source: int, destination: int, mbit_s: float, size: int) -> str:
    application = f'{{ name = "constant_bit_rate", rate = "{mbit_s} Mbit/s", packet_size = "{size} B" }}'
    return f'from = "n{source}"\nto = "n{destination}"\napplication = {application}'


def mean(run: fl.Run, seeds: int) -> float:
    """Delivered packets of all flows per run."""
    return sum(run.flows["packets_delivered"].to_pylist()) / seeds


# Bianchi: saturated stations.


def bianchi(stations: int, slot: float, success: float, collision: float) -> float:
    """G. Bianchi, "Performance Analysis of the IEEE 802.11 Distributed Coordination Function", IEEE JSAC 18, 2000:
    frames per second, windows of 32 to 1024 slots, no limit to retries; lengths in microseconds."""
    window, stages = 32, 5

    def attempts(p: float) -> float:
        return 2 * (1 - 2 * p) / ((1 - 2 * p) * (window + 1) + p * window * (1 - (2 * p) ** stages))

    # The collision probability grows with tau, tau falls with it: one crossing.
    low, high = 0.0, 1.0
    for _ in range(100):
        tau = (low + high) / 2
        low, high = (tau, high) if attempts(1 - (1 - tau) ** (stations - 1)) > tau else (low, tau)
    idle = (1 - tau) ** stations
    one = stations * tau * (1 - tau) ** (stations - 1)
    return 1e6 * one / (idle * slot + one * success + (1 - idle - one) * collision)


DATA, SIFS, ACK, DIFS, RTS, CTS = 192 + 1036 * 8 / 11, 10, 304, 50, 352, 304
LENGTHS = {
    "basic": (20, DATA + SIFS + ACK + DIFS, DATA + DIFS),
    "rts": (20, RTS + CTS + DATA + ACK + 3 * SIFS + DIFS, RTS + DIFS),
}
HIS = f", short_retry_limit = {2**32 - 1}, long_retry_limit = {2**32 - 1}, eifs = false"


def saturated(stations: int, access: str, settings: str) -> str:
    threshold = 0 if access == "rts" else 3000
    radio = f"""
propagation = {{ name = "disc", range = "1 km" }}
phy = {{ name = "dsss", rate = "11 Mbit/s", {PLAIN} }}
mac = {{ name = "dcf", rts_threshold = "{threshold} B"{settings} }}
"""
    flows = [datagrams(i, (i + 1) % stations, 8, 972) for i in range(stations)]
    return scenario(on_a_line(list(range(stations))), DIRECT, radio, flows, 20)


@pytest.mark.parametrize("access", LENGTHS)
@pytest.mark.parametrize("stations", [5, 10, 20, 50])
def test_saturated_stations_share_what_bianchi_says(stations, access, tmp_path):
    per_s = mean(run(tmp_path, saturated(stations, access, HIS), 2), 2) / 20
    assert per_s == pytest.approx(bianchi(stations, *LENGTHS[access]), rel=0.02)


# Li et al.: chains of saturated datagrams.


def chain_of_datagrams(hops: int, mbit_s: float) -> str:
    nodes = f'topology = {{ name = "chain", nodes = {hops + 1}, spacing = "200 m" }}'
    return scenario(nodes, DIRECT, GROUND, [datagrams(0, hops, mbit_s, 1472)], 60)


def test_a_chain_carries_a_quarter_at_most_and_about_a_seventh_when_saturated(tmp_path):
    """J. Li, C. Blake, D. De Couto, H. Lee, R. Morris, "Capacity of Ad Hoc Wireless Networks", MobiCom 2001."""
    one = mean(run(tmp_path, chain_of_datagrams(1, 2), 1), 1)
    for hops in (8, 12):
        offered = (0.2, 0.32, 0.4, 2)
        shares = [mean(run(tmp_path, chain_of_datagrams(hops, rate), 3), 3) / one for rate in offered]
        assert max(shares) <= 1 / 4, (hops, shares)
        assert shares[-1] == pytest.approx(1 / 7, rel=0.05), (hops, shares)


# Fu et al., Chen et al.: the window at which TCP over a chain is best.


def chain_of_tcp(hops: int, window: int) -> str:
    nodes = f'topology = {{ name = "chain", nodes = {hops + 1}, spacing = "200 m" }}'
    options = (
        f'preset = "ns2", congestion_control = "newreno", segment_size = "1460 B", max_window = "{window} packets"'
    )
    flow = f'from = "n0"\nto = "n{hops}"\ntcp = {{ {options} }}'
    return scenario(nodes, DIRECT, GROUND, [flow], 100)


@pytest.mark.parametrize(("hops", "windows"), [(8, (1, 2, 3, 4, 5, 32)), (16, (2, 4, 6, 8, 12, 32))])
def test_tcp_over_a_chain_is_best_with_a_window_of_a_quarter_to_half_of_the_hops(hops, windows, tmp_path):
    """A quarter: Z. Fu, P. Zerfos, H. Luo, S. Lu, L. Zhang, M. Gerla, INFOCOM 2003. Two fifths: K. Chen, Y. Xue, K.
    Nahrstedt, "On setting TCP's congestion window limit in mobile ad hoc networks", ICC 2003."""
    goodput = {window: mean(run(tmp_path, chain_of_tcp(hops, window), 10), 10) for window in windows}
    best = max(goodput, key=goodput.__getitem__)
    assert hops / 4 <= best <= hops / 2, goodput
    assert goodput[hops // 4] > 0.85 * goodput[best] > 1.4 * 0.85 * goodput[windows[0]], goodput
    assert goodput[32] < 0.995 * goodput[best], goodput


# Shadowing: how many frames are received at which distance.


def received_share(metres: float, exponent: float, deviation_db: float) -> float:
    """The normal integral: 0.28183815 W and antennas without gain, 3.652e-10 W needed, free space up to 1 m."""
    wavelength = 299_792_458 / 2.4e9
    mean_db = 10 * math.log10(0.28183815 * (wavelength / (4 * math.pi)) ** 2) - 10 * exponent * math.log10(metres)
    return 0.5 * math.erfc((10 * math.log10(3.652e-10) - mean_db) / deviation_db / math.sqrt(2))


@pytest.mark.parametrize(("exponent", "deviation_db"), [(2.0, 4.0), (2.7, 4.0), (3.0, 6.0)])
def test_receivers_get_as_many_frames_as_the_shadowing_integral_says(exponent, deviation_db, tmp_path):
    # n0 talks to n1, 1 m away; the others overhear.
    distances = [1, 25, 50, 75, 100, 150, 200, 250, 300, 400]
    radio = f"""
propagation = {{ name = "shadowing", frequency = "2.4 GHz", exponent = {exponent}, deviation = "{deviation_db} dB" }}
phy = {{ name = "modem", rate = "1 Mbit/s" }}
mac = {{ name = "aloha", acknowledge = false }}
"""
    text = scenario(on_a_line([0, *distances]), DIRECT, radio, [datagrams(0, 1, 0.8, 100)], 100)
    stations = run(tmp_path, text, 1).stations.to_pylist()
    sent = stations[0]["frames_sent"]
    assert sent > 50_000
    for metres, station in zip(distances, stations[1:], strict=True):
        share = (station["frames_received"] + station["frames_overheard"]) / sent
        expected = received_share(metres, exponent, deviation_db)
        # Four standard errors, and what the truncation of the draws at 4 standard deviations takes away.
        assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / sent) + 3.2e-5)


# Random waypoint: speed and density do not change from the start on.


NODES = 10_000


def moved(folder: Path, second: float, start: str) -> tuple[float, float]:
    """Mean speed, and share of the nodes in the middle half of a strip: from the movement file that ns-2 would get."""
    path = folder / "movement.toml"
    path.write_text(f"""
name = "movement"
duration = "101 s"
topology = {{ name = "random", nodes = {NODES}, area = ["1 km", "1 m"] }}
routing = "aodv"
mobility = {{ name = "random_waypoint", area = ["1 km", "1 m"], max_speed = "20 m/s", start = "{start}" }}
[radio]
[[flows]]
from = "n0"
to = "n1"
""")
    command = [sys.executable, "-m", "farlink", "movement", str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    placed = re.compile(r"\$node_\((\d+)\) set X_ (\S+)")
    sent = re.compile(r'\$ns_ at (\S+) "\$node_\((\d+)\) setdest (\S+) \S+ (\S+)"')
    # Along the strip a node goes to its last destination, the metre of its width does not matter.
    place: dict[str, float] = {}
    goal: dict[str, tuple[float, float, float]] = {}
    for line in lines:
        if found := placed.match(line):
            place[found[1]] = float(found[2])
        elif (found := sent.match(line)) and float(found[1]) <= second:
            at, node, x, speed = float(found[1]), found[2], float(found[3]), float(found[4])
            place[node] = along(place[node], goal.get(node), at)
            goal[node] = (at, x, speed)
    assert len(place) == len(goal) == NODES
    places = [along(place[node], goal[node], second) for node in place]
    return statistics.mean(speed for *_, speed in goal.values()), sum(250 < x < 750 for x in places) / NODES


def along(x: float, goal: tuple[float, float, float] | None, at: float) -> float:
    """Where a node is that was at `x` when it was sent to its goal."""
    if goal is None:
        return x
    since, to, speed = goal
    way = min(abs(to - x), speed * (at - since))
    return x + math.copysign(way, to - x)


@pytest.mark.parametrize("second", [0, 100])
def test_random_waypoint_is_stationary_from_the_start_on(second, tmp_path):
    """W. Navidi, T. Camp, IEEE TMC 3(1), 2004: the mean speed is 1/E[1/V], the density along a line 6x(1 - x)."""
    speed, middle = moved(tmp_path, second, "stationary")
    # Four standard errors.
    assert speed == pytest.approx(19 / math.log(20), rel=0.03)
    assert middle == pytest.approx(11 / 16, abs=0.019)


def test_random_waypoint_with_a_uniform_start_is_faster_and_flatter_at_first(tmp_path):
    speed, middle = moved(tmp_path, 0, "uniform")
    assert speed == pytest.approx(10.5, rel=0.03)
    assert middle == pytest.approx(0.5, abs=0.02)
