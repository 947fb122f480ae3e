"""Farlink's ns-2 presets against what ns-2.35 did (ns2/record.py), loss by loss.

What differs, and why, stands in docs/verification/ns2.md.
"""

import json
import os
import statistics
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import farlink as fl
import pytest
from farlink.statistics import interval

RECORDED = Path(__file__).resolve().parent / "ns2"
LINK = json.loads((RECORDED / "link.json").read_text())
DUMBBELL = json.loads((RECORDED / "dumbbell.json").read_text())
SSTHRESH = json.loads((RECORDED / "ssthresh.json").read_text())
CHAINS = json.loads((RECORDED / "chain.json").read_text())
DSDV_CHAINS = json.loads((RECORDED / "chain_dsdv.json").read_text())
DSR_CHAINS = json.loads((RECORDED / "chain_dsr.json").read_text())

# Data of 1448 bytes and 52 of headers: 1500 on the wire, as in ns-2. An ACK per segment.
TCP_LINUX = 'preset = "ns2_linux", congestion_control = "{}", segment_size = "1448 B"'
CLASSIC = {
    "newreno": 'preset = "ns2", congestion_control = "reno", recovery = "newreno", segment_size = "1460 B"',
    "sack1": 'preset = "ns2", congestion_control = "reno", recovery = "sack1", segment_size = "1460 B"',
}


def windows(case: dict, variant: str) -> str:
    # ns-2's Hybla takes the user's window for its first threshold and then 65 535 packets for its clamp.
    if variant == "hybla":
        return f'initial_ssthresh = "{case["window"]} packets", max_window = "65535 packets"'
    return f'max_window = "{case["window"]} packets"'


def link_scenario(case: dict, variant: str) -> str:
    # ns-2 counts from 0 with the SYN; Farlink, set to look at data only, counts from 1: the same numbers. The way back
    # is so fast that the size of ACKs, which SACK blocks lengthen in Farlink only, does not matter.
    return f"""
name = "ns2_link"
duration = "{LINK["duration_s"]} s"
seed = 1
nodes = [{{ name = "from" }}, {{ name = "to" }}]

[[links]]
between = ["from", "to"]
rate = "{case["rate_mbit"]} Mbit/s"
delay = "{case["delay_ms"]} ms"
queue = {{ name = "drop_tail", limit = "100000 packets" }}
error = {{ name = "list", packets = {case["losses"]}, data_only = true }}
reverse = {{ error = "none", rate = "100 Gbit/s" }}

[[flows]]
label = "{variant}"
from = "from"
to = "to"
start = "0 s"
application = "bulk"
tcp = {{ {TCP_LINUX.format(variant)}, delayed_ack = "off", {windows(case, variant)} }}
"""


def dumbbell_scenario(tcp: str, starts_s: list[float], access_ms: list[float]) -> str:
    nodes = ["left", "right", "sender0", "sender1", "receiver0", "receiver1"]
    access = "\n".join(
        f"""[[links]]
between = ["{one}", "{other}"]
rate = "100 Mbit/s"
delay = "{delay_ms * 1e3:.0f} us"
queue = {{ name = "drop_tail", limit = "10000 packets" }}
"""
        for one, other, delay_ms in [
            ("sender0", "left", access_ms[0]),
            ("sender1", "left", access_ms[1]),
            ("right", "receiver0", 1),
            ("right", "receiver1", 1),
        ]
    )
    flows = "\n".join(
        f"""[[flows]]
label = "flow{index}"
from = "sender{index}"
to = "receiver{index}"
start = "{start * 1e6:.0f} us"
application = "bulk"
tcp = {{ {tcp}, delayed_ack = "off", max_window = "{DUMBBELL["window"]} packets" }}
"""
        for index, start in enumerate(starts_s)
    )
    # ns-2's queue drops what would fill it: of a limit of 50 packets 49 wait.
    return f"""
name = "ns2_dumbbell"
duration = "{DUMBBELL["duration_s"]} s"
seed = 1
nodes = [{", ".join(f'{{ name = "{node}" }}' for node in nodes)}]

[[links]]
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "20 ms"
queue = {{ name = "drop_tail", limit = "49 packets" }}

{access}
{flows}"""


AODV = '{ name = "aodv", preset = "ns2" }'
# By hops and window: Farlink loses so many more routes than ns-2 that the means differ (docs/verification/dsdv.md).
DSDV_APART = {(7, 4)}
DSR = '{ name = "dsr", preset = "ns2" }'


def chain_scenario(hops: int, window: int, routing: str = AODV, header: int = 34, queue: str = "drop_tail") -> str:
    return f"""
name = "ns2_chain"
duration = "{CHAINS["duration_s"]} s"
topology = {{ name = "chain", nodes = {hops + 1}, spacing = "200 m" }}
routing = {routing}

[radio]
propagation = "two_ray"
queue = "{queue}"
phy = {{ name = "dsss", rate = "2 Mbit/s", whole_microseconds = false }}
mac = {{ name = "dcf", rules = "ns2", header = "{header} B", rts_threshold = "0 B" }}

[[flows]]
from = "n0"
to = "n{hops}"
tcp = {{ preset = "ns2", congestion_control = "newreno", segment_size = "512 B", max_window = "{window} packets" }}
"""


