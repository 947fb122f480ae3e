//! N. Dukkipati, M. Mathis, Y. Cheng, M. Ghobadi, "Proportional Rate Reduction for TCP", IMC 2011;
//! RFC 6937, 2013, and its successor RFC 9937.
//!
//! During an episode the sender sends in proportion to what is delivered, so that by its end the flight has
//! shrunk evenly to the new threshold. When losses took more than that, it grows back as in slow start or
//! slower, within a bound.
//!
//! Equations, per ACK: above the threshold sndcnt = ceil(prr_delivered ssthresh / RecoverFS) - prr_out; else
//! sndcnt = min(ssthresh - pipe, limit), with the limit by [`Bound`]. Losses are found as RFC 6675 does.

use farlink_kernel::{Instant, choice, config};

use super::sack::Sack;
use super::scoreboard::{Scoreboard, SegmentId};
use super::{Acked, Phase, Recovery, Setup, Step};

pub(super) const SOURCE: &str = "RFC 6937, 2013; RFC 9937";
pub(super) const NEEDS_TIMER: bool = true;

choice! {
    /// How fast the flight grows back once it is below the threshold.
    pub enum Bound {
        /// RFC 9937: slow start while the ACKs look safe, conservation otherwise.
        Rfc9937 = "rfc9937",
        /// Slow-start reduction bound of RFC 6937: one segment more than was delivered.
        SlowStart = "slow_start",
        /// Conservative reduction bound of RFC 6937: what was delivered.
        Conservative = "conservative",
    }
}

config! {
    /// Parameters of proportional rate reduction.
    pub struct Config {
        /// How fast the flight grows back once it is below the threshold.
        pub bound: Bound = Bound::Rfc9937,
    }
}

/// Proportional rate reduction over RFC 6675's loss detection.
#[derive(Clone, Debug)]
pub(crate) struct Prr {
    sack: Sack,
    reduction: Reduction,
}

impl Prr {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            sack: Sack::new(&super::sack::Config {}, setup),
            reduction: Reduction::new(config.bound, setup.reduces_packets),
        }
    }
}

impl Recovery for Prr {
    fn phase(&self) -> Phase {
        self.sack.phase()
    }

    fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step {
        let step = self.sack.on_ack(board, acked);
        self.reduction.on_ack(board, acked, self.sack.phase() == Phase::Fast && step == Step::Stay);
        step
    }

    fn on_enter(&mut self, board: &mut Scoreboard, ssthresh: u64) {
        self.reduction.on_enter(board, ssthresh);
    }

    fn on_timeout(&mut self, board: &mut Scoreboard, now: Instant) {
        self.sack.on_timeout(board, now);
    }

    fn on_spurious(&mut self, board: &mut Scoreboard) {
        self.sack.on_spurious(board);
    }

    fn in_flight(&self, board: &Scoreboard) -> u64 {
        self.sack.in_flight(board)
    }

    fn window(&self) -> Option<u64> {
        (self.sack.phase() == Phase::Fast).then_some(self.reduction.window)
    }

    fn next_retransmission(&mut self, board: &mut Scoreboard, no_new_data: bool) -> Option<SegmentId> {
        self.sack.next_retransmission(board, no_new_data)
    }

    fn on_sent(&mut self, board: &Scoreboard, id: SegmentId, now: Instant) {
        self.sack.on_sent(board, id, now);
        self.reduction.on_sent(board, id);
    }

    fn limited_transmit_bytes(&self) -> u64 {
        self.sack.limited_transmit_bytes()
    }

    fn is_at_rest(&self) -> bool {
        self.sack.is_at_rest()
    }
}

/// The state of one episode's reduction, in bytes; shared with RACK.
///
/// Where packets are counted (Linux) each counts as a full segment. A short last one would else leave less room than the next
/// retransmission takes.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    bound: Bound,
    counts_packets: bool,
    share: Share,
    /// What was sent since the episode began (`prr_out`).
    out: u64,
    /// Bytes that may be in flight until the next ACK.
    pub(super) window: u64,
    /// What the ACK at hand delivered.
    at_hand: Delivered,
    /// What it SACKed and acknowledged anew.
    newly: u64,
    /// The window before it.
    cwnd: u64,
}

