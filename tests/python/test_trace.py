"""The trace in ns-2's format, read as users' scripts read ns-2's."""

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli

# A transfer over three hops of a chain, and datagrams against it.
CHAIN = """\
name = "chain"
duration = "30 s"

[topology]
name = "chain"
nodes = 5
spacing = "200 m"

[radio]
arp = "ideal"
propagation = "two_ray"
phy = { name = "dsss", rate = "2 Mbit/s" }
mac = { name = "dcf", rts_threshold = "0 B" }
queue = { name = "drop_tail", limit = "20 packets" }

[routing]
name = "aodv"
preset = "ns2"

[[flows]]
label = "calls"
from = "n4"
to = "n1"
start = "1 s"
application = { name = "constant_bit_rate", rate = "80 kbit/s", packet_size = "500 B" }

[[flows]]
label = "transfer"
from = "n0"
to = "n3"
start = "2 s"
tcp = { preset = "ns2", congestion_control = "newreno", segment_size = "512 B", max_window = "32 packets" }
"""

LINE = re.compile(
    r"[srfD] \d+\.\d{9} _\d+_ (AGT|RTR|IFQ|MAC) ( ---| [A-Z]{3}|[A-Z]{4}) \d+ \w+ \d+ "
    r"\[[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ [0-9a-f]+\] "
    r"(------- (\[(REQUEST|REPLY) \d+/\d+ \d+/\d+\]"
    r"|\[\d+:\d+ -?\d+:\d+ \d+ \d+\] (\[\d+( \d+)?\] \d+ \d+|\[0x[0-9a-f]+ .*\] \([A-Z_]+\)|)))?"
)


def awk(program: str, trace: Path) -> list[str]:
    """Run a script over a trace; the words it prints."""
    return subprocess.run(["awk", program, trace], capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path]:
    folder = tmp_path_factory.mktemp("trace")
    (folder / "chain.toml").write_text(CHAIN)
    run = fl.load(folder / "chain.toml").run(trace=folder / "run.tr", series=False)
    return run.document, folder / "run.tr"


def flow(document: dict, label: str) -> dict:
    [found] = [each for each in document["flows"] if each["flow"] == label]
    return found


def test_packet_delivery_ratio(traced: tuple[dict, Path]) -> None:
    document, trace = traced
    program = '$1=="s" && $4=="AGT" && $7=="cbr" {s++} $1=="r" && $4=="AGT" && $7=="cbr" {r++} END {print s, r, r/s}'
    sent, received, ratio = awk(program, trace)
    calls = flow(document, "calls")
    assert (int(sent), int(received)) == (calls["packets_sent"], calls["packets_delivered"])
    assert float(ratio) == pytest.approx(calls["delivery_ratio"], rel=1e-4)
    assert 0 < calls["packets_delivered"] < calls["packets_sent"]


def test_end_to_end_delay(traced: tuple[dict, Path]) -> None:
    document, trace = traced
    program = """
        $1=="s" && $4=="AGT" && $7=="cbr" {start[$6]=$2}
        $1=="r" && $4=="AGT" && $7=="cbr" {sum+=$2-start[$6]; n++}
        END {printf "%.9f", sum/n}"""
    [mean] = awk(program, trace)
    assert float(mean) == pytest.approx(flow(document, "calls")["delay_mean_s"], abs=1e-6)


def test_drops_by_cause(traced: tuple[dict, Path]) -> None:
    document, trace = traced
    # The request of a packet that is given up has a line of its own, as in ns-2.
    program = '$1=="D" && !($5=="RET" && $7=="RTS") {n[$4 "-" $5]++} END {for (cause in n) print cause, n[cause]}'
    words = awk(program, trace)
    found = Counter(dict(zip(words[::2], map(int, words[1::2]), strict=True)))
    stations, drops = document["stations"], Counter(document["drops"])
    expected = {
        "IFQ-IFQ": drops["queue_full"],
        "RTR-CBK": drops["link_failure"],
        "RTR-NRTE": drops["no_route"],
        "RTR-TTL": drops["hop_limit"],
        "RTR-IFQ": drops["send_buffer_full"],
        "RTR-TOUT": drops["send_buffer_timeout"],
        "MAC-RET": sum(each["packets_given_up"] for each in stations),
        "MAC-COL": sum(each["undelivered"]["collision"] for each in stations),
        "MAC-ERR": sum(each["undelivered"]["bit_error"] for each in stations),
    }
    assert found == Counter({cause: count for cause, count in expected.items() if count})
    assert {"IFQ-IFQ", "RTR-CBK", "MAC-RET", "MAC-COL"} <= set(found)


def test_a_packet_given_up_at_its_request_leaves_the_two_lines_it_leaves_in_ns2(traced: tuple[dict, Path]) -> None:
    recorded = Path(__file__).parent / "data" / "ns2_chain.tr"
    # Time, node, type, MAC header.
    program = '$1=="D" && $5=="RET" {print $2 "/" $3 "/" $7 "/" $9 "/" $10 "/" $11 "/" $12}'
    ours, theirs = ([line.split("/") for line in awk(program, trace)] for trace in (traced[1], recorded))
    for lines in (ours, theirs):
        asked = [line for line in lines if line[2] == "RTS"]
        given_up = [line for line in lines if line[2] != "RTS"]
        assert len(asked) == len(given_up) > 0
        for request, packet in zip(asked, given_up, strict=True):
            assert request[:2] == packet[:2]
            # Receiver and sender; the packet's frame would have reserved the time of an acknowledgement.
            assert request[4:6] == packet[4:6]
            assert (request[6], packet[3], packet[6]) == ("0]", "[13a", "800]")


