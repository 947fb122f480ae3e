//! The send buffer: the application writes no further than it has room for sent and unsent data.
//!
//! Linux 6.18 counts memory: the payload, and the descriptors of the packets that hold it. With segmentation offload waiting
//! data are in packets of up to 64 KiB. They leave in bursts, and each burst is a packet of its own. An application that found
//! the buffer full writes again once a third is free (`sk_stream_is_writeable`). The kernel checks the memory only before it
//! begins another packet. What does not fill a segment stays in a packet that still has room, so that an application writes
//! until the window is full (`tcp_sendmsg_locked`). With autotuning there is room for twice the window, BBR's for three times.
//! The buffer grows when less is in flight than the window allows (`tcp_sndbuf_expand`).

use std::collections::VecDeque;

use crate::config::Config;

/// Memory per segment that autotuning counts on: 1460 bytes and the headers of all layers, rounded up to a power of two, and
/// the packet's descriptor.
const MEMORY_PER_SEGMENT: u64 = 2048 + 256;
/// Memory of a packet beside its payload: its descriptor, room for headers, and the list of its fragments (`SO_MEMINFO` of
/// 6.18: 65 992 bytes for a packet of 65 160).
const MEMORY_PER_PACKET: u64 = 832;
/// Payload of a waiting packet, at most; it is also at most half of the largest window offered (`tcp_bound_to_half_wnd`).
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
    /// Where the packets in flight begin.
    sent: VecDeque<u64>,
    waiting: VecDeque<Waiting>,
}

/// Waiting packets, one behind the other.
#[derive(Debug, PartialEq, Eq)]
struct Waiting {
    /// Where the last one ends.
    end: u64,
    /// Of each.
    payload: u64,
}

/// What is in flight, and the size of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) una: u64,
    pub(super) nxt: u64,
    pub(super) segment: u64,
}

/// What would leave at once if it were written, and in which packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    /// The data before this offset.
    pub(super) edge: u64,
    /// Payload of a packet that leaves.
    pub(super) burst: u64,
    /// Payload of a packet that waits.
    pub(super) waiting: u64,
}

