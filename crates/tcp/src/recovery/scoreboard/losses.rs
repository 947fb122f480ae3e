//! What is lost: by what was SACKed above it (`IsLost` of RFC 6675), by a timeout, and not after all.

use super::sent::{DELIVERED, Delivery, EVER_RETRANSMITTED, LOST, RETRANSMITTED, SACKED, Sent};
use super::{Scoreboard, SegmentId};

impl Scoreboard {
    /// Moves the frontier of RFC 6675 `IsLost`: lost is what has `threshold` discontiguous SACKed runs, or
    /// more than `threshold - 1` full segments of SACKed bytes, above it.
    pub fn mark_lost(&mut self, threshold: u32, delivery: &mut Delivery) {
        let enough = u64::from(threshold - 1) * self.segment_size;
        while self.frontier < self.sacked_end && (self.sacked_above > enough || self.runs_above >= threshold)
        {
            self.raise_frontier(delivery);
        }
    }

    /// Moves the same frontier by forward acknowledgement (Mathis, Mahdavi, SIGCOMM 1996): lost is what the
    /// highest SACKed segment is `distance` or more above.
    pub fn mark_lost_below(&mut self, distance: u64, delivery: &mut Delivery) {
        while self.frontier + distance < self.sacked_end {
            self.raise_frontier(delivery);
        }
    }

    fn raise_frontier(&mut self, delivery: &mut Delivery) {
        let id = self.frontier;
        let next_is_sacked = self.get(id + 1).is_some_and(Sent::is_sacked);
        let sent = self.ring[id];
        self.frontier += 1;
        if sent.is_sacked() {
            self.sacked_above -= u64::from(sent.len);
            self.runs_above -= u32::from(!next_is_sacked);
        } else if !sent.is_lost() {
            delivery.lost += self.lose(id);
        }
    }

    /// What is marked lost is listed from now on, or not.
    pub(crate) fn record_losses(&mut self, records: bool) {
        self.losses = records.then(Vec::new);
    }

    pub(crate) fn records_losses(&self) -> bool {
        self.losses.is_some()
    }

    pub(crate) fn has_lost_to_report(&self) -> bool {
        self.losses.as_ref().is_some_and(|losses| !losses.is_empty())
    }

    /// What was marked lost, in this order; [`Self::return_losses`] gives the emptied list back, for the next ones.
    pub(crate) fn take_losses(&mut self) -> Vec<SegmentId> {
        self.losses.take().unwrap_or_default()
    }

    pub(crate) fn return_losses(&mut self, losses: Vec<SegmentId>) {
        self.losses = Some(losses);
    }

    /// Marks segment `id` lost (its newest copy, if it was retransmitted). Returns the bytes that are new.
    pub fn lose(&mut self, id: SegmentId) -> u64 {
        let sent = &mut self.ring[id];
        if sent.is_sacked() || (sent.is_lost() && !sent.is_retransmitted()) {
            return 0;
        }
        if let Some(losses) = &mut self.losses {
            losses.push(id);
        }
        self.touched_end = self.touched_end.max(id + 1);
        // A retransmission sent on suspicion keeps its own copy in the network.
        let retransmitted_on_suspicion = !sent.is_lost() && sent.is_retransmitted();
        sent.flags |= LOST;
        let gone = sent.copies.min(1);
        sent.copies -= gone;
        self.pipe -= u64::from(sent.len) * u64::from(gone);
        if !retransmitted_on_suspicion {
            sent.flags &= !RETRANSMITTED;
            self.hint = self.hint.min(id);
            self.lost_end = self.lost_end.max(id + 1);
        }
        u64::from(sent.len)
    }

    /// Marks the first segment lost.
    pub fn lose_first(&mut self) -> u64 {
        if self.is_empty() { 0 } else { self.lose(self.ring.begin()) }
    }

    /// Everything outstanding was refused, and counts as never sent (RFC 7413: data of a SYN).
    pub fn take_back(&mut self) {
        while self.ring.pop().is_some() {}
        let base = self.ring.begin();
        (self.pipe, self.nxt) = (0, self.una);
        (self.frontier, self.sacked_end, self.hint) = (base, base, base);
    }

