//! ECN at the sender: echoes of marks, and the reduction that answers them in Linux.

use farlink_kernel::Instant;

use super::cwr::Cwr;
use super::endpoint::Connection;
use crate::recovery::Phase;
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
        has_echo || self.ecn.is_in_cwr()
    }

    /// An ECN echo reduced the window, which was `prior` segments: it follows what is delivered to its new size.
    pub(super) fn begin_cwr(&mut self, prior: f64) {
        let to = self.window.cwnd;
        if self.config.window_rules().has_proportional_cwr
            && to < prior
            && !self.congestion.controls_recovery()
        {
            self.ecn.begin_cwr(Cwr::new(prior as u64, to as u64, self.snd.nxt()));
            // No reduction of before can be undone any more (`undo_marker`).
            self.suspicion = None;
        }
    }

    /// The reduction is over when data beyond it are acknowledged, or when a loss takes its place.
    fn end_cwr_if_due(&mut self) {
        if self.phase != Phase::Open || self.ecn.is_past(self.snd.una()) {
            self.end_cwr();
        }
    }

    /// Ends it: the window is what it was to become, unless a timeout has set another.
    pub(super) fn end_cwr(&mut self) {
        if let Some(target) = self.ecn.end_cwr().filter(|_| self.phase != Phase::Timeout) {
            self.window.cwnd = target as f64;
        }
    }

    /// An ACK during the reduction.
    fn reduce_in_cwr(&mut self, has_advanced: bool, delivery: &Delivery) {
        let is_safe = has_advanced && delivery.lost == 0;
        if let Some(window) = self.ecn.window(self.snd.board(), delivery, is_safe) {
            self.window.cwnd = window as f64;
            self.snd.forget_room();
        }
    }
}
