//! [`Scoreboard`]: every segment sent and not yet cumulatively acknowledged (RFC 6675 section 3).
//!
//! Segments lie in a ring in sequence order and are addressed by an id that counts up with each new
//! segment. What RFC 6675 computes by walking the scoreboard is kept up to date instead, so that an ACK
//! costs time in proportion to what it changes:
//!
//! - `pipe` is a running sum: each segment knows how many of its copies are thought to be in the network.
//! - A run of SACKed segments is skipped with one hop: each SACKed segment knows a later segment up to
//!   which everything is SACKed, and the hop is lengthened whenever it is taken.
//! - `IsLost` is a frontier that moves up only: every hole below it is lost.
//! - `NextSeg` is a hint that moves up only, except when a retransmission is found lost.

use farlink_kernel::Instant;
use farlink_kernel::ring::Ring;

mod sent;

use sent::{DELIVERED, LOST, RETRANSMITTED, SACKED, SENT_AGAIN};
pub use sent::{Delivery, Sent, Stamp};

/// The id of a segment: counts up with every new segment of the connection.
pub type SegmentId = u64;

/// The segments in flight.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    ring: Ring<Sent>,
    /// What is outstanding, from offset to offset.
    from: u64,
    to: u64,
    segment_size: u64,
    pipe: u64,
    sacked_bytes: u64,
    /// One past the highest SACKed segment; `base` when none is.
    sacked_end: SegmentId,
    /// Every unSACKed segment below is lost.
    frontier: SegmentId,
    /// SACKed bytes at or above the frontier, and in how many runs.
    sacked_above: u64,
    runs_above: u32,
    /// No segment below waits for retransmission, and none at or above `lost_end`.
    hint: SegmentId,
    lost_end: SegmentId,
    /// No segment at or above was ever SACKed, lost or sent again.
    touched_end: SegmentId,
    /// Highest offset delivered so far.
    forward_ack: u64,
    /// Transmissions so far.
    transmissions: u64,
}

impl Scoreboard {
    /// An empty scoreboard for full segments of `segment_size` bytes.
    pub fn new(segment_size: u64) -> Self {
        Self {
            ring: Ring::new(),
            from: 0,
            to: 0,
            segment_size,
            pipe: 0,
            sacked_bytes: 0,
            sacked_end: 0,
            frontier: 0,
            sacked_above: 0,
            runs_above: 0,
            hint: 0,
            lost_end: 0,
            touched_end: 0,
            forward_ack: 0,
            transmissions: 0,
        }
    }

    /// Bytes of a full segment.
    pub fn segment_size(&self) -> u64 {
        self.segment_size
    }

    /// The segment size was negotiated after the start.
    pub fn set_segment_size(&mut self, segment_size: u64) {
        self.segment_size = segment_size;
    }

    /// Bytes thought to be in the network (RFC 6675 `pipe`).
    pub fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Bytes sent and not cumulatively acknowledged (RFC 5681 `FlightSize`).
    pub fn outstanding(&self) -> u64 {
        self.to - self.from
    }

    /// Outstanding bytes the receiver reported.
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// True with nothing outstanding.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// True when nothing that is outstanding was SACKed, lost or sent again: all of it is in the network, once.
    pub fn is_untouched(&self) -> bool {
        self.touched_end <= self.ring.begin()
    }

    /// The id the next new segment will get.
    pub fn next_id(&self) -> SegmentId {
        self.ring.end()
    }

    /// One past the highest SACKed segment; the oldest outstanding segment's id when none is.
    pub fn sacked_end(&self) -> SegmentId {
        self.sacked_end
    }

    /// The oldest outstanding segment.
    pub fn first(&self) -> Option<&Sent> {
        self.ring.first()
    }

    /// The oldest outstanding segment's id.
    pub fn first_id(&self) -> SegmentId {
        self.ring.begin()
    }

    /// The segment with `id`, if it is still outstanding.
    pub fn get(&self, id: SegmentId) -> Option<&Sent> {
        self.ring.get(id)
    }

    /// The segment that was sent last of those just delivered. It can be read, though it may be acknowledged, until
    /// the next one is pushed.
    pub fn newest(&self, delivery: &Delivery) -> Option<&Sent> {
        delivery.newest.map(|(_, id)| &self.ring[id])
    }

