//! The receive buffer: fixed, or grown as Linux 6.18 grows it (`tcp_rcv_space_adjust`, `tcp_rcvbuf_grow`).
//!
//! Dynamic right-sizing (M. Fisk, W. Feng, "Dynamic Right-Sizing in TCP", LACSI 2001): once per round trip the receiver
//! compares what its reader took with the most it took before. Because the answer to a larger window comes a round trip
//! later, and slow start doubles meanwhile, room grows to twice that and, where it rises, by the rise twice over again.
//! Sizes are bytes of payload; the kernel's own count each packet's memory, too.

use farlink_kernel::{Duration, Instant};

use crate::config::Config;

/// Where autotuning begins: five eighths of `tcp_rmem[1]`, 128 KiB, are payload. A segment of it is kept back
/// (`tcp_init_buffer_space`).
const AUTOTUNING_START: u64 = 80 << 10;
/// No more is offered before data came: what fits 16 bits (`tcp_select_initial_window`), rounded up when it is scaled.
const FIRST_WINDOW: u64 = 64 << 10;
/// What its reader is taken to have read before the first round trip, in segments (`TCP_INIT_CWND`).
const FIRST_READ_SEGMENTS: u64 = 10;

#[derive(Clone, Debug)]
pub(super) struct ReceiveBuffer {
    size: u64,
    limit: u64,
    /// How much of it is offered (`rcv_ssthresh`): it opens by two segments per segment that arrives.
    opened: u64,
    autotuning: bool,
    round_began: Instant,
    read_in_round: u64,
    /// The most that was read in a round (`rcvq_space.space`).
    most_read: u64,
    segment_size: u64,
    /// The round-trip time by echoed timestamps, zero before the first; and the last echo that was measured.
    rtt: Duration,
    last_echo: u32,
}

impl ReceiveBuffer {
    pub(super) fn new(config: &Config) -> Self {
        let limit = config.receive_buffer.0;
        let autotuning = config.receive_autotuning;
        let first = AUTOTUNING_START.saturating_sub(config.segment_size.0).max(config.segment_size.0);
        let size = if autotuning { first.min(limit) } else { limit };
        Self {
            size,
            limit,
            opened: if autotuning { size.min(FIRST_WINDOW) } else { size },
            autotuning,
            round_began: Instant::ZERO,
            read_in_round: 0,
            most_read: (FIRST_READ_SEGMENTS * config.segment_size.0).max(1),
            segment_size: config.segment_size.0,
            rtt: Duration::ZERO,
            last_echo: 0,
        }
    }

    /// With autotuning, grows no further than this.
    pub(super) fn bound(&mut self, most: u64) {
        if self.autotuning {
            for each in [&mut self.size, &mut self.limit, &mut self.opened] {
                *each = most.min(*each);
            }
        }
    }

    /// With autotuning, offers no more than before data came.
    pub(super) fn offer_first_window(&mut self) {
        if self.autotuning {
            self.opened = self.opened.min(FIRST_WINDOW);
        }
    }

    /// Shift that lets the largest buffer fit 16 bits (RFC 7323 section 2.3).
    pub(super) fn window_shift(&self) -> u8 {
        (0..14).find(|shift| self.limit >> shift <= 65_535).unwrap_or(14)
    }

    pub(super) fn is_tuned(&self) -> bool {
        self.autotuning
    }

    /// What is offered while nothing waits for the reader.
    pub(super) fn window(&self) -> u64 {
        self.opened
    }

    /// What is offered while `unread` bytes wait for the reader and `ahead` bytes for those before them. The kernel counts both
    /// as memory, the latter also where the window has them already (`tcp_space`).
    #[inline]
    pub(super) fn offer(&self, unread: u64, ahead: u64) -> u64 {
        if self.autotuning {
            self.opened.min(self.size.saturating_sub(unread + ahead))
        } else {
            self.opened.saturating_sub(unread)
        }
    }

