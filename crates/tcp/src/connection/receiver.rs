//! The receiving half: reassembly, what to acknowledge and when, SACK and DSACK blocks, the window offered.
//!
//! RFC 9293 section 3.10.7.4, RFC 5681 section 4.2 (when), RFC 2018 section 4 and RFC 2883 (blocks).

use farlink_kernel::{Duration, Instant};

use super::acks::Acks;
use super::ahead::Ahead;
use super::receive_buffer::ReceiveBuffer;
use crate::config::Config;
use crate::discard::Discard;
use crate::segment::{Flags, SackBlocks, Segment, Timestamps};
use crate::seq::SeqNumber;

/// The receiving half, in the peer's sequence-space offsets.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    /// The peer's initial sequence number.
    irs: SeqNumber,
    /// `RCV.NXT`.
    nxt: u64,
    ahead: Ahead,
    /// A duplicate to be reported in the next ACK.
    duplicate: Option<(u64, u64)>,
    /// One past the peer's FIN.
    fin_end: Option<u64>,
    /// Right edge of the window advertised; never moves left.
    edge: u64,
    /// In-order bytes the reader did not take yet.
    unread: u64,
    reading_paused: bool,
    buffer: ReceiveBuffer,
    acks: Acks,
    /// What segments report of marks: the echo of RFC 3168 or the ACE field of RFC 9768.
    ecn_flags: Flags,
    /// `TS.Recent` and the highest offset acknowledged (`Last.ACK.sent`, RFC 7323 section 4.3).
    ts_recent: u32,
    last_ack_sent: u64,
    /// Why the segment that arrived last was discarded.
    discarded: Option<Discard>,
    duplicates_received: u64,
    new_data_received: u64,
    segment_size: u64,
    report_duplicates: bool,
    fill_blocks: bool,
}

