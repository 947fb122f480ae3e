"""The emulated link of the recordings does what a link of Farlink does (tests/linux/README.md)."""

import struct
import subprocess
import sys
from pathlib import Path

import pytest
from codel import CodelDirection
from link import Direction, Lateness

MS = 1_000_000
HARNESS = Path(__file__).resolve().parents[1] / "linux"


def packet(payload: int, sequence: int = 0, flags: int = 0x10) -> bytes:
    ip = struct.pack(">BBHHHBBH8x", 0x45, 0, 40 + payload, 0, 0, 64, 6, 0)
    return ip + struct.pack(">HHIIBBHHH", 1000, 5001, sequence, 0, 5 << 4, flags, 0, 0, 0) + bytes(payload)


def test_a_packet_arrives_after_its_transmission_and_the_delay():
    link = Direction(rate_bps=12_000_000, delay_ns=5 * MS, queue_packets=10)
    link.offer(packet(1460), 0)
    link.offer(packet(1460), 0)
    link.offer(packet(1460), 10 * MS)
    assert [due for due, _ in link.pending] == [6 * MS, 7 * MS, 16 * MS]


def test_the_packet_being_sent_does_not_count_in_the_queue():
    link = Direction(rate_bps=12_000_000, delay_ns=0, queue_packets=2)
    for number in range(5):
        link.offer(packet(1460, sequence=number), 0)
    assert len(link.pending) == 3
    assert [(drop.number, drop.is_queue_full) for drop in link.drops] == [(4, True), (4, True)]
    link.offer(packet(1460), MS)
    assert len(link.pending) == 4


def test_listed_data_packets_are_lost_and_occupy_the_link():
    link = Direction(rate_bps=12_000_000, delay_ns=0, queue_packets=10, lost=frozenset({2}))
    link.offer(packet(0, sequence=99, flags=0x02), 0)
    sent_at = link.free_at_ns
    for number in range(3):
        link.offer(packet(1460, sequence=100 + 1460 * number), sent_at)
    assert [due - sent_at for due, _ in link.pending] == [0, MS, 3 * MS]
    (drop,) = link.drops
    assert (drop.number, drop.offset, drop.port, drop.is_queue_full) == (2, 1460, 5001, False)


def overload(link: CodelDirection, until_ms: int, service: int) -> None:
    """Twice the link's rate: the queue grows by a packet each millisecond."""
    for at in range(until_ms):
        for _ in range(2):
            data = bytearray(packet(1460))
            data[1] = service
            link.offer(bytes(data), at * MS)


def test_codel_drops_once_the_delay_was_above_target_for_an_interval():
    link = CodelDirection(rate_bps=12_000_000, delay_ns=MS, queue_packets=1000)
    overload(link, 209, service=0)
    # The packet that leaves at 9 ms is the first that waited for 5 ms.
    assert [drop.at_ns for drop in link.drops] == [109 * MS]


def test_codel_marks_packets_of_ecn_and_their_header_stays_valid():
    link = CodelDirection(rate_bps=12_000_000, delay_ns=MS, queue_packets=1000, marks_packets=True)
    overload(link, 150, service=2)
    assert (link.marks, len(link.drops)) == (1, 0)
    (marked,) = [data for _, data in link.pending if data[1] == 3]
    total = sum(int.from_bytes(marked[at : at + 2], "big") for at in range(0, 20, 2))
    assert (total & 0xFFFF) + (total >> 16) == 0xFFFF


def test_packets_of_one_stall_are_one_stall():
    late = Lateness()
    for at_ms, late_ms in ((10, 3), (10, 2), (20, 2), (30, 0)):
        late.add(late_ms * MS, at_ms * MS)
    assert late.stalls == [(10 * MS, 3 * MS), (20 * MS, 2 * MS)]
    assert late.worst_ns(15 * MS, 30 * MS) == 2 * MS
    assert late.share_beyond(1000) == 0.75


def test_without_tun_devices_the_recorder_says_so_with_status_2():
    program = (
        "import pathlib, sys, namespaces, record;"
        "namespaces.TUN = pathlib.Path('/dev/net/none'); sys.exit(record.main())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=HARNESS, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("the kernel's TCP cannot be recorded here: ")
    assert len(done.stderr.splitlines()) == 1


def test_without_user_namespaces_the_recorder_names_the_sysctls_with_status_2():
    allows_none = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" record.py'
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", allows_none, sys.executable]
    done = subprocess.run(command, cwd=HARNESS, capture_output=True, text=True)
    if done.returncode == 1:
        pytest.skip("there are no user namespaces to take away")
    assert (done.returncode, done.stdout) == (2, "")
    assert "user.max_user_namespaces" in done.stderr
    assert len(done.stderr.splitlines()) == 1
