//! Recovery by duplicate ACKs (RFC 5681 section 3.2): what Reno, `NewReno` and Sack1 have in common.

use farlink_kernel::Instant;

use super::scoreboard::{Scoreboard, SegmentId};
use super::{Acked, DUPLICATE_THRESHOLD, Phase, Recovery, Setup, Step};
use crate::congestion::LossKind;

/// What a member without SACK makes of an ACK.
pub trait AckRules: std::fmt::Debug + Send {
    fn on_ack(&mut self, duplicates: &mut Duplicates, board: &mut Scoreboard, acked: &Acked) -> Step;

    fn restarts_timer(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug)]
pub struct WithoutSack<R> {
    duplicates: Duplicates,
    rules: R,
}

impl<R> WithoutSack<R> {
    pub fn with(rules: R, setup: &Setup) -> Self {
        Self { duplicates: Duplicates::new(setup), rules }
    }
}

impl<R: AckRules> Recovery for WithoutSack<R> {
    fn phase(&self) -> Phase {
        self.duplicates.phase
    }

    fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step {
        if self.duplicates.setup.duplicates_deliver {
            self.duplicates.count_delivered(board.segment_size(), acked);
        }
        self.rules.on_ack(&mut self.duplicates, board, acked)
    }

    fn on_timeout(&mut self, board: &mut Scoreboard, _now: Instant) {
        self.duplicates.on_timeout(board);
    }

    fn on_spurious(&mut self, board: &mut Scoreboard) {
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

    fn restarts_timer(&self) -> bool {
        self.rules.restarts_timer()
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

/// The count of duplicate ACKs and the episode that it begins.
#[derive(Clone, Debug)]
pub struct Duplicates {
    pub(super) phase: Phase,
    /// Duplicate ACKs since the last new one.
    count: u32,
    /// Segments known to have left the network during the episode, in bytes.
    pub(super) inflation: u64,
    /// `recover` of RFC 6582: `SND.NXT` when the last episode began.
    pub(super) recover: u64,
    pub(super) limited_bytes: u64,
    /// Bytes that duplicate ACKs reported and no other ACK has acknowledged.
    reported: u64,
    setup: Setup,
}

impl Duplicates {
    pub(super) fn new(setup: &Setup) -> Self {
        Self {
            phase: Phase::Open,
            count: 0,
            inflation: 0,
            recover: 0,
            limited_bytes: 0,
            reported: 0,
            setup: *setup,
        }
    }

    /// What was delivered was reported by duplicate ACKs before it is acknowledged; the hole itself was not.
    fn count_delivered(&mut self, segment_size: u64, acked: &mut Acked) {
        let delivery = &mut acked.delivery;
        if acked.is_duplicate {
            self.reported += segment_size;
            delivery.delivered += segment_size;
        } else {
            let before = self.reported.min(delivery.delivered.saturating_sub(segment_size));
            self.reported -= before;
            delivery.delivered -= before;
        }
    }

    /// New data was acknowledged: the episode ends.
    pub(super) fn on_new_ack(&mut self, una: u64) -> Step {
        self.count = 0;
        self.limited_bytes = 0;
        self.inflation = 0;
        match self.phase {
            Phase::Fast => {
                self.phase = Phase::Open;
                Step::Exit { at_most: u64::MAX }
            }
            Phase::Timeout if una >= self.recover => {
                self.phase = Phase::Open;
                Step::Exit { at_most: u64::MAX }
            }
            _ => Step::Stay,
        }
    }

    /// An ACK that acknowledges nothing new; `may_enter` is the member's own test for a new episode.
    pub(super) fn on_duplicate(&mut self, board: &mut Scoreboard, acked: &Acked, may_enter: bool) -> Step {
        if acked.is_duplicate { self.on_arrival_above_hole(board, acked, may_enter) } else { Step::Stay }
    }

    /// An ACK that reports a segment above a hole.
    pub(super) fn on_arrival_above_hole(
        &mut self,
        board: &mut Scoreboard,
        acked: &Acked,
        may_enter: bool,
    ) -> Step {
        self.count += 1;
        match self.phase {
            Phase::Fast => {
                self.inflation += board.segment_size();
                Step::Stay
            }
            Phase::Open if self.count == DUPLICATE_THRESHOLD && may_enter => {
                self.phase = Phase::Fast;
                self.inflation = u64::from(DUPLICATE_THRESHOLD) * board.segment_size();
                self.recover = acked.nxt;
                board.lose_first();
                Step::Enter(LossKind::DuplicateAcks)
            }
            _ => Step::Stay,
        }
    }

    pub(super) fn on_timeout(&mut self, board: &mut Scoreboard) {
        board.lose_all(false);
        self.phase = Phase::Timeout;
        self.recover = board.nxt();
        self.count = 0;
        self.inflation = 0;
        self.limited_bytes = 0;
        self.reported = 0;
    }

    pub(super) fn on_spurious(&mut self, board: &mut Scoreboard) {
        board.unlose_all();
        self.phase = Phase::Open;
        self.inflation = 0;
    }

    /// Outside of an episode, without a duplicate ACK, and without one that a later ACK still deducts.
    pub(super) fn is_at_rest(&self) -> bool {
        let counts = [u64::from(self.count), self.limited_bytes, self.inflation, self.reported];
        self.phase == Phase::Open && counts == [0; 4]
    }

    /// What counts against the window: everything outstanding, less what duplicate ACKs show to have left.
    pub(super) fn in_flight(&self, board: &Scoreboard) -> u64 {
        match self.phase {
            Phase::Timeout => board.pipe(),
            Phase::Fast => board.outstanding().saturating_sub(self.inflation),
            Phase::Open => {
                let limited = if self.setup.limited_transmit { u64::from(self.count.min(2)) } else { 0 };
                // All but what is lost: what was SACKed is outstanding here (`sack1`).
                let outstanding = board.pipe() + board.sacked_bytes();
                outstanding.saturating_sub(limited * board.segment_size())
            }
        }
    }

    pub(super) fn on_sent(&mut self, board: &Scoreboard, id: SegmentId) {
        if self.phase == Phase::Open && self.count > 0 {
            self.limited_bytes += board.get(id).map_or(0, |sent| u64::from(sent.len));
        }
    }
}
