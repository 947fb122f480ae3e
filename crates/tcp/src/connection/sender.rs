//! The sending half: the variables of RFC 9293 section 3.3.1, what bounds them, and what is due.

use std::collections::VecDeque;

use farlink_kernel::{Duration, Instant};

use super::send_window::SendWindow;
use crate::config::{Config, MaxWindowOf};
use crate::recovery::scoreboard::{Delivery, Scoreboard, SegmentId};
use crate::segment::SackBlocks;
use crate::seq::SeqNumber;

/// The sending half, in own sequence-space offsets.
#[derive(Debug)]
pub(super) struct Sender {
    iss: SeqNumber,
    /// What is outstanding, from `SND.UNA` to `SND.NXT`.
    board: Scoreboard,
    window: SendWindow,
    /// One past the last byte written, and one past the FIN after it.
    data_end: u64,
    end: u64,
    is_closing: bool,
    /// Ends of records that are not acknowledged, ascending.
    records: VecDeque<u64>,
    /// There are bursts, records or a send buffer: what other senders do stays small.
    is_shaped: bool,
    /// The inverse of the segment size.
    per_byte: f64,
    /// The user's clamp in bytes, on what is not acknowledged.
    max_window: u64,
    /// The same on what is in flight; one of the two is infinite.
    max_in_flight: u64,
    initial_window: f64,
    last_sent: Instant,
    /// Bytes that counted against the window after the last input or transmission.
    in_flight: u64,
    /// Bytes that may still be sent, if known since the last input.
    room: Option<u64>,
    /// Most that was in flight since the offset before this one was sent.
    fullest: (u64, u64),
    must_retransmit: bool,
    tail_probe_due: bool,
}

impl Sender {
    pub(super) fn new(config: &Config, iss: SeqNumber) -> Self {
        let segment_size = config.segment_size.0;
        let most = config.max_window.map_or(u64::MAX, |most| most.bytes(config.segment_size));
        let (max_window, max_in_flight) = match config.max_window_of {
            MaxWindowOf::Unacknowledged => (most, u64::MAX),
            MaxWindowOf::InFlight => (u64::MAX, most),
        };
        Self {
            iss,
            board: Scoreboard::new(segment_size),
            window: SendWindow::SYN,
            data_end: 1,
            end: 1,
            is_closing: false,
            records: VecDeque::new(),
            is_shaped: config.segmentation_offload || config.send_buffer.is_some(),
            per_byte: 1.0 / segment_size as f64,
            max_window,
            max_in_flight,
            initial_window: config.initial_window.segments(config.segment_size),
            last_sent: Instant::ZERO,
            in_flight: 0,
            room: None,
            fullest: (0, 0),
            must_retransmit: false,
            tail_probe_due: false,
        }
    }

    /// The scoreboard keeps a list of what was marked lost, or none.
    pub(super) fn recording_losses(mut self, records: bool) -> Self {
        self.board.record_losses(records);
        self
    }

    /// Nothing was sent yet; what the application wrote is kept.
    pub(super) fn restart(&mut self, config: &Config) {
        let records = self.board.records_losses();
        *self = Self {
            data_end: self.data_end,
            end: self.end,
            is_closing: self.is_closing,
            ..Self::new(config, self.iss).recording_losses(records)
        };
    }

    /// `SND.UNA`.
    pub(super) fn una(&self) -> u64 {
        self.board.una()
    }

    /// `SND.NXT`.
    pub(super) fn nxt(&self) -> u64 {
        self.board.nxt()
    }

    #[inline]
    pub(super) fn board(&self) -> &Scoreboard {
        &self.board
    }

    /// For recovery, which marks what is lost.
    pub(super) fn board_mut(&mut self) -> &mut Scoreboard {
        &mut self.board
    }

    /// The number of the octet at `offset`.
    pub(super) fn number_of(&self, offset: u64) -> SeqNumber {
        SeqNumber::from_offset(self.iss, offset)
    }

    /// The offset that a number from the peer stands for.
    pub(super) fn offset_of(&self, number: SeqNumber) -> Option<u64> {
        number.to_offset(self.iss, self.una())
    }

    /// The offset of an acknowledgement; `None` if it is of what was never sent, or older than any window (RFC 5961
    /// section 5.2).
    #[inline]
    pub(super) fn acceptable_ack(&self, number: SeqNumber) -> Option<u64> {
        self.offset_of(number).filter(|ack| (self.oldest()..=self.nxt()).contains(ack))
    }

    /// The oldest offset that the peer may still speak of.
    pub(super) fn oldest(&self) -> u64 {
        self.una().saturating_sub(self.window.largest())
    }

    /// `len` new numbers leave.
    #[inline(always)]
    pub(super) fn push(&mut self, now: Instant, len: u64) -> SegmentId {
        self.board.push(self.board.nxt(), len as u32, now)
    }

