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

    fn on_timeout(&mut self, board: &mut Scoreboard, now: Instant, nxt: u64) {
        self.sack.on_timeout(board, now, nxt);
    }

    fn on_spurious(&mut self, board: &mut Scoreboard, una: u64) {
        self.sack.on_spurious(board, una);
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
    /// What was delivered since the episode began (`prr_delivered`) and what was sent (`prr_out`).
    delivered: u64,
    out: u64,
    /// `RecoverFS`: the flight when the episode began; Linux: the window (`prior_cwnd`).
    recover_flight: u64,
    ssthresh: u64,
    /// Bytes that may be in flight until the next ACK.
    pub(super) window: u64,
    /// What the ACK at hand delivered, and whether it is a `SafeACK`.
    at_hand: (u64, bool),
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
            delivered: 0,
            out: 0,
            recover_flight: 1,
            ssthresh: 0,
            window: 0,
            at_hand: (0, false),
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
        let safe = acked.una > acked.prior_una && acked.delivery.lost == 0;
        self.at_hand = (self.count(acked.delivery.delivered, board.segment_size()), safe);
        self.newly = acked.delivery.acked + acked.delivery.sacked;
        self.cwnd = acked.cwnd;
        if in_episode && acked.delivery.delivered > 0 {
            self.update(board);
        }
    }

    /// A timer found losses: no ACK is at hand, and what the last one delivered was counted when it came.
    pub(super) fn on_timer(&mut self) {
        self.at_hand = (0, false);
        self.newly = 0;
    }

    pub(super) fn on_enter(&mut self, board: &Scoreboard, ssthresh: u64) {
        let flight = board.outstanding();
        self.recover_flight = match self.bound {
            _ if self.counts_packets => self.cwnd,
            Bound::Rfc9937 => flight - board.sacked_bytes() + self.newly,
            Bound::SlowStart | Bound::Conservative => flight,
        }
        .max(1);
        self.ssthresh = ssthresh;
        self.delivered = 0;
        self.out = 0;
        self.update(board);
    }

    pub(super) fn on_sent(&mut self, board: &Scoreboard, id: SegmentId) {
        let len = board.get(id).map_or(0, |sent| u64::from(sent.len));
        self.out += self.count(len, board.segment_size());
    }

    fn update(&mut self, board: &Scoreboard) {
        let (delivered, safe) = self.at_hand;
        let segment = board.segment_size();
        let pipe = self.count(board.pipe(), segment);
        self.delivered += delivered;
        let room = if pipe > self.ssthresh {
            // Rounded up to whole segments, in which the RFCs' examples count: a part of one cannot be sent.
            let share = self.delivered.saturating_mul(self.ssthresh).div_ceil(self.recover_flight);
            share.next_multiple_of(segment).saturating_sub(self.out)
        } else {
            let owed = self.delivered.saturating_sub(self.out);
            let limit = match self.bound {
                Bound::Conservative => owed,
                Bound::SlowStart => owed.max(delivered) + segment,
                Bound::Rfc9937 => owed.max(delivered) + if safe { segment } else { 0 },
            };
            limit.min(self.ssthresh - pipe)
        };
        // The fast retransmit itself always goes out.
        let room = if self.out == 0 { room.max(segment) } else { room };
        self.window = board.pipe() + room;
    }
}

#[cfg(test)]
mod tests;
