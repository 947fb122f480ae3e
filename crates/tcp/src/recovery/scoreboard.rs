//! [`Scoreboard`]: every segment sent and not yet cumulatively acknowledged (RFC 6675 section 3).
//!
//! Segments lie in a ring in sequence order and are addressed by an id that counts up with each new
//! segment. What RFC 6675 computes by traversing the scoreboard is kept up to date instead, so that an ACK
//! costs time in proportion to what it changes:
//!
//! - `pipe` is a running sum: each segment knows how many of its copies are thought to be in the network.
//! - A run of SACKed segments is skipped with one hop: each SACKed segment knows a later segment up to
//!   which everything is SACKed, and the hop is lengthened whenever it is taken.
//! - `IsLost` is a frontier that moves up only: every hole below it is lost.
//! - `NextSeg` is a hint that moves up only, except when a retransmission is found lost.

use farlink_kernel::{Instant, ring::Ring};

mod losses;
mod next;
mod sent;

use sent::{DELIVERED, EVER_RETRANSMITTED, RETRANSMITTED, SACKED};
pub use sent::{Delivery, Sent, Untouched};

/// The id of a segment: counts up with every new segment of the connection.
pub type SegmentId = u64;

/// The segments in flight.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    ring: Ring<Sent>,
    /// What is outstanding, from offset to offset.
    una: u64,
    nxt: u64,
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
    /// No segment at or above was ever SACKed, lost or retransmitted.
    touched_end: SegmentId,
    /// Highest offset delivered so far.
    forward_ack: u64,
    transmissions: u64,
    /// What was marked lost since the connection looked, where it does.
    losses: Option<Vec<SegmentId>>,
}

impl Scoreboard {
    /// An empty scoreboard for full segments of `segment_size` bytes.
    pub fn new(segment_size: u64) -> Self {
        Self { segment_size, ..Self::default() }
    }

    /// The first number that was sent and not acknowledged (`SND.UNA` of RFC 9293 section 3.3.1).
    pub fn una(&self) -> u64 {
        self.una
    }

    /// The next number to be sent for the first time (`SND.NXT`).
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Numbers count from `start` on, for a direction without a SYN.
    pub fn begin_at(&mut self, start: u64) {
        (self.una, self.nxt) = (start, start);
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
        self.nxt - self.una
    }

    /// Outstanding bytes the receiver reported.
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// True with nothing outstanding.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// True when nothing outstanding was SACKed, lost or retransmitted: all of it is in the network, once.
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

