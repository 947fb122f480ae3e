//! `tcp_highspeed.c`: a(w) and b(w) from the table of RFC 3649 appendix B, whole segments and 256ths. Every ACK counts
//! a(w), however many segments it acknowledges.

use farlink_kernel::Instant;

use crate::congestion::highspeed::{Config, HighSpeed};
use crate::congestion::reno::LARGEST_WINDOW;
use crate::congestion::{Ack, CongestionControl, Loss, Setup};
use crate::window::Window;

/// The largest windows that grow by 1, 2, ... segments per round trip (RFC 3649 appendix B).
const WINDOWS: [f64; 72] = [
    38.0, 118.0, 221.0, 347.0, 495.0, 663.0, 851.0, 1058.0, 1284.0, 1529.0, 1793.0, 2076.0, 2378.0, 2699.0,
    3039.0, 3399.0, 3778.0, 4177.0, 4596.0, 5036.0, 5497.0, 5979.0, 6483.0, 7009.0, 7558.0, 8130.0, 8726.0,
    9346.0, 9991.0, 10661.0, 11358.0, 12082.0, 12834.0, 13614.0, 14424.0, 15265.0, 16137.0, 17042.0, 17981.0,
    18955.0, 19965.0, 21013.0, 22101.0, 23230.0, 24402.0, 25618.0, 26881.0, 28193.0, 29557.0, 30975.0,
    32450.0, 33986.0, 35586.0, 37253.0, 38992.0, 40808.0, 42707.0, 44694.0, 46776.0, 48961.0, 51258.0,
    53677.0, 56230.0, 58932.0, 61799.0, 64851.0, 68113.0, 71617.0, 75401.0, 79517.0, 84035.0, 89053.0,
];

#[derive(Debug)]
pub(super) struct Module {
    highspeed: HighSpeed,
    /// `ai`: the row of the table; a(w) is one more.
    row: usize,
    /// `snd_cwnd_cnt`.
    counted: f64,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        Self { highspeed: HighSpeed::new(config, setup), row: 0, counted: 0.0 }
    }

    fn find_row(&mut self, cwnd: f64) {
        while cwnd > WINDOWS[self.row] && self.row + 1 < WINDOWS.len() {
            self.row += 1;
        }
        while self.row > 0 && cwnd <= WINDOWS[self.row - 1] {
            self.row -= 1;
        }
    }
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if !ack.may_grow {
            return;
        }
        if self.highspeed.reno.in_slow_start(window) {
            self.highspeed.reno.slow_start(window, ack.acked);
            return;
        }
        self.find_row(window.cwnd);
        self.counted += 1.0 + self.row as f64;
        if self.counted >= window.cwnd {
            self.counted -= window.cwnd;
            window.cwnd = (window.cwnd + 1.0).min(LARGEST_WINDOW);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let decrease = (256.0 * self.highspeed.decrease(WINDOWS[self.row])).floor();
        let kept = loss.flight - (loss.flight * decrease / 256.0).floor();
        self.counted = 0.0;
        self.highspeed.reno.reduce_to_min_cwnd(window, loss, kept);
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.highspeed.on_recovery_end(window, now);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("a", 1.0 + self.row as f64), ("b", self.highspeed.decrease(WINDOWS[self.row]))]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::congestion::LossKind;
    use crate::congestion::arithmetic::WindowArithmetic;
    use crate::congestion::testing::{Bench, loss};

    #[test]
    fn rows_of_the_table_set_growth_and_reduction() {
        // Row, window within it, and what is kept by the module's 256ths.
        let cases = [
            (1.0, 38.0, 38.0 - 19.0),
            (2.0, 39.0, 39.0 - 17.0),
            (5.0, 400.0, 400.0 - 145.0),
            (72.0, 86_000.0, 86_000.0 - 8_062.0),
            (72.0, 200_000.0, 200_000.0 - 18_750.0),
        ];
        for (a, cwnd, kept) in cases {
            let mut bench = Bench::counting("highspeed", cwnd, WindowArithmetic::LINUX);
            bench.window.ssthresh = 2.0;
            bench.acks((cwnd / a).ceil() as u32);
            assert_eq!(bench.window.cwnd, cwnd + 1.0, "{cwnd}");
            bench.window.cwnd = cwnd;
            bench.acks(1);
            assert_eq!(bench.member.observe()[0], ("a", a), "{cwnd}");
            bench.lose(&loss(LossKind::DuplicateAcks, cwnd));
            assert_eq!(bench.window.ssthresh, kept, "{cwnd}");
        }
    }
}
