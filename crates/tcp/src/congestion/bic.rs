//! L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance Networks",
//! INFOCOM 2004.
//!
//! The window at the last loss is taken for the saturation point: below it the window searches by bisection,
//! fast when far and slowly when near; above it the window searches for a new maximum in the mirrored way.
//! A loss reduces less than Reno's half. Small windows behave as Reno.
//!
//! Equations: distance = (W_max - cwnd)/B; growth per round trip = distance within S_min .. S_max; loss:
//! W_max = cwnd, or cwnd (1 + beta)/2 below the last W_max (fast convergence), cwnd = beta cwnd. The steps are
//! those of the Linux module (B = 4, where the paper bisects with 2), which the simulated studies ran.
//! Left out: nothing.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Instant, config};

use super::reno::Reno;
use super::{Ack, CongestionControl, Loss, LossKind, Saved, Setup};
use crate::window::Window;

#[cfg(test)]
mod tests;

/// Where the algorithm stands.
pub const SOURCE: &str = "Xu, Harfoush, Rhee, INFOCOM 2004; Linux tcp_bic";

config! {
    /// Parameters of BIC. The paper: max_increment = 32, beta = 0.875.
    pub struct Config {
        /// Fraction of the window kept after a loss (Linux: 819/1024).
        pub beta: Fraction = Fraction(819.0 / 1024.0); in above(Fraction(0.0)),
        /// S_max: most segments of growth per round trip (Linux: 16, the paper: 32).
        pub max_increment: f64 = 16.0; in 1.0..,
        /// Windows up to this many segments behave as Reno (Linux and the paper: 14).
        pub low_window: f64 = 14.0,
        /// B: the step is the distance to the maximum divided by this (Linux: 4, the paper: 2).
        pub divisor: f64 = 4.0; in 1.0..,
        /// Round trips spent close to the maximum, which fixes S_min (Linux: 20).
        pub smooth_part: f64 = 20.0; in above(0.0),
        /// A flow that loses below its last maximum gives way to new ones.
        pub fast_convergence: bool = true,
        /// Most ACKs per segment of growth before the first loss and after a timeout (Linux: 20).
        pub first_growth_acks: f64 = 20.0; in 1.0..,
    }
}

/// BIC.
#[derive(Clone, Debug)]
pub struct Bic {
    config: Config,
    reno: Reno,
    /// W_max; zero before the first loss and after a timeout.
    max_window: f64,
    /// W_max before the last loss, for undoing it.
    before: f64,
    ack_ratio: AckRatio,
}

/// Segments per ACK times 16, as Linux's modules estimate it, for receivers that delay ACKs.
///
/// The integer arithmetic never gets from its start at 2 down to 1: it stays at 31/16, so the modules grow
/// almost twice as fast as they say when every segment is acknowledged.
#[derive(Clone, Debug)]
pub(super) struct AckRatio {
    sixteenths: i64,
}

impl Default for AckRatio {
    fn default() -> Self {
        Self { sixteenths: 32 }
    }
}

impl AckRatio {
    /// An ACK for that many segments.
    pub(super) fn on_ack(&mut self, acked: f64) {
        let sample = acked.ceil().clamp(0.0, 1e9) as i64;
        self.sixteenths = (self.sixteenths + sample - (self.sixteenths >> 4)).max(1);
    }

    /// ACKs per segment of growth, from acknowledged segments per segment of growth.
    pub(super) fn correct(&self, segments: f64) -> f64 {
        (segments * 16.0 / self.sixteenths as f64).floor().max(1.0)
    }
}

impl Bic {
    /// BIC that has seen no loss.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::on(setup.machine),
            max_window: 0.0,
            before: 0.0,
            ack_ratio: AckRatio::default(),
        }
    }

    /// Acknowledged segments per segment of growth.
    fn segments_per_segment(&self, cwnd: f64) -> f64 {
        let Config { max_increment: most, divisor, smooth_part, .. } = self.config;
        let machine = self.reno.machine();
        if cwnd <= self.config.low_window {
            return cwnd;
        }
        let smooth = machine.round(cwnd * smooth_part / divisor);
        let linear = machine.round(cwnd / most);
        let segments = if cwnd < self.max_window {
            let distance = machine.round((self.max_window - cwnd) / divisor);
            if distance > most {
                linear
            } else if distance <= 1.0 {
                smooth
            } else {
                machine.round(cwnd / distance)
            }
        } else if cwnd < self.max_window + divisor {
            smooth
        } else if cwnd < self.max_window + most * (divisor - 1.0) {
            machine.round(cwnd * (divisor - 1.0) / (cwnd - self.max_window))
        } else {
            linear
        };
        if self.max_window == 0.0 { segments.min(self.config.first_growth_acks) } else { segments }
    }
}

impl CongestionControl for Bic {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if ack.acked > 0.0 && !ack.in_recovery {
            self.ack_ratio.on_ack(ack.acked);
        }
        if !ack.may_grow {
            return;
        }
        let rest = self.reno.slow_start(window, ack.acked);
        if rest <= 0.0 {
            return;
        }
        let segments = self.segments_per_segment(window.cwnd);
        let per = if self.reno.machine().is_whole() && window.cwnd > self.config.low_window {
            self.ack_ratio.correct(segments)
        } else {
            segments.max(1.0)
        };
        self.reno.increase(window, rest, per);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let beta = self.config.beta.0;
        if !loss.repeated {
            self.before = self.max_window;
            let gives_way = self.config.fast_convergence && window.cwnd < self.max_window;
            let share = if gives_way { f64::midpoint(1.0, beta) } else { 1.0 };
            self.max_window = self.reno.machine().round(window.cwnd * share).max(1.0);
        }
        if loss.kind == LossKind::Timeout {
            self.max_window = 0.0;
            self.ack_ratio = AckRatio::default();
        }
        let kept = if window.cwnd <= self.config.low_window { 0.5 } else { beta };
        self.reno.reduce(window, loss, self.reno.share(loss, kept));
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.repaired(window);
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.max_window = self.before;
        window.cwnd = window.cwnd.max(saved.cwnd);
        window.ssthresh = window.ssthresh.max(saved.ssthresh);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("w_max", self.max_window)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