    /// A segment arrived, and `held` bytes wait; true when the window opened further (`tcp_grow_window`).
    #[inline]
    pub(super) fn open(&mut self, held: u64) -> bool {
        let room = self.size.saturating_sub(self.opened + held);
        self.opened += room.min(2 * self.segment_size);
        room > 0
    }

    /// A segment arrived out of order: room for what was read and for all up to the last, `beyond` bytes after the next
    /// expected one (`tcp_data_queue_ofo`).
    pub(super) fn grow_by_gap(&mut self, beyond: u64) {
        self.size = self.size.max((2 * self.most_read + beyond).min(self.limit));
    }

    /// Data arrived that answer an acknowledgement sent `age` ago with the timestamp `echo`. A smaller time counts at once, a
    /// larger one by an eighth (`tcp_rcv_rtt_update`).
    #[inline]
    pub(super) fn measure_rtt(&mut self, echo: u32, age: Duration) {
        if echo == self.last_echo {
            return;
        }
        self.last_echo = echo;
        if self.rtt.is_zero() || age < self.rtt {
            self.rtt = age;
        } else {
            self.rtt += (age - self.rtt) / 8;
        }
    }

    /// The reader took `len` bytes; `unread` are left to it, and `beyond` bytes after the next expected one hold data that
    /// arrived out of order.
    #[inline]
    pub(super) fn on_read(&mut self, now: Instant, len: u64, rtt: Duration, unread: u64, beyond: u64) {
        let rtt = if self.rtt.is_zero() { rtt } else { self.rtt };
        if now.saturating_since(self.round_began) < rtt || rtt.is_zero() {
            self.read_in_round += len;
            return;
        }
        // Of all that a filled hole releases the reader takes a packet first, and that ends the round; the rest waits.
        let first = len.min(self.segment_size);
        let read = (self.read_in_round + first).saturating_sub(unread + len - first);
        if read > self.most_read {
            self.grow(read, beyond);
        }
        self.round_began = now;
        self.read_in_round = len - first;
    }

