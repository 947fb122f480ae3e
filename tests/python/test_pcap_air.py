"""Captures of shared channels, as tshark reads them."""

import json
import subprocess
from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli
from test_cli_mistakes import refused
from test_pcap import SET, table

SECONDS = "duration=3 s"
# CTS and ACK carry no sender.
ANSWERS = (0x1C, 0x1D)
# tshark's severity of errors; warnings and notes are below.
SEVERE = 8_388_608
RATES = 'radio.phy={ name = "dsss", rate = "11 Mbit/s", preamble = "short" }'
OFDM = 'radio.phy={ name = "ofdm", rate = "54 Mbit/s" }'
AT_2_GHZ = 'radio.propagation={ name = "two_ray", frequency = "2.412 GHz" }'
SCENARIOS = {
    "requests before data": [],
    "data alone": ["radio.mac=dcf"],
    "routes that are looked for": ["routing=aodv"],
    "routes that are kept": ["routing=olsr"],
    "distances that are advertised": ["routing=dsdv"],
    "addresses that are asked for": ["radio.arp=one_slot"],
    "ways that packets carry": ["routing=dsr"],
    "CCK and a short preamble": [RATES, AT_2_GHZ],
    "OFDM": [OFDM, 'radio.propagation={ name = "disc", range = "250 m" }'],
    "frames lost at random": ["radio.antenna={ frame_error_rate = 0.2 }", "routing=aodv"],
    "ns-2's rules": ['radio.mac={ name = "dcf", rules = "ns2", header = "34 B", rts_threshold = "0 B" }'],
}


# The third of four nodes leaves, and its neighbour tells the source which packet met the break.
BROKEN = """
name = "broken"
duration = "8 s"
routing = { name = "aodv", route_notifications = "in_band" }

[radio]
propagation = "two_ray"
phy = { name = "dsss", rate = "2 Mbit/s" }
mac = { name = "dcf", rts_threshold = "0 B" }

[[nodes]]
name = "a"
position = ["0 m", "0 m"]
[[nodes]]
name = "b"
position = ["200 m", "0 m"]
[[nodes]]
name = "c"
position = ["400 m", "0 m"]
mobility = { name = "scripted", moves = [{ at = "4 s", to = ["400 m", "300 m"], speed = "100 m/s" }] }
[[nodes]]
name = "d"
position = ["600 m", "0 m"]

[[flows]]
from = "a"
to = "d"
tcp = { route_failure = "tcp_fsr", max_window = "8 packets" }
"""


