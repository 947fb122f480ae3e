//! The next segment to retransmit: `NextSeg` of RFC 6675.

use super::{Scoreboard, SegmentId};

impl Scoreboard {
    /// False when certainly no lost segment waits for retransmission.
    pub fn has_lost(&self) -> bool {
        self.hint < self.lost_end
    }

    /// The lowest lost segment that waits for retransmission (RFC 6675 `NextSeg` rule 1).
    pub fn next_lost(&mut self) -> Option<SegmentId> {
        while self.hint < self.lost_end {
            let sent = &self.ring[self.hint];
            if sent.is_lost() && !sent.is_sacked() && !sent.is_retransmitted() {
                return Some(self.hint);
            }
            self.hint += if sent.is_sacked() { u64::from(sent.skip.max(1)) } else { 1 };
        }
        None
    }

    /// The lowest hole at or after `from`, below the highest SACKed segment, that was not retransmitted
    /// (`NextSeg` rule 3).
    pub fn next_suspect(&self, from: SegmentId) -> Option<SegmentId> {
        let mut id = from.max(self.ring.begin());
        while id < self.sacked_end {
            let sent = &self.ring[id];
            if !sent.is_sacked() && !sent.is_retransmitted() {
                return Some(id);
            }
            id += if sent.is_sacked() { u64::from(sent.skip.max(1)) } else { 1 };
        }
        None
    }

    /// The highest unSACKed segment, for `NextSeg` rule 4 (rescue) and for tail-loss probes.
    pub fn last_unsacked(&self) -> Option<SegmentId> {
        self.ring.ids().rev().find(|&id| !self.ring[id].is_sacked())
    }
}
