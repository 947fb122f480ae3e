//! ECN at the sender: echoes of marks, and the reduction that answers them in Linux.

use farlink_kernel::Instant;

use super::cwr::Cwr;
use super::endpoint::Connection;
use crate::congestion::arithmetic::WindowCounting;
use crate::recovery::Phase;
use crate::recovery::prr::{Delivered, Share};
use crate::recovery::scoreboard::Delivery;
use crate::segment::{Flags, Segment};

impl Connection {
    /// The ACK may echo marks. True if it grows no window: by an ACK with an echo (RFC 3168 section 6.1.2), and while the
    /// reduction leads the window.
    #[inline(never)]
    pub(super) fn on_ecn_feedback(
        &mut self,
        now: Instant,
        segment: &Segment,
        has_advanced: bool,
        delivery: &Delivery,
    ) -> bool {
        self.end_cwr_if_due();
        let has_echo = segment.flags.has(Flags::ECE);
        if has_echo {
            self.on_ecn_echo(now);
        }
        self.reduce_in_cwr(has_advanced, delivery);
        has_echo || self.snd.cwr.is_some()
    }

    /// An ECN echo reduced the window, which was `prior` segments: it follows what is delivered to its new size.
    pub(super) fn begin_cwr(&mut self, prior: f64) {
        let is_linux = self.config.window_counting == WindowCounting::Linux;
        let to = self.window.cwnd;
        if is_linux && to < prior && !self.congestion.controls_recovery() {
            let (from, to) = (prior as u64, to as u64);
            self.snd.cwr = Some(Cwr { share: Share::new(from, to), end: self.snd.nxt });
            // No reduction of before can be undone any more (`undo_marker`).
            self.suspicion = None;
        }
    }

    /// True until what was in flight at the ECN echo is acknowledged.
    pub(super) fn is_in_cwr(&self) -> bool {
        self.snd.cwr.as_ref().is_some_and(|cwr| self.snd.una < cwr.end)
    }

    /// The reduction is over when data beyond it are acknowledged, or when a loss takes its place.
    fn end_cwr_if_due(&mut self) {
        if self.phase != Phase::Open || self.snd.cwr.as_ref().is_some_and(|cwr| self.snd.una > cwr.end) {
            self.end_cwr();
        }
    }

    /// Ends it: the window is what it was to become, unless a timeout has set another.
    pub(super) fn end_cwr(&mut self) {
        if let Some(cwr) = self.snd.cwr.take().filter(|_| self.phase != Phase::Timeout) {
            self.window.cwnd = cwr.share.to as f64;
        }
    }

    /// An ACK during the reduction.
    fn reduce_in_cwr(&mut self, has_advanced: bool, delivery: &Delivery) {
        let segment = self.snd.segment_size;
        let (pipe, nxt) = (self.snd.board.pipe().div_ceil(segment), self.snd.nxt);
        if let Some(cwr) = self.snd.cwr.as_mut().filter(|_| delivery.delivered > 0) {
            let out = (nxt - cwr.end).div_ceil(segment);
            let delivered = Delivered {
                amount: delivery.delivered.div_ceil(segment),
                is_safe: has_advanced && delivery.lost == 0,
            };
            self.window.cwnd = cwr.window(delivered, pipe, out) as f64;
            self.snd.room = None;
        }
    }
}