/// The payload of waiting packets, for segments of so many bytes and the largest window offered.
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

    /// A packet leaves whose first byte is at this offset; a SYN's is none.
    pub(super) fn send_packet(&mut self, start: u64) {
        if start == 0 {
            return;
        }
        self.sent.push_back(start);
        while self.waiting.front().is_some_and(|waiting| waiting.end <= start) {
            self.waiting.pop_front();
        }
    }

    /// Data before `una` are acknowledged, of what was sent before `nxt`.
    pub(super) fn acknowledge(&mut self, una: u64, nxt: u64) {
        if una >= nxt {
            self.sent.clear();
        }
        while self.sent.get(1).is_some_and(|&next| next <= una) {
            self.sent.pop_front();
        }
    }

    /// True when the data before `end` are written.
    pub(super) fn holds(&self, end: u64) -> bool {
        end <= self.until
    }

    /// True when a third is free, or when nothing is in flight and what waits fills no segment: no ACK would come to free more.
    pub(super) fn is_writable(&self, flight: &Flight) -> bool {
        self.is_stuck(flight) || self.memory(flight) <= self.size / 3 * 2
    }

    fn is_stuck(&self, flight: &Flight) -> bool {
        self.sent.is_empty() && self.until.saturating_sub(flight.nxt) < flight.segment
    }

    /// The application writes what there is room for, or what the window lets go at once; a packet at least if nothing else
    /// could leave.
    pub(super) fn write(&mut self, flight: &Flight, leaving: &Leaving) {
        let least = u64::from(self.is_stuck(flight) && leaving.edge <= self.until);
        if leaving.edge > self.until {
            self.append(leaving.edge, leaving.burst);
            self.append(leaving.edge.saturating_add(leaving.waiting), leaving.waiting);
        }
        let free = self.size.saturating_sub(self.memory(flight));
        let packets = free.div_ceil(leaving.waiting + MEMORY_PER_PACKET).max(least);
        if packets > 0 {
            self.append(self.until.saturating_add(packets.saturating_mul(leaving.waiting)), leaving.waiting);
        }
    }

    fn append(&mut self, until: u64, payload: u64) {
        self.until = until;
        match self.waiting.back_mut() {
            Some(last) if last.payload == payload => last.end = until,
            _ => self.waiting.push_back(Waiting { end: until, payload }),
        }
    }

    fn memory(&self, flight: &Flight) -> u64 {
        let packets = (self.sent.len() as u64).saturating_add(self.packets_waiting(flight.nxt));
        self.until.saturating_sub(flight.una).saturating_add(packets.saturating_mul(MEMORY_PER_PACKET))
    }

    fn packets_waiting(&self, nxt: u64) -> u64 {
        let mut begin = nxt;
        let mut packets = 0;
        for waiting in &self.waiting {
            packets += waiting.end.saturating_sub(begin).div_ceil(waiting.payload);
            begin = begin.max(waiting.end);
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

    fn flight(una: u64, nxt: u64) -> Flight {
        Flight { una, nxt, segment: SEGMENT }
    }

    /// Segments leave two at a time.
    fn leaving(segments: u64) -> Leaving {
        Leaving { edge: 1 + segments * SEGMENT, burst: 2 * SEGMENT, waiting: PACKET }
    }

    #[test]
    fn a_full_buffer_is_written_to_again_when_a_third_is_free() {
        let mut fixed = buffer(9 * MEMORY, false);
        fixed.write(&flight(1, 1), &leaving(0));
        assert_eq!((fixed.until, fixed.packets_waiting(1)), (1 + 9 * PACKET, 9));
        // Three packets are acknowledged and one is in flight: the third is free when its descriptor is, too.
        let (una, nxt) = (1 + 3 * PACKET, 1 + 4 * PACKET);
        fixed.send_packet(1);
        fixed.send_packet(una);
        fixed.acknowledge(una, nxt);
        assert_eq!((fixed.sent.len(), fixed.packets_waiting(nxt)), (1, 5));
        assert!(fixed.is_writable(&flight(una, nxt)));
        assert!(!fixed.is_writable(&flight(una - 1, nxt)));
    }

    #[test]
    fn what_leaves_in_small_packets_takes_more_memory() {
        let mut fixed = buffer(9 * MEMORY, false);
        fixed.write(&flight(1, 1), &leaving(100));
        // 50 packets of two segments, and packets of 20 in what is left.
        let left = 9 * MEMORY - 100 * SEGMENT - 50 * MEMORY_PER_PACKET;
        assert_eq!(fixed.until, 1 + 100 * SEGMENT + left.div_ceil(MEMORY) * PACKET);
    }

    #[test]
    fn what_the_window_lets_go_at_once_is_written_whatever_its_size() {
        let mut fixed = buffer(9 * MEMORY, false);
        fixed.write(&flight(1, 1), &leaving(1000));
        assert_eq!(fixed.until, 1 + 1000 * SEGMENT + PACKET);
        fixed.send_packet(1);
        fixed.write(&flight(1, 1), &leaving(0));
        assert_eq!(fixed.until, 1 + 1000 * SEGMENT + PACKET);
    }

    #[test]
    fn the_largest_buffer_takes_no_time_to_fill() {
        let mut fixed = buffer(u64::MAX, false);
        fixed.write(&flight(1, 1), &Leaving { edge: 1, burst: 1, waiting: 1 });
        assert!(fixed.holds(u64::MAX / 1000));
        assert_eq!(fixed.waiting.len(), 1);
    }

    #[test]
    fn the_smallest_buffer_takes_a_packet_when_nothing_is_in_flight() {
        for size in [1, 831, 1000, 1500, 3000] {
            let mut smallest = buffer(size, false);
            let one = |edge| Leaving { edge, burst: SEGMENT, waiting: SEGMENT };
            smallest.send_packet(0);
            smallest.acknowledge(1, 1);
            let mut una = 1;
            for _ in 0..5 {
                assert!(smallest.is_writable(&flight(una, una)), "{size}");
                smallest.write(&flight(una, una), &one(una));
                assert!(smallest.holds(una + SEGMENT), "{size}");
                smallest.send_packet(una);
                assert!(size >= 3000 || !smallest.is_writable(&flight(una, una + SEGMENT)), "{size}");
                una += SEGMENT;
                smallest.acknowledge(una, una);
            }
        }
    }

    #[test]
    fn what_is_left_of_a_segment_does_not_stop_the_application() {
        let mut small = buffer(500, false);
        // The window ends within a segment.
        small.write(&flight(1, 1), &Leaving { edge: 1501, burst: 2 * SEGMENT, waiting: SEGMENT });
        let until = small.until;
        small.send_packet(1);
        small.acknowledge(2001, 2001);
        assert!(small.is_writable(&flight(2001, 2001)));
        small.write(&flight(2001, 2001), &Leaving { edge: 2001, burst: SEGMENT, waiting: SEGMENT });
        assert!(small.holds(3001) && small.until > until);
    }

    #[test]
    fn packets_are_forgotten_when_the_next_begins_where_all_is_acknowledged() {
        let mut fixed = buffer(9 * MEMORY, false);
        for start in [1, 1001, 2001] {
            fixed.send_packet(start);
        }
        fixed.acknowledge(1000, 3001);
        assert_eq!(fixed.sent, [1, 1001, 2001]);
        fixed.acknowledge(2001, 3001);
        assert_eq!(fixed.sent, [2001]);
        fixed.acknowledge(3001, 3001);
        assert!(fixed.sent.is_empty());
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