impl Reduction {
    pub(super) fn new(bound: Bound, counts_packets: bool) -> Self {
        Self {
            bound,
            counts_packets,
            share: Share::new(1, 0),
            out: 0,
            window: 0,
            at_hand: Delivered::default(),
            newly: 0,
            cwnd: 1,
        }
    }

    /// What `bytes` of packets count for.
    fn count(&self, bytes: u64, segment: u64) -> u64 {
        if self.counts_packets { bytes.next_multiple_of(segment) } else { bytes }
    }

    /// An ACK arrived; `in_episode` when it neither begins nor ends one.
    pub(super) fn on_ack(&mut self, board: &Scoreboard, acked: &Acked, in_episode: bool) {
        // RFC 9937: an ACK is safe when it advances and shows no further loss.
        self.at_hand = Delivered {
            amount: self.count(acked.delivery.delivered, board.segment_size()),
            is_safe: acked.una > acked.prior_una && acked.delivery.lost == 0,
        };
        self.newly = acked.delivery.acked + acked.delivery.sacked;
        self.cwnd = acked.cwnd;
        if in_episode && acked.delivery.delivered > 0 {
            self.update(board);
        }
    }

    /// A timer found losses: no ACK is at hand, and what the last one delivered was counted when it came.
    pub(super) fn on_timer(&mut self) {
        self.at_hand = Delivered::default();
        self.newly = 0;
    }

    pub(super) fn on_enter(&mut self, board: &Scoreboard, ssthresh: u64) {
        let flight = board.outstanding();
        let from = match self.bound {
            _ if self.counts_packets => self.cwnd,
            Bound::Rfc9937 => flight - board.sacked_bytes() + self.newly,
            Bound::SlowStart | Bound::Conservative => flight,
        };
        self.share = Share::new(from, ssthresh);
        self.out = 0;
        self.update(board);
    }

    pub(super) fn on_sent(&mut self, board: &Scoreboard, id: SegmentId) {
        let len = board.get(id).map_or(0, |sent| u64::from(sent.len));
        self.out += self.count(len, board.segment_size());
    }

    fn update(&mut self, board: &Scoreboard) {
        let segment = board.segment_size();
        let pipe = self.count(board.pipe(), segment);
        self.window = board.pipe() + self.share.room(self.bound, self.at_hand, pipe, self.out, segment);
    }
}

/// What an ACK delivered, and whether it is a `SafeACK`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delivered {
    pub(crate) amount: u64,
    pub(crate) is_safe: bool,
}

/// The equations of a reduction, in bytes, or in packets with segments of one.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    /// `RecoverFS`.
    from: u64,
    /// ssthresh.
    pub(crate) to: u64,
    /// `prr_delivered`.
    delivered: u64,
}

impl Share {
    pub(crate) fn new(from: u64, to: u64) -> Self {
        Self { from: from.max(1), to, delivered: 0 }
    }

    /// `sndcnt` after an ACK, with `pipe` in flight and `out` sent since the begin.
    pub(crate) fn room(&mut self, bound: Bound, ack: Delivered, pipe: u64, out: u64, segment: u64) -> u64 {
        self.delivered += ack.amount;
        let room = if pipe > self.to {
            // Rounded up to whole segments, in which the RFCs' examples count: a part of one cannot be sent.
            let share = self.delivered.saturating_mul(self.to).div_ceil(self.from);
            share.next_multiple_of(segment).saturating_sub(out)
        } else {
            let owed = self.delivered.saturating_sub(out);
            let limit = match bound {
                Bound::Conservative => owed,
                Bound::SlowStart => owed.max(ack.amount) + segment,
                Bound::Rfc9937 => owed.max(ack.amount) + if ack.is_safe { segment } else { 0 },
            };
            limit.min(self.to - pipe)
        };
        // The fast retransmit itself always goes out.
        if out == 0 { room.max(segment) } else { room }
    }
}

#[cfg(test)]
mod tests;
