"""Captures of shared channels, as tshark reads them."""

import json
from collections import Counter
from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli
from test_cli_mistakes import refused
from test_pcap import frames

SECONDS = "duration=3 s"
RATES = 'radio.phy={ name = "dsss", rate = "11 Mbit/s", preamble = "short" }'
OFDM = 'radio.phy={ name = "ofdm", rate = "54 Mbit/s" }'
AT_2_GHZ = 'radio.propagation={ name = "two_ray", frequency = "2.412 GHz" }'
SCENARIOS = {
    "requests before data": [],
    "data alone": ["radio.mac=dcf"],
    "routes that are looked for": ["routing=aodv"],
    "routes that are kept": ["routing=olsr"],
    "distances that are told": ["routing=dsdv"],
    "addresses that are asked for": ["radio.arp=one_slot"],
    "ways that packets carry": ["routing=dsr"],
    "CCK and a short preamble": [RATES, AT_2_GHZ],
    "OFDM": [OFDM, 'radio.propagation={ name = "disc", range = "250 m" }'],
    "frames lost by luck": ["radio.antenna={ frame_error_rate = 0.2 }", "routing=aodv"],
    "ns-2's rules": ['radio.mac={ name = "dcf", rules = "ns2", header = "34 B", rts_threshold = "0 B" }'],
}


def capture(farlink: Cli, *settings: str, node: str | None = None, scenario: str = "chain_80211") -> dict:
    chosen = [word for setting in [SECONDS, *settings] for word in ("--set", setting)]
    place = ["--pcap-node", node] if node else []
    done = farlink("run", scenario, *chosen, "--pcap", "air.pcapng", *place, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def is_sound(tshark: str, pcap: Path) -> None:
    bad = "_ws.malformed || _ws.expert.severity >= 8388608"
    wrong = "wlan.fcs.status == 0 || ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0"
    assert frames(tshark, pcap, f"{bad} || {wrong}") == []
    assert len(frames(tshark, pcap, "ip")) == len(frames(tshark, pcap, "ip.checksum.status == 1")) > 0


@pytest.mark.parametrize("case", SCENARIOS)
def test_tshark_reads_every_frame_and_counts_as_the_stations_do(
    farlink: Cli, tmp_path: Path, tshark: str, case: str
) -> None:
    made, pcap = capture(farlink, *SCENARIOS[case]), tmp_path / "air.pcapng"
    is_sound(tshark, pcap)
    sent = Counter(frames(tshark, pcap, "wlan.ta", "wlan.ta"))
    answers = len(frames(tshark, pcap, "wlan.fc.type_subtype in {0x1c, 0x1d}"))
    assert sent.total() + answers == sum(station["frames_sent"] for station in made["stations"])
    assert len(frames(tshark, pcap, "wlan.fcs.status == 1")) == sent.total() + answers
    # Radiotap's are whole times of 500 kbit/s, as all rates here.
    assert len(frames(tshark, pcap, "radiotap.datarate")) == sent.total() + answers


def test_an_exchange_is_a_request_a_clearance_the_data_and_the_answer(
    farlink: Cli, tmp_path: Path, tshark: str
) -> None:
    capture(farlink)
    pcap = tmp_path / "air.pcapng"
    kinds = [int(kind, 16) for kind in frames(tshark, pcap, "frame.number <= 4", "wlan.fc.type_subtype")]
    assert kinds == [0x1B, 0x1C, 0x20, 0x1D]
    [data] = frames(tshark, pcap, "frame.number == 3 && tcp.flags.syn == 1", "frame.len")
    [header] = frames(tshark, pcap, "frame.number == 3", "radiotap.length")
    [packet] = frames(tshark, pcap, "frame.number == 3", "ip.len")
    assert int(data) == int(header) + 24 + 8 + int(packet) + 4
    [rate] = frames(tshark, pcap, "frame.number == 3", "radiotap.datarate")
    assert float(rate) == 2
    assert frames(tshark, pcap, "frame.number == 3", "wlan.da") == ["02:00:00:00:00:02"]
    assert frames(tshark, pcap, "frame.number == 3", "ip.dst") == ["10.0.0.5"]


def test_messages_of_aodv_are_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "routing=aodv")
    pcap = tmp_path / "air.pcapng"
    assert len(frames(tshark, pcap, "udp.port == 654")) == len(frames(tshark, pcap, "aodv")) > 0
    first = "aodv.type == 1 && ip.src == 10.0.0.1"
    assert set(frames(tshark, pcap, first, "aodv.dest_ip")) == {"10.0.0.5"}
    assert set(frames(tshark, pcap, first, "wlan.da")) == {"ff:ff:ff:ff:ff:ff"}
    assert "10.0.0.5" in frames(tshark, pcap, "aodv.type == 2", "aodv.dest_ip")


