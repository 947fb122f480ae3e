import json
import shlex
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import Cli

pytestmark = pytest.mark.slow

CHECKED = ("wlan", "ip", "tcp", "udp")
TRUE_CHECKSUMS = tuple(word for each in CHECKED for word in ("-o", f"{each}.check_checksum:TRUE"))
CHECKSUMS = ("ip.checksum.status", "tcp.checksum.status")
# A flag that is set, as older and newer tsharks write it.
SET = ("1", "True")
VERDICTS = (
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
)


VARIANTS = [
    *("reno", "bic", "cubic", "compound", "vegas", "veno", "westwood", "hybla", "enhanced_hybla", "bbr", "bbr3"),
    *("scalable", "highspeed", "htcp", "illinois", "yeah", "ledbat", "lp", "copa"),
]
READY = ["satellite", "dumbbell", "chain_wired", "asymmetric_access", "competition", "gateway", "chain_80211"]
WIRED = [name for name in READY if name not in ("gateway", "chain_80211")]
# A flow's first port; the other one is the same for the first 16 384 flows.
PORT = 49_152
SHORT = {"asymmetric_access": "22 s", "satellite": "4 s"}
TEN_PERCENT = 'links.0.error={ name = "packet_error_rate", rate = 0.1 }'
LOST_ACKS = 'links.0.reverse={ error = { name = "packet_error_rate", rate = 0.3 } }'
# Everything after which a sender repeats itself, or looks as if it did.
HARD = {
    "bursts and lost ACKs": [TEN_PERCENT, LOST_ACKS, "duration=60 s"],
    "tail loss probes": [TEN_PERCENT, LOST_ACKS, "flows.0.tcp.recovery=rack", "duration=60 s"],
    "timeouts": ['links.0.error={ name = "packet_error_rate", rate = 0.3 }', "duration=60 s"],
    "spurious timeouts": ['links.0.down=["1 s..2500 ms"]', "flows.0.tcp.preset=linux"],
    "an outage": ['links.0.down=["1 s..2500 ms"]'],
    "neither SACK nor timestamps": [TEN_PERCENT, "flows.0.tcp.recovery=newreno", "flows.0.tcp.timestamps=false"],
    "ECN": ["flows.0.tcp.ecn=true", 'links.0.queue={ name = "red", limit = "50 packets", ecn = true }'],
    "accurate ECN": [
        "flows.0.tcp.ecn=accurate",
        'links.0.queue={ name = "red", limit = "50 packets", ecn = true }',
        LOST_ACKS,
    ],
    "Prague": [
        "flows.0.tcp.congestion_control=prague",
        'links.0.queue={ name = "red", limit = "50 packets", ecn = true }',
        TEN_PERCENT,
    ],
    "lost SYNs": ['links.0.error={ name = "list", packets = [1, 2, 40] }', "duration=20 s"],
    "lost SYN/ACKs": ['links.0.reverse={ error = { name = "list", packets = [1, 2] } }', "duration=20 s"],
    "a small receive buffer": [TEN_PERCENT, "flows.0.tcp.receive_buffer=10 kB"],
    "delayed ACKs": [TEN_PERCENT, "flows.0.tcp.delayed_ack=ns2"],
    "a file that ends": [TEN_PERCENT, 'flows.0.application={ name = "file", size = "500 kB" }', "duration=60 s"],
    "a FIN after a later ACK": [
        'links.0.error={ name = "impair", duplicate = 1.0 }',
        'links.0.reverse={ error = { name = "list", packets = [4] } }',
        'flows.0.application={ name = "file", size = "1449 B" }',
        "flows.0.tcp.preset=ns2",
        "flows.0.tcp.segment_size=1460 B",
        "duration=20 s",
    ],
    "ns-2": [TEN_PERCENT, "flows.0.tcp.preset=ns2"],
    "ns-2's TCP-Linux": [TEN_PERCENT, "flows.0.tcp.preset=ns2_linux"],
}


def frames(tshark: str, pcap: Path, display_filter: str, field: str = "frame.number") -> list[str]:
    command = [tshark, "-r", str(pcap), *TRUE_CHECKSUMS, "-Y", display_filter, "-T", "fields", "-e", field]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.split()


