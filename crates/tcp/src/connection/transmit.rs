//! Segments: those that [`output`](super::output) chose, then acknowledgements, after every input.

use farlink_kernel::{Bytes, Instant};

use super::accounts::Cause;
use super::api::{State, Transmit};
use super::endpoint::Connection;
use super::output::Piece;
use super::timers::Timer;
use crate::congestion::EcnFeedback;
use crate::recovery::Phase;
use crate::segment::{Ecn, Flags, Options, SackBlocks, Segment, Timestamps};

/// What a SACK option takes before its blocks, padding included, and what a block takes.
const SACK_HEAD: u64 = 4;
const SACK_BLOCK: u64 = 8;

/// The destination of segments.
pub trait Outlet {
    /// Sends a segment now.
    fn send(&mut self, transmit: &Transmit);
}

impl Outlet for Option<Transmit> {
    fn send(&mut self, transmit: &Transmit) {
        *self = Some(*transmit);
    }
}

impl Connection {
    /// Hands every segment that goes now to `outlet`. Called after every input.
    #[inline]
    pub fn transmit(&mut self, now: Instant, outlet: &mut impl Outlet) {
        if self.is_silent() {
            while self.transmit_reset(now, outlet) {}
            return;
        }
        if !self.transmits_as_predicted(now, outlet) {
            if self.negotiated.ecn != EcnFeedback::None {
                self.transmit_ecn_acks(now, outlet);
            }
            while self.transmit_piece(now, outlet) {}
        }
        self.transmit_acknowledgement(now, outlet);
    }