    /// What is before `ack` is acknowledged.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, ack: u64, delivery: &mut Delivery) {
        self.board.acknowledge(ack, delivery);
    }

    /// The offset of an acknowledgement of outstanding data.
    #[inline(always)]
    pub(super) fn advancing_ack(&self, number: SeqNumber) -> Option<u64> {
        let advance = number.0.wrapping_sub(self.number_of(self.una()).0);
        (advance > 0 && u64::from(advance) <= self.board.outstanding())
            .then(|| self.una() + u64::from(advance))
    }

    /// Feeds the SACK blocks to the scoreboard in ascending order; true when the first is a DSACK
    /// (RFC 2883 section 4: below the cumulative ACK or inside the second block).
    pub(super) fn take_sack_blocks(&mut self, ack: u64, sack: &SackBlocks, delivery: &mut Delivery) -> bool {
        let mut blocks = [(0, 0); 4];
        let mut count = 0;
        for &(left, right) in sack.as_slice() {
            let offsets = self.offset_of(left).zip(self.offset_of(right));
            if let Some((left, right)) = offsets.filter(|&(left, right)| left < right && right <= self.nxt())
            {
                blocks[count] = (left, right);
                count += 1;
            }
        }
        let blocks = &mut blocks[..count];
        let has_dsack = match *blocks {
            [first, second, ..] => first.1 <= ack || (first.0 >= second.0 && first.1 <= second.1),
            [first] => first.1 <= ack,
            _ => false,
        };
        blocks.sort_unstable();
        for &(left, right) in blocks.iter().filter(|&&(_, right)| right > ack) {
            self.board.sack(left, right, delivery);
        }
        has_dsack
    }

    pub(super) fn window(&self) -> &SendWindow {
        &self.window
    }

    /// The peer offers its first window.
    pub(super) fn open_window(&mut self, size: u64) {
        self.window = SendWindow::first(size);
    }

    #[inline(always)]
    pub(super) fn update_window(&mut self, start: u64, ack: u64, size: u64) -> Option<bool> {
        self.window.update(start, ack, size)
    }

    /// Where the peer's window and the user's clamp let new data end.
    pub(super) fn edge(&self) -> u64 {
        self.window.edge().min(self.clamp_edge())
    }

    /// Where the user's clamp lets new data end.
    pub(super) fn clamp_edge(&self) -> u64 {
        self.una().saturating_add(self.max_window)
    }

    /// The largest window that peer and user may ever allow.
    pub(super) fn largest_window(&self) -> u64 {
        self.max_window.min(self.window.largest())
    }

    /// The user's clamp in bytes.
    pub(super) fn clamp(&self) -> u64 {
        self.max_window.min(self.max_in_flight)
    }

    /// A window in whole segments, as bytes: the one place where it is floored.
    pub(super) fn window_bytes(&self, cwnd: f64) -> u64 {
        let cwnd = (cwnd as i64).max(1).cast_unsigned().saturating_mul(self.segment_size());
        cwnd.min(self.max_in_flight)
    }

    /// True when the user's clamp bounds a congestion window of `cwnd` bytes.
    pub(super) fn is_clamped(&self, cwnd: u64) -> bool {
        cwnd == self.max_in_flight
    }

    /// Payload of a full segment.
    pub(super) fn segment_size(&self) -> u64 {
        self.board.segment_size()
    }

    pub(super) fn set_segment_size(&mut self, payload: u64) {
        self.board.set_segment_size(payload);
        self.per_byte = 1.0 / payload as f64;
        // A largest window below a segment, which has grown by declined options, would let nothing go.
        self.max_window = self.max_window.max(payload);
        self.max_in_flight = self.max_in_flight.max(payload);
    }

    pub(super) fn segments(&self, bytes: u64) -> f64 {
        // A signed conversion is one instruction, an unsigned one a dozen.
        bytes.cast_signed() as f64 * self.per_byte
    }

    /// Like [`Self::segments`], for a bound; `u64::MAX`, which stands for none, stays out of reach.
    pub(super) fn segments_at_most(&self, bytes: u64) -> f64 {
        self.segments(bytes.min(i64::MAX.cast_unsigned()))
    }

    /// In segments.
    pub(super) fn initial_window(&self) -> f64 {
        self.initial_window
    }

    /// The application wrote so many bytes more.
    pub(super) fn write(&mut self, bytes: u64) {
        self.data_end = self.data_end.saturating_add(bytes);
        self.end = self.data_end + u64::from(self.is_closing);
    }

    /// The application writes no more: FIN follows.
    pub(super) fn close(&mut self) {
        self.is_closing = true;
        self.end = self.data_end + 1;
    }

    /// What was written ends a record.
    pub(super) fn end_record(&mut self) {
        self.records.push_back(self.data_end);
        self.is_shaped = true;
    }

    /// One past the last byte written.
    pub(super) fn data_end(&self) -> u64 {
        self.data_end
    }

    /// Numbers that wait to be sent, FIN included.
    pub(super) fn unsent(&self) -> u64 {
        self.end.saturating_sub(self.nxt())
    }

    /// Numbers of the next new segment.
    pub(super) fn next_len(&self) -> u64 {
        self.unsent().min(self.segment_size())
    }

    /// True when there are new numbers and both windows, but for that of congestion, let a segment of them go.
    pub(super) fn may_send_new(&self) -> bool {
        let len = self.next_len();
        len > 0 && self.nxt() + len <= self.edge()
    }

    /// One past the last number there is to send, FIN included.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn is_all_acknowledged(&self) -> bool {
        self.una() == self.end
    }

    pub(super) fn is_closing(&self) -> bool {
        self.is_closing
    }

    /// True when the `len` numbers from `start` end with the FIN.
    pub(super) fn has_fin(&self, start: u64, len: u64) -> bool {
        self.is_closing && len > 0 && start + len == self.end
    }

    /// True when something else than new data is due, or new data are more than full segments.
    #[inline(always)]
    pub(super) fn is_special(&self) -> bool {
        self.is_shaped | self.is_closing | self.must_retransmit | self.tail_probe_due
    }

    pub(super) fn is_shaped(&self) -> bool {
        self.is_shaped
    }

    pub(super) fn ends_record(&self, end: u64) -> bool {
        self.records.contains(&end)
    }

    /// Of `len` new bytes, those that end with the record they begin in.
    pub(super) fn up_to_record(&mut self, len: u64) -> u64 {
        let (una, nxt) = (self.una(), self.nxt());
        while self.records.front().is_some_and(|end| *end <= una) {
            self.records.pop_front();
        }
        let end = self.records.iter().find(|&&end| end > nxt);
        end.map_or(len, |end| len.min(end - nxt))
    }

    /// FIN goes with the last data (RFC 9293 section 3.10.4), a full segment of them too if the windows have room.
    #[inline(always)]
    pub(super) fn with_fin(&self, len: u64, room: u64) -> u64 {
        if self.is_closing { self.with_fin_if_last(len, room) } else { len }
    }

    #[cold]
    fn with_fin_if_last(&self, len: u64, room: u64) -> u64 {
        let end = self.nxt() + len + 1;
        let goes_with_it = len == self.segment_size() && end == self.end && len < room && end <= self.edge();
        len + u64::from(goes_with_it)
    }

    /// Something leaves now: the sender is idle from now on.
    pub(super) fn restart_idle_time(&mut self, now: Instant) {
        self.last_sent = now;
    }

    /// How long nothing was sent.
    pub(super) fn idle_time(&self, now: Instant) -> Duration {
        now.saturating_since(self.last_sent)
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// An input changed what counts against the window.
    #[inline]
    pub(super) fn set_in_flight(&mut self, bytes: u64) {
        self.in_flight = bytes;
        self.room = None;
    }

    /// A segment of `len` bytes entered the network, in which `in_flight` bytes are now.
    #[inline]
    pub(super) fn enter_network(&mut self, len: u64, in_flight: u64) {
        self.in_flight = in_flight;
        self.room = self.room.map(|room| room.saturating_sub(len));
    }

    pub(super) fn room(&self) -> Option<u64> {
        self.room
    }

    pub(super) fn remember_room(&mut self, room: u64) {
        self.room = Some(room);
    }

    /// The window changed.
    pub(super) fn forget_room(&mut self) {
        self.room = None;
    }

    /// So many bytes fill the window, whatever is in flight.
    pub(super) fn note_full(&mut self, bytes: u64) {
        self.fullest = (bytes, self.nxt());
    }

    /// Most that was in flight since a window ago, before an ACK that arrived with these (`tcp_cwnd_validate`).
    pub(super) fn fullest(&mut self, prior_una: u64, prior_in_flight: u64) -> u64 {
        let (fullest, end) = self.fullest;
        if prior_una >= end || prior_in_flight > fullest {
            self.note_full(prior_in_flight);
        }
        self.fullest.0
    }

    /// A retransmission goes out whatever the window says: the first of an episode, or after a partial ACK.
    pub(super) fn force_retransmission(&mut self, is_forced: bool) {
        self.must_retransmit = is_forced;
    }

    pub(super) fn must_retransmit(&self) -> bool {
        self.must_retransmit
    }

    /// A tail-loss probe is due.
    pub(super) fn probe_tail(&mut self) {
        self.tail_probe_due = true;
    }

    pub(super) fn take_tail_probe_due(&mut self) -> bool {
        std::mem::take(&mut self.tail_probe_due)
    }
}
