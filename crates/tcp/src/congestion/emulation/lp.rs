//! `tcp_lp.c`: delays in whole milliseconds, and only by timestamps. An indication begins a new range of delays, from
//! the smoothed one to twice as much, so that it is not repeated at once. Slow start goes on after it. The delayed ACK of a lone
//! segment counts as a delay, which keeps a window of one segment there; the module escapes it where the clocks of the hosts
//! differ by more than the delays, which hides these.

use farlink_kernel::{Duration, Instant};

use crate::congestion::lp::Config;
use crate::congestion::reno::Reno;
use crate::congestion::{Ack, CongestionControl, Loss, Setup};
use crate::window::Window;

#[derive(Debug)]
pub(super) struct Module {
    config: Config,
    reno: Reno,
    /// `sowd`, in eighths of a millisecond; zero before the first sample.
    smoothed: u64,
    /// `owd_min`, `owd_max` and `owd_max_rsv`, the largest, in milliseconds.
    min: u64,
    max: u64,
    reserve: u64,
    last_drop: Option<Instant>,
    /// `inference`: three times the last round trip.
    inference: Duration,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            smoothed: 0,
            min: u64::from(u32::MAX),
            max: 0,
            reserve: 0,
            last_drop: None,
            inference: Duration::ZERO,
        }
    }

    /// `tcp_lp_rtt_sample`.
    fn observe_delay(&mut self, delay: u64) {
        self.min = self.min.min(delay);
        if delay > self.reserve {
            // The largest of all is an outlier.
            self.max = if self.reserve == 0 { delay } else { self.reserve };
            self.reserve = delay;
        } else {
            self.max = self.max.max(delay);
        }
        self.smoothed =
            if self.smoothed == 0 { delay << 3 } else { self.smoothed + delay - (self.smoothed >> 3) };
    }

    fn is_within_threshold(&self) -> bool {
        let percent = (100.0 * self.config.delta.0).round() as u64;
        self.smoothed >> 3 <= self.min + percent * self.max.saturating_sub(self.min) / 100
    }

    fn is_inferring(&self, now: Instant) -> bool {
        self.last_drop.is_some_and(|last| now.saturating_since(last) < self.inference)
    }
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if let (Some(rtt), true) = (ack.rtt, ack.acked > 0.0) {
            let delay = ack.one_way.map_or(0, Duration::as_millis);
            if delay > 0 {
                self.observe_delay(delay);
            }
            self.inference = rtt.mul_f64(self.config.inference_rtts);
        }
        let is_inferring = self.is_inferring(ack.now);
        if ack.may_grow && !is_inferring {
            self.reno.grow(window, ack.acked);
        } else {
            self.reno.count(ack.acked);
        }
        if self.is_within_threshold() || ack.in_recovery || ack.acked <= 0.0 {
            return;
        }
        self.min = self.smoothed >> 3;
        self.max = self.smoothed >> 2;
        self.reserve = self.max;
        window.cwnd = if is_inferring { 1.0 } else { (window.cwnd / 2.0).floor().max(1.0) };
        self.last_drop = Some(ack.now);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.reno.halve(window, loss);
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }

    fn uses_one_way_delay(&self) -> bool {
        true
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        let bounds = [self.smoothed >> 3, if self.smoothed == 0 { 0 } else { self.min }, self.max];
        ["sd_ms", "d_min_ms", "d_max_ms"].into_iter().zip(bounds.map(|millis| millis as f64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::arithmetic::WindowArithmetic;
    use crate::congestion::testing::Bench;

    #[test]
    fn an_indication_begins_a_new_range_of_delays() {
        let mut bench = Bench::counting("lp", 40.0, WindowArithmetic::LINUX);
        bench.window.ssthresh = 2.0;
        let at = |bench: &mut Bench, now: u64, delay: u64| {
            bench.now = Instant::ZERO + Duration::from_millis(now);
            let ack = Ack { one_way: Some(Duration::from_millis(delay)), ..bench.ack() };
            bench.member.on_ack(&mut bench.window, &ack);
            let seen = bench.member.observe();
            (bench.window.cwnd, seen[0].1, seen[1].1, seen[2].1)
        };
        assert_eq!(at(&mut bench, 1, 40), (40.0, 40.0, 40.0, 40.0));
        // The first larger delay is kept in reserve: the range stays empty, and the smoothed delay of
        // (8 40 + 72 - 40)/8 = 44 is above it.
        assert_eq!(at(&mut bench, 2, 72), (20.0, 44.0, 44.0, 88.0));
        // Within the inference phase of 300 ms: 44 + 15 % of 44 is 50; (352 + 92 - 44)/8 = 50 is within, 56 is not.
        assert_eq!(at(&mut bench, 3, 92), (20.0, 50.0, 44.0, 88.0));
        assert_eq!(at(&mut bench, 4, 98).0, 1.0);
    }
}
