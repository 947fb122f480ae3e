//! S. Liu, T. Başar, R. Srikant, "TCP-Illinois: A loss- and delay-based congestion control algorithm for high-speed
//! networks", Performance Evaluation 65(6-7), 2008 (VALUETOOLS 2006).
//!
//! Losses decide when the window shrinks, the queueing delay decides by how much it grows and shrinks: fast and little while
//! queues are empty, slowly and much when they are long. The window over time is concave, which uses the link better than
//! Reno's straight line.
//!
//! Equations, with d_a the mean queueing delay of a round trip, d_m the largest, d_1 = 0.01 d_m, d_2 = 0.1 d_m,
//! d_3 = 0.8 d_m: alpha = alpha_max for d_a <= d_1, else k_1/(k_2 + d_a), with k_1 and k_2 such that alpha is alpha_max at d_1
//! and alpha_min at d_m; beta = beta_min for d_a <= d_2, beta_max for d_a >= d_3, linear between;
//! cwnd += alpha/cwnd per ACK, cwnd -= beta cwnd on a loss; below W_thresh both are Reno's. alpha rises to alpha_max only
//! after theta round trips below d_1. A timeout sets both to Reno's. Left out: nothing.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, Instant, config};

use super::{Ack, CongestionControl, Loss, LossKind, Setup, reno::Reno, round_trips::RoundTrips};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Liu, Başar, Srikant, Performance Evaluation 65(6-7), 2008";

config! {
    /// Parameters of Illinois.
    pub struct Config {
        /// Segments of growth per round trip while queues are empty (the paper: 10).
        pub alpha_max: f64 = 10.0; in ..=1e6,
        /// Segments of growth per round trip at the largest queueing delay (the paper: 0.3).
        pub alpha_min: f64 = 0.3; in above(0.0),
        /// Fraction of the window given up after a loss with long queues (the paper: 0.5).
        pub beta_max: Fraction = Fraction(0.5),
        /// Fraction of the window given up after a loss with short queues (the paper: 0.125).
        pub beta_min: Fraction = Fraction(0.125); in above(Fraction(0.0)),
        /// W_thresh: smaller windows are Reno's, in segments (the paper: 10; Linux: 15).
        pub window_threshold: f64 = 10.0,
        /// theta: round trips below d_1 before alpha rises to alpha_max (the paper: 5).
        pub theta: u32 = 5,
    }
    where alpha_min <= alpha_max, beta_min <= beta_max
}

/// Queueing delays of the current round trip and of the connection, in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    base: u64,
    max: u64,
    sum: u64,
    samples: u64,
}

impl Delays {
    const NONE: Self = Self { base: u64::MAX, max: 0, sum: 0, samples: 0 };

    #[inline]
    pub(super) fn observe(&mut self, rtt: Duration) {
        let rtt = rtt.as_nanos();
        self.base = self.base.min(rtt);
        self.max = self.max.max(rtt);
        self.sum = self.sum.saturating_add(rtt);
        self.samples += 1;
    }

    /// d_a and d_m; the next round trip begins.
    pub(super) fn end_round(&mut self) -> Option<(u64, u64)> {
        let mean = self.sum.checked_div(self.samples);
        self.restart();
        mean.map(|mean| (mean.saturating_sub(self.base), self.max - self.base))
    }

    pub(super) fn restart(&mut self) {
        (self.sum, self.samples) = (0, 0);
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Illinois {
    pub(super) config: Config,
    pub(super) reno: Reno,
    pub(super) rounds: RoundTrips,
    pub(super) delays: Delays,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    /// The delay was above d_1 since alpha was alpha_max.
    was_above: bool,
    /// Round trips in a row below d_1.
    below: u32,
}

impl Illinois {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            rounds: RoundTrips::default(),
            delays: Delays::NONE,
            alpha: config.alpha_max,
            beta: config.beta_max.0,
            was_above: false,
            below: 0,
        }
    }

    /// Reno's alpha and beta.
    pub(super) fn be_reno(&mut self) {
        (self.alpha, self.beta) = (1.0, 0.5);
    }

    /// alpha where the delay is at most d_1: alpha_max, but after a time above d_1 the last one for theta round trips.
    pub(super) fn alpha_below(&mut self) -> f64 {
        self.below += u32::from(self.was_above);
        if self.was_above && self.below < self.config.theta {
            return self.alpha;
        }
        (self.was_above, self.below) = (false, 0);
        self.config.alpha_max
    }

    /// The delay is above d_1.
    pub(super) fn note_above(&mut self) {
        (self.was_above, self.below) = (true, 0);
    }

    pub(super) fn on_timeout(&mut self) {
        self.be_reno();
        (self.was_above, self.below) = (false, 0);
        self.delays.restart();
    }

    fn update(&mut self, cwnd: f64) {
        let delays = self.delays.end_round();
        if cwnd < self.config.window_threshold {
            self.be_reno();
        } else if let Some((mean, max)) = delays {
            let (mean, max) = (mean as f64, max as f64);
            self.alpha = self.alpha_at(mean, max);
            self.beta = self.beta_at(mean, max);
        }
    }

    /// f_1 of the paper.
    fn alpha_at(&mut self, mean: f64, max: f64) -> f64 {
        let d1 = 0.01 * max;
        if mean <= d1 {
            return self.alpha_below();
        }
        self.note_above();
        let Config { alpha_min, alpha_max, .. } = self.config;
        let range = max - d1;
        range * alpha_max / (range + (mean - d1) * (alpha_max - alpha_min) / alpha_min)
    }

    /// f_2 of the paper.
    fn beta_at(&self, mean: f64, max: f64) -> f64 {
        let (beta_min, beta_max) = (self.config.beta_min.0, self.config.beta_max.0);
        let (d2, d3) = (0.1 * max, 0.8 * max);
        if mean <= d2 {
            beta_min
        } else if mean >= d3 {
            beta_max
        } else {
            beta_min + (beta_max - beta_min) * (mean - d2) / (d3 - d2)
        }
    }
}

impl CongestionControl for Illinois {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.delays.observe(rtt);
        }
        if self.rounds.on_ack(ack) && !ack.in_recovery {
            self.update(window.cwnd);
        }
        if !ack.may_grow {
            return;
        }
        let rest = self.reno.slow_start(window, ack.acked);
        if rest > 0.0 {
            self.reno.increase(window, rest, (window.cwnd / self.alpha).max(1.0));
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let kept = loss.flight - self.reno.share(loss, self.beta);
        self.reno.reduce(window, loss, kept);
        if loss.kind == LossKind::Timeout {
            self.on_timeout();
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("alpha", self.alpha), ("beta", self.beta)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
