//! M. Allman, V. Paxson, E. Blanton, "TCP Congestion Control", RFC 5681, 2009 (after V. Jacobson,
//! "Congestion Avoidance and Control", SIGCOMM 1988).
//!
//! The window doubles per round trip until it reaches a threshold, then grows by one segment per round
//! trip; a loss halves it, a timeout sends it back to one. Losses are taken for congestion.
//!
//! Equations: slow start cwnd += min(N, SMSS) (2); congestion avoidance cwnd += SMSS^2/cwnd (3);
//! ssthresh = max(FlightSize/2, 2 SMSS) (4). Left out: nothing; recovery lives in [`crate::recovery`].
//!
//! Other algorithms hold a [`Reno`] and use its verbs for what they keep of it.

use farlink_kernel::{Instant, config};

use super::arithmetic::{WholeWindow, WindowArithmetic};
use super::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

pub(super) const SOURCE: &str = "RFC 5681, 2009";

/// No window is counted beyond this many segments: RFC 7323 cannot announce more than 2^30 bytes.
pub const LARGEST_WINDOW: f64 = (1 << 30) as f64;

config! {
    /// Parameters of Reno: none.
    pub struct Config {}
}

/// Reno. The window is all its state, but for what whole windows count.
#[derive(Clone, Debug)]
pub struct Reno {
    arithmetic: WindowArithmetic,
    whole: Option<WholeWindow>,
}

impl Reno {
    pub(crate) fn new(_config: &Config, setup: &Setup) -> Self {
        Self::with(setup.arithmetic)
    }

    /// Reno that counts windows in this arithmetic ([`Setup::arithmetic`]).
    pub fn with(arithmetic: WindowArithmetic) -> Self {
        Self { arithmetic, whole: WholeWindow::new(&arithmetic) }
    }

    /// Segments, rounded down where windows are whole.
    pub fn round(&self, segments: f64) -> f64 {
        self.arithmetic.round(segments)
    }

    /// True while the window is below the threshold, or at it where the arithmetic says so.
    pub fn in_slow_start(&self, window: &Window) -> bool {
        self.whole.as_ref().map_or_else(|| window.in_slow_start(), |whole| whole.in_slow_start(window))
    }

    /// Slow start (RFC 5681 equation 2): a segment per segment acknowledged, at most L per ACK, up to the
    /// threshold. Returns the acknowledged segments it did not use.
    pub fn slow_start(&mut self, window: &mut Window, mut acked: f64) -> f64 {
        if !self.in_slow_start(window) {
            return acked;
        }
        if let Some(whole) = &mut self.whole {
            if whole.slow_start(window) {
                return 0.0;
            }
            acked = acked.ceil();
        }
        let room = window.ssthresh.min(LARGEST_WINDOW) - window.cwnd;
        let growth = acked.min(self.arithmetic.slow_start_limit).min(room.max(0.0));
        window.cwnd += growth;
        if window.in_slow_start() { 0.0 } else { acked - growth }
    }

    /// Additive increase: one segment more per `acks_per_segment` segments acknowledged (cwnd of them is
    /// RFC 5681 equation 3: about one segment per round trip).
    pub fn increase(&mut self, window: &mut Window, acked: f64, acks_per_segment: f64) {
        let per = acks_per_segment.max(f64::MIN_POSITIVE);
        match &mut self.whole {
            None => window.cwnd += acked.min(1.0) / per,
            Some(whole) => whole.increase(window, acked, per),
        }
        window.cwnd = window.cwnd.min(LARGEST_WINDOW);
    }

    /// Reno's growth on an ACK: slow start, and congestion avoidance with what is left.
    pub fn grow(&mut self, window: &mut Window, acked: f64) {
        self.count(acked);
        let rest = self.slow_start(window, acked);
        if rest <= 0.0 {
            return;
        }
        if self.whole.as_mut().is_some_and(|whole| whole.increase_by_bytes(window)) {
            window.cwnd = window.cwnd.min(LARGEST_WINDOW);
        } else {
            self.increase(window, rest, window.cwnd);
        }
    }

    /// Byte counting sees an ACK that is not to [`grow`](Self::grow) the window.
    pub fn count(&mut self, acked: f64) {
        if let Some(whole) = &mut self.whole {
            whole.count(acked);
        }
    }

    /// A share of what a loss reduces.
    pub fn share(&self, loss: &Loss, kept: f64) -> f64 {
        self.round(loss.flight * kept)
    }

    /// The threshold becomes `kept` segments, at least two (RFC 5681 equation 4), unless a timeout is repeated. The window
    /// follows it, or starts again from the loss window of one segment after a timeout (RFC 5681 section 3.1). An ECN echo
    /// takes the window down to one segment, too (RFC 3168 section 6.1.2, RFC 9438 section 4.6); Linux keeps two.
    pub fn reduce(&mut self, window: &mut Window, loss: &Loss, kept: f64) {
        if let Some(whole) = &mut self.whole {
            whole.reset();
        }
        if !loss.repeated {
            window.ssthresh = kept.clamp(2.0, LARGEST_WINDOW);
        }
        window.cwnd = match loss.kind {
            LossKind::Timeout => 1.0,
            LossKind::Ecn if !self.arithmetic.is_whole() => kept.clamp(1.0, window.ssthresh),
            _ => window.ssthresh,
        };
    }

