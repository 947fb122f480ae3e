//! C. P. Fu, S. C. Liew, "TCP Veno: TCP Enhancement for Transmission over Wireless Access Networks", IEEE JSAC
//! 21(2), 2003.
//!
//! Vegas' estimate of what queues hold tells what a loss means: with little in queues it was an accident of
//! the link and costs a fifth of the window, with much it was congestion and costs half. With much in queues
//! the window also grows at half of Reno's rate.
//!
//! Equations: N = cwnd (RTT - BaseRTT)/RTT; congestion avoidance: cwnd += 1/cwnd per ACK if N < beta, else per
//! second ACK; loss: ssthresh = 4/5 if N < beta, else 1/2. Left out: nothing.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, Instant, config};

use super::delay::DelayRounds;
use super::reno::Reno;
use super::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

#[cfg(test)]
mod tests;

/// Where the algorithm stands.
pub const SOURCE: &str = "Fu, Liew, IEEE JSAC 21(2), 2003";

config! {
    /// Parameters of Veno.
    pub struct Config {
        /// Segments in queues from which the path counts as congested (the paper: 3).
        pub beta: f64 = 3.0,
        /// Fraction of the window kept after a loss on a path that is not congested (the paper: 4/5).
        pub random_loss_kept: Fraction = Fraction(0.8); in above(Fraction(0.0)),
        /// A loss forgets the smallest round-trip time (the paper; Linux keeps it).
        pub loss_resets_base_rtt: bool = false,
    }
}

/// Veno.
#[derive(Clone, Debug)]
pub struct Veno {
    config: Config,
    reno: Reno,
    rounds: DelayRounds,
    samples: u32,
    /// The smallest sample since the window was last to grow.
    smallest: Duration,
    /// N: segments in queues.
    queued: f64,
    /// On a machine with whole windows: the next window that is acknowledged on a congested path adds no segment.
    skips: bool,
    /// True from a timeout until all is repaired: Reno meanwhile.
    repairing: bool,
}

impl Veno {
    /// Veno without a sample.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::on(setup.machine),
            rounds: DelayRounds::on(setup.machine),
            samples: 0,
            smallest: Duration::MAX,
            queued: 0.0,
            skips: false,
            repairing: false,
        }
    }

    fn measure(&mut self, cwnd: f64, ack: &Ack) {
        self.rounds.on_ack(ack);
        let Some(rtt) = ack.rtt else { return };
        self.samples = self.samples.saturating_add(1);
        self.smallest = self.smallest.min(rtt);
        // The modules judge when the window is to grow only.
        if self.reno.machine().is_whole() && !ack.may_grow {
            return;
        }
        let rtt = std::mem::replace(&mut self.smallest, Duration::MAX);
        self.queued = if self.reno.machine().is_whole() {
            // The module keeps halves of a segment.
            (2.0 * cwnd - self.rounds.target(2.0 * cwnd, rtt).floor()) / 2.0
        } else {
            cwnd - self.rounds.target(cwnd, rtt)
        };
    }

    /// Congestion avoidance: at half the rate with much in queues.
    fn increase(&mut self, window: &mut Window, acked: f64) {
        if !self.reno.machine().is_whole() {
            let slower = if self.is_congested() { 2.0 } else { 1.0 };
            return self.reno.increase(window, acked, slower * window.cwnd);
        }
        let before = window.cwnd;
        self.reno.increase(window, acked, window.cwnd);
        if window.cwnd > before && self.is_congested() {
            window.cwnd = if self.skips { before } else { window.cwnd };
            self.skips = !self.skips;
        }
    }

    fn is_congested(&self) -> bool {
        self.queued >= self.config.beta
    }
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.measure(window.cwnd, ack);
        if !ack.may_grow {
            return;
        }
        // With two samples at most, both may come from delayed ACKs.
        if self.samples <= 2 || self.repairing {
            return self.reno.grow(window, ack.acked);
        }
        self.reno.count(ack.acked);
        let rest = self.reno.slow_start(window, ack.acked);
        if rest > 0.0 {
            self.increase(window, rest);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let is_timeout = loss.kind == LossKind::Timeout;
        let is_accident = !self.is_congested() && (!is_timeout || self.reno.machine().is_whole());
        let kept = if is_accident { self.config.random_loss_kept.0 } else { 0.5 };
        self.reno.reduce(window, loss, self.reno.share(loss, kept));
        self.repairing = is_timeout;
        if self.config.loss_resets_base_rtt {
            self.rounds.forget();
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.repairing = false;
        self.reno.repaired(window);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, _now: Instant) {
        self.rounds.forget();
        window.cwnd = window.cwnd.min(restart);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("queued", self.queued)]
    }
}
