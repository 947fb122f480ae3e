//! `tcp_westwood.c`: smoothed round-trip times of whole milliseconds. In today's Linux the threshold is Reno's while a
//! loss is repaired and the estimate is applied at the end; with `min_cwnd` the threshold stays Reno's and only cwnd
//! follows the estimate, for the module of Linux 2.6.22 never hears of the end.

use farlink_kernel::Instant;

use crate::congestion::arithmetic::{WindowArithmetic, WindowCounting};
use crate::congestion::westwood::{Config, Westwood};
use crate::congestion::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

#[derive(Debug)]
pub(super) struct Module {
    westwood: Westwood,
    arithmetic: WindowArithmetic,
    is_linux: bool,
    has_min_cwnd: bool,
    /// True when the round-trip minimum starts anew with the next sample (Linux, after a timeout).
    forgets_min_rtt: bool,
    /// True while a loss other than a timeout is repaired.
    in_fast_recovery: bool,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            westwood: Westwood::new(config, setup),
            arithmetic: setup.arithmetic,
            is_linux: setup.arithmetic.counting == WindowCounting::Linux,
            has_min_cwnd: setup.arithmetic.has_min_cwnd(),
            forgets_min_rtt: false,
            in_fast_recovery: false,
        }
    }

    fn measure(&mut self, ack: &Ack) {
        let is_whole = self.arithmetic.is_whole();
        let rtt = if is_whole { self.arithmetic.ticks(ack.srtt) } else { ack.min_rtt };
        let forgotten = self.westwood.min_rtt.take_if(|_| self.forgets_min_rtt);
        if self.westwood.measure(ack, rtt) {
            self.forgets_min_rtt = false;
        } else {
            self.westwood.min_rtt = self.westwood.min_rtt.or(forgotten);
        }
    }
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.measure(ack);
        if ack.may_grow {
            self.westwood.reno.grow(window, ack.acked);
        } else {
            self.westwood.reno.count(ack.acked);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let is_timeout = loss.kind == LossKind::Timeout;
        let half = self.westwood.reno.share(loss, 0.5);
        let (before, pipe) = (window.cwnd, self.westwood.pipe().unwrap_or(half));
        self.in_fast_recovery = !is_timeout;
        let has_reno_threshold = self.has_min_cwnd || (self.is_linux && !is_timeout);
        self.westwood.reno.reduce(window, loss, if has_reno_threshold { half } else { pipe });
        if is_timeout {
            self.forgets_min_rtt = self.is_linux;
        } else if self.has_min_cwnd {
            window.cwnd = pipe.max(2.0);
        } else {
            window.cwnd = window.cwnd.min(before).max(1.0);
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        let applies_now = self.in_fast_recovery && self.is_linux;
        if let (true, Some(pipe)) = (applies_now, self.westwood.pipe()) {
            window.ssthresh = pipe.max(2.0);
            window.cwnd = window.ssthresh;
        }
        self.in_fast_recovery = false;
        self.westwood.reno.end_recovery(window);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        self.westwood.observe()
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
