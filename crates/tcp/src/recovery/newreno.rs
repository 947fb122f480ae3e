//! T. Henderson, S. Floyd, A. Gurtov, Y. Nishida, "The NewReno Modification to TCP's Fast Recovery
//! Algorithm", RFC 6582, 2012.
//!
//! A partial ACK (new, but below where the episode began) tells that the next segment is lost too: it is
//! retransmitted at once and the episode goes on until everything sent before it is acknowledged.
//!
//! Equations: partial ACK: window -= newly acked, += SMSS if that was at least one; full ACK: window =
//! min(ssthresh, max(FlightSize, SMSS) + SMSS) (step 3, option 1). Left out: the ACK and timestamp
//! heuristics of section 4.

use farlink_kernel::{Instant, config};

use super::reno::Duplicates;
use super::scoreboard::{Scoreboard, SegmentId};
use super::{Acked, Phase, Recovery, Setup, Step};

/// Where the algorithm stands.
pub const SOURCE: &str = "RFC 6582, 2012";

config! {
    /// Parameters of `NewReno`.
    pub struct Config {
        /// At the end of an episode the window is at most the flight plus one segment, which avoids a burst
        /// (step 3, option 1); off: it is ssthresh (option 2, ns-2).
        pub avoid_burst: bool = true,
    }
}

/// `NewReno` recovery.
#[derive(Clone, Debug)]
pub struct NewReno {
    duplicates: Duplicates,
    avoid_burst: bool,
    /// Partial ACKs of this episode.
    partial_acks: u32,
}

impl NewReno {
    /// Recovery of a new connection.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        Self { duplicates: Duplicates::new(setup), avoid_burst: config.avoid_burst, partial_acks: 0 }
    }

    fn on_partial_ack(&mut self, board: &mut Scoreboard, newly_acked: u64) -> Step {
        // Deflate by what was acknowledged, as the flight shrank by the same, and add back one segment.
        let inflation = &mut self.duplicates.inflation;
        *inflation = inflation.saturating_sub(newly_acked);
        if newly_acked >= board.segment_size() {
            *inflation += board.segment_size();
        }
        self.partial_acks += 1;
        board.lose_first();
        Step::Retransmit
    }
}

impl Recovery for NewReno {
    fn phase(&self) -> Phase {
        self.duplicates.phase
    }

    fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step {
        if acked.una == acked.prior_una {
            // Step 1: not for duplicates of segments retransmitted before; `recover` is one past the
            // highest byte sent then, so the ACK must be above it.
            let covers_more = acked.una > self.duplicates.recover;
            return self.duplicates.on_duplicate(board, acked, covers_more);
        }
        if self.duplicates.phase == Phase::Fast && acked.una < self.duplicates.recover {
            return self.on_partial_ack(board, acked.una - acked.prior_una);
        }
        let was_fast = self.duplicates.phase == Phase::Fast;
        self.partial_acks = 0;
        let flight = board.outstanding();
        match self.duplicates.on_new_ack(acked.una) {
            Step::Exit { .. } if was_fast && self.avoid_burst => {
                Step::Exit { at_most: flight.max(board.segment_size()) + board.segment_size() }
            }
            step => step,
        }
    }

    fn on_timeout(&mut self, board: &mut Scoreboard, _now: Instant, nxt: u64) {
        self.duplicates.on_timeout(board, nxt);
    }

    fn on_spurious(&mut self, board: &mut Scoreboard, _una: u64) {
        self.duplicates.on_spurious(board);
    }

    fn in_flight(&self, board: &Scoreboard) -> u64 {
        self.duplicates.in_flight(board)
    }

    fn next_retransmission(&mut self, board: &mut Scoreboard, _no_new_data: bool) -> Option<SegmentId> {
        board.next_lost()
    }

    fn on_sent(&mut self, board: &Scoreboard, id: SegmentId, _now: Instant) {
        self.duplicates.on_sent(board, id);
    }

    /// Section 3.2 step 3: only the first partial ACK restarts the retransmission timer ("impatient").
    fn restarts_timer(&self) -> bool {
        self.partial_acks <= 1
    }

    fn limited_transmit_bytes(&self) -> u64 {
        self.duplicates.limited_bytes
    }

    fn is_at_rest(&self) -> bool {
        self.duplicates.is_at_rest()
    }

    fn uses_sack(&self) -> bool {
        false
    }
}
