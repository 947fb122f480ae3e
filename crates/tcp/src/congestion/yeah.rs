//! A. Baiocchi, A. P. Castellani, F. Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007.
//!
//! While queues are short the window grows as Scalable TCP's, while they are long as Reno's, and a queue of more than Q_max is
//! drained before it overflows. A loss takes what the queue held, at least an eighth, unless Reno flows compete: then
//! half. A count of the window that a competing Reno flow would have bounds the draining from below.
//!
//! Equations: Q = (RTTmin - RTTbase) cwnd/RTTmin, L = (RTTmin - RTTbase)/RTTbase, with RTTmin the smallest of the
//! round trip; fast mode for Q < Q_max and L < 1/phi; slow mode: cwnd -= min(Q/gamma, cwnd/2) if Q > Q_max and
//! cwnd > reno_count; loss: cwnd -= clamp(Q, cwnd/8, cwnd/2), or half after rho round trips of slow mode. Left out: nothing.
//!
//! Linux (`tcp_yeah.c`, by one of the authors) computes the same in whole segments.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, config};

use super::{Ack, CongestionControl, Loss, LossKind, Setup, reno::Reno, round_trips::RoundTrips};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Baiocchi, Castellani, Vacirca, PFLDnet 2007";

/// The window that a competing Reno flow is taken to have at least.
const LEAST_RENO: f64 = 2.0;

config! {
    /// Parameters of YeAH.
    pub struct Config {
        /// Q_max: segments in the queue from which it is drained (the paper and Linux: 80).
        pub alpha: f64 = 80.0,
        /// gamma: 1/gamma of the queue is drained per round trip (the paper: 1).
        pub gamma: f64 = 1.0; in above(0.0),
        /// 2^-delta is the smallest fraction of the window that a loss takes (the paper: 3).
        pub delta: u32 = 3; in 0..=31,
        /// 2^-epsilon is the largest fraction of the window that is drained at once (the paper: 1).
        pub epsilon: u32 = 1; in 0..=31,
        /// phi: a delay of more than 1/phi of the smallest round-trip time is congestion (the paper: 8).
        pub phi: f64 = 8.0; in above(0.0),
        /// rho: round trips in slow mode after which a loss halves the window (the paper: 16).
        pub rho: u32 = 16,
        /// zeta: round trips in fast mode after which no Reno flow competes (the paper: 50).
        pub zeta: u32 = 50,
        /// a of Scalable TCP, in fast mode: segments of growth per acknowledged segment (the paper: 0.01).
        pub increase: f64 = 0.01; in above(0.0),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Yeah {
    config: Config,
    reno: Reno,
    rounds: RoundTrips,
    base_rtt: Duration,
    /// The smallest sample of the round trip.
    min_rtt: Duration,
    samples: u32,
    /// A round trip has ended; the next ACK that may make the window grow decides.
    is_due: bool,
    /// Q of the last round trip.
    queue: f64,
    /// `doing_reno_now`: round trips in slow mode.
    slow: u32,
    /// `fast_count`: round trips in fast mode.
    fast: u32,
    /// `reno_count`: the window of a competing Reno flow.
    competing: f64,
    acks_per_segment: f64,
}

impl Yeah {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            rounds: RoundTrips::default(),
            base_rtt: Duration::MAX,
            min_rtt: Duration::MAX,
            samples: 0,
            is_due: false,
            queue: 0.0,
            slow: 0,
            fast: 0,
            competing: LEAST_RENO,
            acks_per_segment: 1.0 / config.increase,
        }
    }

    fn restart_round(&mut self) {
        (self.min_rtt, self.samples) = (Duration::MAX, 0);
    }

    /// The end of a round trip with the given window.
    fn decide(&mut self, window: &mut Window) {
        // With two samples at most, both may come from delayed ACKs.
        if self.samples <= 2 {
            return;
        }
        let (rtt, base) = (self.min_rtt.as_nanos() as f64, self.base_rtt.as_nanos() as f64);
        let delay = rtt - base;
        self.queue = if rtt > 0.0 { self.reno.round(window.cwnd * delay / rtt) } else { 0.0 };
        if self.queue <= self.config.alpha && delay <= base / self.config.phi {
            self.in_fast_mode();
        } else {
            self.in_slow_mode(window);
        }
    }

    fn in_fast_mode(&mut self) {
        self.slow = 0;
        self.fast += 1;
        if self.fast > self.config.zeta {
            (self.competing, self.fast) = (LEAST_RENO, 0);
        }
    }

    fn in_slow_mode(&mut self, window: &mut Window) {
        if self.queue > self.config.alpha && window.cwnd > self.competing {
            let share = self.shifted(window.cwnd, self.config.epsilon);
            let drained = self.reno.round(self.queue / self.config.gamma).min(share);
            window.cwnd = (window.cwnd - drained).max(self.competing);
            window.ssthresh = window.cwnd;
        }
        self.competing = if self.competing <= LEAST_RENO {
            self.shifted(window.cwnd, 1).max(LEAST_RENO)
        } else {
            (self.competing + 1.0).min(super::reno::LARGEST_WINDOW)
        };
        self.slow = self.slow.saturating_add(1);
    }

    /// 2^-`bits` of a window.
    fn shifted(&self, window: f64, bits: u32) -> f64 {
        self.reno.round(window / f64::from(1u32 << bits))
    }

    /// Segments that a loss takes from what was in flight.
    fn reduction(&self, flight: f64) -> f64 {
        let half = self.shifted(flight, 1).max(LEAST_RENO);
        if self.slow >= self.config.rho {
            return half;
        }
        self.queue.min(half).max(self.shifted(flight, self.config.delta))
    }
}

impl CongestionControl for Yeah {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base_rtt = self.base_rtt.min(rtt);
            self.min_rtt = self.min_rtt.min(rtt);
            self.samples = self.samples.saturating_add(1);
        }
        self.is_due |= self.rounds.on_ack(ack);
        if !ack.may_grow {
            return;
        }
        let rest = self.reno.slow_start(window, ack.acked);
        if rest > 0.0 {
            let is_fast = self.slow == 0;
            let per = if is_fast { self.acks_per_segment.min(window.cwnd) } else { window.cwnd };
            self.reno.increase(window, rest, per);
        }
        if std::mem::take(&mut self.is_due) {
            self.decide(window);
            self.restart_round();
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let kept = (loss.flight - self.reduction(loss.flight)).max(0.0);
        if !loss.repeated {
            self.fast = 0;
            self.competing = self.shifted(self.competing, 1).max(LEAST_RENO);
        }
        self.reno.reduce_to_min_cwnd(window, loss, kept);
        if loss.kind == LossKind::Timeout {
            self.restart_round();
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.restart_round();
        self.reno.end_recovery(window);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("queued", self.queue), ("reno_count", self.competing)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
