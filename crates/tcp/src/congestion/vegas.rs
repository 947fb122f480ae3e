//! L. S. Brakmo, L. L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC
//! 13(8), 1995.
//!
//! The sender compares the rate it would have on an empty path with the rate it has; the difference is what
//! it keeps in queues. Between alpha and beta segments there is right; with less it grows by one per round
//! trip, with more it shrinks by one; slow start ends when the difference passes gamma.
//!
//! Equations: Diff = (cwnd/baseRTT - cwnd/RTT) baseRTT, RTT the smallest sample of the round. Losses are answered
//! as by Reno. Left out: the paper's own retransmission check on the first duplicate ACK, which is recovery's
//! business, and with it the smaller reduction after it.

use farlink_kernel::config::above;
use farlink_kernel::{Instant, config};

use super::delay::{DelayRounds, Round};
use super::reno::Reno;
use super::{Ack, CongestionControl, Loss, Setup};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Brakmo, Peterson, IEEE JSAC 13(8), 1995";

config! {
    /// Parameters of Vegas. ns-2's Agent/TCP/Vegas: alpha = 1, beta = 3.
    pub struct Config {
        /// Grows with less than this many segments in queues (the paper: 1 or 2, Linux: 2).
        pub alpha: f64 = 2.0,
        /// Shrinks with more than this many segments in queues (the paper: 3 or 4, Linux: 4).
        pub beta: f64 = 4.0; in above(0.0),
        /// Slow start ends with more than this many segments in queues.
        pub gamma: f64 = 1.0,
        /// Slow start grows in every n-th round trip (Linux: 1, the paper and ns-2: 2).
        pub slow_start_every: u32 = 1; in 1..,
    }
    where alpha <= beta
}

#[derive(Clone, Debug)]
pub(crate) struct Vegas {
    config: Config,
    pub(super) reno: Reno,
    pub(super) rounds: DelayRounds,
    slow_start_rounds: u32,
    /// True from a loss until all is repaired: Reno meanwhile.
    repairing: bool,
    pub(super) last_diff: f64,
}

impl Vegas {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            rounds: DelayRounds::default(),
            slow_start_rounds: 0,
            repairing: false,
            last_diff: 0.0,
        }
    }

    /// What the flow keeps in queues, and the window that would keep nothing there.
    fn diff_and_target(&self, cwnd: f64, round: &Round) -> (f64, f64) {
        let target = self.rounds.target(cwnd, round.rtt);
        (cwnd - target, target)
    }

    /// Growth by an ACK that decides nothing. Gives the round that it ends and that is to be decided on.
    pub(super) fn grow(&mut self, window: &mut Window, ack: &Ack, round: Option<Round>) -> Option<Round> {
        if ack.in_recovery {
            return None;
        }
        match round {
            Some(round) if round.is_significant() && !self.repairing => return Some(round),
            None if !self.repairing => self.slow_start(window, ack),
            _ if grows(ack) => self.reno.grow(window, ack.acked),
            _ => {}
        }
        None
    }

    /// Decides at the end of a round.
    pub(super) fn decide(&mut self, window: &mut Window, ack: &Ack, (diff, target): (f64, f64)) {
        self.last_diff = diff;
        if self.reno.in_slow_start(window) {
            self.decide_in_slow_start(window, ack, (diff, target));
        } else {
            let step = self.step(diff);
            if step < 0.0 {
                window.cwnd = (window.cwnd - 1.0).max(2.0);
                window.ssthresh = window.ssthresh.min(window.cwnd);
            } else if grows(ack) {
                window.cwnd += step;
            }
        }
        window.ssthresh = window.ssthresh.max(0.75 * window.cwnd).max(2.0);
    }

    /// Slow start ends when queues hold more than gamma; true when it does.
    pub(super) fn decide_in_slow_start(
        &mut self,
        window: &mut Window,
        ack: &Ack,
        (diff, target): (f64, f64),
    ) -> bool {
        let ends = diff > self.config.gamma;
        if ends {
            window.cwnd = window.cwnd.min(target + 1.0).max(2.0);
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else {
            self.slow_start(window, ack);
        }
        self.slow_start_rounds = self.slow_start_rounds.wrapping_add(1);
        ends
    }

    /// Congestion avoidance: one segment up or down, or none.
    pub(super) fn step(&self, diff: f64) -> f64 {
        if diff > self.config.beta {
            -1.0
        } else if diff < self.config.alpha {
            1.0
        } else {
            0.0
        }
    }

    /// Slow start, in every n-th round.
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        if grows(ack) && self.slow_start_rounds.is_multiple_of(self.config.slow_start_every) {
            self.reno.slow_start(window, ack.acked);
        }
    }
}

/// True when the window may grow by an ACK.
pub(super) fn grows(ack: &Ack) -> bool {
    ack.may_grow && ack.acked > 0.0
}

impl CongestionControl for Vegas {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let round = self.rounds.on_ack(ack);
        if let Some(round) = self.grow(window, ack, round) {
            let decision = self.diff_and_target(window.cwnd, &round);
            self.decide(window, ack, decision);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.repairing = true;
        self.reno.halve(window, loss);
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.repairing = false;
        self.rounds.restart();
        self.reno.end_recovery(window);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, _now: Instant) {
        self.rounds.forget();
        window.cwnd = window.cwnd.min(restart);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        let base = self.rounds.base;
        let base = if base == farlink_kernel::Duration::MAX { 0.0 } else { base.as_secs_f64() };
        vec![("base_rtt_s", base), ("diff", self.last_diff)]
    }
}