    /// Reno's reduction: the threshold becomes half of what was in flight.
    pub fn halve(&mut self, window: &mut Window, loss: &Loss) {
        self.reduce_to_min_cwnd(window, loss, self.share(loss, 0.5));
    }

    /// [`reduce`](Self::reduce) for a module with Reno's `min_cwnd`: half of the threshold while a loss is repaired, in
    /// ns-2's TCP-Linux only.
    pub fn reduce_to_min_cwnd(&mut self, window: &mut Window, loss: &Loss, kept: f64) {
        self.reduce(window, loss, kept);
        if self.arithmetic.has_min_cwnd() && loss.kind != LossKind::Timeout {
            window.cwnd = self.round(window.ssthresh / 2.0).max(1.0);
        }
    }

    /// The end of recovery: a window of `min_cwnd` rises to the threshold.
    pub fn end_recovery(&self, window: &mut Window) {
        if self.arithmetic.has_min_cwnd() && window.ssthresh.is_finite() {
            window.cwnd = window.cwnd.max(window.ssthresh);
        }
    }
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if ack.may_grow {
            self.grow(window, ack.acked);
        } else {
            self.count(ack.acked);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.halve(window, loss);
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.end_recovery(window);
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, loss};
    use super::*;

    #[test]
    fn slow_start_and_congestion_avoidance_follow_the_equations() {
        let mut bench = Bench::new("reno", 2.0);
        bench.window.ssthresh = 8.0;
        bench.acks(6);
        assert_eq!(bench.window.cwnd, 8.0);
        let mut windows = Vec::new();
        for _ in 0..4 {
            bench.acks(1);
            windows.push(bench.window.cwnd);
        }
        for (window, expected) in windows.iter().zip([8.125, 8.248_077, 8.369_317, 8.488_801]) {
            assert!((window - expected).abs() < 1e-6, "{window} {expected}");
        }
    }

    #[test]
    fn a_loss_halves_the_flight_and_a_timeout_starts_from_one() {
        let mut bench = Bench::new("reno", 8.0);
        bench.lose(&loss(LossKind::DuplicateAcks, 8.0));
        assert_eq!((bench.window.cwnd, bench.window.ssthresh), (4.0, 4.0));
        bench.lose(&loss(LossKind::Timeout, 4.0));
        assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 2.0));
        bench.lose(&Loss { repeated: true, ..loss(LossKind::Timeout, 40.0) });
        assert_eq!(bench.window.ssthresh, 2.0);
    }

    #[test]
    fn an_ecn_echo_takes_the_window_down_to_one_segment_and_linux_to_two() {
        let after = |arithmetic| {
            let mut bench = Bench::counting("reno", 5.0, arithmetic);
            let halve = |cwnd| {
                bench.lose(&loss(LossKind::Ecn, cwnd));
                (bench.window.cwnd, bench.window.ssthresh)
            };
            [5.0, 2.5, 1.25, 1.0].map(halve)
        };
        assert_eq!(after(WindowArithmetic::RFC), [(2.5, 2.5), (1.25, 2.0), (1.0, 2.0), (1.0, 2.0)]);
        assert_eq!(after(WindowArithmetic::LINUX), [(2.0, 2.0); 4]);
    }

    #[test]
    fn linux_counts_acknowledged_segments_and_the_modules_of_2_6_22_one_ack_more() {
        let acks = |arithmetic, grow: fn(&mut Reno, &mut Window)| {
            let mut reno = Reno::with(arithmetic);
            let mut window = Window { ssthresh: 2.0, ..Window::new(10.0) };
            let mut acks = 0;
            while window.cwnd < 11.0 {
                grow(&mut reno, &mut window);
                acks += 1;
            }
            acks
        };
        let per_round = |arithmetic| acks(arithmetic, |reno, window| reno.grow(window, 1.0));
        assert_eq!(per_round(WindowArithmetic::LINUX), 10);
        assert_eq!(per_round(WindowArithmetic::NS2_LINUX), 10, "byte counting is on there");
        let by_counter =
            acks(WindowArithmetic::NS2_LINUX, |reno, window| reno.increase(window, 1.0, window.cwnd));
        assert_eq!(by_counter, 11);
        assert_eq!(
            per_round(WindowArithmetic::RFC),
            11,
            "ten ACKs of 1/cwnd give a little less than one segment"
        );
    }

    #[test]
    fn tcp_linux_of_ns2_recovers_with_a_quarter_and_resumes_with_a_half() {
        let mut bench = Bench::counting("reno", 40.0, WindowArithmetic::NS2_LINUX);
        bench.lose(&loss(LossKind::DuplicateAcks, 41.0));
        assert_eq!((bench.window.cwnd, bench.window.ssthresh), (10.0, 20.0));
        bench.recover();
        assert_eq!(bench.window.cwnd, 20.0);
    }
}
