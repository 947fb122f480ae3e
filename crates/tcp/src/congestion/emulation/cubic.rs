//! `tcp_cubic.c`: as many ACKs per segment of growth as lead to the target of the curve, counted anew every 32nd of a
//! second or when the window changed.

use farlink_kernel::{Duration, Instant};

use crate::congestion::arithmetic::AckRatio;
use crate::congestion::cubic::{Config, Cubic, Friendliness, rtt_over_100_ms};
use crate::congestion::{Ack, CongestionControl, Loss, LossKind, Saved, Setup};
use crate::window::Window;

/// How long the module keeps a count: HZ/32 of its clock of 1 ms.
const KEPT: Duration = Duration::from_millis(32);

#[derive(Debug)]
pub(super) struct Module {
    cubic: Cubic,
    is_2_6_22: bool,
    ack_ratio: AckRatio,
    /// The last count of ACKs per segment: the window it is for, and when it was made.
    counted: Option<(f64, Instant, f64)>,
    /// ACKs on the way to the next segment of W_est (`ack_cnt`), now and before the last reduction.
    reno_acks: f64,
    reno_acks_before: f64,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            cubic: Cubic::new(config, setup),
            is_2_6_22: setup.arithmetic.is_2_6_22(),
            ack_ratio: AckRatio::new(&setup.arithmetic),
            counted: None,
            reno_acks: 0.0,
            reno_acks_before: 0.0,
        }
    }

    /// ACKs per segment of growth, kept or counted anew.
    fn acks_per_segment(&mut self, cwnd: f64, ack: &Ack) -> f64 {
        let acked = if self.is_2_6_22 { 1.0 } else { ack.acked };
        match self.counted {
            Some((of, at, acks)) if of == cwnd && ack.now.saturating_since(at) < KEPT => {
                if self.cubic.state.epoch.is_some() {
                    self.reno_acks += acked;
                }
                acks
            }
            _ => {
                let mut acks = self.count(cwnd, ack);
                if self.cubic.config.friendliness != Friendliness::None {
                    acks = acks.min(self.count_as_reno(cwnd, ack, acked));
                }
                let acks = if self.is_2_6_22 { self.ack_ratio.correct(acks) } else { acks.max(2.0) };
                self.counted = Some((cwnd, ack.now, acks));
                acks
            }
        }
    }

    /// ACKs per segment that lead to the target of the curve.
    fn count(&mut self, cwnd: f64, ack: &Ack) -> f64 {
        let (c, max_increment) = (self.cubic.config.c, self.cubic.config.max_increment);
        let first_acks = self.cubic.config.first_growth_acks.max(1.0);
        let is_first = self.cubic.state.max_window.is_none();
        let epoch = self.cubic.epoch(cwnd, ack.now);
        let ahead = if ack.min_rtt == Duration::MAX { Duration::ZERO } else { ack.min_rtt };
        let t = ack.now.saturating_add(ahead).saturating_since(epoch.start).as_secs_f64();
        // The module rounds the distance from the origin towards zero, on both sides of it.
        let target = epoch.origin + (epoch.at(t, c) - epoch.origin).trunc();
        let mut acks = if target > cwnd { (cwnd / (target - cwnd)).floor() } else { 100.0 * cwnd };
        if let (Some(most), true) = (max_increment, t >= epoch.k) {
            let fewest = cwnd / (most.max(1e-3) * rtt_over_100_ms(ahead).max(1e-6));
            acks = acks.max(fewest.floor());
        }
        match (is_first, self.is_2_6_22) {
            (true, true) => first_acks,
            (true, false) => acks.min(first_acks),
            (false, _) => acks,
        }
    }

    /// ACKs per segment that lead to W_est, which grows by whole segments.
    fn count_as_reno(&mut self, cwnd: f64, ack: &Ack, acked: f64) -> f64 {
        // The module keeps 1/alpha in eighths.
        let eighths = (8.0 / self.cubic.alpha.max(1e-3)).floor();
        let per_segment = (cwnd * eighths / 8.0).floor().max(1.0);
        let epoch = self.cubic.epoch(cwnd, ack.now);
        self.reno_acks += acked;
        let whole = ((self.reno_acks / per_segment).ceil() - 1.0).max(0.0);
        self.reno_acks -= whole * per_segment;
        epoch.reno_window += whole;
        let above = epoch.reno_window - cwnd;
        if above > 0.0 { (cwnd / above).floor() } else { f64::INFINITY }
    }
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.cubic.watch_slow_start(window, ack);
        if ack.acked <= 0.0 {
            return;
        }
        if !ack.in_recovery {
            self.ack_ratio.on_ack(ack.acked);
        }
        if ack.may_grow {
            let rest = self.cubic.reno.slow_start(window, ack.acked);
            if rest > 0.0 {
                let acks = self.acks_per_segment(window.cwnd, ack);
                self.cubic.reno.increase(window, rest, acks);
            }
        } else if !ack.in_recovery {
            self.cubic.pause(ack.now);
        }
        self.cubic.last_ack = ack.now;
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let reno_acks = std::mem::take(&mut self.reno_acks);
        if !loss.repeated {
            self.reno_acks_before = reno_acks;
        }
        if loss.kind == LossKind::Timeout {
            self.ack_ratio.on_timeout();
            self.counted = None;
        }
        self.cubic.on_congestion(window, loss);
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.ack_ratio.on_repaired();
        self.cubic.on_recovery_end(window, now);
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.ack_ratio.on_repaired();
        if self.cubic.before.is_some() {
            self.reno_acks = self.reno_acks_before;
        }
        self.cubic.on_spurious(window, saved);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, now: Instant) {
        self.cubic.on_idle(window, restart, now);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        self.cubic.observe()
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::config::Fraction;

    use super::*;
    use crate::congestion::arithmetic::WindowArithmetic;
    use crate::congestion::testing::{Bench, loss, setup};
    use crate::congestion::{self, LossKind};

    #[test]
    fn linux_reaches_the_last_maximum_after_k() {
        let config = Config { beta: Fraction(717.0 / 1024.0), ..Config::default() };
        let mut bench = Bench::with(&congestion::Config::Cubic(config), 100.0, WindowArithmetic::LINUX);
        bench.lose(&loss(LossKind::DuplicateAcks, 100.0));
        assert_eq!(bench.window.cwnd, 70.0);
        (0..42).for_each(|_| bench.round());
        assert!((bench.window.cwnd - 100.0).abs() <= 2.0, "{}", bench.window.cwnd);
    }

    #[test]
    fn growth_before_the_first_loss_has_the_bound_of_2_6_22() {
        let config = Config { first_growth_acks: 50.0, ..Config::default() };
        let mut module = Module::new(&config, &setup(WindowArithmetic::NS2_LINUX));
        let ack = Bench::new("reno", 400.0).ack();
        // 50 ACKs, divided by a ratio that integer rounding holds at 31/16.
        (0..2).for_each(|_| module.ack_ratio.on_ack(1.0));
        assert_eq!(module.acks_per_segment(400.0, &ack), 25.0);
    }
}
