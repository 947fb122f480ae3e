//! [`Cwr`]: the reduction by which Linux answers an ECN echo.
//!
//! It is that of a loss, proportional rate reduction over a round trip (`tcp_enter_cwr`, `tcp_cwnd_reduction`). RFC 3168 section
//! 6.1.2 reduces the window at once.

/// A reduction under way, in packets.
#[derive(Clone, Debug)]
pub(super) struct Cwr {
    /// The window before it (`prior_cwnd`) and after it.
    pub(super) from: u64,
    pub(super) to: u64,
    /// Delivered since it began (`prr_delivered`).
    pub(super) delivered: u64,
    /// `SND.NXT` when it began (`high_seq`). It ends with the acknowledgement of data beyond, which shows that CWR arrived.
    pub(super) end: u64,
}

impl Cwr {
    /// The window after an ACK that delivered so many of `pipe` packets in flight; `out` were sent since the begin.
    pub(super) fn window(&mut self, delivered: u64, pipe: u64, out: u64, is_safe: bool) -> u64 {
        self.delivered += delivered;
        let room = if pipe > self.to {
            (self.to * self.delivered).div_ceil(self.from).saturating_sub(out)
        } else {
            let owed = self.delivered.saturating_sub(out).max(delivered);
            (owed + u64::from(is_safe)).min(self.to - pipe)
        };
        pipe + room.max(u64::from(out == 0))
    }
}