    fn grow(&mut self, read: u64, beyond: u64) {
        let before = std::mem::replace(&mut self.most_read, read);
        let doubled = 2 * u128::from(read);
        let rise = 2 * doubled * u128::from(read - before) / u128::from(before);
        let wanted = doubled + rise + u128::from(beyond);
        self.size = self.size.max(wanted.min(u128::from(self.limit)) as u64);
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Bytes;

    use super::*;

    const RTT: Duration = Duration::from_millis(100);
    const PACKET: u64 = 1000;

    fn buffer(limit: u64) -> ReceiveBuffer {
        ReceiveBuffer::new(&Config {
            receive_autotuning: true,
            receive_buffer: Bytes(limit),
            segment_size: Bytes(PACKET),
            ..Config::default()
        })
    }

    /// A round in which so many packets are read, one by one; the size after it.
    fn round(buffer: &mut ReceiveBuffer, now: &mut Instant, packets: u64) -> u64 {
        for packet in 1..=packets {
            let end = if packet == packets { *now + RTT } else { *now };
            buffer.on_read(end, PACKET, RTT, 0, 0);
        }
        *now += RTT;
        buffer.size
    }

    fn sizes(buffer: &mut ReceiveBuffer, rounds: &[u64]) -> Vec<u64> {
        let mut now = Instant::ZERO;
        rounds.iter().map(|&packets| round(buffer, &mut now, packets)).collect()
    }

    #[test]
    fn room_doubles_twice_over_where_reading_doubles() {
        // 2 read + 4 read (read - before)/before.
        assert_eq!(
            sizes(&mut buffer(1 << 30), &[10, 20, 40, 80, 80]),
            [80_920, 120_000, 240_000, 480_000, 480_000]
        );
    }

    #[test]
    fn a_window_that_doubles_never_meets_the_bound() {
        let (mut buffer, mut now, mut window) = (buffer(1 << 30), Instant::ZERO, 10);
        for _ in 0..12 {
            let size = round(&mut buffer, &mut now, window);
            window *= 2;
            assert!(size >= window * PACKET, "{size} {window}");
        }
    }

    #[test]
    fn a_round_is_as_long_as_the_path_with_its_queues() {
        let (mut buffer, mut now) = (buffer(1 << 30), Instant::ZERO);
        let long = RTT * 4;
        (1..=100).for_each(|echo| buffer.measure_rtt(echo, long));
        // At the same rate four times as much is read in a round of four times the length.
        for _ in 0..200 {
            now += RTT / 10;
            buffer.on_read(now, PACKET, RTT, 0, 0);
        }
        assert_eq!(buffer.most_read, 40 * PACKET);
        buffer.measure_rtt(101, RTT);
        assert_eq!(buffer.rtt, RTT);
    }

    #[test]
    fn what_is_offered_opens_by_two_segments_per_segment_up_to_the_size() {
        let mut buffer = buffer(1 << 30);
        let opened = |buffer: &mut ReceiveBuffer| (0..100).take_while(|_| buffer.open(0)).count();
        assert_eq!(buffer.window(), 65_536);
        // Before the reader took anything there is room for five eighths of 128 KiB less a segment.
        assert_eq!((opened(&mut buffer), buffer.window()), (8, 80_920));
        let mut now = Instant::ZERO;
        round(&mut buffer, &mut now, 20);
        assert_eq!((buffer.window(), buffer.size), (80_920, 40_000 + 4 * 20_000));
        assert_eq!((opened(&mut buffer), buffer.window()), (20, 120_000));
    }

    #[test]
    fn the_limit_bounds_it() {
        assert_eq!(sizes(&mut buffer(100_000), &[50]), [100_000]);
    }

    #[test]
    fn what_waits_for_the_reader_when_the_round_ends_was_not_read() {
        let mut paused = buffer(1 << 30);
        paused.on_read(Instant::ZERO, 50_000, RTT, 0, 0);
        paused.on_read(Instant::ZERO + RTT, PACKET, RTT, 45_000, 0);
        assert_eq!(paused.size, 80_920);
        // A filled hole releases all at once; what it released counts in the next round.
        let mut filled = buffer(1 << 30);
        filled.on_read(Instant::ZERO + RTT, 50_000, RTT, 0, 0);
        assert_eq!(filled.size, 80_920);
        filled.on_read(Instant::ZERO + RTT * 2, PACKET, RTT, 0, 0);
        assert_eq!(filled.size, 2 * 50_000 + 4 * 50_000 * 40_000 / 10_000);
    }

    #[test]
    fn what_waits_takes_room_from_the_offer_and_keeps_the_window_from_opening() {
        let (mut buffer, mut now) = (buffer(1 << 30), Instant::ZERO);
        round(&mut buffer, &mut now, 20);
        assert_eq!((buffer.size, buffer.offer(0, 0)), (120_000, 65_536));
        assert_eq!(buffer.offer(0, 60_000), 60_000);
        assert_eq!(buffer.offer(10_000, 60_000), 50_000);
        assert!(!buffer.open(60_000));
        assert!(buffer.open(50_000));
        assert_eq!(buffer.window(), 65_536 + 2000);
        let fixed = ReceiveBuffer::new(&Config { receive_buffer: Bytes(100_000), ..Config::default() });
        assert_eq!(fixed.offer(10_000, 60_000), 90_000);
    }

    #[test]
    fn a_gap_makes_room_for_all_that_arrived_behind_it() {
        let mut buffer = buffer(200_000);
        buffer.grow_by_gap(90_000);
        assert_eq!(buffer.size, 2 * 10 * PACKET + 90_000);
        buffer.grow_by_gap(1_000_000);
        assert_eq!(buffer.size, 200_000);
    }
}
