//! C. P. Fu, S. C. Liew, "TCP Veno: TCP Enhancement for Transmission over Wireless Access Networks", IEEE JSAC
//! 21(2), 2003.
//!
//! Vegas' estimate of what queues hold classifies a loss: with little in queues it was a link error and costs a
//! fifth of the window, with much it was congestion and costs half. With much in queues
//! the window also grows at half of Reno's rate.
//!
//! Equations: N = cwnd (RTT - BaseRTT)/RTT; congestion avoidance: cwnd += 1/cwnd per ACK if N < beta, else per
//! second ACK; loss: ssthresh = 4/5 if N < beta, else 1/2. Left out: nothing.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, Instant, config};

use super::{Ack, CongestionControl, Loss, LossKind, Setup, delay::DelayRounds, reno::Reno};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Fu, Liew, IEEE JSAC 21(2), 2003";

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

#[derive(Clone, Debug)]
pub(crate) struct Veno {
    config: Config,
    pub(super) reno: Reno,
    pub(super) rounds: DelayRounds,
    samples: u32,
    /// N: segments in queues.
    pub(super) queued: f64,
    /// True from a timeout until all is repaired: Reno meanwhile.
    repairing: bool,
}

impl Veno {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            rounds: DelayRounds::default(),
            samples: 0,
            queued: 0.0,
            repairing: false,
        }
    }

    /// Takes an ACK in; gives its round-trip sample.
    pub(super) fn sample(&mut self, ack: &Ack) -> Option<Duration> {
        self.rounds.include(ack);
        self.samples = self.samples.saturating_add(u32::from(ack.rtt.is_some()));
        ack.rtt
    }

    /// Growth on an ACK; gives the acknowledged segments that are for congestion avoidance.
    pub(super) fn grow(&mut self, window: &mut Window, ack: &Ack) -> f64 {
        // With two samples at most, both may come from delayed ACKs.
        if self.samples <= 2 || self.repairing {
            self.reno.grow(window, ack.acked);
            return 0.0;
        }
        self.reno.slow_start(window, ack.acked)
    }

    /// A loss by a link error costs a fifth of the window.
    pub(super) fn reduce(&mut self, window: &mut Window, loss: &Loss, is_link_error: bool) {
        let kept = if is_link_error { self.config.random_loss_kept.0 } else { 0.5 };
        self.reno.reduce(window, loss, self.reno.share(loss, kept));
        self.repairing = loss.kind == LossKind::Timeout;
        if self.config.loss_resets_base_rtt {
            self.rounds.forget();
        }
    }

    pub(super) fn is_congested(&self) -> bool {
        self.queued >= self.config.beta
    }
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = self.sample(ack) {
            self.queued = window.cwnd - self.rounds.target(window.cwnd, rtt);
        }
        if !ack.may_grow {
            return;
        }
        let rest = self.grow(window, ack);
        if rest > 0.0 {
            // Half the rate with much in queues.
            let slower = if self.is_congested() { 2.0 } else { 1.0 };
            self.reno.increase(window, rest, slower * window.cwnd);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.reduce(window, loss, !self.is_congested() && loss.kind != LossKind::Timeout);
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.repairing = false;
        self.reno.end_recovery(window);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, _now: Instant) {
        self.rounds.forget();
        window.cwnd = window.cwnd.min(restart);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("queued", self.queued)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
