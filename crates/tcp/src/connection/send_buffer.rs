//! The send buffer: the application writes no further than it has room for sent and unsent data.
//!
//! Linux 6.18 counts memory: the payload and the descriptors of the packets that hold it. What waits is in large packets, of
//! which bursts are cut off; each burst is a packet. An application that found the buffer full writes again once a third is
//! free (`sk_stream_is_writeable`). The memory is looked at before another packet begins. While the window lets data go at once,
//! what does not fill a segment stays behind, in a packet that has room: the application writes until the window is full
//! (`tcp_sendmsg_locked`). With autotuning there is room for twice the window, BBR's for three times, and the buffer grows
//! when it and not the window limits the sender (`tcp_sndbuf_expand`).

use std::collections::VecDeque;

use crate::config::Config;

/// Memory per segment that autotuning counts on: 1460 bytes and the headers of all layers, rounded up to a power of two, and
/// the packet's descriptor.
const MEMORY_PER_SEGMENT: u64 = 2048 + 256;
/// Memory of a packet beside its payload: its descriptor, room for headers, and the list of its fragments (`SO_MEMINFO` of
/// 6.18: 65 992 bytes for a packet of 65 160).
const MEMORY_PER_PACKET: u64 = 832;
/// Payload of a packet that waits, at most; it is also at most half of the largest window offered
/// (`tcp_bound_to_half_wnd`).
const LARGEST_PACKET: u64 = 64 << 10;
/// Segments it has room for at least (`TCP_INIT_CWND`).
const LEAST_SEGMENTS: u64 = 10;

#[derive(Debug)]
pub(super) struct SendBuffer {
    /// In memory: at present, and at most.
    size: u64,
    limit: u64,
    is_tuned: bool,
    /// Windows it has room for.
    windows: u64,
    /// The application has written so far, if it had so much.
    until: u64,
    /// Where the packets in flight begin, and what waits behind the begin of the last of them.
    sent: VecDeque<u64>,
    waiting: VecDeque<Waiting>,
}

/// Packets that wait, one behind the other.
#[derive(Debug, PartialEq, Eq)]
struct Waiting {
    /// Where the last one ends.
    end: u64,
    /// Of each.
    payload: u64,
}

/// What would leave at once if it were written, and how large the packets are that wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    /// The data before this offset, as so many packets.
    pub(super) edge: u64,
    pub(super) packets: u64,
    /// Payload of a packet that waits.
    pub(super) waiting: u64,
}

/// The payload of packets that wait, for segments of so many bytes and the largest window offered.
pub(super) fn payload_of_waiting(segment: u64, largest_window: u64) -> u64 {
    (LARGEST_PACKET.min(largest_window / 2) / segment).max(1) * segment
}

impl SendBuffer {
    /// `None` where nothing bounds what is written.
    pub(super) fn new(config: &Config, controls_recovery: bool) -> Option<Self> {
        let limit = config.send_buffer?.0;
        let windows = if controls_recovery { 3 } else { 2 };
        let first = windows * LEAST_SEGMENTS * MEMORY_PER_SEGMENT;
        let size = if config.send_autotuning { first.min(limit) } else { limit };
        let (is_tuned, sent, waiting) = (config.send_autotuning, VecDeque::new(), VecDeque::new());
        Some(Self { size, limit, is_tuned, windows, until: 1, sent, waiting })
    }

    /// A window of so many segments is not full because of it.
    pub(super) fn grow(&mut self, segments: u64) {
        if self.is_tuned {
            let wanted = self.windows * segments.max(LEAST_SEGMENTS) * MEMORY_PER_SEGMENT;
            self.size = self.size.max(wanted.min(self.limit));
        }
    }

    /// A packet leaves whose first byte is at this offset.
    pub(super) fn send_packet(&mut self, start: u64) {
        self.sent.push_back(start);
        while self.waiting.front().is_some_and(|waiting| waiting.end <= start) {
            self.waiting.pop_front();
        }
    }

    /// Packets before this offset are acknowledged.
    pub(super) fn acknowledge(&mut self, una: u64) {
        while self.sent.get(1).is_some_and(|&next| next <= una) {
            self.sent.pop_front();
        }
    }

    /// True when the data before `end` are written.
    pub(super) fn holds(&self, end: u64) -> bool {
        end <= self.until
    }

    /// True when a third is free.
    pub(super) fn is_writable(&self, una: u64) -> bool {
        self.memory(una, 0) <= self.size / 3 * 2
    }

    /// The application writes what there is room for, or what the window lets go at once.
    pub(super) fn write(&mut self, una: u64, leaving: &Leaving) {
        if leaving.edge > self.until {
            self.append(1, leaving.edge - self.until);
            self.append(1, leaving.waiting);
        }
        let free = self.size.saturating_sub(self.memory(una, leaving.packets));
        if free > 0 {
            self.append(free.div_ceil(leaving.waiting + MEMORY_PER_PACKET), leaving.waiting);
        }
    }

