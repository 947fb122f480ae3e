//! `tcp_illinois.c`: alpha in 128ths, beta in 64ths, delays in whole microseconds. What has been acknowledged towards the next
//! segment is forgotten when the window grows.

use farlink_kernel::{Duration, Instant};

use crate::congestion::illinois::{Config, Illinois};
use crate::congestion::reno::LARGEST_WINDOW;
use crate::congestion::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

/// 1 in the fixed point of alpha and of beta.
const ALPHA_ONE: f64 = 128.0;
const BETA_ONE: f64 = 64.0;
/// The largest sample in microseconds, so that alpha does not overflow 32 bits: (2^32 - 1)/1280.
const LARGEST_RTT: u64 = 3_355_443;

#[derive(Debug)]
pub(super) struct Module {
    illinois: Illinois,
    /// `snd_cwnd_cnt`.
    counted: f64,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        Self { illinois: Illinois::new(config, setup), counted: 0.0 }
    }

    fn update(&mut self, cwnd: f64) {
        let delays = self.illinois.delays.end_round();
        if cwnd < self.illinois.config.window_threshold {
            self.illinois.be_reno();
        } else if let Some((mean, max)) = delays {
            self.illinois.alpha = self.alpha(mean, max);
            self.illinois.beta = self.beta(mean, max);
        }
    }

    fn alpha(&mut self, mean: u64, max: u64) -> f64 {
        let d1 = max / 100;
        if mean <= d1 {
            return self.illinois.alpha_below();
        }
        self.illinois.note_above();
        let alpha_max = (self.illinois.config.alpha_max * ALPHA_ONE).floor();
        let alpha_min = (self.illinois.config.alpha_min * ALPHA_ONE).floor().max(1.0);
        let (range, above) = ((max - d1) as f64, (mean - d1) as f64);
        let slower = (above * (alpha_max - alpha_min).max(0.0) / alpha_min).floor();
        (range * alpha_max / (range + slower)).floor() / ALPHA_ONE
    }

    fn beta(&self, mean: u64, max: u64) -> f64 {
        let [least, most] = [self.illinois.config.beta_min, self.illinois.config.beta_max]
            .map(|beta| (beta.0 * BETA_ONE).floor());
        let (d2, d3) = (max / 10, 8 * max / 10);
        if mean <= d2 {
            return least / BETA_ONE;
        }
        if mean >= d3 || d3 <= d2 {
            return most / BETA_ONE;
        }
        let (mean, d2, d3) = (mean as f64, d2 as f64, d3 as f64);
        ((least * d3 - most * d2 + (most - least) * mean) / (d3 - d2)).floor() / BETA_ONE
    }
}

/// A sample in the module's unit: a microsecond for a nanosecond.
fn in_micros(rtt: Duration) -> Duration {
    Duration::from_nanos((rtt.as_nanos() / 1_000).min(LARGEST_RTT))
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.illinois.delays.observe(in_micros(rtt));
        }
        if self.illinois.rounds.on_ack(ack) && !ack.in_recovery {
            self.update(window.cwnd);
        }
        if !ack.may_grow {
            return;
        }
        if self.illinois.reno.in_slow_start(window) {
            self.illinois.reno.slow_start(window, ack.acked);
            return;
        }
        self.counted += ack.delivered.max(1.0);
        let due = (self.counted * self.illinois.alpha).floor();
        if due >= window.cwnd {
            window.cwnd = (window.cwnd + (due / window.cwnd).floor()).min(LARGEST_WINDOW);
            self.counted = 0.0;
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let kept = loss.flight - (loss.flight * self.illinois.beta).floor();
        self.illinois.reno.reduce_to_min_cwnd(window, loss, kept);
        self.counted = 0.0;
        if loss.kind == LossKind::Timeout {
            self.illinois.on_timeout();
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.illinois.on_recovery_end(window, now);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        self.illinois.observe()
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::arithmetic::WindowArithmetic;
    use crate::congestion::testing::{Bench, loss, setup};

    #[test]
    fn alpha_and_beta_are_whole_parts() {
        let mut module = Module::new(&Config::default(), &setup(WindowArithmetic::LINUX));
        // alpha_max = 1280, alpha_min = 38; with d_m = 10000 us: d_1 = 100, 9900 1280/(9900 + (d_a - 100) 1242/38).
        for (mean, alpha) in [(100, 1280.0), (1_000, 322.0), (5_000, 74.0), (10_000, 38.0)] {
            assert_eq!(module.alpha(mean, 10_000) * 128.0, alpha, "{mean}");
        }
        // 8 to 32: (8 8000 - 32 1000 + 24 d_a)/7000.
        for (mean, beta) in [(1_000, 8.0), (2_000, 11.0), (4_500, 20.0), (7_999, 31.0), (8_000, 32.0)] {
            assert_eq!(module.beta(mean, 10_000) * 64.0, beta, "{mean}");
        }
    }

    #[test]
    fn an_empty_path_grows_after_a_tenth_of_the_window() {
        let mut bench = Bench::counting("illinois", 100.0, WindowArithmetic::LINUX);
        bench.window.ssthresh = 2.0;
        bench.acks(9);
        assert_eq!(bench.window.cwnd, 100.0);
        bench.acks(1);
        assert_eq!(bench.window.cwnd, 101.0);
        bench.lose(&loss(LossKind::DuplicateAcks, 101.0));
        assert_eq!(bench.window.cwnd, 101.0 - 12.0);
    }
}
