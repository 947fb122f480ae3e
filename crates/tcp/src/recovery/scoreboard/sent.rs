//! [`Sent`]: what is known of one segment in flight, and what an acknowledgement makes of segments in flight,
//! [`Delivery`].

use farlink_kernel::Instant;

use super::SegmentId;

/// A segment on the scoreboard, in sequence-space offsets (SYN is 0, the first byte 1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// Offset of its first byte.
    pub start: u64,
    /// Length in sequence space.
    pub len: u32,
    /// How many copies are thought to be in the network.
    pub(super) copies: u8,
    pub(super) flags: u8,
    /// Everything from this segment up to id + skip is SACKed; only for SACKed segments.
    pub(super) skip: u32,
    /// Its first transmission.
    pub first_sent: Instant,
    /// When it was sent last, and which transmission of the connection that was, counted from 1.
    pub last_sent: Instant,
    /// See `last_sent`.
    pub nth: u64,
}

pub(super) const SACKED: u8 = 1;
pub(super) const LOST: u8 = 2;
/// The latest copy is a retransmission that is not known to be lost.
pub(super) const RETRANSMITTED: u8 = 4;
/// Sent more than once (Karn).
pub(super) const EVER_RETRANSMITTED: u8 = 8;
/// SACKed once, though that may have been forgotten since.
pub(super) const DELIVERED: u8 = 16;

impl Sent {
    /// Offset after its last byte.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }
    /// The receiver reported it.
    pub fn is_sacked(&self) -> bool {
        self.flags & SACKED != 0
    }
    /// Thought to be lost.
    pub fn is_lost(&self) -> bool {
        self.flags & LOST != 0
    }
    /// Its latest copy is a retransmission that is not known to be lost.
    pub fn is_retransmitted(&self) -> bool {
        self.flags & RETRANSMITTED != 0
    }
    /// It was sent more than once (Karn).
    pub fn was_ever_retransmitted(&self) -> bool {
        self.flags & EVER_RETRANSMITTED != 0
    }
}

/// What an acknowledgement delivered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    /// Bytes the cumulative point advanced by.
    pub acked: u64,
    /// Bytes newly SACKed.
    pub sacked: u64,
    /// Bytes newly delivered, each counted once.
    pub delivered: u64,
    /// Bytes newly marked lost.
    pub lost: u64,
    /// The newly delivered segment that was sent last: which transmission that was, and its id. See
    /// [`Scoreboard::newest`](super::Scoreboard::newest).
    pub newest: Option<(u64, SegmentId)>,
    /// The latest send time, and which transmission that was, of a newly delivered segment that was sent only once.
    pub newest_sent: Option<(Instant, u64)>,
    /// The earliest send time of a newly delivered segment that was sent only once.
    pub oldest_sent: Option<Instant>,
    /// The cumulative point passed what was retransmitted.
    pub fills_hole: bool,
    /// As `newest_sent`, of segments that may have arrived long ago, behind a hole: their ages are no round-trip times.
    pub newest_behind_hole: Option<(Instant, u64)>,
    /// As `oldest_sent`, of the same segments.
    pub oldest_behind_hole: Option<Instant>,
    /// A segment that was never retransmitted was delivered below the highest one delivered before.
    pub reordering: bool,
}

/// Whole segments that were sent once and acknowledged together, of which nothing was known before.
#[derive(Clone, Copy, Debug)]
pub struct Untouched {
    /// Their bytes.
    pub acked: u64,
    /// When the first was sent.
    pub first_sent: Instant,
    /// When the last was sent.
    pub last_sent: Instant,
    /// Which transmission the last was, and its id.
    pub(super) last: (u64, SegmentId),
}

impl Untouched {
    /// The same in general terms.
    #[inline(always)]
    pub fn delivery(&self) -> Delivery {
        Delivery {
            acked: self.acked,
            delivered: self.acked,
            newest: Some(self.last),
            newest_sent: Some((self.last_sent, self.last.0)),
            oldest_sent: Some(self.first_sent),
            ..Delivery::default()
        }
    }
}

impl Delivery {
    /// Without SACK nobody knows when those segments arrived which the ACK covers besides a retransmission (Linux:
    /// `FLAG_RETRANS_DATA_ACKED`).
    pub fn set_apart_behind_hole(&mut self) {
        if self.fills_hole {
            self.newest_behind_hole = self.newest_behind_hole.max(self.newest_sent.take());
            self.oldest_behind_hole =
                [self.oldest_behind_hole, self.oldest_sent.take()].into_iter().flatten().min();
        }
    }
}
