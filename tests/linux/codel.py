"""A direction of a link whose queue CoDel controls (RFC 8289 section 5), with ECN as in RFC 8290 section 5.2.6.

CoDel decides when a packet leaves the queue. When that is follows from the transmissions before, so that the decisions
are the same however late the process runs.
"""

import math
from collections import deque
from dataclasses import dataclass, field

from link import Direction, has_payload

TARGET_NS, INTERVAL_NS = 5_000_000, 100_000_000
NOT_ECT, CE = 0, 3


@dataclass
class CodelDirection(Direction):
    """The names of the controller's state are those of the RFC."""

    marks_packets: bool = False
    waiting: deque[tuple[int, bytes]] = field(default_factory=deque)
    """Arrivals and packets."""
    waiting_bytes: int = 0
    marks: int = 0
    first_above_time: int | None = None
    drop_next: int = 0
    count: int = 0
    lastcount: int = 0
    is_dropping: bool = False
    maxpacket: int = 0

    def offer(self, packet: bytes, now: int) -> None:
        self.advance(now)
        self.offered += 1
        if len(self.waiting) >= self.queue_packets:
            self._drop(packet, now, self.data_packets + 1, is_queue_full=True)
            return
        self.waiting.append((now, packet))
        self.waiting_bytes += len(packet)
        self.advance(now)

    def next_ns(self) -> int | None:
        due = super().next_ns()
        return self.free_at_ns if due is None and self.waiting else due

    def advance(self, now: int) -> None:
        while self.waiting:
            start = max(self.free_at_ns, self.waiting[0][0])
            if start > now:
                return
            packet = self._dequeue(start)
            if packet is None:
                return
            self.free_at_ns = start + self._transmission_ns(len(packet))
            self.pending.append((self.free_at_ns + self.delay_ns, packet))

    def _dequeue(self, now: int) -> bytes | None:
        packet, ok_to_drop = self._dodequeue(now)
        if self.is_dropping:
            self.is_dropping = ok_to_drop
            while self.is_dropping and now >= self.drop_next:
                self.count += 1
                assert packet is not None
                if self._can_mark(packet):
                    packet = self._marked(packet)
                    self.drop_next = self._control_law(self.drop_next)
                    break
                self._drop(packet, now, self.data_packets + 1, is_queue_full=True)
                packet, self.is_dropping = self._dodequeue(now)
                if self.is_dropping:
                    self.drop_next = self._control_law(self.drop_next)
        elif ok_to_drop:
            assert packet is not None
            if self._can_mark(packet):
                packet = self._marked(packet)
            else:
                self._drop(packet, now, self.data_packets + 1, is_queue_full=True)
                packet, _ = self._dodequeue(now)
            self.is_dropping = True
            delta = self.count - self.lastcount
            is_soon = now - self.drop_next < 16 * INTERVAL_NS
            self.count = delta if delta > 1 and is_soon else 1
            self.lastcount = self.count
            self.drop_next = self._control_law(now)
        if packet is not None:
            self.data_packets += has_payload(packet)
        return packet

    def _dodequeue(self, now: int) -> tuple[bytes | None, bool]:
        """The next packet, and whether the delay has been above the target for an interval."""
        if not self.waiting:
            self.first_above_time = None
            return None, False
        arrived, packet = self.waiting.popleft()
        self.waiting_bytes -= len(packet)
        self.maxpacket = max(self.maxpacket, len(packet))
        if now - arrived < TARGET_NS or self.waiting_bytes <= self.maxpacket:
            self.first_above_time = None
            return packet, False
        if self.first_above_time is None:
            self.first_above_time = now + INTERVAL_NS
            return packet, False
        return packet, now >= self.first_above_time

    def _control_law(self, at: int) -> int:
        return at + round(INTERVAL_NS / math.sqrt(self.count))

    def _can_mark(self, packet: bytes) -> bool:
        return self.marks_packets and packet[1] & CE != NOT_ECT

    def _marked(self, packet: bytes) -> bytes:
        """The packet with Congestion Experienced in its IP header."""
        self.marks += 1
        header = bytearray(packet[:20])
        header[1] |= CE
        header[10:12] = bytes(2)
        total = sum(int.from_bytes(header[at : at + 2], "big") for at in range(0, 20, 2))
        while total > 0xFFFF:
            total = (total & 0xFFFF) + (total >> 16)
        header[10:12] = (total ^ 0xFFFF).to_bytes(2, "big")
        return bytes(header) + packet[20:]
