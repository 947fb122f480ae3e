import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from conftest import Cli

TRUE_CHECKSUMS = ("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE")
# The payload is noise. Left to guess, tshark takes a segment in thousands for some protocol's, waits for the rest of
# its message, and calls the retransmission of what it waits for malformed.
NOISE = ("-d", "tcp.port==49152,data")
VERDICTS = (
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
)


def frames(tshark: str, pcap: Path, display_filter: str) -> int:
    command = [
        tshark,
        "-r",
        str(pcap),
        *TRUE_CHECKSUMS,
        *NOISE,
        "-Y",
        display_filter,
        "-T",
        "fields",
        "-e",
        "frame.number",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return len(done.stdout.split())


def capture(farlink: Cli, *arguments: object) -> dict:
    done = farlink("run", *arguments, "--pcap", "f.pcap", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("variant", ["reno", "cubic", "hybla"])
def test_tshark_reads_every_frame_and_counts_the_same_retransmissions(
    farlink: Cli, link: Path, tmp_path: Path, tshark: str, variant: str
) -> None:
    made = capture(farlink, link, "--set", f"flows.0.tcp.congestion_control={variant}")
    pcap = tmp_path / "f.pcap"
    assert frames(tshark, pcap, "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0") == 0
    assert frames(tshark, pcap, "tcp.checksum.status == 1") == frames(tshark, pcap, "tcp") > 1000
    flow = made["flows"][0]
    assert flow["packets_retransmitted"] > 0
    # One frame has one verdict of these.
    assert frames(tshark, pcap, " || ".join(VERDICTS)) == flow["packets_retransmitted"]
    sent = frames(tshark, pcap, "tcp.len > 0")
    assert sent == flow["packets_sent"]


def test_a_capture_does_not_change_the_run(farlink: Cli, link: Path) -> None:
    plain = json.loads(farlink("run", link, "--json").stdout)
    assert capture(farlink, link)["flows"] == plain["flows"]


def test_the_handshake_comes_first(farlink: Cli, link: Path, tmp_path: Path, tshark: str) -> None:
    capture(farlink, link)
    command = [tshark, "-r", str(tmp_path / "f.pcap"), "-c", "3", "-T", "fields", "-e", "tcp.flags.str"]
    flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [Counter(each.replace("·", ""))["S"] for each in flags] == [1, 1, 0]
