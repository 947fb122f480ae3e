//! C. Caini, R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal
//! of Satellite Communications and Networking 22(5), 2004.
//!
//! A connection with a long round trip is to send as fast as a reference connection with the round trip RTT0
//! would on the same path. So its window is rho = RTT/RTT0 times that of the reference, at every moment:
//! it grows by more per ACK, and begins larger. Losses are answered as by Reno.
//!
//! Equations: rho = max(RTT/RTT0, 1); slow start cwnd += 2^rho - 1 and congestion avoidance
//! cwnd += rho^2/cwnd per ACK; initial cwnd and ssthresh times rho; a timeout sets cwnd = rho.
//! On a machine with whole windows the fixed-point module of Linux runs (1/128 of a segment, 32-bit words
//! that overflow at rho 25). Left out: what the paper asks of the rest of TCP is set there (SACK, timestamps,
//! pacing, Hoe's channel estimate).

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, choice, config};

use super::reno::{LARGEST_WINDOW, Reno};
use super::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

#[cfg(test)]
mod tests;

/// Where the algorithm stands.
pub const SOURCE: &str = "Caini, Firrincieli, IJSCN 22(5), 2004";

choice! {
    /// Which round-trip time rho follows.
    pub enum RhoRtt {
        /// The smallest smoothed round-trip time seen: rho only falls (Linux).
        MinSrtt = "min_srtt",
        /// The smoothed round-trip time of now.
        Srtt = "srtt",
    }
}

choice! {
    /// The window a connection begins with.
    pub enum Start {
        /// rho times the usual initial window, and rho times a known threshold (the paper).
        Scaled = "scaled",
        /// rho segments; the threshold as it is (Linux).
        Rho = "rho",
        /// The usual initial window.
        Unscaled = "unscaled",
    }
}

choice! {
    /// The window after a timeout.
    pub enum AfterTimeout {
        /// rho segments (the paper).
        Rho = "rho",
        /// One segment, and Reno's growth until all is repaired (Linux).
        One = "one",
    }
}

config! {
    /// Parameters of Hybla.
    pub struct Config {
        /// RTT0, round-trip time of the reference connection (the paper and Linux: 25 ms; ns-3: 50 ms).
        pub rtt0: Duration = Duration::from_millis(25); in above(Duration::ZERO),
        /// Which round-trip time rho follows.
        pub rho_rtt: RhoRtt = RhoRtt::MinSrtt,
        /// The window a connection begins with.
        pub start: Start = Start::Scaled,
        /// The window after a timeout.
        pub after_timeout: AfterTimeout = AfterTimeout::Rho,
        /// Bound on the exponent of 2^rho - 1; 2^30 segments are more than any window.
        pub max_exponent: f64 = 30.0; in 1.0..=30.0,
    }
}

/// Hybla.
#[derive(Clone, Debug)]
pub struct Hybla {
    config: Config,
    reno: Reno,
    max_window: f64,
    /// The round-trip time rho was made from, zero before the first.
    rtt: Duration,
    rho: f64,
    /// 2^rho - 1, made when first needed after rho changed.
    slow_start_gain: Option<f64>,
    fixed_point: FixedPoint,
    /// True from a timeout until all is repaired.
    repairing: bool,
}