    /// Records a new segment.
    #[inline]
    pub fn push(&mut self, start: u64, len: u32, now: Instant, stamp: Stamp) -> SegmentId {
        debug_assert!(self.is_empty() || self.to == start);
        let id = self.next_id();
        self.transmissions += 1;
        let nth = self.transmissions;
        self.pipe += u64::from(len);
        if self.is_empty() {
            self.from = start;
        }
        self.to = start + u64::from(len);
        self.ring.push(Sent {
            start,
            len,
            copies: 1,
            flags: 0,
            skip: 0,
            first_sent: now,
            last_sent: now,
            nth,
            stamp,
        });
        id
    }

    /// Records another transmission of `id`.
    pub fn resend(&mut self, id: SegmentId, now: Instant, stamp: Stamp) {
        self.touched_end = self.touched_end.max(id + 1);
        let sent = &mut self.ring[id];
        // `SetPipe` counts an octet at most twice, however often it was sent again (a probe may be the third copy).
        let copies = u8::from(!sent.is_retransmitted());
        sent.flags |= RETRANSMITTED | SENT_AGAIN;
        sent.copies += copies;
        sent.last_sent = now;
        self.transmissions += 1;
        sent.nth = self.transmissions;
        sent.stamp = stamp;
        self.pipe += u64::from(sent.len) * u64::from(copies);
    }

    /// Takes in a cumulative acknowledgement up to offset `una`.
    pub fn acknowledge(&mut self, una: u64, delivery: &mut Delivery) {
        self.take_first(una, delivery);
        if self.from < una && !self.is_empty() {
            self.take_more(una, delivery);
        }
        let base = self.ring.begin();
        self.frontier = self.frontier.max(base);
        self.sacked_end = self.sacked_end.max(base);
        self.hint = self.hint.max(base);
    }

    /// Most ACKs take one segment: the loop that takes more is apart, so that it costs those nothing.
    #[inline(never)]
    fn take_more(&mut self, una: u64, delivery: &mut Delivery) {
        while self.ring.first().is_some_and(|first| first.start < una) {
            self.take_first(una, delivery);
        }
    }

    /// The first segment, or its part below `una`, is acknowledged.
    #[allow(clippy::inline_always)] // not inlined, it would cost every ACK a quarter more here
    #[inline(always)]
    fn take_first(&mut self, una: u64, delivery: &mut Delivery) {
        let Some(&first) = self.ring.first() else { return };
        if first.end() > una {
            if first.start < una {
                self.trim_first(una, delivery);
            }
            return;
        }
        let id = self.ring.begin();
        self.ring.pop();
        self.leave(id, &first, u64::from(first.len), delivery);
        if first.is_sacked() {
            self.forget_sacked(id, &first);
        }
    }

    /// The first segment, which had `id`, leaves the ring SACKed.
    #[cold]
    fn forget_sacked(&mut self, id: SegmentId, sent: &Sent) {
        self.sacked_bytes -= u64::from(sent.len);
        if id >= self.frontier {
            self.sacked_above -= u64::from(sent.len);
            // The run goes on only if its next segment is SACKed too.
            self.runs_above -= u32::from(!self.ring.first().is_some_and(Sent::is_sacked));
        }
    }

    /// Part of the first segment is acknowledged: the rest stays.
    #[cold]
    fn trim_first(&mut self, una: u64, delivery: &mut Delivery) {
        let id = self.ring.begin();
        let sent = self.ring[id];
        let gone = una - sent.start;
        self.leave(id, &sent, gone, delivery);
        if sent.is_sacked() {
            self.sacked_bytes -= gone;
            if id >= self.frontier {
                self.sacked_above -= gone;
            }
        }
        let first = &mut self.ring[id];
        first.start = una;
        first.len -= gone as u32;
    }

    /// `bytes` of `sent`, which had `id`, are cumulatively acknowledged.
    fn leave(&mut self, id: SegmentId, sent: &Sent, bytes: u64, delivery: &mut Delivery) {
        delivery.acked += bytes;
        self.from += bytes;
        self.pipe -= bytes * u64::from(sent.copies);
        if !sent.is_sacked() {
            self.deliver(id, sent, bytes, delivery);
        }
    }

