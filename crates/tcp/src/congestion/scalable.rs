//! T. Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", ACM CCR 33(2), 2003.
//!
//! The window grows by a fixed share per round trip and a loss takes a fixed share of it, so the time between a loss and the
//! return to the old window does not depend on the window. Small windows behave as Reno's.
//!
//! Equations: above the legacy window, cwnd += a per acknowledged segment, and cwnd -= b cwnd on a loss; the recovery takes
//! log(1 - b)/log(1 + a) round trips, 13.4 with the recommended a = 0.01 and b = 0.125. Left out: nothing.
//!
//! Linux (`tcp_scalable.c`) grows by the larger of Reno's growth and Scalable's, which is a legacy window of 1/a, and
//! reduces small windows by b, too.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Instant, config};

use super::{Ack, CongestionControl, Loss, Setup, reno::Reno};
use crate::window::Window;

pub(super) const SOURCE: &str = "Kelly, ACM CCR 33(2), 2003";

config! {
    /// Parameters of Scalable TCP.
    pub struct Config {
        /// a: segments of growth per acknowledged segment (the paper: 0.01; Linux 2.6.22: 0.02, for delayed ACKs).
        pub increase: f64 = 0.01; in above(0.0),
        /// b: fraction of the window given up after a loss (the paper: 0.125).
        pub decrease: Fraction = Fraction(0.125); in above(Fraction(0.0)),
        /// Legacy window: windows up to this many segments grow as Reno's (the paper: 16; Linux: 1/a).
        pub legacy_window: f64 = 16.0,
        /// Fraction of a window within the legacy window given up after a loss (the paper: 0.5; Linux: b).
        pub legacy_decrease: Fraction = Fraction(0.5); in above(Fraction(0.0)),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Scalable {
    config: Config,
    reno: Reno,
    /// 1/a: acknowledged segments per segment of growth.
    acks_per_segment: f64,
}

impl Scalable {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let acks_per_segment = 1.0 / config.increase;
        Self { config: config.clone(), reno: Reno::with(setup.arithmetic), acks_per_segment }
    }
}

impl CongestionControl for Scalable {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if !ack.may_grow {
            return;
        }
        let rest = self.reno.slow_start(window, ack.acked);
        if rest > 0.0 {
            let is_legacy = window.cwnd <= self.config.legacy_window;
            let acks_per_segment = if is_legacy { window.cwnd } else { self.acks_per_segment };
            self.reno.increase(window, rest, acks_per_segment);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let is_legacy = window.cwnd <= self.config.legacy_window;
        let decrease = if is_legacy { self.config.legacy_decrease } else { self.config.decrease };
        let kept = loss.flight - self.reno.share(loss, decrease.0);
        self.reno.reduce_to_min_cwnd(window, loss, kept);
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::LossKind;
    use super::super::arithmetic::WindowArithmetic;
    use super::super::testing::{Bench, loss};
    use super::Config;
    use crate::config::Preset;
    use crate::congestion;
    use crate::preset::congestion_control;

    /// The window after an ACK, and after a loss, of a window in congestion avoidance.
    fn step(cwnd: f64) -> (f64, f64) {
        let mut bench = Bench::new("scalable", cwnd);
        bench.window.ssthresh = 2.0;
        bench.acks(1);
        let grown = bench.window.cwnd;
        bench.window.cwnd = cwnd;
        bench.lose(&loss(LossKind::DuplicateAcks, cwnd));
        (grown, bench.window.cwnd)
    }

    #[test]
    fn windows_grow_by_a_per_ack_and_lose_b_and_small_ones_are_renos() {
        assert_eq!(step(100.0), (100.01, 87.5));
        assert_eq!(step(4000.0), (4000.01, 3500.0));
        assert_eq!(step(16.0), (16.0625, 8.0));
    }

    /// Round trips from a loss until the window is the old one again.
    fn recovery(name: &str, cwnd: f64) -> u32 {
        let mut bench = Bench::new(name, cwnd);
        bench.lose(&loss(LossKind::DuplicateAcks, cwnd));
        let mut rounds = 0;
        while bench.window.cwnd < cwnd {
            bench.round();
            rounds += 1;
        }
        rounds
    }

    #[test]
    fn the_recovery_of_any_window_takes_13_4_round_trips() {
        // log(1 - 0.125)/log(1 + 0.01) = 13.42.
        for cwnd in [200.0, 2_000.0, 20_000.0] {
            assert_eq!(recovery("scalable", cwnd), 14, "{cwnd}");
        }
        assert_eq!(recovery("reno", 200.0), 101);
    }

    fn linux() -> (Config, Bench) {
        let Some(congestion::Config::Scalable(config)) = congestion_control(Preset::Linux, "scalable") else {
            panic!("a registered name");
        };
        let bench = Bench::with(&congestion::Config::Scalable(config.clone()), 50.0, WindowArithmetic::LINUX);
        (config, bench)
    }

    #[test]
    fn linux_grows_after_the_smaller_of_the_window_and_100_acks_and_gives_up_an_eighth() {
        let (config, mut bench) = linux();
        assert_eq!(1.0 / config.increase, 100.0);
        bench.window.ssthresh = 2.0;
        bench.acks(50);
        assert_eq!(bench.window.cwnd, 51.0);
        bench.window.cwnd = 400.0;
        bench.acks(100);
        assert_eq!(bench.window.cwnd, 401.0);
        for (cwnd, kept) in [(20.0, 18.0), (7.0, 7.0), (100.0, 88.0), (401.0, 351.0)] {
            bench.lose(&loss(LossKind::DuplicateAcks, cwnd));
            assert_eq!(bench.window.cwnd, kept, "{cwnd}");
        }
    }
}
