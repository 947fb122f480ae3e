//! C. Caini, R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal
//! of Satellite Communications and Networking 22(5), 2004.
//!
//! A connection with a long round trip is to send as fast as a reference connection with the round trip RTT0
//! would on the same path. So its window is rho = RTT/RTT0 times that of the reference, at every moment:
//! it grows by more per ACK, and begins larger. Losses are answered as by Reno.
//!
//! Equations: rho = max(RTT/RTT0, 1); slow start cwnd += 2^rho - 1 and congestion avoidance
//! cwnd += rho^2/cwnd per ACK; initial cwnd and ssthresh times rho; a timeout sets cwnd = rho.
//! Left out: what the paper asks of the rest of TCP is set there (SACK, timestamps, pacing, Hoe's channel estimate).

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, choice, config};

use super::reno::{LARGEST_WINDOW, Reno};
use super::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Caini, Firrincieli, IJSCN 22(5), 2004";

choice! {
    /// Which round-trip time rho follows.
    pub enum RhoRtt {
        /// The smallest smoothed round-trip time seen: rho only falls (Linux).
        MinSrtt = "min_srtt",
        /// The smoothed round-trip time of now.
        Srtt = "srtt",
    }
}

choice! {
    /// The window a connection begins with.
    pub enum Start {
        /// rho times the usual initial window, and rho times a known threshold (the paper).
        Scaled = "scaled",
        /// rho segments; the threshold as it is (Linux).
        Rho = "rho",
        /// The usual initial window.
        Unscaled = "unscaled",
    }
}

choice! {
    /// The window after a timeout.
    pub enum AfterTimeout {
        /// rho segments (the paper).
        Rho = "rho",
        /// One segment, and Reno's growth until all is repaired (Linux).
        One = "one",
    }
}

config! {
    /// Parameters of Hybla.
    pub struct Config {
        /// RTT0, round-trip time of the reference connection (the paper and Linux: 25 ms; ns-3: 50 ms).
        pub rtt0: Duration = Duration::from_millis(25); in above(Duration::ZERO),
        /// Which round-trip time rho follows.
        pub rho_rtt: RhoRtt = RhoRtt::MinSrtt,
        /// The window a connection begins with.
        pub start: Start = Start::Scaled,
        /// The window after a timeout.
        pub after_timeout: AfterTimeout = AfterTimeout::Rho,
        /// Bound on the exponent of 2^rho - 1; 2^30 segments are more than any window.
        pub max_exponent: f64 = 30.0; in 1.0..=30.0,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Hybla {
    pub(super) config: Config,
    pub(super) reno: Reno,
    max_window: f64,
    /// The round-trip time rho was made from, zero before the first.
    pub(super) rtt: Duration,
    rho: f64,
    /// A loss has set the threshold, which the first round-trip sample then does not scale.
    has_lost: bool,
    /// 2^rho - 1, made when first needed after rho changed.
    slow_start_gain: Option<f64>,
}

impl Hybla {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            max_window: setup.max_window.clamp(1.0, LARGEST_WINDOW),
            rtt: Duration::ZERO,
            rho: 1.0,
            has_lost: false,
            slow_start_gain: None,
        }
    }

    /// Makes rho anew when the round-trip time it follows changed; the first one also sets the start.
    pub(super) fn follow(&mut self, window: &mut Window, srtt: Duration) {
        let is_first = self.rtt.is_zero();
        let has_changed = match self.config.rho_rtt {
            RhoRtt::MinSrtt => is_first || srtt < self.rtt,
            RhoRtt::Srtt => srtt != self.rtt,
        };
        if srtt.is_zero() || !has_changed {
            return;
        }
        self.rtt = srtt;
        let rtt0 = self.config.rtt0.as_nanos() as f64;
        self.rho = (srtt.as_nanos() as f64 / rtt0).clamp(1.0, LARGEST_WINDOW);
        self.slow_start_gain = None;
        if is_first {
            self.begin(window);
        }
    }

    fn begin(&self, window: &mut Window) {
        match self.config.start {
            Start::Scaled => {
                window.cwnd *= self.rho;
                // A threshold that was pulled up to the clamp says no more than the clamp.
                if !self.has_lost {
                    window.ssthresh *= self.rho;
                }
            }
            Start::Rho => window.cwnd = self.rho_window(),
            Start::Unscaled => {}
        }
        window.cwnd = window.cwnd.min(self.max_window);
    }

    /// rho segments.
    fn rho_window(&self) -> f64 {
        self.reno.round(self.rho).max(1.0)
    }

    fn grow(&mut self, window: &mut Window, acked: f64) {
        let in_slow_start = window.in_slow_start();
        if in_slow_start {
            let (rho, most) = (self.rho, self.config.max_exponent);
            let gain = *self.slow_start_gain.get_or_insert_with(|| libm::exp2(rho.min(most)) - 1.0);
            window.cwnd += gain * acked.min(1.0);
        } else {
            window.cwnd += self.rho * self.rho * acked.min(1.0) / window.cwnd;
        }
        self.bound(window, in_slow_start);
    }

    /// Slow start ends at the threshold.
    pub(super) fn bound(&self, window: &mut Window, in_slow_start: bool) {
        if in_slow_start {
            window.cwnd = window.cwnd.min(window.ssthresh.max(1.0));
        }
        window.cwnd = window.cwnd.min(self.max_window);
    }
}

impl CongestionControl for Hybla {
    fn on_start(&mut self, window: &mut Window, _now: Instant, srtt: Duration) {
        self.follow(window, srtt);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.follow(window, ack.srtt);
        if ack.may_grow {
            self.grow(window, ack.acked);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.has_lost = true;
        self.reno.halve(window, loss);
        if loss.kind == LossKind::Timeout && self.config.after_timeout == AfterTimeout::Rho {
            window.cwnd = self.rho_window().min(self.max_window);
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("rho", self.rho)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
