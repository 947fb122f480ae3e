//! E. Blanton, M. Allman, L. Wang, I. Jarvinen, M. Kojo, Y. Nishida, "A Conservative Loss Recovery
//! Algorithm Based on Selective Acknowledgment (SACK) for TCP", RFC 6675, 2012.
//!
//! The scoreboard shows how much is in the network (`pipe`); whenever that is below the window, the next
//! lost segment goes out, then new data, then suspects.
//!
//! `IsLost`, `SetPipe` and `NextSeg` are kept by [`Scoreboard`]; an episode is section 5. Left out: nothing.

use farlink_kernel::{Instant, config};

use super::scoreboard::{Scoreboard, SegmentId, Sent};
use super::{Acked, DUPLICATE_THRESHOLD, Phase, Recovery, Setup, Step};
use crate::congestion::LossKind;

pub(super) const SOURCE: &str = "RFC 6675, 2012";
pub(super) const NEEDS_TIMER: bool = true;

config! {
    /// Parameters of SACK-based recovery: none.
    pub struct Config {}
}

#[derive(Clone, Debug)]
pub(crate) struct Sack {
    episode: Episode,
    /// `RescueRxt`: the cumulative point must pass this offset before a rescue. It is the end of the first
    /// retransmission (section 5 step 4.3), then the recovery point, which is not passed in an episode.
    rescue_after: u64,
    /// Holes below were retransmitted on suspicion already.
    suspect_from: SegmentId,
}

impl Sack {
    pub(crate) fn new(_config: &Config, setup: &Setup) -> Self {
        Self { episode: Episode::new(setup), rescue_after: 0, suspect_from: 0 }
    }
}

impl Recovery for Sack {
    fn phase(&self) -> Phase {
        self.episode.phase
    }

    #[inline]
    fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step {
        board.mark_lost(DUPLICATE_THRESHOLD, &mut acked.delivery);
        let step = self.episode.on_ack(board, acked);
        if let Step::Enter(_) = step {
            self.rescue_after = board.first().map_or(0, Sent::end);
            self.suspect_from = board.first_id();
        }
        step
    }

    fn on_timeout(&mut self, board: &mut Scoreboard, _now: Instant) {
        self.episode.on_timeout(board);
    }

    fn on_spurious(&mut self, board: &mut Scoreboard) {
        if self.episode.phase == Phase::Fast {
            board.unlose_waiting();
            self.episode.undone_below = board.nxt();
            self.episode.open(board.una());
        } else {
            self.episode.on_spurious(board);
        }
    }

    fn in_flight(&self, board: &Scoreboard) -> u64 {
        self.episode.in_flight(board)
    }

    fn next_retransmission(&mut self, board: &mut Scoreboard, no_new_data: bool) -> Option<SegmentId> {
        if let Some(lost) = board.next_lost() {
            return Some(lost);
        }
        // NextSeg rules 3 and 4, only when there is no new data to send.
        if self.episode.phase != Phase::Fast || !no_new_data {
            return None;
        }
        if let Some(suspect) = board.next_suspect(self.suspect_from) {
            self.suspect_from = suspect + 1;
            return Some(suspect);
        }
        if board.first().is_none_or(|first| first.start <= self.rescue_after) {
            return None;
        }
        self.rescue_after = self.episode.recovery_point;
        board.last_unsacked().filter(|&id| board.get(id).is_some_and(|sent| !sent.is_retransmitted()))
    }

    fn on_sent(&mut self, board: &Scoreboard, id: SegmentId, _now: Instant) {
        self.episode.on_sent(board, id);
    }

    fn limited_transmit_bytes(&self) -> u64 {
        self.episode.limited_bytes
    }

    fn is_at_rest(&self) -> bool {
        self.episode.is_at_rest()
    }
}

/// Begin and end of an episode by RFC 6675 section 5, shared by the members that use SACK.
#[derive(Clone, Debug)]
pub(super) struct Episode {
    pub(super) phase: Phase,
    /// ACKs that SACKed something new since the cumulative point moved (`DupAcks`).
    duplicates: u32,
    /// `RecoveryPoint`: `SND.NXT` when the episode began.
    pub(super) recovery_point: u64,
    pub(super) limited_bytes: u64,
    /// What was outstanding when a fast recovery was undone ends here.
    undone_below: u64,
    setup: Setup,
}

