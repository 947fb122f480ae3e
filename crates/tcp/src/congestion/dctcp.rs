//! S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd, "Data Center TCP (DCTCP): TCP Congestion Control for Data
//! Centers", RFC 8257, 2017 (after M. Alizadeh et al., SIGCOMM 2010).
//!
//! Switches mark all packets beyond a short queue, and the receiver reports which. The sender averages the marked share and
//! reduces its window by half of that: little when few packets are marked. Losses halve the window.
//!
//! Equations (section 3.3): M = bytes marked / bytes sent; alpha = alpha (1 - g) + g M, once per window of data; cwnd = cwnd
//! (1 - alpha/2), at most once per window. The receiver's state machine (section 3.2) is part of the connection. Left out: SYN,
//! SYN/ACK and RST (section 3.6) and pure ACKs (section 4.1) as ECN-capable packets, which the RFC recommends.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Instant, config};

use super::marking::Rounds;
use super::{Ack, CongestionControl, EcnResponse, Loss, LossKind, Setup, reno::Reno};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "RFC 8257, 2017";

config! {
    /// Parameters of DCTCP.
    pub struct Config {
        /// g, the weight of the latest window in the average (RFC 8257 section 4.2: 1/16).
        pub gain: Fraction = Fraction(1.0 / 16.0); in above(Fraction(0.0)),
        /// The average before the first window (section 3.3: 1, so that the first marks halve the window).
        pub initial_alpha: Fraction = Fraction(1.0),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Dctcp {
    pub(super) reno: Reno,
    pub(super) rounds: Rounds,
    gain: f64,
    alpha: f64,
}

impl Dctcp {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            reno: Reno::with(setup.arithmetic),
            rounds: Rounds::default(),
            gain: config.gain.0,
            alpha: config.initial_alpha.0,
        }
    }

    pub(super) fn grow(&mut self, window: &mut Window, ack: &Ack) {
        if ack.may_grow {
            self.reno.grow(window, ack.acked);
        } else {
            self.reno.count(ack.acked);
        }
    }

    /// Marks leave `kept` segments, at least two.
    pub(super) fn reduce(&mut self, window: &mut Window, loss: &Loss, kept: f64) {
        self.reno.reduce(window, loss, kept);
        window.cwnd = window.ssthresh;
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.rounds.on_ack(ack);
        if self.rounds.is_over() {
            self.alpha += self.gain * (self.rounds.share() - self.alpha);
            self.rounds.restart(ack);
        }
        self.grow(window, ack);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        if loss.kind == LossKind::Ecn {
            self.reduce(window, loss, loss.flight * (1.0 - self.alpha / 2.0));
        } else {
            self.reno.halve(window, loss);
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }

    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::Dctcp
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("alpha", self.alpha)]
    }
}