def capture(farlink: Cli, *settings: str, node: str | None = None, scenario: str = "chain_80211") -> dict:
    chosen = [word for setting in [SECONDS, *settings] for word in ("--set", setting)]
    place = ["--pcap-node", node] if node else []
    done = farlink("run", scenario, *chosen, "--pcap", "air.pcapng", *place, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


STATUSES = ("wlan.fcs.status", "ip.checksum.status", "tcp.checksum.status", "udp.checksum.status")
NOTHING, GOOD = "", "1"


def sound(tshark: str, pcap: Path, *fields: str) -> list[list[str]]:
    """What every frame has in these fields, once all frames were found to be whole and rightly summed."""
    seen = table(tshark, pcap, "frame.protocols", "_ws.expert.severity", "ip.src", *STATUSES, *fields)
    packets = 0
    for protocols, severities, sender, of_frame, of_packet, *of_segments in (row[: 3 + len(STATUSES)] for row in seen):
        assert "malformed" not in protocols
        assert all(int(severity) < SEVERE for severity in severities.split(",") if severity)
        assert of_frame in (NOTHING, GOOD) and set(of_segments) <= {NOTHING, GOOD}
        assert set(of_packet.split(",")) == {GOOD if sender else NOTHING}
        packets += bool(sender)
    assert packets > 0
    return [row[3 + len(STATUSES) :] for row in seen]


@pytest.mark.parametrize("case", SCENARIOS)
def test_tshark_reads_every_frame_and_counts_as_the_stations_do(
    farlink: Cli, tmp_path: Path, tshark: str, case: str
) -> None:
    made, pcap = capture(farlink, *SCENARIOS[case]), tmp_path / "air.pcapng"
    seen = sound(tshark, pcap, "wlan.ta", "wlan.fc.type_subtype", "wlan.fcs.status", "radiotap.datarate")
    assert len(seen) == sum(station["frames_sent"] for station in made["stations"])
    for sender, kind, whole, rate in seen:
        assert (sender == "") == (int(kind, 16) in ANSWERS)
        # Radiotap's are whole times of 500 kbit/s, as all rates here.
        assert whole == GOOD and rate


def test_an_exchange_is_rts_cts_data_and_ack(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "radio.arp=ideal")
    fields = ("wlan.fc.type_subtype", "radiotap.datarate", "radiotap.length", "frame.len", "ip.len")
    exchange = table(tshark, tmp_path / "air.pcapng", *fields, "wlan.da", "ip.dst", "tcp.flags.syn")[:4]
    assert [int(kind, 16) for kind, *_ in exchange] == [0x1B, 0x1C, 0x20, 0x1D]
    _, rate, header, size, packet, receiver, target, syn = exchange[2]
    assert int(size) == int(header) + 24 + 8 + int(packet) + 4
    assert float(rate) == 2
    assert (receiver, target, syn in SET) == ("02:00:00:00:00:02", "10.0.0.5", True)


def test_messages_of_aodv_are_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "routing=aodv")
    fields = ("udp.dstport", "aodv.type", "ip.src", "aodv.dest_ip", "wlan.da")
    seen = table(tshark, tmp_path / "air.pcapng", *fields)
    assert all((port == "654") == (kind != "") for port, kind, *_ in seen)
    requests = {(end, receiver) for _, kind, sender, end, receiver in seen if (kind, sender) == ("1", "10.0.0.1")}
    assert requests == {("10.0.0.5", "ff:ff:ff:ff:ff:ff")}
    assert "10.0.0.5" in [end for _, kind, _, end, _ in seen if kind == "2"]


def test_an_error_of_aodv_names_the_packet_in_an_extension_that_tshark_passes_over(
    farlink: Cli, tmp_path: Path, tshark: str
) -> None:
    (tmp_path / "broken.toml").write_text(BROKEN)
    done = farlink("run", "broken.toml", "--pcap", "air.pcapng", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["flows"][0]["limited_by"]["frozen"] > 0
    seen = sound(tshark, tmp_path / "air.pcapng", "aodv.type", "udp.payload", "tcp.seq_raw", "tcp.len")
    sent = {int(seq) for _, _, seq, size in seen if size not in ("", "0")}
    errors = [bytes.fromhex(payload) for kind, payload, *_ in seen if kind == "3"]
    named = [error for error in errors if len(error) > 4 + 8 * error[3]]
    assert named
    for error in named:
        extension = error[4 + 8 * error[3] :]
        # Type, length, flow, end and pad, source, destination, sequence number (RFC 3561 section 9: below 128 others
        # may pass it over).
        assert (extension[0] < 128, extension[1], len(extension)) == (True, 16, 18)
        assert (extension[6:10], extension[10:14]) == (bytes([10, 0, 0, 1]), bytes([10, 0, 0, 4]))
        assert int.from_bytes(extension[14:], "big") in sent


def test_what_dsr_adds_to_packets_is_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "routing=dsr")
    seen = table(tshark, tmp_path / "air.pcapng", "ip.proto", "dsr.option.type", "tcp.len")
    assert all((protocol.split(",")[0] == "48") == (kinds != "") for protocol, kinds, _ in seen)
    # A request, an answer with its own way and a pad, and the way of a packet.
    assert {"1", "96,2,224", "96"} <= {kinds for _, kinds, _ in seen}
    assert any(kinds and size not in ("", "0") for _, kinds, size in seen)


