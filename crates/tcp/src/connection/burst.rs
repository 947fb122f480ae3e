//! [`Burst`]: a packet of several segments, which the network card cuts.

use farlink_kernel::Instant;

/// The burst under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Burst {
    began: Instant,
    /// Segments that it has, and that are still to be taken.
    segments: u64,
    left: u64,
    /// The segment just taken is its last.
    ends: bool,
}

impl Burst {
    pub(super) fn begin(now: Instant, segments: u64) -> Self {
        Self { began: now, segments, left: segments, ends: false }
    }

    /// True when it has segments that leave now.
    pub(super) fn continues(&self, now: Instant) -> bool {
        self.left > 0 && self.began == now
    }

    /// A segment is taken from it, or is a probe and belongs to none; true when a packet begins with it.
    pub(super) fn take(&mut self) -> bool {
        let begins = self.left == self.segments || self.left == 0;
        self.ends = self.left == 1 && self.segments > 1;
        self.left = self.left.saturating_sub(1);
        begins
    }

    /// True when the segment just taken was its last; asked for once.
    pub(super) fn take_end(&mut self) -> bool {
        std::mem::take(&mut self.ends)
    }
}
