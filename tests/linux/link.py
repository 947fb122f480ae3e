"""A link between two TUN devices: rate, delay, drop-tail queue and listed losses, as a link of Farlink has them.

A packet that arrives while another is sent waits. At most `queue_packets` wait; the packet being sent does not count.
An accepted packet occupies the link for its IP length at the link's rate, and is delivered one delay later. Accepted
packets with TCP payload are numbered from 1; the listed numbers are lost behind the queue, as with the error model
`list` and `data_only = true`.
"""

import os
import select
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

LATENESS_LIMITS_US = (50, 100, 200, 500, 1000, 2000, 5000)
STALL_NS = 1_000_000
SYN = 0x02
BURST = 8
SPARE = 2048
"""Room for one packet of 1500 bytes."""


@dataclass(frozen=True)
class Drop:
    """The loss of a data packet."""

    at_ns: int
    number: int
    """That it has, or would have if the queue had accepted it."""
    port: int
    """Its destination."""
    offset: int
    """Of its first byte in the flow's stream."""
    is_queue_full: bool


@dataclass
class Direction:
    """One direction of a link, and what happened to its packets."""

    rate_bps: int
    delay_ns: int
    queue_packets: int
    lost: frozenset[int] = frozenset()
    """Numbers of the data packets that are lost."""
    starts: deque[int] = field(default_factory=deque)
    """When the waiting packets will be sent."""
    pending: deque[tuple[int, bytes]] = field(default_factory=deque)
    free_at_ns: int = 0
    offered: int = 0
    data_packets: int = 0
    """Accepted ones with payload."""
    delivered: int = 0
    delivered_bytes: int = 0
    drops: list[Drop] = field(default_factory=list)
    first: dict[bytes, int] = field(default_factory=dict)
    """The sequence number of the first byte to each port."""
    times_ns: dict[int, int] = field(default_factory=dict)
    """How long a packet of a size takes."""

    def offer(self, packet: bytes, now: int) -> None:
        """Put a packet that arrives now on the link."""
        starts = self.starts
        while starts and starts[0] <= now:
            starts.popleft()
        self.offered += 1
        start = self.free_at_ns
        size = len(packet)
        is_data = has_payload(packet)
        if packet[33] & SYN:
            self.first[packet[22:24]] = int.from_bytes(packet[24:28], "big") + 1
        if start <= now:
            start = now
        elif len(starts) >= self.queue_packets:
            self._drop(packet, now, self.data_packets + 1, is_queue_full=True)
            return
        else:
            starts.append(start)
        self.free_at_ns = start + self._transmission_ns(size)
        if is_data:
            self.data_packets += 1
            if self.data_packets in self.lost:
                self._drop(packet, self.free_at_ns, self.data_packets, is_queue_full=False)
                return
        self.pending.append((self.free_at_ns + self.delay_ns, packet))

    def next_ns(self) -> int | None:
        """When the next delivery is due; None: nothing is on the link."""
        return self.pending[0][0] if self.pending else None

    def advance(self, now: int) -> None:
        """Do what was due at the queue: a drop-tail queue decides on arrival alone."""

    def _transmission_ns(self, size: int) -> int:
        taken = self.times_ns.get(size)
        if taken is None:
            taken = self.times_ns[size] = -(-size * 8_000_000_000 // self.rate_bps)
        return taken

    def _drop(self, packet: bytes, at: int, number: int, *, is_queue_full: bool) -> None:
        port, sequence = packet[22:24], int.from_bytes(packet[24:28], "big")
        offset = (sequence - self.first.get(port, sequence)) & 0xFFFFFFFF
        self.drops.append(Drop(at, number, int.from_bytes(port, "big"), offset, is_queue_full))


@dataclass
class Lateness:
    """How late packets were delivered, against their schedule."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(LATENESS_LIMITS_US) + 1))
    stalls: list[tuple[int, int]] = field(default_factory=list)
    """Instants when the process did not run, and for how long: packets more than a millisecond late."""

    def add(self, late_ns: int, at: int) -> None:
        self.counts[bisect_left(LATENESS_LIMITS_US, late_ns // 1000)] += 1
        if late_ns > STALL_NS:
            # The packets behind the first one were due during the same stall.
            if self.stalls and at - late_ns < self.stalls[-1][0]:
                return
            self.stalls.append((at, late_ns))

    def share_beyond(self, limit_us: int) -> float:
        beyond = sum(self.counts[LATENESS_LIMITS_US.index(limit_us) + 1 :])
        return beyond / max(sum(self.counts), 1)

    def worst_ns(self, start_ns: int, end_ns: int) -> int:
        return max((late for at, late in self.stalls if start_ns <= at < end_ns), default=0)


def has_payload(packet: bytes) -> bool:
    """True for an IPv4 packet with TCP payload. IP options do not occur between two hosts of ours."""
    return packet[9] == 6 and len(packet) > 20 + (packet[32] >> 4) * 4


def is_tcp(packet: bytes) -> bool:
    return packet[0] == 0x45 and packet[9] == 6


class Link:
    """Both directions between two TUN devices, of one link or of one for each flow."""

    def __init__(self, tuns: tuple[int, int], links: Sequence[tuple[Direction, Direction]], first_port: int) -> None:
        self.lateness = Lateness()
        sender, receiver = tuns
        # Of a direction, to which device its packets go.
        self._ways = [way for data, acks in links for way in ((receiver, data), (sender, acks))]
        self._first_port = first_port
        # Where the receiver's port is in the packets of a device, and whose directions they take.
        self._from = {sender: (22, [data for data, _ in links]), receiver: (20, [acks for _, acks in links])}

    def forward_until(self, end_ns: int) -> None:
        """Forward packets until an instant of CLOCK_MONOTONIC."""
        clock, tuns, directions = time.monotonic_ns, list(self._from), [direction for _, direction in self._ways]
        while (now := clock()) < end_ns:
            for target, direction in self._ways:
                direction.advance(now)
                pending = direction.pending
                while pending and pending[0][0] <= now:
                    self._deliver(target, direction)
                    now = clock()
            ahead = [at for at in (direction.next_ns() for direction in directions) if at is not None]
            wait_ns = min([end_ns, *ahead]) - clock()
            ready, _, _ = select.select(tuns, [], [], max(wait_ns, 0) / 1e9)
            for tun in ready:
                self._read(tun)

    def _deliver(self, target: int, direction: Direction) -> None:
        due, packet = direction.pending.popleft()
        now = time.monotonic_ns()
        self.lateness.add(now - due, now)
        os.write(target, packet)
        direction.delivered += 1
        direction.delivered_bytes += len(packet)
        # The kernel's TCP answers within the write: read at once, the answer's instant is exact.
        self._read(target)

    def _read(self, tun: int) -> None:
        """Read what the kernel sent, but no more than a few packets of a burst: others are due meanwhile."""
        at, directions = self._from[tun]
        for _ in range(BURST):
            try:
                packet = os.read(tun, SPARE)
            except BlockingIOError:
                return
            if is_tcp(packet):
                # A link that flows share is the only one.
                flow = int.from_bytes(packet[at : at + 2], "big") - self._first_port
                directions[flow % len(directions)].offer(packet, time.monotonic_ns())
