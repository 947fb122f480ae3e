//! T. Henderson, S. Floyd, A. Gurtov, Y. Nishida, "The NewReno Modification to TCP's Fast Recovery
//! Algorithm", RFC 6582, 2012.
//!
//! A partial ACK (new, but below where the episode began) shows that the next segment is lost too: it is
//! retransmitted at once and the episode continues until everything sent before it is acknowledged.
//!
//! Equations: partial ACK: window -= newly acked, += SMSS if that was at least one; full ACK: window = min(ssthresh,
//! max(FlightSize, SMSS) + SMSS) (step 3, option 1). Left out: the ACK and timestamp heuristics of section 4.

use farlink_kernel::config;

use super::duplicate_acks::{AckRules, Duplicates, WithoutSack};
use super::scoreboard::Scoreboard;
use super::{Acked, Phase, Setup, Step};

pub(super) const SOURCE: &str = "RFC 6582, 2012";
pub(super) const NEEDS_TIMER: bool = true;

config! {
    /// Parameters of `NewReno`.
    pub struct Config {
        /// At the end of an episode the window is at most the flight plus one segment, which avoids a burst
        /// (step 3, option 1); off: it is ssthresh (option 2, ns-2).
        pub avoid_burst: bool = true,
    }
}

pub type NewReno = WithoutSack<PartialAcks>;

/// A partial ACK retransmits the next hole.
#[derive(Clone, Debug)]
pub(crate) struct PartialAcks {
    avoid_burst: bool,
    count: u32,
}

impl NewReno {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self::with(PartialAcks::new(config), setup)
    }
}

impl PartialAcks {
    pub(crate) fn new(config: &Config) -> Self {
        Self { avoid_burst: config.avoid_burst, count: 0 }
    }

    fn on_partial_ack(&mut self, inflation: &mut u64, board: &mut Scoreboard, newly_acked: u64) -> Step {
        // Deflate by what was acknowledged, as the flight shrank by the same, and add back one segment.
        *inflation = inflation.saturating_sub(newly_acked);
        if newly_acked >= board.segment_size() {
            *inflation += board.segment_size();
        }
        self.count += 1;
        board.lose_first();
        Step::Retransmit
    }
}

impl AckRules for PartialAcks {
    fn on_ack(&mut self, duplicates: &mut Duplicates, board: &mut Scoreboard, acked: &Acked) -> Step {
        if acked.una == acked.prior_una {
            // Step 1: not for duplicates of segments retransmitted before; `recover` is one past the
            // highest byte sent then, so the ACK must be above it.
            return duplicates.on_duplicate(board, acked, acked.una > duplicates.recover);
        }
        let was_fast = duplicates.phase == Phase::Fast;
        if was_fast && acked.una < duplicates.recover {
            return self.on_partial_ack(&mut duplicates.inflation, board, acked.una - acked.prior_una);
        }
        self.count = 0;
        let flight = board.outstanding();
        match duplicates.on_new_ack(acked.una) {
            Step::Exit { .. } if was_fast && self.avoid_burst => {
                Step::Exit { at_most: flight.max(board.segment_size()) + board.segment_size() }
            }
            step => step,
        }
    }

    /// Section 3.2 step 3: only the first partial ACK restarts the retransmission timer ("impatient").
    fn restarts_timer(&self) -> bool {
        self.count <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::Recovery;
    use super::super::testing::{Bench, MSS, SETUP};
    use super::*;
    use crate::congestion::LossKind;

    /// Segments 11 to 20 are in flight with a window of 10; 11 and 14 are lost. Segment 10, the first here, was acknowledged.
    #[test]
    fn two_losses_of_ten_take_thirteen_acks() {
        let setup = Setup { limited_transmit: false, ..SETUP };
        let mut bench = Bench::new(NewReno::new(&Config::default(), &setup), 11);
        assert_eq!(bench.ack(1, (0, 0)), Step::Stay);
        // Cumulative ACK, SND.NXT after sending, window, retransmission, new segment.
        let steps = [
            (11, 21, 10, None, None),
            (11, 21, 10, None, None),
            (11, 21, 8, Some(11), None),
            (11, 21, 9, None, None),
            (11, 21, 10, None, None),
            (11, 22, 11, None, Some(21)),
            (11, 23, 12, None, Some(22)),
            (11, 24, 13, None, Some(23)),
            (14, 25, 11, Some(14), Some(24)),
            (14, 26, 12, None, Some(25)),
            (14, 27, 13, None, Some(26)),
            (14, 28, 14, None, Some(27)),
            // The reference card ends before segment 28 leaves; RFC 6582 step 3 gives 4 in flight a window of 5 for it.
            (24, 29, 5, None, Some(28)),
        ];
        for (index, (ack, next, window, retransmitted, new)) in steps.into_iter().enumerate() {
            let step = bench.ack(ack - 10, (0, 0));
            let expected = match index + 1 {
                3 => Step::Enter(LossKind::DuplicateAcks),
                9 => Step::Retransmit,
                // min(ssthresh 5, max(flight 4, 1) + 1).
                13 => Step::Exit { at_most: 5 * MSS },
                _ => Step::Stay,
            };
            assert_eq!(step, expected, "step {}", index + 1);
            let cwnd = if index < 2 { 10 } else { 5 };
            let left = (bench.board.outstanding() - bench.recovery.in_flight(&bench.board)) / MSS;
            assert_eq!(cwnd + left, window, "step {}", index + 1);
            let mut sent: Vec<u64> =
                bench.recovery.next_retransmission(&mut bench.board, false).into_iter().collect();
            for &id in &sent {
                bench.board.retransmit(id, farlink_kernel::Instant::ZERO);
            }
            sent.extend(bench.send(cwnd));
            let expected: Vec<u64> =
                retransmitted.into_iter().chain(new).map(|segment| segment - 10).collect();
            assert_eq!((sent, bench.board.next_id() + 10), (expected, next), "step {}", index + 1);
            // Only the first partial ACK restarts the timer; there is but one here.
            assert!(bench.recovery.restarts_timer());
        }
    }
}