    /// When the octet with this offset was sent last; `None` if it is not outstanding.
    pub fn last_sent(&self, offset: u64) -> Option<Instant> {
        let (mut low, mut high) = (self.first_id(), self.next_id());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.ring[middle].end() <= offset {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.get(low).filter(|sent| sent.start <= offset).map(|sent| sent.last_sent)
    }

    /// The segment that was sent last of those just delivered. It can be read, though it may be acknowledged, until
    /// the next one is pushed.
    pub fn newest(&self, delivery: &Delivery) -> Option<&Sent> {
        delivery.newest.map(|(_, id)| &self.ring[id])
    }

    /// Records a new segment.
    #[inline]
    pub fn push(&mut self, start: u64, len: u32, now: Instant) -> SegmentId {
        debug_assert!(self.is_empty() || self.nxt == start);
        let id = self.next_id();
        self.transmissions += 1;
        let nth = self.transmissions;
        self.pipe += u64::from(len);
        if self.is_empty() {
            self.una = start;
        }
        self.nxt = start + u64::from(len);
        self.ring.push(Sent {
            start,
            len,
            copies: 1,
            flags: 0,
            skip: 0,
            first_sent: now,
            last_sent: now,
            nth,
        });
        id
    }

    /// Records another transmission of `id`.
    pub fn retransmit(&mut self, id: SegmentId, now: Instant) {
        self.touched_end = self.touched_end.max(id + 1);
        let sent = &mut self.ring[id];
        // `SetPipe` counts an octet at most twice, however often it was retransmitted (a probe may be the third copy).
        let copies = u8::from(!sent.is_retransmitted());
        sent.flags |= RETRANSMITTED | EVER_RETRANSMITTED;
        sent.copies += copies;
        sent.last_sent = now;
        self.transmissions += 1;
        sent.nth = self.transmissions;
        self.pipe += u64::from(sent.len) * u64::from(copies);
    }

    /// Takes in a cumulative acknowledgement up to offset `una`.
    // Once per ACK, and once per connection elsewhere.
    #[inline(always)]
    pub fn acknowledge(&mut self, una: u64, delivery: &mut Delivery) {
        self.take_first(una, delivery);
        if self.una < una && !self.is_empty() {
            self.take_more(una, delivery);
        }
        let base = self.ring.begin();
        self.frontier = self.frontier.max(base);
        self.sacked_end = self.sacked_end.max(base);
        self.hint = self.hint.max(base);
    }

    /// As [`Self::acknowledge`], of segments that are whole and [untouched](Self::is_untouched); else `None`, and nothing
    /// has changed.
    // Once per ACK, as `acknowledge` for the others.
    #[inline(always)]
    pub fn acknowledge_untouched(&mut self, una: u64) -> Option<Untouched> {
        if !self.is_untouched() {
            return None;
        }
        let first = *self.ring.first()?;
        let (mut id, mut last, mut flags) = (self.ring.begin(), first, first.flags);
        while last.end() < una {
            id += 1;
            last = *self.ring.get(id)?;
            flags |= last.flags;
        }
        // What is not to be timed has a flag, too.
        if last.end() != una || flags != 0 {
            return None;
        }
        let acked = una - self.una;
        let base = id + 1;
        self.ring.skip_to(base);
        self.una = una;
        self.pipe -= acked;
        self.forward_ack = una;
        self.frontier = self.frontier.max(base);
        self.sacked_end = self.sacked_end.max(base);
        self.hint = self.hint.max(base);
        Some(Untouched {
            acked,
            first_sent: first.last_sent,
            last_sent: last.last_sent,
            last: (last.nth, id),
        })
    }

    /// Most ACKs take one segment: the loop that takes more is apart, so that it costs those nothing.
    #[inline(never)]
    fn take_more(&mut self, una: u64, delivery: &mut Delivery) {
        while self.ring.first().is_some_and(|first| first.start < una) {
            self.take_first(una, delivery);
        }
    }

    /// The first segment, or its part below `una`, is acknowledged.
    // Not inlined, it would cost every ACK a quarter more here.
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
            // The run continues only if its next segment is SACKed too.
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
        self.una += bytes;
        self.pipe -= bytes * u64::from(sent.copies);
        delivery.fills_hole |= sent.was_ever_retransmitted();
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
        } else if !sent.was_ever_retransmitted() {
            delivery.reordering = true;
        }
        if !sent.was_ever_retransmitted() {
            let (newest, oldest) = if sent.flags & DELIVERED == 0 {
                (&mut delivery.newest_sent, &mut delivery.oldest_sent)
            } else {
                (&mut delivery.newest_behind_hole, &mut delivery.oldest_behind_hole)
            };
            if newest.is_none_or(|(_, nth)| nth < sent.nth) {
                *newest = Some((sent.last_sent, sent.nth));
            }
            if oldest.is_none_or(|at| at > sent.last_sent) {
                *oldest = Some(sent.last_sent);
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

    /// The first segment that starts at or after `offset`.
    fn first_at_or_after(&self, offset: u64) -> Option<SegmentId> {
        if offset <= self.una {
            return Some(self.ring.begin());
        }
        // Segments are at most full size, so the guess is never too high; with full segments it is exact.
        let guess = self.ring.begin() + (offset - self.una) / self.segment_size;
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
