"""The two ends of a bulk transfer: processes that send and receive without pause and sample TCP_INFO."""

import contextlib
import json
import os
import select
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

import namespaces
import tcp_info

FIRST_PORT = 5001
"""Flow n is sent to this plus n."""
CHUNK = 131_072
"""Bytes of a write and of a read, as in iperf3."""
SAMPLE_NS = 4_000_000
RECEIVER_SAMPLE_NS = 50_000_000


class Samples:
    """TCP_INFO every few milliseconds, kept until the end."""

    def __init__(self, connection: socket.socket, every_ns: int) -> None:
        self.records: list[bytes] = []
        self._connection = connection
        self._every_ns = every_ns
        self.next_ns = time.monotonic_ns()

    def take_when_due(self) -> None:
        if time.monotonic_ns() >= self.next_ns:
            self.take()

    def take(self) -> None:
        info = tcp_info.read(self._connection)
        now = time.monotonic_ns()
        self.records.append(struct.pack("<q", now) + info)
        self.next_ns += self._every_ns * max(1, -(-(now - self.next_ns) // self._every_ns))


def send(
    address: tuple[str, int], congestion_control: str, start_ns: int, end_ns: int, size: int | None, result: Path
) -> None:
    """Send `size` bytes, or as much as the connection takes, from one instant of CLOCK_MONOTONIC to another.

    A connection that took no more is written to when it is writable again and no earlier, as by a process that blocks:
    the kernel lets data be added to the last packet of a full buffer.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion_control.encode())
        _sleep_until(start_ns)
        connection.connect(address)
        connection.setblocking(False)
        samples, data = Samples(connection, SAMPLE_NS), bytes(CHUNK)
        is_writable, left = True, size
        while (now := time.monotonic_ns()) < end_ns:
            samples.take_when_due()
            if left == 0:
                if tcp_info.bytes_acknowledged(samples.records[-1]) == size:
                    break
                is_writable = False
                time.sleep(max(samples.next_ns - now, 0) / 1e9)
                continue
            if is_writable:
                try:
                    sent = connection.send(data if left is None else data[:left])
                    left = None if left is None else left - sent
                    continue
                except BlockingIOError:
                    is_writable = False
            pause_ns = min(samples.next_ns, end_ns) - now
            _, writable, _ = select.select([], [connection], [], max(pause_ns, 0) / 1e9)
            is_writable = bool(writable)
        samples.take()
        used = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
        _write(result, samples, {"congestion_control": used})
        # A connection that is done stays open: no FIN takes part in a short transfer.
        _sleep_until(end_ns)
        _reset_on_close(connection)


def receive(listener: socket.socket, end_ns: int, size: int | None, result: Path) -> None:
    """Read all that arrives, at once, until an instant of CLOCK_MONOTONIC; note when all of `size` bytes were there."""
    listener.settimeout(max(end_ns - time.monotonic_ns(), 1) / 1e9)
    connection, _ = listener.accept()
    with connection:
        connection.settimeout(None)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", 0, 50_000))
        samples, buffer = Samples(connection, RECEIVER_SAMPLE_NS), bytearray(CHUNK)
        received, complete_ns = 0, None
        while time.monotonic_ns() < end_ns:
            samples.take_when_due()
            with contextlib.suppress(BlockingIOError, ConnectionResetError):
                received += connection.recv_into(buffer)
                if complete_ns is None and received == size:
                    complete_ns = time.monotonic_ns()
        samples.take()
        _write(result, samples, {"complete_ns": complete_ns})
        _reset_on_close(connection)


def spawn(work: Callable[[], None]) -> int:
    """Do it in a child process; its exit status says whether it was done."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def _write(result: Path, samples: Samples, facts: dict[str, str | int | None]) -> None:
    result.with_suffix(".samples").write_bytes(b"".join(samples.records))
    result.with_suffix(".json").write_text(json.dumps(facts | {"device_drops": namespaces.drops_of_device()}))


def _reset_on_close(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _sleep_until(at_ns: int) -> None:
    while (left := at_ns - time.monotonic_ns()) > 0:
        time.sleep(left / 1e9)
