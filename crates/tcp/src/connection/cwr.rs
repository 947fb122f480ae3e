//! [`EcnReaction`]: the sender's reaction to marks, at most one per window of data (RFC 3168 section 6.1.2).

use crate::recovery::prr::{Bound, Delivered, Share};
use crate::recovery::scoreboard::{Delivery, Scoreboard};

#[derive(Debug, Default)]
pub(super) struct EcnReaction {
    cwr_due: bool,
    recover: u64,
    cwr: Option<Cwr>,
}

/// The reduction by which Linux answers an echo: that of a loss, proportional rate reduction over a round trip
/// (`tcp_enter_cwr`, `tcp_cwnd_reduction`). RFC 3168 section 6.1.2 reduces the window at once.
#[derive(Debug)]
pub(super) struct Cwr {
    /// Of the window before it (`prior_cwnd`), what it is to become, in packets.
    share: Share,
    /// `SND.NXT` when it began (`high_seq`).
    end: u64,
}

impl EcnReaction {
    /// The window was reduced when `nxt` was to be sent next: CWR reports a reduction of any kind.
    pub(super) fn on_reduction(&mut self, nxt: u64) {
        (self.recover, self.cwr_due) = (nxt, true);
    }

    /// The reduction does not stand: it keeps no mark from being heeded.
    pub(super) fn undo(&mut self) {
        self.recover = 0;
    }

    /// Marks and losses of what was sent before this offset are answered.
    pub(super) fn recover(&self) -> u64 {
        self.recover
    }

    /// True when a new segment is to show CWR; asked for once.
    pub(super) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.cwr_due)
    }

    /// A proportional reduction begins.
    pub(super) fn begin_cwr(&mut self, cwr: Cwr) {
        self.cwr = Some(cwr);
    }

    pub(super) fn is_in_cwr(&self) -> bool {
        self.cwr.is_some()
    }

    /// True until what was in flight at the echo is acknowledged up to `una`.
    pub(super) fn awaits(&self, una: u64) -> bool {
        self.cwr.as_ref().is_some_and(|cwr| una < cwr.end)
    }

    /// True when data beyond are acknowledged, which shows that CWR arrived.
    pub(super) fn is_past(&self, una: u64) -> bool {
        self.cwr.as_ref().is_some_and(|cwr| una > cwr.end)
    }

    /// The reduction is over; what the window was to become, if there was one.
    pub(super) fn end_cwr(&mut self) -> Option<u64> {
        self.cwr.take().map(|cwr| cwr.share.to)
    }

    /// The window after an ACK that delivered something, during the reduction.
    pub(super) fn window(&mut self, board: &Scoreboard, delivery: &Delivery, is_safe: bool) -> Option<u64> {
        let cwr = self.cwr.as_mut().filter(|_| delivery.delivered > 0)?;
        let packets = |bytes: u64| bytes.div_ceil(board.segment_size());
        let delivered = Delivered { amount: packets(delivery.delivered), is_safe };
        Some(cwr.window(delivered, packets(board.pipe()), packets(board.nxt() - cwr.end)))
    }
}

impl Cwr {
    /// From a window of so many packets to another, when `nxt` is to be sent next.
    pub(super) fn new(from: u64, to: u64, nxt: u64) -> Self {
        Self { share: Share::new(from, to), end: nxt }
    }

    /// The window after an ACK that delivered so many of `pipe` packets in flight; `out` were sent since the begin.
    pub(super) fn window(&mut self, delivered: Delivered, pipe: u64, out: u64) -> u64 {
        pipe + self.share.room(Bound::Rfc9937, delivered, pipe, out, 1)
    }
}