    fn append(&mut self, packets: u64, payload: u64) {
        self.until = self.until.saturating_add(packets.saturating_mul(payload));
        match self.waiting.back_mut() {
            Some(last) if last.payload == payload => last.end = self.until,
            _ => self.waiting.push_back(Waiting { end: self.until, payload }),
        }
    }

    /// Memory of what is written, with so many more packets in flight.
    fn memory(&self, una: u64, leaving: u64) -> u64 {
        let packets = (self.sent.len() as u64).saturating_add(leaving).saturating_add(self.packets_waiting());
        self.until.saturating_sub(una).saturating_add(packets.saturating_mul(MEMORY_PER_PACKET))
    }

    fn packets_waiting(&self) -> u64 {
        let mut begin = self.sent.back().copied().unwrap_or(1);
        let mut packets = 0;
        for waiting in &self.waiting {
            packets += waiting.end.saturating_sub(begin).div_ceil(waiting.payload);
            begin = waiting.end;
        }
        packets
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Bytes;

    use super::*;

    const SEGMENT: u64 = 1000;
    const PACKET: u64 = 20 * SEGMENT;
    /// Of a packet that waits.
    const MEMORY: u64 = PACKET + MEMORY_PER_PACKET;

    fn buffer(limit: u64, send_autotuning: bool) -> SendBuffer {
        let config = Config { send_buffer: Some(Bytes(limit)), send_autotuning, ..Config::default() };
        SendBuffer::new(&config, false).unwrap()
    }

    /// Segments leave two at a time.
    fn leaving(segments: u64) -> Leaving {
        Leaving { edge: 1 + segments * SEGMENT, packets: segments.div_ceil(2), waiting: PACKET }
    }

    #[test]
    fn a_full_buffer_is_written_to_again_when_a_third_is_free() {
        let mut fixed = buffer(9 * MEMORY, false);
        fixed.write(1, &leaving(0));
        assert_eq!((fixed.until, fixed.packets_waiting()), (1 + 9 * PACKET, 9));
        // Three packets left as one and are acknowledged: the next is free when its descriptor is, too.
        let sent = 1 + 3 * PACKET;
        fixed.send_packet(1);
        fixed.send_packet(sent);
        fixed.acknowledge(sent);
        assert_eq!((fixed.sent.len(), fixed.packets_waiting()), (1, 6));
        assert!(!fixed.is_writable(sent));
        assert!(fixed.is_writable(sent + MEMORY_PER_PACKET));
    }

    #[test]
    fn what_leaves_in_small_packets_takes_more_memory() {
        let mut fixed = buffer(9 * MEMORY, false);
        fixed.write(1, &leaving(100));
        // 50 packets in flight, what lies before the edge, and packets of 20 segments in what is left.
        let left = 9 * MEMORY - 100 * SEGMENT - 52 * MEMORY_PER_PACKET;
        assert_eq!(fixed.until, 1 + 100 * SEGMENT + left.div_ceil(MEMORY) * PACKET);
    }

    #[test]
    fn what_the_window_lets_go_at_once_is_written_whatever_its_size() {
        let mut fixed = buffer(9 * MEMORY, false);
        fixed.write(1, &leaving(1000));
        assert_eq!(fixed.until, 1 + 1000 * SEGMENT + PACKET);
        fixed.write(1, &leaving(0));
        assert_eq!(fixed.until, 1 + 1000 * SEGMENT + PACKET);
    }

    #[test]
    fn the_largest_buffer_takes_no_time_to_fill() {
        let mut fixed = buffer(u64::MAX, false);
        fixed.write(1, &Leaving { edge: 1, packets: 0, waiting: 1 });
        assert!(fixed.holds(u64::MAX / 1000));
        assert_eq!(fixed.waiting.len(), 1);
    }

    #[test]
    fn packets_are_forgotten_when_the_next_begins_where_all_is_acknowledged() {
        let mut fixed = buffer(9 * MEMORY, false);
        for start in [1, 1001, 2001] {
            fixed.send_packet(start);
        }
        fixed.acknowledge(1000);
        assert_eq!(fixed.sent, [1, 1001, 2001]);
        fixed.acknowledge(2001);
        assert_eq!(fixed.sent, [2001]);
    }

    #[test]
    fn a_packet_that_waits_is_half_of_the_largest_window_at_most() {
        assert_eq!(payload_of_waiting(1448, 1 << 20), 45 * 1448);
        assert_eq!(payload_of_waiting(1448, 65_160), 22 * 1448);
        assert_eq!(payload_of_waiting(1448, 1000), 1448);
    }

    #[test]
    fn it_grows_with_the_window_up_to_its_limit() {
        let mut tuned = buffer(1 << 20, true);
        assert_eq!(tuned.size, 2 * 10 * 2304);
        tuned.grow(60);
        assert_eq!(tuned.size, 2 * 60 * 2304);
        tuned.grow(1000);
        assert_eq!(tuned.size, 1 << 20);
        let mut fixed = buffer(1 << 20, false);
        fixed.grow(1000);
        assert_eq!(fixed.size, 1 << 20);
    }

    #[test]
    fn without_the_option_there_is_none() {
        assert!(SendBuffer::new(&Config::default(), false).is_none());
    }
}