def test_what_dsr_adds_to_packets_is_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "routing=dsr")
    pcap = tmp_path / "air.pcapng"
    assert len(frames(tshark, pcap, "ip.proto == 48")) == len(frames(tshark, pcap, "dsr")) > 0
    kinds = set(frames(tshark, pcap, "dsr", "dsr.option.type"))
    # A request, an answer with its own way and a pad, and the way of a packet.
    assert {"1", "96,2,224", "96"} <= kinds, kinds
    assert frames(tshark, pcap, "dsr && tcp.len > 0")


def test_messages_of_olsr_are_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "routing=olsr", "duration=8 s")
    pcap = tmp_path / "air.pcapng"
    assert len(frames(tshark, pcap, "udp.port == 698")) == len(frames(tshark, pcap, "olsr")) > 0
    # HELLO and TC.
    assert set(frames(tshark, pcap, "olsr", "olsr.message_type")) == {"1", "2"}


def test_messages_of_arp_are_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "radio.arp=one_slot")
    pcap = tmp_path / "air.pcapng"
    is_sound(tshark, pcap)
    # Five in a row, and every link carries data and acknowledgements.
    first = [(0, "10.0.0.1", "10.0.0.2"), (1, "10.0.0.2", "10.0.0.1")]
    for number, sender, target in first:
        fields = ("arp.src.proto_ipv4", "arp.dst.proto_ipv4", "arp.src.hw_mac", "arp.opcode")
        found = [frames(tshark, pcap, f"arp.opcode == {number + 1}", field)[0] for field in fields]
        assert found == [sender, target, f"02:00:00:00:00:0{number + 1}", str(number + 1)]
    assert set(frames(tshark, pcap, "arp.opcode == 1", "wlan.da")) == {"ff:ff:ff:ff:ff:ff"}
    assert len(frames(tshark, pcap, "arp.opcode == 1")) >= 4


def test_a_capture_at_a_node_holds_what_it_sends_and_makes_out(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    made = capture(farlink, AT_2_GHZ, RATES, node="n1")
    pcap = tmp_path / "air.pcapng"
    is_sound(tshark, pcap)
    station = made["stations"][1]
    assert station["node"] == "n1"
    heard = frames(tshark, pcap, "radiotap.dbm_antsignal", "radiotap.dbm_antsignal")
    assert len(heard) == station["frames_received"] + station["frames_overheard"] > 0
    assert -70 <= min(map(int, heard)) <= max(map(int, heard)) < 0
    assert len(frames(tshark, pcap, "radiotap.txpower")) == station["frames_sent"] > 0
    assert set(frames(tshark, pcap, "radiotap", "radiotap.channel.freq")) == {"2412"}


def test_datagrams_are_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    datagrams = 'application = { name = "constant_bit_rate", rate = "100 kbit/s", packet_size = "500 B" }\n'
    text, _, _ = fl.load("chain_80211").text.partition('application = "bulk"')
    (tmp_path / "datagrams.toml").write_text(text + datagrams)
    capture(farlink, scenario="datagrams.toml")
    is_sound(tshark, tmp_path / "air.pcapng")
    sizes = set(frames(tshark, tmp_path / "air.pcapng", "udp.checksum.status == 1", "udp.length"))
    assert sizes == {"508"}


def test_of_other_protocols_the_packets_are_captured(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "duration=2 s", scenario="gateway")
    pcap = tmp_path / "air.pcapng"
    is_sound(tshark, pcap)
    assert len(frames(tshark, pcap, "tcp.checksum.status == 1")) == len(frames(tshark, pcap, "frame")) > 0
    assert set(frames(tshark, pcap, "frame", "frame.interface_name")) == {"radio"}


def test_a_capture_of_the_air_does_not_change_the_run(farlink: Cli) -> None:
    plain = json.loads(farlink("run", "chain_80211", "--set", SECONDS, "--json").stdout)
    captured = capture(farlink)
    for made in (plain, captured):
        del made["engine"]["cpu_s"]
    assert captured == plain


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["satellite", "--pcap", "f.pcapng"], "no shared channel"),
        (["chain_80211", "--pcap", "f.pcapng", "--pcap-node", "n11"], "did you mean `n1`?"),
        (["chain_80211", "--pcap", "f.pcap", "--pcap-node", "n1"], "write a .pcapng"),
        (["chain_80211", "--pcap-node", "n1"], "give a .pcapng"),
        (["gateway", "--pcap", "f.pcapng", "--pcap-node", "server"], "on a shared channel"),
        (["chain_80211", "--pcap", "f.png"], "must end in .pcap or .pcapng"),
    ],
)
def test_a_capture_that_cannot_be_made_is_refused(farlink: Cli, arguments: list[str], expected: str) -> None:
    assert expected in refused(farlink, "run", *arguments)