    /// What is in flight gives no round-trip samples, as if all of it were retransmitted.
    pub fn time_no_more(&mut self) {
        for id in self.ring.ids() {
            self.ring[id].flags |= EVER_RETRANSMITTED;
        }
    }

    /// Marks lost what was sent from `offset` on.
    pub fn lose_from(&mut self, offset: u64) {
        for id in self.ring.ids() {
            if self.ring[id].start >= offset {
                self.lose(id);
            }
        }
    }

    /// True when the receiver reported the first segment and yet does not acknowledge it: it has reneged.
    pub fn shows_reneging(&self) -> bool {
        self.ring.first().is_some_and(Sent::is_sacked)
    }

    /// After a timeout nothing is in the network: every outstanding segment is lost. `keep_sacked` false
    /// also forgets what the receiver reported, because it may have reneged (RFC 2018 section 8); where it
    /// shows that it has, this is forgotten anyway.
    pub fn lose_all(&mut self, keep_sacked: bool) {
        let keep_sacked = keep_sacked && !self.shows_reneging();
        if !keep_sacked {
            self.sacked_bytes = 0;
            self.sacked_end = self.ring.begin();
        }
        self.pipe = 0;
        for id in self.ring.ids() {
            let sent = &mut self.ring[id];
            if !keep_sacked {
                sent.flags &= !SACKED;
            }
            if !sent.is_sacked() {
                if let Some(losses) =
                    self.losses.as_mut().filter(|_| !sent.is_lost() || sent.is_retransmitted())
                {
                    losses.push(id);
                }
                sent.flags = (sent.flags | LOST) & !RETRANSMITTED;
            }
            sent.copies = 0;
        }
        self.hint = self.ring.begin();
        self.touched_end = self.next_id();
        self.lost_end = self.next_id();
        self.frontier = self.next_id();
        self.sacked_above = 0;
        self.runs_above = 0;
    }

    /// A timeout was spurious: nothing is lost after all; what is not SACKed is in the network. One copy is awaited, whichever it
    /// is; its loss retransmits it.
    pub fn unlose_all(&mut self) {
        self.unlose(|_| false);
    }

    /// A fast retransmission was spurious: what waits for one is in the network after all. A segment that was retransmitted stays so
    /// (Linux, `tcp_undo_cwnd_reduction`): the same SACKed segments above it would have it retransmitted once more, and each
    /// of these copies be reported as a duplicate.
    pub fn unlose_waiting(&mut self) {
        self.unlose(|sent| sent.is_lost() && sent.is_retransmitted());
    }

    fn unlose(&mut self, stays: impl Fn(&Sent) -> bool) {
        self.pipe = 0;
        self.lost_end = self.ring.begin();
        for id in self.ring.ids() {
            let sent = &mut self.ring[id];
            if sent.is_sacked() {
                sent.flags &= !LOST;
            } else if !stays(sent) {
                sent.flags &= !(LOST | RETRANSMITTED);
                sent.copies = 1;
            }
            self.pipe += u64::from(sent.len) * u64::from(sent.copies);
        }
        self.frontier = self.ring.begin();
        self.sacked_above = self.sacked_bytes;
        let sacked = |id: SegmentId| self.get(id).is_some_and(Sent::is_sacked);
        self.runs_above = self.ring.ids().filter(|&id| sacked(id) && !sacked(id + 1)).count() as u32;
    }

    /// Forgets what the receiver reported and what was thought lost: everything outstanding is in the network once.
    pub fn forget(&mut self) {
        self.pipe = 0;
        for id in self.ring.ids() {
            let sent = &mut self.ring[id];
            sent.flags &= EVER_RETRANSMITTED | DELIVERED;
            sent.copies = 1;
            self.pipe += u64::from(sent.len);
        }
        self.sacked_bytes = 0;
        self.sacked_end = self.ring.begin();
        self.hint = self.ring.begin();
        self.lost_end = self.ring.begin();
        self.frontier = self.ring.begin();
        self.sacked_above = 0;
        self.runs_above = 0;
    }
}
