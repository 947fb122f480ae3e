//! [`Cwr`]: the reduction by which Linux answers an ECN echo.
//!
//! It is that of a loss, proportional rate reduction over a round trip (`tcp_enter_cwr`, `tcp_cwnd_reduction`). RFC 3168 section
//! 6.1.2 reduces the window at once.

use crate::recovery::prr::{Bound, Delivered, Share};

/// A reduction under way, in packets.
#[derive(Clone, Debug)]
pub(super) struct Cwr {
    /// Of the window before it (`prior_cwnd`), what it is to become.
    pub(super) share: Share,
    /// `SND.NXT` when it began (`high_seq`). It ends with the acknowledgement of data beyond, which shows that CWR arrived.
    pub(super) end: u64,
}

impl Cwr {
    /// The window after an ACK that delivered so many of `pipe` packets in flight; `out` were sent since the begin.
    pub(super) fn window(&mut self, delivered: Delivered, pipe: u64, out: u64) -> u64 {
        let room = self.share.room(Bound::Rfc9937, delivered, pipe, out, 1);
        pipe + room
    }
}