impl Receiver {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            irs: SeqNumber(0),
            nxt: 0,
            ahead: Ahead::default(),
            duplicate: None,
            fin_end: None,
            edge: 0,
            unread: 0,
            reading_paused: false,
            buffer: ReceiveBuffer::new(config),
            acks: Acks::new(config),
            ecn_flags: Flags(0),
            ts_recent: 0,
            last_ack_sent: 0,
            discarded: None,
            duplicates_received: 0,
            new_data_received: 0,
            segment_size: config.segment_size.0,
            report_duplicates: config.dsack,
            fill_blocks: config.sack_fill,
        }
    }

    /// `RCV.NXT`.
    pub(super) fn nxt(&self) -> u64 {
        self.nxt
    }

    /// `RCV.NXT` as a number, to be acknowledged.
    pub(super) fn ack(&self) -> SeqNumber {
        SeqNumber::from_offset(self.irs, self.nxt)
    }

    /// The offset that a number of the peer stands for.
    pub(super) fn offset_of(&self, number: SeqNumber) -> Option<u64> {
        number.to_offset(self.irs, self.nxt)
    }

    pub(super) fn on_syn(&mut self, irs: SeqNumber, timestamps: Option<Timestamps>) {
        self.irs = irs;
        self.ts_recent = timestamps.map_or(self.ts_recent, |timestamps| timestamps.value);
        self.nxt = 1;
        self.last_ack_sent = 1;
        self.edge = 1 + self.buffer.window();
    }

    /// Windows are not scaled: no more than 16 bits can be offered.
    pub(super) fn stay_unscaled(&mut self) {
        self.buffer.bound(u64::from(u16::MAX));
    }

    /// Data of a SYN do not open the window (Linux, `tcp_fastopen_add_skb`).
    pub(super) fn offer_first_window(&mut self) {
        self.buffer.offer_first_window();
    }

    /// No window was offered before: it counts from what arrived.
    pub(super) fn offer_whole_window(&mut self) {
        self.edge = self.nxt + self.offered();
    }

    /// No ACK is sent at once because the connection is young.
    pub(super) fn delay_acks(&mut self) {
        self.acks.stop_quick();
    }

    /// The peer is known, but its SYN is still to come.
    pub(super) fn expect_syn(&mut self) {
        self.nxt = 0;
        self.last_ack_sent = 0;
    }

    pub(super) fn window_shift(&self) -> u8 {
        self.buffer.window_shift()
    }

    /// `TS.Recent`, which the next segment echoes.
    pub(super) fn ts_recent(&self) -> u32 {
        self.ts_recent
    }

    /// A timestamp from before the latest (RFC 7323 section 5.3, rule R1).
    pub(super) fn is_old(&self, timestamps: Timestamps) -> bool {
        timestamps.value.wrapping_sub(self.ts_recent).cast_signed() < 0
    }

    /// The timestamp of a segment from `start` on: the latest is echoed (rule R3).
    #[inline]
    pub(super) fn take_timestamp(&mut self, start: u64, timestamps: Timestamps) {
        if start <= self.last_ack_sent && !self.is_old(timestamps) {
            self.ts_recent = timestamps.value;
        }
    }

    /// Marks are echoed until the sender says that it reduced its window (RFC 3168 section 6.1.3).
    pub(super) fn take_mark(&mut self, is_marked: bool, shows_cwr: bool) {
        if is_marked {
            self.ecn_flags = Flags::ECE;
        } else if shows_cwr {
            self.ecn_flags = Flags(0);
        }
    }

    /// What segments report of marks.
    pub(super) fn ecn_flags(&self) -> Flags {
        self.ecn_flags
    }

    /// From now on segments report this of marks.
    pub(super) fn set_ecn_flags(&mut self, flags: Flags) {
        self.ecn_flags = flags;
    }

    /// Data arrived that no ACK acknowledged.
    pub(super) fn has_unacknowledged(&self) -> bool {
        self.nxt > self.last_ack_sent || !self.ahead.is_empty()
    }

    /// A packet with a CE mark arrived, of which `most` are acknowledged at once.
    pub(super) fn count_mark(&mut self, most: u32) {
        self.acks.on_mark(most);
    }

    /// An ACK waits for more data.
    pub(super) fn delays_ack(&self) -> bool {
        self.acks.deadline() != Instant::NEVER
    }

    #[cold]
    pub(super) fn discard(&mut self, why: Discard) {
        self.discarded = Some(why);
    }

    /// Why the segment that arrived last was discarded; asked for once.
    #[inline]
    pub(super) fn take_discard(&mut self) -> Option<Discard> {
        self.discarded.take()
    }

    /// Segments without new data, and with.
    pub(super) fn segments_received(&self) -> (u64, u64) {
        (self.duplicates_received, self.new_data_received)
    }

    /// An ACK is to be sent at once.
    #[inline]
    pub(super) fn acknowledge_now(&mut self) {
        self.acks.set_due();
    }

    /// When the next ACK leaves.
    #[inline]
    pub(super) fn acks(&self) -> &Acks {
        &self.acks
    }

    /// The FIN and all before it arrived.
    pub(super) fn is_finished(&self) -> bool {
        self.fin_end == Some(self.nxt)
    }

    /// Takes in the sequence space `start..end` of `segment`; what lies beyond the window is cut off.
    // The other caller is rare.
    #[inline(always)]
    pub(super) fn on_data(&mut self, now: Instant, start: u64, segment: &Segment, rtt: Duration) {
        let end = start + segment.seq_len();
        if segment.flags.has(Flags::FIN) {
            self.fin_end = Some(end);
        }
        let (left, right) = (start.max(self.nxt), end.min(self.edge.max(self.nxt)));
        if left >= right || self.ahead.holds(left, right) {
            if start >= self.nxt && left < right {
                // RFC 2018 section 4: the first block holds what triggered the ACK, new or not.
                self.ahead.remember(left);
            }
            return self.on_duplicate_data(start, end);
        }
        self.new_data_received += u64::from(segment.len > 0);
        if self.buffer.is_tuned() && self.buffer.open(self.unread + self.ahead.bytes()) {
            self.acks.on_window_opened();
        }
        let had_gap = !self.ahead.is_empty();
        if had_gap || start < self.nxt {
            self.report_duplicate(start, end);
        }
        if left == self.nxt {
            let from = self.nxt;
            self.nxt = self.ahead.take_up_to(right);
            self.on_in_order(now, segment, self.nxt - from, had_gap, rtt);
        } else {
            let before = if self.acks.compresses() { self.ahead.reported_before(left, right) } else { 0 };
            self.ahead.insert(left, right);
            if self.buffer.is_tuned() {
                self.buffer.grow_by_gap(self.ahead.end() - self.nxt);
            }
            self.acks.on_out_of_order(now, self.nxt, before);
        }
    }

    /// True when nothing is missing or to be reported, and the reader takes what comes.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.ahead.is_empty() && self.duplicate.is_none() && self.fin_end.is_none() && !self.reading_paused
    }

    /// True when `segment` begins with the next number, and the window has room for it.
    #[inline(always)]
    pub(super) fn is_next(&self, segment: &Segment) -> bool {
        segment.seq == self.ack() && self.nxt + u64::from(segment.len) <= self.edge
    }

    /// As [`Self::on_data`], of data that [are next](Self::is_next) while the receiver [is plain](Self::is_plain).
    #[inline(always)]
    pub(super) fn on_next_data(&mut self, now: Instant, segment: &Segment, rtt: Duration) {
        self.new_data_received += 1;
        if self.buffer.is_tuned() && self.buffer.open(self.unread) {
            self.acks.on_window_opened();
        }
        let len = u64::from(segment.len);
        self.nxt += len;
        self.on_in_order(now, segment, len, false, rtt);
    }

    /// The handshake is complete, with this round trip and the timeout after it.
    pub(super) fn on_established(&mut self, srtt: Duration, rto: Duration, uses_sack: bool) {
        self.acks.know(srtt, rto, uses_sack);
    }

    /// An ACK has waited long enough.
    pub(super) fn on_deadline(&mut self) {
        self.acks.on_deadline();
    }

    /// A segment of `len` bytes answers the acknowledgement that showed `echo`, `age` ago.
    #[inline]
    pub(super) fn measure_rtt(&mut self, echo: u32, age: Duration, len: u64) {
        if len >= self.segment_size {
            self.buffer.measure_rtt(echo, age);
        }
    }

    /// Bytes of the stream that arrived in order: neither SYN nor FIN is one.
    pub(super) fn in_order(&self) -> u64 {
        self.nxt.saturating_sub(1 + u64::from(self.is_finished()))
    }

    /// Bytes of the stream that arrived, each counted once, in order or not.
    pub(super) fn delivered(&self) -> u64 {
        let is_fin_ahead = self.fin_end.is_some_and(|end| self.ahead.end() == end);
        self.in_order() + self.ahead.bytes() - u64::from(is_fin_ahead)
    }

    /// True when `len` numbers from `start` may be the next or lie in the window (RFC 9293 section 3.10.7.4).
    /// A sender that has filled the window continues at its right edge, so that this edge is inside.
    pub(super) fn is_acceptable(&self, start: u64, len: u64) -> bool {
        if len == 0 {
            start >= self.nxt && start <= self.edge.max(self.nxt)
        } else {
            start < self.edge && start + len > self.nxt
        }
    }

    /// The reader pauses or resumes; a window that opened enough is advertised (RFC 9293 section 3.8.6.2.2).
    pub(super) fn pause_reading(&mut self, paused: bool) {
        self.reading_paused = paused;
        if !paused && self.unread > 0 {
            self.unread = 0;
            self.send_window_update();
        }
    }

    /// A paused reader takes some of the unread bytes.
    pub(super) fn read(&mut self, now: Instant, bytes: u64, rtt: Duration) {
        self.unread = self.unread.saturating_sub(bytes);
        self.take_from_buffer(now, bytes, rtt);
        if self.unread == 0 {
            self.acks.on_all_read();
        }
        self.send_window_update();
    }

    // Most receivers have a buffer of one size, for which a call is more than all they do.
    #[inline(always)]
    fn take_from_buffer(&mut self, now: Instant, len: u64, rtt: Duration) {
        if self.buffer.is_tuned() {
            self.tune_buffer(now, len, rtt);
        }
    }

    #[inline(never)]
    fn tune_buffer(&mut self, now: Instant, len: u64, rtt: Duration) {
        let beyond = self.ahead.end().saturating_sub(self.nxt);
        self.buffer.on_read(now, len, rtt, self.unread, beyond);
    }

    /// Advertises the window when it opened enough.
    fn send_window_update(&mut self) {
        let edge = self.nxt + self.offered();
        if edge >= self.edge + self.segment_size.min(self.buffer.window() / 2) {
            self.acks.set_due();
        }
    }

    fn offered(&self) -> u64 {
        self.buffer.offer(self.unread, self.ahead.bytes())
    }

    /// The window to advertise, in bytes; the right edge moves with it.
    pub(super) fn offer_window(&mut self) -> u64 {
        let edge = self.nxt + self.offered();
        // Small steps are not advertised (silly window avoidance, RFC 9293 section 3.8.6.2.2).
        if edge >= self.edge + self.segment_size.min(self.buffer.window() / 2) || edge < self.edge {
            self.edge = self.edge.max(edge);
        }
        self.edge - self.nxt
    }

    /// An ACK left: nothing is due any more.
    pub(super) fn on_ack_sent(&mut self) {
        self.acks.on_sent();
        self.last_ack_sent = self.nxt;
    }

    /// The blocks of the next ACK: the duplicate first, then the runs reported lately; at most `room`.
    pub(super) fn sack_blocks(&mut self, room: usize) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let number = |offset| SeqNumber::from_offset(self.irs, offset);
        if let Some((left, right)) = self.duplicate.take() {
            blocks.push(number(left), number(right));
        }
        let reported = usize::from(!blocks.is_empty());
        for (left, right) in self.ahead.in_order_of_report(self.fill_blocks) {
            let block = (number(left), number(right));
            if blocks.as_slice().len() < room && !blocks.as_slice()[reported..].contains(&block) {
                blocks.push(block.0, block.1);
            }
        }
        blocks
    }

    /// True when there are SACK blocks to send.
    pub(super) fn has_blocks(&self) -> bool {
        !self.ahead.is_empty() || self.duplicate.is_some()
    }

    /// True when all of `start..end` has arrived before; of nothing it has not.
    pub(super) fn has_all(&self, start: u64, end: u64) -> bool {
        end > start && (end <= self.nxt || self.ahead.holds(start.max(self.nxt), end))
    }

    /// A segment without new data or outside the window: acknowledged at once.
    pub(super) fn on_duplicate_data(&mut self, start: u64, end: u64) {
        self.acks.set_due();
        self.discarded =
            Some(if self.has_all(start, end) { Discard::DuplicateData } else { Discard::OutsideWindow });
        if end > start && start < self.edge {
            self.duplicates_received += 1;
            if start < self.nxt {
                self.acks.on_old_data(self.buffer.window());
            }
        }
        self.report_duplicate(start, end);
    }

    /// What of `start..end` was there before goes into the next ACK, at once (RFC 2883 section 4).
    fn report_duplicate(&mut self, start: u64, end: u64) {
        let there =
            if start < self.nxt { self.nxt } else { self.ahead.run_around(start).map_or(start, |run| run.1) };
        if end.min(there) > start && self.report_duplicates {
            self.duplicate = Some((start, end.min(there)));
            self.acks.set_due();
        }
    }

    // Its one caller is the way of every segment.
    #[inline(always)]
    fn on_in_order(&mut self, now: Instant, segment: &Segment, len: u64, had_gap: bool, rtt: Duration) {
        if self.reading_paused {
            self.unread += len;
        } else {
            self.take_from_buffer(now, len, rtt);
        }
        let (since, is_urgent) = (self.nxt - self.last_ack_sent, had_gap || self.is_finished());
        let window = self.buffer.window();
        self.acks.on_in_order(now, segment, (since, window), !self.reading_paused, is_urgent);
    }
}

#[cfg(test)]
mod tests;