def test_messages_of_olsr_are_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "routing=olsr", "duration=8 s")
    seen = table(tshark, tmp_path / "air.pcapng", "udp.dstport", "olsr.message_type")
    assert all((port == "698") == (kinds != "") for port, kinds in seen)
    # HELLO and TC.
    assert {kinds for _, kinds in seen} - {""} == {"1", "2"}


def test_messages_of_arp_are_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "radio.arp=one_slot")
    fields = ("arp.opcode", "arp.src.proto_ipv4", "arp.dst.proto_ipv4", "arp.src.hw_mac", "wlan.da")
    seen = sound(tshark, tmp_path / "air.pcapng", *fields)
    # Five in a row, and every link carries data and acknowledgements.
    request, answer = ([row for row in seen if row[0] == code] for code in ("1", "2"))
    assert request[0] == ["1", "10.0.0.1", "10.0.0.2", "02:00:00:00:00:01", "ff:ff:ff:ff:ff:ff"]
    assert answer[0] == ["2", "10.0.0.2", "10.0.0.1", "02:00:00:00:00:02", "02:00:00:00:00:01"]
    assert {receiver for *_, receiver in request} == {"ff:ff:ff:ff:ff:ff"}
    assert len(request) >= 4


def test_a_capture_at_a_node_holds_what_it_sends_and_receives(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    made = capture(farlink, AT_2_GHZ, RATES, node="n1")
    fields = ("radiotap.dbm_antsignal", "radiotap.txpower", "radiotap.channel.freq")
    seen = sound(tshark, tmp_path / "air.pcapng", *fields)
    station = made["stations"][1]
    assert station["node"] == "n1"
    heard = [int(strength) for strength, _, _ in seen if strength]
    assert len(heard) == station["frames_received"] + station["frames_overheard"] > 0
    assert -70 <= min(heard) <= max(heard) < 0
    assert sum(power != "" for _, power, _ in seen) == station["frames_sent"] > 0
    assert {channel for *_, channel in seen} == {"2412"}


def test_datagrams_are_decoded(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    datagrams = 'application = { name = "constant_bit_rate", rate = "100 kbit/s", packet_size = "500 B" }\n'
    text, _, _ = fl.load("chain_80211").text.partition('application = "bulk"')
    (tmp_path / "datagrams.toml").write_text(text + datagrams)
    capture(farlink, scenario="datagrams.toml")
    sizes = sound(tshark, tmp_path / "air.pcapng", "udp.length")
    assert {size for (size,) in sizes if size} == {"508"}


def test_of_other_protocols_the_packets_are_captured(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    capture(farlink, "duration=2 s", scenario="gateway")
    seen = sound(tshark, tmp_path / "air.pcapng", "tcp.checksum.status", "frame.interface_name")
    assert {tuple(row) for row in seen} == {(GOOD, "radio")}


def test_a_capture_of_the_channel_does_not_change_the_run(farlink: Cli) -> None:
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
        (["chain_80211", "--pcap-node", "n1"], "needs --pcap F.pcapng"),
        (["gateway", "--pcap", "f.pcapng", "--pcap-node", "server"], "on a shared channel"),
        (["chain_80211", "--pcap", "f.png"], "must end in .pcap or .pcapng"),
    ],
)
def test_a_capture_that_cannot_be_made_is_refused(farlink: Cli, arguments: list[str], expected: str) -> None:
    assert expected in refused(farlink, "run", *arguments)


def test_a_capture_names_the_nodes(farlink: Cli, tshark: str, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text(BROKEN.replace('name = "b"', 'name = "caf\u00e9 \U0001f6f0"'))
    farlink("run", "broken.toml", "--set", "duration=1 s", "--pcap", "names.pcapng")
    hosts = subprocess.run(
        [tshark, "-r", tmp_path / "names.pcapng", "-q", "-z", "hosts,ipv4"], capture_output=True, text=True, check=True
    ).stdout
    named = dict(line.split("\t") for line in hosts.splitlines() if line and line[0].isdigit())
    assert named == {"10.0.0.1": "a", "10.0.0.2": "caf\u00e9 \U0001f6f0", "10.0.0.3": "c", "10.0.0.4": "d"}
