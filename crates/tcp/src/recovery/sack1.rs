//! K. Fall, S. Floyd, "Simulation-based Comparisons of Tahoe, Reno, and SACK TCP", ACM SIGCOMM CCR 26(3),
//! 1996; as ns-2.35's Agent/TCP/Sack1 does it.
//!
//! SACK before there was an RFC for it. A counter, `pipe`, stands for what is in the network: every ACK takes one from
//! it, every transmission adds one; while it is below the window, the lowest hole that was not retransmitted goes out, and
//! new data when there is no hole. What was lost is in the counter too, as the sender cannot tell how much that is:
//! when more than half of a window is lost, nothing goes until the timer expires. That timer also repairs what is lost
//! twice. After it the sender goes back to the first hole and retransmits all, whatever SACK shows.
//!
//! Equations: pipe = FlightSize - 3 with the third duplicate ACK, the first retransmission in it; -1 per ACK,
//! -2 per partial ACK, +1 per transmission; sent is while pipe < cwnd. Left out: nothing.

use farlink_kernel::{Instant, config};

use super::duplicate_acks::Duplicates;
use super::scoreboard::{Scoreboard, SegmentId, Sent};
use super::{Acked, DUPLICATE_THRESHOLD, Phase, Recovery, Setup, Step};

pub(super) const SOURCE: &str = "Fall, Floyd, SIGCOMM CCR 26(3), 1996";
pub(super) const NEEDS_TIMER: bool = true;

config! {
    /// Parameters of Sack1: none.
    pub struct Config {}
}

#[derive(Clone, Debug)]
pub(crate) struct Sack1 {
    duplicates: Duplicates,
    /// Bytes thought to be in the network during an episode.
    pipe: u64,
    /// Holes below were retransmitted in this episode.
    next_hole: SegmentId,
}

impl Sack1 {
    pub(crate) fn new(_config: &Config, setup: &Setup) -> Self {
        Self { duplicates: Duplicates::new(setup), pipe: 0, next_hole: 0 }
    }

    fn on_duplicate(&mut self, board: &mut Scoreboard, acked: &Acked) -> Step {
        if acked.delivery.sacked == 0 {
            return Step::Stay;
        }
        // No second episode for what was sent before a timeout; the end of an episode lifts that bar.
        let recover = self.duplicates.recover;
        let may_enter = recover == 0 || acked.una > recover;
        let step = self.duplicates.on_arrival_above_hole(board, acked, may_enter);
        if let Step::Enter(_) = step {
            // The first retransmission adds itself, and stands for the segment that is known to be lost.
            let gone = u64::from(DUPLICATE_THRESHOLD + 1) * board.segment_size();
            self.pipe = board.outstanding().saturating_sub(gone);
            self.next_hole = board.first_id();
        }
        step
    }

    fn on_ack_in_episode(&mut self, board: &mut Scoreboard, acked: &Acked) -> Step {
        let is_partial = acked.una > acked.prior_una;
        if is_partial && acked.una >= self.duplicates.recover {
            self.duplicates.recover = 0;
            board.forget();
            return self.duplicates.on_new_ack(acked.una);
        }
        self.pipe = self.pipe.saturating_sub((1 + u64::from(is_partial)) * board.segment_size());
        Step::Stay
    }
}

impl Recovery for Sack1 {
    fn phase(&self) -> Phase {
        self.duplicates.phase
    }

    fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step {
        if self.duplicates.phase == Phase::Fast {
            return self.on_ack_in_episode(board, acked);
        }
        if acked.una == acked.prior_una {
            return self.on_duplicate(board, acked);
        }
        // Out of an episode an ACK for new data makes the sender forget what the receiver reported.
        if board.sacked_bytes() > 0 {
            board.forget();
        }
        self.duplicates.on_new_ack(acked.una)
    }

    fn on_timeout(&mut self, board: &mut Scoreboard, _now: Instant) {
        self.duplicates.on_timeout(board);
    }

    fn on_spurious(&mut self, board: &mut Scoreboard) {
        self.duplicates.on_spurious(board);
    }

    fn in_flight(&self, board: &Scoreboard) -> u64 {
        if self.duplicates.phase == Phase::Fast { self.pipe } else { self.duplicates.in_flight(board) }
    }

    fn next_retransmission(&mut self, board: &mut Scoreboard, _no_new_data: bool) -> Option<SegmentId> {
        if self.duplicates.phase != Phase::Fast {
            return board.next_lost();
        }
        board.next_suspect(self.next_hole)
    }

    fn on_sent(&mut self, board: &Scoreboard, id: SegmentId, _now: Instant) {
        if self.duplicates.phase != Phase::Fast {
            return self.duplicates.on_sent(board, id);
        }
        self.pipe += board.get(id).map_or(0, |sent| u64::from(sent.len));
        if board.get(id).is_some_and(Sent::is_retransmitted) {
            self.next_hole = id + 1;
        }
    }

    fn is_at_rest(&self) -> bool {
        self.duplicates.is_at_rest()
    }

    fn reads_sack(&self) -> bool {
        self.duplicates.phase != Phase::Timeout
    }

    fn limited_transmit_bytes(&self) -> u64 {
        self.duplicates.limited_bytes
    }
}

#[cfg(test)]
mod tests;
