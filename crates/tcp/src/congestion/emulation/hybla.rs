//! `tcp_hybla.c`: Hybla in fixed point, in 1/128 of a segment and 32-bit words. Those of Linux 2.6.22 overflow at rho 25.

use farlink_kernel::{Duration, Instant};

use crate::congestion::arithmetic::WindowCounting;
use crate::congestion::hybla::{AfterTimeout, Config, Hybla};
use crate::congestion::reno::LARGEST_WINDOW;
use crate::congestion::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

/// The largest window in segments of today's module (`hybla_init`).
const CLAMP: f64 = 65_535.0;
/// The largest shift of its slow start.
const LARGEST_SHIFT: u32 = 16;

#[derive(Debug)]
pub(super) struct Module {
    hybla: Hybla,
    fixed_point: FixedPoint,
    /// True from a timeout until all is repaired.
    repairing: bool,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        let is_today = setup.arithmetic.counting == WindowCounting::Linux;
        let fixed_point = FixedPoint { is_today, ..FixedPoint::default() };
        Self { hybla: Hybla::new(config, setup), fixed_point, repairing: false }
    }

    fn follow(&mut self, window: &mut Window, srtt: Duration) {
        let before = self.hybla.rtt;
        self.hybla.follow(window, srtt);
        if self.hybla.rtt != before {
            self.fixed_point.set(self.hybla.rtt, self.hybla.config.rtt0);
        }
    }
}

impl CongestionControl for Module {
    fn on_start(&mut self, window: &mut Window, _now: Instant, srtt: Duration) {
        self.follow(window, srtt);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.follow(window, ack.srtt);
        if !ack.may_grow {
            return;
        }
        if self.repairing && self.hybla.config.after_timeout == AfterTimeout::One {
            return self.hybla.reno.grow(window, ack.acked);
        }
        let in_slow_start = window.in_slow_start();
        self.fixed_point.grow(window, in_slow_start);
        self.hybla.bound(window, in_slow_start);
        if self.fixed_point.is_today {
            window.cwnd = window.cwnd.min(CLAMP);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.hybla.on_congestion(window, loss);
        self.fixed_point.acks = 0;
        self.repairing |= loss.kind == LossKind::Timeout;
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.repairing = false;
        self.hybla.on_recovery_end(window, now);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        self.hybla.observe()
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}

/// 32-bit words: rho in eighths, increments in 1/128 of a segment.
#[derive(Clone, Debug, Default)]
struct FixedPoint {
    /// The module of today's kernel.
    is_today: bool,
    rho_eighths: u32,
    /// Remainders below a segment, in 1/128.
    cents: u32,
    /// ACKs of congestion avoidance without a whole segment (`snd_cwnd_cnt`).
    acks: u32,
}

impl FixedPoint {
    /// 2^(n/8) in 1/128, as the module tabulates it.
    const EIGHTH_POWERS: [u32; 8] = [128, 139, 152, 165, 181, 197, 215, 234];

    fn set(&mut self, srtt: Duration, rtt0: Duration) {
        let eighths = srtt.as_nanos().saturating_mul(8) / rtt0.as_nanos();
        self.rho_eighths = eighths.clamp(8, u64::from(u32::MAX)) as u32;
    }

    /// 2^rho - 1 in 1/128 of a segment. In Linux 2.6.22 the shift and the product wrap: from rho 25 on the increment is
    /// nonsense.
    fn slow_start_increment(&self) -> u32 {
        let rho = self.rho_eighths / 8;
        let power = 1u32.wrapping_shl(if self.is_today { rho.min(LARGEST_SHIFT) } else { rho });
        let fraction = Self::EIGHTH_POWERS[(self.rho_eighths % 8) as usize];
        power.wrapping_mul(fraction).wrapping_sub(128)
    }

    /// rho^2 in 1/128 of a segment.
    fn rho_squared(&self) -> u32 {
        self.rho_eighths.wrapping_mul(self.rho_eighths) << 1
    }

    fn grow(&mut self, window: &mut Window, in_slow_start: bool) {
        let increment = if in_slow_start {
            self.slow_start_increment()
        } else {
            self.rho_squared() / (window.cwnd.clamp(1.0, LARGEST_WINDOW) as u32)
        };
        self.cents += increment % 128;
        window.cwnd += f64::from(increment / 128 + self.cents / 128);
        if self.is_today {
            self.count(window, increment, in_slow_start);
        }
        self.cents %= 128;
    }

    /// A window that is too large for an increment of 1/128 grows by a segment per window of ACKs.
    fn count(&mut self, window: &mut Window, increment: u32, in_slow_start: bool) {
        if self.cents >= 128 {
            self.acks = 0;
        } else if !in_slow_start && increment < 128 {
            self.acks += 1;
        }
        if increment == 0 && f64::from(self.acks) >= window.cwnd {
            window.cwnd += 1.0;
            self.acks = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increments_overflow_at_rho_25() {
        let cases = [
            (20, 8, 128, 128),
            (25, 8, 128, 128),
            (50, 16, 384, 512),
            (100, 32, 1920, 2048),
            (110, 35, 2512, 2450),
            (300, 96, 524_160, 18_432),
            (550, 176, 536_870_784, 61_952),
            (600, 192, 2_147_483_520, 73_728),
            (700, 224, 4_294_967_168, 100_352),
        ];
        for (rtt, eighths, slow_start, squared) in cases {
            let mut fixed = FixedPoint::default();
            fixed.set(Duration::from_millis(rtt), Duration::from_millis(25));
            let found = (fixed.rho_eighths, fixed.slow_start_increment(), fixed.rho_squared());
            assert_eq!(found, (eighths, slow_start, squared), "{rtt} ms");
        }
    }

    #[test]
    fn the_shift_of_today_ends_at_16() {
        // 2^16 (1 + 128ths of the fraction) - 1, for rho 16.0 and above alike.
        for (rtt, slow_start) in [(300, 524_160), (400, 8_388_480), (550, 8_388_480), (700, 8_388_480)] {
            let mut fixed = FixedPoint { is_today: true, ..FixedPoint::default() };
            fixed.set(Duration::from_millis(rtt), Duration::from_millis(25));
            assert_eq!(fixed.slow_start_increment(), slow_start, "{rtt} ms");
        }
    }

    #[test]
    fn a_window_too_large_for_an_increment_grows_as_reno_s() {
        let mut fixed = FixedPoint { is_today: true, ..FixedPoint::default() };
        fixed.set(Duration::from_millis(10), Duration::from_millis(25));
        let mut window = Window { cwnd: 200.0, ssthresh: 100.0, pacing_rate: None };
        for _ in 0..200 + 201 {
            fixed.grow(&mut window, false);
        }
        assert_eq!(window.cwnd, 202.0);
    }
}
