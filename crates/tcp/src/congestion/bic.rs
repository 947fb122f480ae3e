//! L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance Networks",
//! INFOCOM 2004.
//!
//! The window at the last loss is taken for the saturation point: below it the window searches by bisection,
//! fast when far and slowly when near; above it the window searches for a new maximum in the mirrored way.
//! A loss reduces less than Reno's half. Small windows behave as Reno.
//!
//! Equations: distance = (W_max - cwnd)/B; growth per round trip = distance within S_min .. S_max; loss: W_max = cwnd,
//! or cwnd (1 + beta)/2 below the last W_max (fast convergence), cwnd = beta cwnd. The steps are those of the Linux
//! module (B = 4, where the paper bisects with 2), which the simulated studies ran. Left out: nothing.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Instant, config};

use super::{Ack, CongestionControl, Loss, LossKind, Saved, Setup, arithmetic::AckRatio, reno::Reno};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Xu, Harfoush, Rhee, INFOCOM 2004; Linux tcp_bic";

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

#[derive(Clone, Debug)]
pub(crate) struct Bic {
    config: Config,
    reno: Reno,
    /// W_max; zero before the first loss and after a timeout.
    max_window: f64,
    /// W_max before the last loss, for undoing it.
    before: f64,
    ack_ratio: AckRatio,
}

impl Bic {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            max_window: 0.0,
            before: 0.0,
            ack_ratio: AckRatio::new(&setup.arithmetic),
        }
    }

    fn segments_per_segment(&self, cwnd: f64) -> f64 {
        let Config { max_increment: most, divisor, smooth_part, .. } = self.config;
        if cwnd <= self.config.low_window {
            return cwnd;
        }
        let smooth = self.reno.round(cwnd * smooth_part / divisor);
        let linear = self.reno.round(cwnd / most);
        let segments = if cwnd < self.max_window {
            let distance = self.reno.round((self.max_window - cwnd) / divisor);
            if distance > most {
                linear
            } else if distance <= 1.0 {
                smooth
            } else {
                self.reno.round(cwnd / distance)
            }
        } else if cwnd < self.max_window + divisor {
            smooth
        } else if cwnd < self.max_window + most * (divisor - 1.0) {
            self.reno.round(cwnd * (divisor - 1.0) / (cwnd - self.max_window))
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
        let per = if window.cwnd > self.config.low_window {
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
            self.max_window = self.reno.round(window.cwnd * share).max(1.0);
        }
        if loss.kind == LossKind::Timeout {
            self.max_window = 0.0;
            self.ack_ratio.on_timeout();
        }
        let kept = if window.cwnd <= self.config.low_window { 0.5 } else { beta };
        self.reno.reduce(window, loss, self.reno.share(loss, kept));
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.ack_ratio.on_repaired();
        self.reno.end_recovery(window);
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.ack_ratio.on_repaired();
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