@pytest.mark.parametrize("variant", next(iter(LINK["cases"].values()))["variants"])
@pytest.mark.parametrize("name", LINK["cases"])
def test_goodput_is_within_3_percent_of_ns2_for_the_same_lost_packets(name, variant, tmp_path):
    case = LINK["cases"][name]
    path = tmp_path / "link.toml"
    path.write_text(link_scenario(case, variant))
    [goodput_bps] = fl.load(path).run(seed=1).flows["goodput_bps"].to_pylist()
    ours = goodput_bps / (8 * 1448)
    assert ours == pytest.approx(case["variants"][variant]["goodput_packets_per_s"], rel=0.03)


@pytest.mark.parametrize("agent", DUMBBELL["agents"])
def test_mean_drops_of_random_starts_on_a_dumbbell_are_within_10_percent_of_ns2(agent, tmp_path):
    recorded = DUMBBELL["agents"][agent]
    assert len(recorded["runs"]) == 20
    tcp = CLASSIC.get(agent, TCP_LINUX.format(agent))

    def drops(one: dict) -> int:
        path = tmp_path / f"{one['starts_s'][0]}.toml"
        path.write_text(dumbbell_scenario(tcp, one["starts_s"], one["access_ms"]))
        return sum(fl.load(path).run(seed=1).drops["packets"].to_pylist())

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ours = list(pool.map(drops, recorded["runs"]))
    assert statistics.mean(ours) == pytest.approx(recorded["drops_mean"], rel=0.10)
    if agent == "reno":
        # To the packet, in every run; docs/verification/ns2.md has the others.
        assert ours == [one["drops"] for one in recorded["runs"]]


@pytest.mark.parametrize(("window_of", "ssthresh"), [("class", "max_window"), ("agent", "20 packets")])
def test_retransmissions_of_the_first_slow_start_over_radio_are_those_of_ns2(window_of, ssthresh, tmp_path):
    path = tmp_path / "chain.toml"
    path.write_text(chain_scenario(SSTHRESH["hops"], SSTHRESH["window"]))
    scenario = fl.load(path).set("flows.0.tcp.initial_ssthresh", ssthresh).set("radio.queue.limit", "49 packets")
    runs = scenario.run(seeds=range(1, 11), series=False)
    ours = interval(runs.flows["packets_retransmitted"].to_pylist())
    theirs = interval(SSTHRESH["cases"][window_of]["retransmitted"])
    assert max(ours.low, theirs.low) <= min(ours.high, theirs.high)


@pytest.mark.parametrize("case", CHAINS["chains"], ids=lambda case: f"{case['hops']} hops, window {case['window']}")
def test_goodput_of_a_radio_chain_is_within_5_percent_or_2_standard_deviations_of_ns2(case, tmp_path):
    path = tmp_path / "chain.toml"
    path.write_text(chain_scenario(case["hops"], case["window"]))
    # Of as many seeds as ns-2 has three are run here; docs/verification/radio.md has all.
    runs = fl.load(path).run(seeds=[1, 2, 3])
    ours = statistics.mean(runs.flows["packets_delivered"].to_pylist())
    theirs = statistics.mean(case["delivered"])
    assert ours == pytest.approx(theirs, rel=0.05, abs=2 * statistics.stdev(case["delivered"]))


@pytest.mark.parametrize(
    "case",
    DSR_CHAINS["chains"],
    ids=lambda case: f"{case['hops']} hops, window {case['window']}",
)
def test_goodput_of_a_radio_chain_with_dsr_is_within_5_percent_or_2_standard_deviations_of_ns2(case, tmp_path):
    path = tmp_path / "chain.toml"
    path.write_text(chain_scenario(case["hops"], case["window"], DSR, queue="priority"))
    runs = fl.load(path).run(seeds=range(1, 11))
    ours = statistics.mean(runs.flows["packets_delivered"].to_pylist())
    theirs = statistics.mean(case["delivered"])
    assert ours == pytest.approx(theirs, rel=0.05, abs=2 * statistics.stdev(case["delivered"]))


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in DSDV_CHAINS["chains"]
        if case["start_s"] > 0 and case["window"] in (1, 4, 32) and (case["hops"], case["window"]) not in DSDV_APART
    ],
    ids=lambda case: f"{case['hops']} hops, window {case['window']}",
)
def test_goodput_of_a_radio_chain_with_dsdv_is_that_of_ns2(case, tmp_path):
    path = tmp_path / "chain.toml"
    # ns-2's DSDV counts the IP header twice, and takes minutes until everyone knows everyone.
    text = chain_scenario(case["hops"], case["window"], '{ name = "dsdv", preset = "ns2" }', header=54)
    path.write_text(text.replace('to = "n', f'start = "{case["start_s"]} s"\nto = "n'))
    # A route is lost in every tenth run: few seeds, and their mean is that of the losses among them.
    seeds = range(1, len(case["delivered"]) // 2 + 1)
    runs = fl.load(path).set("duration", f"{case['start_s'] + 100} s").run(seeds=seeds, series=False)
    ours, theirs = runs.flows["packets_delivered"].to_pylist(), case["delivered"]
    assert statistics.median(ours) == pytest.approx(statistics.median(theirs), rel=0.01)
    one, other = interval(ours), interval(theirs)
    overlap = max(one.low, other.low) <= min(one.high, other.high)
    assert overlap or one.mean == pytest.approx(other.mean, rel=0.05)
