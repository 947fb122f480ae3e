//! What must hold after every step: sums, losses with a reason, and a member at rest that nothing moves.

use farlink_kernel::Instant;
use farlink_tcp::recovery::scoreboard::SegmentId;
use farlink_tcp::recovery::{DUPLICATE_THRESHOLD, Phase};

use super::{Kind, State};
use crate::model;

impl State {
    /// Nothing is missing, and the member says so.
    pub(super) fn rests(&self) -> bool {
        self.member.is_at_rest() && self.board.is_untouched()
    }

    /// A connection does not call a member at rest. Here it was called, and must be unchanged.
    pub(super) fn check_rest(&self, input: &str) -> Result<(), String> {
        let status = self.member.status(&self.board);
        let cwnd = self.cwnd * self.size;
        let outstanding = self.board.outstanding();
        let is_unmoved = status.is_at_rest
            && status.phase == Phase::Open
            && status.deadline == Instant::NEVER
            && status.in_flight == outstanding
            && self.member.room(&self.board, cwnd) == cwnd.saturating_sub(outstanding)
            && self.member.restarts_timer()
            && self.member.limited_transmit_bytes() == 0;
        if is_unmoved { Ok(()) } else { Err(format!("{input} moved a member at rest: {status:?}")) }
    }

    /// The lowest segment that is lost and was not retransmitted since.
    pub(super) fn waiting(&self) -> Option<SegmentId> {
        let waits = |id: &SegmentId| {
            self.board
                .get(*id)
                .is_some_and(|sent| sent.is_lost() && !sent.is_retransmitted() && !sent.is_sacked())
        };
        (self.board.first_id()..self.board.next_id()).find(waits)
    }

    /// `IsLost` of RFC 6675, by place: enough SACKed runs or bytes are above.
    pub(super) fn is_lost(&self) -> Vec<bool> {
        let (mut runs, mut bytes, mut above_is_sacked) = (0, 0, false);
        let mut lost = vec![false; self.known.len()];
        for place in (0..self.known.len()).rev() {
            lost[place] =
                runs >= DUPLICATE_THRESHOLD || bytes > u64::from(DUPLICATE_THRESHOLD - 1) * self.size;
            let known = self.known[place];
            if known.sacked {
                bytes += known.end - if place == 0 { self.una } else { self.known[place - 1].end };
                runs += u32::from(!above_is_sacked);
            }
            above_is_sacked = known.sacked;
        }
        lost
    }

    pub(super) fn find_lost(&mut self) {
        let highest = self.known.iter().rposition(|known| known.sacked).unwrap_or(0);
        let by_sacks = if self.kind == Kind::Sacks { self.is_lost() } else { Vec::new() };
        for (place, known) in self.known.iter_mut().enumerate() {
            known.may_be_lost |= match self.kind {
                Kind::Duplicates | Kind::SackedNew => false,
                Kind::Sacks => by_sacks[place],
                Kind::Distance(distance) => highest >= place + distance as usize,
                // Something that was sent later, anew or again, may have come.
                Kind::Clock => true,
            };
        }
    }

    pub(super) fn check_is_lost(&self) -> Result<(), String> {
        for (sent, is_lost) in model::segments(&self.board).zip(self.is_lost()) {
            if !sent.is_sacked() && is_lost && !sent.is_lost() {
                return Err(format!("not called lost: {sent:?}"));
            }
        }
        Ok(())
    }

    pub(super) fn check(&self) -> Result<(), String> {
        model::check(&self.board)?;
        if self.board.outstanding() != self.nxt - self.una {
            return Err(format!("{} outstanding of {}..{}", self.board.outstanding(), self.una, self.nxt));
        }
        let phase = self.member.phase();
        if self.board.is_empty() && phase != Phase::Open {
            return Err(format!("nothing is outstanding in {phase:?}"));
        }
        for (sent, known) in model::segments(&self.board).zip(&self.known) {
            if sent.is_sacked() != known.sacked || sent.end() != known.end {
                return Err(format!("{sent:?} should be {known:?}"));
            }
            if sent.is_lost() && !sent.is_sacked() && !known.may_be_lost {
                return Err(format!("called lost without a reason: {sent:?}"));
            }
        }
        if self.waiting().is_some() && !self.board.has_lost() {
            return Err("a lost segment is forgotten".into());
        }
        Ok(())
    }
}