impl Episode {
    pub(super) fn new(setup: &Setup) -> Self {
        Self {
            phase: Phase::Open,
            duplicates: 0,
            recovery_point: 0,
            limited_bytes: 0,
            undone_below: 0,
            setup: *setup,
        }
    }

    /// The cumulative point moved past the recovery point: the episode is over.
    pub(super) fn on_advance(&mut self, acked: &Acked) -> Option<Step> {
        if acked.una == acked.prior_una {
            return None;
        }
        self.duplicates = 0;
        self.limited_bytes = 0;
        if self.phase == Phase::Open || acked.una < self.recovery_point {
            return None;
        }
        self.phase = Phase::Open;
        Some(Step::Exit { at_most: u64::MAX })
    }

    #[inline]
    pub(super) fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step {
        if let Some(exit) = self.on_advance(acked) {
            return exit;
        }
        // Section 2: only an ACK that SACKs new data is a duplicate.
        if acked.delivery.sacked > 0 {
            self.duplicates += 1;
        }
        let first_is_lost = board.first().is_some_and(Sent::is_lost);
        // After a timeout no fast recovery begins below its recovery point (section 5.1).
        if self.phase == Phase::Open
            && (self.duplicates >= DUPLICATE_THRESHOLD || first_is_lost)
            && !board.is_empty()
        {
            // The retransmission of an episode that did not stand may be on its way.
            if !first_is_lost || acked.una >= self.undone_below {
                acked.delivery.lost += board.lose_first();
            }
            return self.enter(acked.nxt, LossKind::DuplicateAcks);
        }
        Step::Stay
    }

    pub(super) fn enter(&mut self, nxt: u64, kind: LossKind) -> Step {
        self.phase = Phase::Fast;
        self.recovery_point = nxt;
        Step::Enter(kind)
    }

    pub(super) fn on_timeout(&mut self, board: &mut Scoreboard) {
        board.lose_all(self.setup.keep_sacked_on_timeout);
        self.begin_timeout(board.nxt());
    }

    pub(super) fn begin_timeout(&mut self, nxt: u64) {
        self.phase = Phase::Timeout;
        self.recovery_point = nxt;
        self.duplicates = 0;
        self.limited_bytes = 0;
    }

    pub(super) fn on_spurious(&mut self, board: &mut Scoreboard) {
        board.unlose_all();
        self.open(board.una());
    }

    fn open(&mut self, una: u64) {
        self.phase = Phase::Open;
        self.recovery_point = una;
        self.duplicates = 0;
    }

    /// Outside of an episode, without a sign of a loss.
    pub(super) fn is_at_rest(&self) -> bool {
        self.phase == Phase::Open && self.duplicates == 0 && self.limited_bytes == 0
    }

    pub(super) fn in_flight(&self, board: &Scoreboard) -> u64 {
        if self.phase == Phase::Open && !self.setup.limited_transmit {
            board.outstanding()
        } else {
            board.pipe()
        }
    }

    pub(super) fn on_sent(&mut self, board: &Scoreboard, id: SegmentId) {
        if self.phase == Phase::Open && self.duplicates > 0 {
            self.limited_bytes += board.get(id).map_or(0, |sent| u64::from(sent.len));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, MSS, SETUP};
    use super::*;

    /// RFC 6937 section 3.1, "RFC 6675": 20 segments in flight, the first 15 lost, limited transmit on the first two SACKs. Its
    /// window is then half of the 22 that are outstanding, which include those of limited transmit: 11.
    #[test]
    fn fifteen_losses_are_repaired_in_a_burst_that_fills_the_window() {
        let mut bench = Bench::new(Sack::new(&Config {}, &SETUP), 20);
        let mut rows = Vec::new();
        for (highest, cwnd) in [(15, 20), (16, 20), (17, 11), (18, 11), (19, 11)] {
            let step = bench.ack(0, (15, highest + 1));
            let enters = step == Step::Enter(LossKind::DuplicateAcks);
            assert_eq!(enters, highest == 17);
            let pipe = bench.recovery.in_flight(&bench.board) / MSS;
            rows.push((pipe, bench.send(cwnd)));
        }
        assert_eq!((rows[0].1.clone(), rows[1].1.clone()), (vec![20], vec![21]));
        assert_eq!(rows[2..], [(4, (0..7).collect()), (10, vec![7]), (10, vec![8])]);
    }
}