def table(tshark: str, pcap: Path, *fields: str) -> list[list[str]]:
    """What every frame has in these fields, in one reading; a field that it has more than once is joined by commas."""
    command = [tshark, "-r", str(pcap), *TRUE_CHECKSUMS, "-T", "fields", *(f"-e{field}" for field in fields)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return [line.split("\t") for line in done.stdout.splitlines()]


def capture(farlink: Cli, *arguments: object) -> dict:
    done = farlink("run", *arguments, "--pcap", "f.pcap", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


class Again(NamedTuple):
    """What tshark takes for a retransmission."""

    all: int
    syns: int


def agrees(tshark: str, pcap: Path, made: dict) -> Again:
    """tshark reads the capture and sees what the simulator says it sent."""
    fields = ("frame.protocols", *CHECKSUMS, "tcp.srcport", "tcp.dstport", "tcp.len", "tcp.flags.syn")
    sent, verdicts = Counter(), Counter()
    segments = syns = 0
    for protocols, of_ip, of_tcp, source, target, size, syn, *found in table(tshark, pcap, *fields, *VERDICTS):
        assert "malformed" not in protocols
        assert of_ip == "1" and of_tcp == ("1" if source else "")
        segments += bool(source)
        if size not in ("", "0"):
            sent[source] += 1
        # One frame has one verdict of these: a retransmission of the flow, or a repeated packet in reverse direction.
        # The receiver's port is the smallest of all.
        if any(found):
            verdicts[max(int(source), int(target)) - PORT] += 1
            syns += syn in SET
    assert segments > 0
    # Both are null for flows of datagrams.
    again = [(flow["packets_retransmitted"] or 0) + (flow["reverse_packets_repeated"] or 0) for flow in made["flows"]]
    assert verdicts == {flow: count for flow, count in enumerate(again) if count > 0}
    # What has no frame with payload here are flows of datagrams.
    assert sent == {
        str(PORT + i): flow["packets_sent"] for i, flow in enumerate(made["flows"]) if str(PORT + i) in sent
    }
    return Again(verdicts.total(), syns)


@pytest.mark.parametrize("variant", VARIANTS)
def test_tshark_reads_every_frame_and_counts_the_same_retransmissions(
    farlink: Cli, link: Path, tmp_path: Path, tshark: str, variant: str
) -> None:
    made = capture(farlink, link, "--set", f"flows.0.tcp.congestion_control={variant}")
    assert agrees(tshark, tmp_path / "f.pcap", made).all > 0


@pytest.mark.parametrize("seed", [7, 8])
@pytest.mark.parametrize("case", HARD)
def test_tshark_counts_the_same_retransmissions_where_it_is_hard(
    farlink: Cli, link: Path, tmp_path: Path, tshark: str, case: str, seed: int
) -> None:
    settings = [word for setting in [*HARD[case], f"seed={seed}"] for word in ("--set", setting)]
    made = capture(farlink, link, *settings)
    assert agrees(tshark, tmp_path / "f.pcap", made).all > 0


@pytest.mark.parametrize("name", READY)
def test_tshark_counts_the_same_retransmissions_in_built_in_scenarios(
    farlink: Cli, tmp_path: Path, tshark: str, name: str
) -> None:
    made = capture(farlink, name, "--set", f"duration={SHORT.get(name, '6 s')}")
    agrees(tshark, tmp_path / "f.pcap", made)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", WIRED)
def test_tshark_counts_the_same_where_built_in_scenarios_lose_packets_both_ways(
    farlink: Cli, tmp_path: Path, tshark: str, name: str, seed: int
) -> None:
    duration = f"duration={SHORT.get(name, '20 s')}"
    loss = '{ name = "packet_error_rate", rate = 0.03 }'
    lossy = [f"topology.link.error={loss}", f"topology.link.reverse={{ error = {loss} }}"]
    if name != "chain_wired":
        links = json.loads(farlink("run", name, "--set", duration, "--json").stdout)["links"]
        lossy = [f"links.{link}.error={loss}" for link in range(len(links) // 2)]
        lossy += [f"links.{link}.reverse={{ error = {loss} }}" for link in range(len(links) // 2)]
    settings = [duration, f"seed={seed}", *lossy]
    made = capture(farlink, name, *(word for setting in settings for word in ("--set", setting)))
    assert agrees(tshark, tmp_path / "f.pcap", made).all > 0


def test_tshark_counts_the_same_when_any_packet_of_a_short_transfer_may_be_lost(
    farlink: Cli, link: Path, tmp_path: Path, tshark: str
) -> None:
    lossy = ['links.0.error={ name = "packet_error_rate", rate = 0.3 }', LOST_ACKS, "duration=200 s"]
    syns, peers = 0, 0
    for seed in range(1, 13):
        # Some end with a full segment, some with one byte more, two or three.
        size = f'flows.0.application={{ name = "file", size = "{1448 * (seed % 5 + 1) + seed % 4} B" }}'
        settings = [word for setting in [*lossy, size, f"seed={seed}"] for word in ("--set", setting)]
        made = capture(farlink, link, *settings)
        syns += agrees(tshark, tmp_path / "f.pcap", made).syns
        peers += sum(flow["reverse_packets_repeated"] for flow in made["flows"])
    # SYNs, SYN/ACKs and FINs were repeated.
    assert syns > 0 and peers > 0


def test_tshark_counts_thousands_of_retransmissions(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    chosen = "flows.0.tcp.congestion_control=enhanced_hybla"
    made = capture(farlink, "satellite", "--set", chosen, "--set", "duration=3 s")
    assert agrees(tshark, tmp_path / "f.pcap", made).all > 1000


def test_the_filter_of_the_page_finds_the_retransmissions(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    page = (Path(__file__).parents[2] / "docs/guide/captures.md").read_text(encoding="utf-8")
    [command] = [shlex.split(line) for line in page.splitlines() if line.startswith("tshark -r run.pcap")]
    made = capture(farlink, "chain_wired", "--set", "duration=20 s")
    found = frames(tshark, tmp_path / "f.pcap", command[-1])
    assert len(found) == sum(flow["packets_retransmitted"] for flow in made["flows"]) > 50
    assert len(frames(tshark, tmp_path / "f.pcap", "tcp.analysis.retransmission")) < len(found)


def test_a_capture_does_not_change_the_run(farlink: Cli, link: Path) -> None:
    plain = json.loads(farlink("run", link, "--json").stdout)
    assert capture(farlink, link)["flows"] == plain["flows"]


def test_the_handshake_comes_first(farlink: Cli, link: Path, tmp_path: Path, tshark: str) -> None:
    capture(farlink, link)
    command = [tshark, "-r", str(tmp_path / "f.pcap"), "-c", "3", "-T", "fields", "-e", "tcp.flags.str"]
    flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [Counter(each.replace("·", ""))["S"] for each in flags] == [1, 1, 0]


def test_datagrams_are_captured_too(farlink: Cli, tmp_path: Path, tshark: str) -> None:
    made = capture(farlink, "competition", "--set", "duration=5 s")
    [datagrams] = [flow for flow in made["flows"] if flow["flow"] == "cross_traffic"]
    checked = frames(tshark, tmp_path / "f.pcap", "udp && udp.checksum.status == 1")
    assert len(checked) == datagrams["packets_sent"] > 100