    /// The next segment to send now, for callers that read the connection after each. Called after every input until it
    /// gives `None`.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Transmit> {
        let mut next = None;
        if self.is_silent() {
            self.transmit_reset(now, &mut next);
        } else if let Some(transmit) = self.next_ecn_ack(now) {
            next = Some(transmit);
        } else if !self.transmit_piece(now, &mut next) {
            self.transmit_acknowledgement(now, &mut next);
        }
        next
    }

    fn is_silent(&self) -> bool {
        self.reset.is_some() || matches!(self.state, State::Closed | State::Listen)
    }

    /// Hands the next piece of the sequence space, if one goes now, to `outlet`; false when none does.
    #[inline]
    fn transmit_piece(&mut self, now: Instant, outlet: &mut impl Outlet) -> bool {
        if !self.has_anything_to_send() {
            self.accounts.run_out_of_data();
            return false;
        }
        let Some(piece) = self.next_piece(now) else { return false };
        self.send(now, &piece, outlet);
        true
    }

    /// What is due when no piece is left to go.
    #[inline]
    fn transmit_acknowledgement(&mut self, now: Instant, outlet: &mut impl Outlet) {
        self.charge(now);
        if self.rcv.acks().is_due() || self.timers.is_window_probe_due() {
            self.send_ack(now, outlet);
        }
    }

    #[cold]
    fn transmit_reset(&mut self, now: Instant, outlet: &mut dyn Outlet) -> bool {
        let reset = self.take_reset(now);
        if let Some(transmit) = &reset {
            outlet.send(transmit);
        }
        reset.is_some()
    }

    #[inline]
    fn send(&mut self, now: Instant, piece: &Piece, outlet: &mut impl Outlet) {
        self.snd.restart_idle_time(now);
        if self.timers.at(Timer::Retransmission) == Instant::NEVER {
            self.restart_rto(now);
        }
        if self.is_control(piece) || self.has_blocks_to_add() {
            self.send_with_options(now, piece, outlet);
        } else {
            let transmit = self.data(now, piece);
            self.pace(now, Bytes(piece.len));
            outlet.send(&transmit);
        }
        if self.snd.is_closing() {
            self.advance_close(now);
        }
    }

    /// A SYN, or a FIN without data.
    fn is_control(&self, piece: &Piece) -> bool {
        piece.start == 0 || piece.start >= self.snd.data_end()
    }

    /// What has more options than most segments.
    #[cold]
    fn send_with_options(&mut self, now: Instant, piece: &Piece, outlet: &mut dyn Outlet) {
        let mut transmit = if self.is_control(piece) {
            self.counters.retransmissions += u64::from(piece.first_sent.is_some());
            self.transmission(now, piece)
        } else {
            self.data(now, piece)
        };
        if piece.start == 0 {
            self.make_syn(now, &mut transmit.segment);
            if piece.first_sent.is_none() {
                self.open_fast(now, &mut transmit.segment);
            }
        } else if self.has_blocks_to_add() {
            self.add_blocks(&mut transmit.segment);
        }
        self.pace(now, Bytes(piece.len));
        outlet.send(&transmit);
    }

    #[inline(always)]
    pub(super) fn data(&mut self, now: Instant, piece: &Piece) -> Transmit {
        let mut transmit = self.transmission(now, piece);
        if self.negotiated.ecn != EcnFeedback::None {
            self.make_capable(&mut transmit);
        }
        self.counters.data_segments_sent += 1;
        self.counters.retransmissions += u64::from(transmit.is_retransmission);
        transmit
    }

    // What makes a segment is inlined down to its outlet: returned from a call, it would be written twice.
    #[inline(always)]
    fn transmission(&mut self, now: Instant, piece: &Piece) -> Transmit {
        Transmit {
            segment: self.segment(now, piece.start, piece.len),
            ecn: Ecn::NotCapable,
            offset: piece.start.saturating_sub(1),
            first_sent: piece.first_sent.unwrap_or(now),
            is_retransmission: piece.first_sent.is_some(),
        }
    }

    /// Sets when the segment after one of `payload` may go. Most senders are not paced: they pay for two comparisons, and
    /// not for a call, which is a hundredth of what a segment takes.
    #[inline(always)]
    fn pace(&mut self, now: Instant, payload: Bytes) {
        if self.config.pacing || self.window.pacing_rate.is_some() {
            self.delay_next(now, payload);
        }
    }

    #[inline(never)]
    fn delay_next(&mut self, now: Instant, payload: Bytes) {
        let Some(rate) = self.pacing_rate() else { return };
        if self.counters.data_segments_sent < self.config.unpaced_segments {
            // The first pause has credit for what passed since the last segment, paced or not.
            self.pacer.release(now);
            return;
        }
        self.pacer.on_sent(now, rate.time_to_send(payload));
    }

    #[inline]
    fn send_ack(&mut self, now: Instant, outlet: &mut impl Outlet) {
        if self.has_blocks_to_add() {
            return self.send_blocks(now, outlet);
        }
        let transmit = self.acknowledgement(now);
        outlet.send(&transmit);
    }

    #[cold]
    fn send_blocks(&mut self, now: Instant, outlet: &mut dyn Outlet) {
        let mut transmit = self.acknowledgement(now);
        self.add_blocks(&mut transmit.segment);
        outlet.send(&transmit);
    }

    #[inline(always)]
    pub(super) fn acknowledgement(&mut self, now: Instant) -> Transmit {
        // A window probe repeats a number that was acknowledged, so that the peer must answer.
        let probes = self.timers.take_window_probe();
        let start = if probes { self.snd.una().saturating_sub(1) } else { self.snd.nxt() };
        Transmit {
            segment: self.segment(now, start, 0),
            ecn: Ecn::NotCapable,
            offset: self.snd.nxt().saturating_sub(1),
            first_sent: now,
            is_retransmission: false,
        }
    }

    /// Builds the segment of the sequence space `start..start + len`; it acknowledges all that arrived.
    #[inline(always)]
    fn segment(&mut self, now: Instant, start: u64, len: u64) -> Segment {
        let fin = self.snd.has_fin(start, len);
        let payload = len - u64::from(fin);
        let mut flags = Flags::ACK;
        if fin {
            flags |= Flags::FIN;
        }
        let is_pushed = self.snd.is_shaped() && self.ends_record_or_burst(start + payload);
        if payload > 0 && (is_pushed || start + payload == self.snd.data_end()) {
            flags |= Flags::PSH;
        }
        flags |= self.rcv.ecn_flags();
        let segment = Segment {
            seq: self.snd.number_of(start),
            ack: self.rcv.ack(),
            flags,
            window: (self.rcv.offer_window() >> self.negotiated.own_shift).min(65_535) as u16,
            len: payload as u32,
            options: Options {
                mss: None,
                window_scale: None,
                sack_permitted: false,
                timestamps: self.timestamps(now),
                sack: SackBlocks::default(),
            },
        };
        self.rcv.on_ack_sent();
        segment
    }

    /// RFC 2018 section 4: blocks go with every ACK, with data too where the segment is not full. So does an AccECN option
    /// that is due (RFC 9768 section 3.2.3.3).
    #[inline]
    pub(super) fn has_blocks_to_add(&self) -> bool {
        (self.rcv.has_blocks() && self.negotiated.sack) || self.is_acc_ecn_due
    }

    /// As many blocks as the options may take, of at most 40 bytes, and as the payload leaves.
    fn room_for_blocks(&self, segment: &Segment) -> usize {
        let left = self.snd.segment_size().saturating_sub(u64::from(segment.len) + SACK_HEAD);
        // An AccECN option leaves room for two.
        let most = if self.is_acc_ecn_due {
            2
        } else if self.negotiated.timestamps {
            3
        } else {
            4
        };
        if segment.len == 0 { most } else { most.min((left / SACK_BLOCK) as usize) }
    }

    #[cold]
    fn add_blocks(&mut self, segment: &mut Segment) {
        let room = self.room_for_blocks(segment);
        if room > 0 && self.rcv.has_blocks() && self.negotiated.sack {
            segment.options.sack = self.rcv.sack_blocks(room);
        }
        if self.is_acc_ecn_due {
            self.add_acc_ecn_option(segment);
        }
    }

    pub(super) fn timestamps(&self, now: Instant) -> Option<Timestamps> {
        self.negotiated
            .timestamps
            .then(|| Timestamps { value: self.clock.at(now), echo: self.rcv.ts_recent() })
    }

    /// From now on the buffer that the application writes to is full, or no longer. A full buffer, and not the application,
    /// limits a sender that has sent all of it.
    pub fn note_full_buffer(&mut self, now: Instant, is_full: bool) {
        let cause = if is_full { Cause::MaxWindow } else { Cause::Application };
        if self.accounts.set_out_of_data(cause) && self.snd.unsent() == 0 {
            self.accounts.run_out_of_data();
            self.charge(now);
        }
    }

    /// Nothing more is sent now: the account is charged with the reason until the next input.
    fn charge(&mut self, now: Instant) {
        let cause = match self.phase {
            Phase::Open => self.accounts.blocked(),
            _ if self.freeze.is_frozen => Cause::Frozen,
            Phase::Timeout => Cause::Timeout,
            Phase::Fast => Cause::Recovery,
        };
        self.accounts.charge(now, cause);
    }
}