    /// `bytes` of `sent` are delivered, and counted unless they were before that was forgotten.
    fn deliver(&mut self, id: SegmentId, sent: &Sent, bytes: u64, delivery: &mut Delivery) {
        if sent.flags & DELIVERED == 0 {
            delivery.delivered += bytes;
        }
        if sent.end() > self.forward_ack {
            self.forward_ack = sent.end();
        } else if !sent.was_sent_again() {
            delivery.reordering = true;
        }
        if !sent.was_sent_again() {
            if delivery.newest_sent.is_none_or(|(_, nth)| nth < sent.nth) {
                delivery.newest_sent = Some((sent.last_sent, sent.nth));
            }
            if delivery.oldest_sent.is_none_or(|at| at > sent.last_sent) {
                delivery.oldest_sent = Some(sent.last_sent);
            }
        }
        if delivery.newest.is_none_or(|(nth, _)| nth < sent.nth) {
            delivery.newest = Some((sent.nth, id));
        }
    }

    /// Takes in one SACK block, offsets `left..right`. Segments partly covered are not delivered.
    pub fn sack(&mut self, left: u64, right: u64, delivery: &mut Delivery) {
        let Some(begin) = self.first_at_or_after(left) else { return };
        let mut id = begin;
        while id < self.ring.end() {
            let sent = &mut self.ring[id];
            if sent.is_sacked() {
                id += u64::from(sent.skip);
                continue;
            }
            if sent.end() > right {
                break;
            }
            let before = *sent;
            sent.flags |= SACKED | DELIVERED;
            sent.skip = 1;
            sent.copies = 0;
            self.pipe -= u64::from(before.len) * u64::from(before.copies);
            self.deliver(id, &before, u64::from(before.len), delivery);
            delivery.sacked += u64::from(before.len);
            self.sacked_bytes += u64::from(before.len);
            if id >= self.frontier {
                self.sacked_above += u64::from(before.len);
                self.join_runs(id);
            }
            id += 1;
        }
        if id > begin {
            self.ring[begin].skip = (id - begin) as u32;
            self.sacked_end = self.sacked_end.max(id);
            self.touched_end = self.touched_end.max(id);
        }
    }

    /// Segment `id`, at or above the frontier, was just SACKed: one run more, one less per neighbour run.
    fn join_runs(&mut self, id: SegmentId) {
        let is_sacked = |id: SegmentId| self.get(id).is_some_and(Sent::is_sacked);
        let before = id > self.frontier && is_sacked(id - 1);
        let after = is_sacked(id + 1);
        self.runs_above = self.runs_above + 1 - u32::from(before) - u32::from(after);
    }

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

    /// Marks segment `id` lost (its newest copy, if it was retransmitted). Returns the bytes that are new.
    pub fn lose(&mut self, id: SegmentId) -> u64 {
        let sent = &mut self.ring[id];
        if sent.is_sacked() || (sent.is_lost() && !sent.is_retransmitted()) {
            return 0;
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

    /// A timeout was spurious: nothing is lost after all; what is not SACKed is in the network.
    pub fn unlose_all(&mut self) {
        self.pipe = 0;
        for id in self.ring.ids() {
            let sent = &mut self.ring[id];
            sent.flags &= !LOST;
            if !sent.is_sacked() {
                // One copy is waited for, whichever it is; losing it sends it again.
                sent.flags &= !RETRANSMITTED;
                sent.copies = 1;
                self.pipe += u64::from(sent.len);
            }
        }
        self.lost_end = self.ring.begin();
        self.frontier = self.ring.begin();
        self.sacked_above = self.sacked_bytes;
        let sacked = |id: SegmentId| self.get(id).is_some_and(Sent::is_sacked);
        self.runs_above = self.ring.ids().filter(|&id| sacked(id) && !sacked(id + 1)).count() as u32;
    }

    /// Forgets what the receiver reported and what was thought lost: everything outstanding is in the network
    /// once.
    pub fn forget(&mut self) {
        self.pipe = 0;
        for id in self.ring.ids() {
            let sent = &mut self.ring[id];
            sent.flags &= SENT_AGAIN | DELIVERED;
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

    /// The first segment that starts at or after `offset`.
    fn first_at_or_after(&self, offset: u64) -> Option<SegmentId> {
        if offset <= self.from {
            return Some(self.ring.begin());
        }
        // Segments are at most full size, so the guess is never too high; with full segments it is exact.
        let guess = self.ring.begin() + (offset - self.from) / self.segment_size;
        if self.get(guess).is_some_and(|sent| sent.start == offset) {
            return Some(guess);
        }
        let (mut below, mut above) = (self.ring.begin(), self.ring.end());
        while below < above {
            let middle = u64::midpoint(below, above);
            if self.ring[middle].start < offset {
                below = middle + 1;
            } else {
                above = middle;
            }
        }
        (below < self.ring.end()).then_some(below)
    }
}

#[cfg(test)]
mod tests;