def test_replies_of_aodv_are_forwarded_as_in_ns2(traced: tuple[dict, Path]) -> None:
    recorded = Path(__file__).parent / "data" / "ns2_chain.tr"
    program = '$4=="RTR" && $7=="AODV" && ($1=="s" || $1=="f") {n[$1 $NF]++} END {for (kind in n) print kind}'
    kinds = {"s(REQUEST)", "s(REPLY)", "f(REPLY)"}
    assert kinds <= set(awk(program, traced[1])) <= {*kinds, "s(ERROR)"}
    assert kinds <= set(awk(program, recorded)) <= {*kinds, "s(ERROR)"}


def test_frames_and_routing_overhead(traced: tuple[dict, Path]) -> None:
    document, trace = traced
    program = '$4=="MAC" && $1=="s" {s++} $4=="MAC" && $1=="r" {r++} END {print s, r}'
    sent, received = map(int, awk(program, trace))
    assert sent == sum(each["frames_sent"] for each in document["stations"])
    assert received == sum(each["frames_received"] for each in document["stations"])
    program = """
        ($1=="s" || $1=="f") && $4=="RTR" && $7=="AODV" {routing++}
        $1=="r" && $4=="AGT" && ($7=="tcp" || $7=="cbr") {data++}
        $1=="s" && $4=="MAC" && $7=="AODV" {frames++}
        END {print routing, data, routing/data, frames}"""
    routing, data, load, frames = map(float, awk(program, trace))
    assert load == pytest.approx(routing / data, rel=1e-4)
    # Some wait in a queue or are dropped from it, some are tried more than once.
    assert routing > 20
    assert frames > 20


def test_goodput_from_sequence_numbers(traced: tuple[dict, Path]) -> None:
    document, trace = traced
    # What the last acknowledgement announced to the sender.
    program = """
        $1=="r" && $4=="AGT" && $7=="ack" {split($0, part, /[\\[\\]]/); split(part[6], seen, " "); last=seen[1]}
        END {print last}"""
    [acknowledged] = awk(program, trace)
    transfer = flow(document, "transfer")
    received = transfer["goodput_bps"] * 28 / 8 / 512
    assert 0 <= received - int(acknowledged) <= 32
    assert received > 100
    [most] = awk('$1=="r" && $4=="AGT" && $7=="tcp" {n++} END {print n}', trace)
    assert int(most) >= transfer["packets_delivered"]


@pytest.mark.parametrize("name", ["ns2", "chain", "manet", "gateway"])
def test_lines_are_laid_out_as_those_of_ns2(name: str, traced: tuple[dict, Path], tmp_path: Path) -> None:
    trace = traced[1]
    if name == "ns2":
        # What ns-2.35 wrote of a chain of four nodes: its beginning, and some of each kind of drop.
        trace = Path(__file__).parent / "data" / "ns2_chain.tr"
    place = {"manet": "radio", "gateway": "channels.0"}
    if name in place:
        trace = tmp_path / "run.tr"
        fl.load(name).set("duration", "6 s").set(f"{place[name]}.arp", "one_slot").run(trace=trace, series=False)
    lines = trace.read_text().splitlines()
    assert len(lines) > 80
    assert name == "chain" or any(" ARP " in line for line in lines)
    for line in lines:
        assert LINE.fullmatch(line), line


def test_a_packet_leaves_the_lines_that_it_leaves_in_ns2(traced: tuple[dict, Path]) -> None:
    def steps(trace: Path) -> list[tuple[str, ...]]:
        """What happened to the first packet of a transfer, but for retries: event, level, type, hops so far."""
        found = []
        for line in trace.read_text().splitlines():
            words = line.split()
            is_first = words[6] == "tcp" and line.split("] ")[2].startswith("[0 0")
            if is_first and words[0] != "D":
                found.append((words[0], words[3], line.split()[-2]))
        return list(dict.fromkeys(found))

    ours, theirs = steps(traced[1]), steps(Path(__file__).parent / "data" / "ns2_chain.tr")
    assert ours == theirs
    assert [step[:2] for step in theirs[:4]] == [("s", "AGT"), ("r", "RTR"), ("s", "RTR"), ("s", "MAC")]


def test_a_trace_that_cannot_be_made_is_refused(farlink: Cli) -> None:
    for options, words in ((["--trace", "run.txt"], ".tr"), (["--trace", "run.tr", "--seeds", "1,2"], "one seed")):
        run = farlink("run", "chain_80211", *options)
        assert run.returncode == 2
        assert words in run.stderr


def test_a_trace_a_capture_and_a_page_are_written_together_and_change_nothing(farlink: Cli, tmp_path: Path) -> None:
    settings = ("run", "chain_80211", "--set", "duration=3 s", "--json")
    plain = json.loads(farlink(*settings).stdout)
    outputs = ("--trace", "a.tr", "--pcap", "a.pcapng", "--animate", "a.html")
    run = farlink(*settings, *outputs)
    assert run.returncode == 0, run.stderr
    watched = json.loads(run.stdout)
    assert [plain[key] for key in ("flows", "stations", "hops")] == [
        watched[key] for key in ("flows", "stations", "hops")
    ]
    assert {path.suffix for path in tmp_path.iterdir()} >= {".tr", ".pcapng", ".html"}
    if shutil.which("tshark"):
        seen = subprocess.run(["tshark", "-r", tmp_path / "a.pcapng"], capture_output=True, text=True, check=True)
        frames = sum(each["frames_sent"] for each in watched["stations"])
        assert len(seen.stdout.splitlines()) == frames
        sent = awk('$1=="s" && $4=="MAC"', tmp_path / "a.tr")
        assert sent.count("MAC") == frames