impl Hybla {
    /// Hybla that does not know its round-trip time yet.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::on(setup.machine),
            max_window: setup.max_window.clamp(1.0, LARGEST_WINDOW),
            rtt: Duration::ZERO,
            rho: 1.0,
            slow_start_gain: None,
            fixed_point: FixedPoint::default(),
            repairing: false,
        }
    }

    /// rho, the ratio of the round-trip time to that of the reference connection.
    pub fn rho(&self) -> f64 {
        self.rho
    }

    /// Makes rho anew when the round-trip time it follows changed; the first one also sets the start.
    fn follow(&mut self, window: &mut Window, srtt: Duration) {
        let is_first = self.rtt.is_zero();
        let is_news = match self.config.rho_rtt {
            RhoRtt::MinSrtt => is_first || srtt < self.rtt,
            RhoRtt::Srtt => srtt != self.rtt,
        };
        if srtt.is_zero() || !is_news {
            return;
        }
        self.rtt = srtt;
        let rtt0 = self.config.rtt0.as_nanos() as f64;
        self.rho = (srtt.as_nanos() as f64 / rtt0).clamp(1.0, LARGEST_WINDOW);
        self.slow_start_gain = None;
        self.fixed_point.set(srtt, self.config.rtt0);
        if is_first {
            self.begin(window);
        }
    }

    fn begin(&self, window: &mut Window) {
        match self.config.start {
            Start::Scaled => {
                window.cwnd *= self.rho;
                // A threshold that was pulled up to the clamp says no more than the clamp.
                window.ssthresh *= self.rho;
            }
            Start::Rho => window.cwnd = self.in_machine(self.rho),
            Start::Unscaled => {}
        }
        window.cwnd = window.cwnd.min(self.max_window);
    }

    fn in_machine(&self, segments: f64) -> f64 {
        self.reno.machine().round(segments).max(1.0)
    }

    fn grow(&mut self, window: &mut Window, acked: f64) {
        let in_slow_start = window.in_slow_start();
        if self.reno.machine().is_whole() {
            if self.repairing && self.config.after_timeout == AfterTimeout::One {
                self.reno.grow(window, acked);
                return;
            }
            self.fixed_point.grow(window, in_slow_start);
        } else if in_slow_start {
            let (rho, most) = (self.rho, self.config.max_exponent);
            let gain = *self.slow_start_gain.get_or_insert_with(|| libm::exp2(rho.min(most)) - 1.0);
            window.cwnd += gain * acked.min(1.0);
        } else {
            window.cwnd += self.rho * self.rho * acked.min(1.0) / window.cwnd;
        }
        if in_slow_start {
            window.cwnd = window.cwnd.min(window.ssthresh.max(1.0));
        }
        window.cwnd = window.cwnd.min(self.max_window);
    }

    /// Sets the threshold; the window follows it, or starts again from rho after a timeout.
    pub fn reduce(&mut self, window: &mut Window, loss: &Loss, ssthresh: f64) {
        self.reno.reduce(window, loss, ssthresh);
        self.restart(window, loss);
    }

    fn restart(&mut self, window: &mut Window, loss: &Loss) {
        if loss.kind == LossKind::Timeout {
            self.repairing = true;
            if self.config.after_timeout == AfterTimeout::Rho {
                window.cwnd = self.in_machine(self.rho).min(self.max_window);
            }
        }
    }
}

impl CongestionControl for Hybla {
    fn on_start(&mut self, window: &mut Window, _now: Instant, srtt: Duration) {
        self.follow(window, srtt);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.follow(window, ack.srtt);
        if ack.may_grow {
            self.grow(window, ack.acked);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.reno.reduce_to_min_cwnd(window, loss, self.reno.share(loss, 0.5));
        self.restart(window, loss);
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.repairing = false;
        self.reno.repaired(window);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("rho", self.rho)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}

/// The arithmetic of Linux's module: 32-bit words, rho in eighths, increments in 1/128 of a segment.
#[derive(Clone, Debug, Default)]
struct FixedPoint {
    /// rho in eighths.
    rho_eighths: u32,
    /// Remainders below a segment, in 1/128.
    cents: u32,
}

impl FixedPoint {
    /// 2^(n/8) in 1/128, as the module tabulates it.
    const EIGHTH_POWERS: [u32; 8] = [128, 139, 152, 165, 181, 197, 215, 234];

    fn set(&mut self, srtt: Duration, rtt0: Duration) {
        let eighths = srtt.as_nanos().saturating_mul(8) / rtt0.as_nanos();
        self.rho_eighths = eighths.clamp(8, u64::from(u32::MAX)) as u32;
    }

    /// 2^rho - 1 in 1/128 of a segment. The shift and the product wrap as they do in the module: from rho 25
    /// on the increment is nonsense.
    fn slow_start_increment(&self) -> u32 {
        let power = 1u32.wrapping_shl(self.rho_eighths / 8);
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
        self.cents %= 128;
    }
}
