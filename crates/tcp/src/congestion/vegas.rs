//! L. S. Brakmo, L. L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC
//! 13(8), 1995.
//!
//! The sender compares the rate it would have on an empty path with the rate it has; the difference is what
//! it keeps in queues. Between alpha and beta segments there is right; with less it grows by one per round
//! trip, with more it shrinks by one; slow start ends when the difference passes gamma.
//!
//! Equations: Diff = (cwnd/baseRTT - cwnd/RTT) baseRTT, RTT the smallest sample of the round. Today's Linux
//! takes cwnd (RTT - baseRTT)/baseRTT, which is more when queues are long; Linux 2.6.22 the amount that was
//! acknowledged in the round instead of cwnd, and moves the window towards one more or less than the round
//! before began with, so that it moves in every other round only. Losses are answered as by Reno. Left out:
//! the paper's own retransmission check on the first duplicate ACK, which is recovery's business, and with
//! it the smaller reduction after it.

use farlink_kernel::config::above;
use farlink_kernel::{Instant, config};

use super::delay::{DelayRounds, Round};
use super::machine::Counting;
use super::reno::Reno;
use super::{Ack, CongestionControl, Loss, Setup};
use crate::window::Window;

#[cfg(test)]
mod tests;

/// Where the algorithm stands.
pub const SOURCE: &str = "Brakmo, Peterson, IEEE JSAC 13(8), 1995";

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

/// Vegas.
#[derive(Clone, Debug)]
pub struct Vegas {
    config: Config,
    reno: Reno,
    rounds: DelayRounds,
    /// Rounds of slow start so far.
    slow_start_rounds: u32,
    /// True from a loss until all is repaired: Reno meanwhile.
    repairing: bool,
    last_diff: f64,
    /// The window when the round under way began, for Linux 2.6.22.
    began_with: f64,
}

impl Vegas {
    /// Vegas without a sample.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::on(setup.machine),
            rounds: DelayRounds::on(setup.machine),
            slow_start_rounds: 0,
            repairing: false,
            last_diff: 0.0,
            began_with: 0.0,
        }
    }

    /// What the flow keeps in queues, and the window that would keep nothing there.
    fn diff_and_target(&self, cwnd: f64, round: &Round) -> (f64, f64) {
        match self.reno.machine().counting {
            Counting::Real => {
                let target = self.rounds.target(cwnd, round.rtt);
                (cwnd - target, target)
            }
            Counting::Linux => {
                let diff = self.rounds.excess(cwnd, round.rtt).floor();
                (diff, self.rounds.target(cwnd, round.rtt).floor())
            }
            Counting::Linux2622 => {
                // Halves of a segment.
                let halves = 2.0 * round.acked.floor();
                let target = self.rounds.target(halves, round.rtt).floor();
                ((halves - target) / 2.0, (target / 2.0).floor())
            }
        }
    }

    /// Decides at the end of a round; `acked` segments may make the window grow.
    fn decide(&mut self, window: &mut Window, round: &Round, acked: f64) {
        let (diff, target) = self.diff_and_target(window.cwnd, round);
        self.last_diff = diff;
        let began_with = window.cwnd;
        if self.reno.in_slow_start(window) {
            if diff > self.config.gamma {
                self.leave_slow_start(window, target);
            } else {
                self.slow_start(window, acked);
            }
            self.slow_start_rounds = self.slow_start_rounds.wrapping_add(1);
        } else {
            self.avoid_congestion(window, diff, acked > 0.0);
        }
        self.began_with = began_with;
        if self.reno.machine().counting != Counting::Linux2622 {
            window.ssthresh = window.ssthresh.max(0.75 * window.cwnd).max(2.0);
        }
    }

    /// One segment up or down, or none.
    fn avoid_congestion(&self, window: &mut Window, diff: f64, may_grow: bool) {
        let step = if diff > self.config.beta {
            -1.0
        } else if diff < self.config.alpha {
            1.0
        } else {
            0.0
        };
        if self.reno.machine().counting == Counting::Linux2622 {
            let most = if may_grow { 1.0 } else { 0.0 };
            let towards = (self.began_with + step - window.cwnd).clamp(-1.0, most);
            window.cwnd = (window.cwnd + towards).max(2.0);
        } else if step < 0.0 {
            window.cwnd = (window.cwnd - 1.0).max(2.0);
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else if may_grow {
            window.cwnd += step;
        }
    }

    fn grow_as_reno(&mut self, window: &mut Window, acked: f64) {
        if acked > 0.0 {
            self.reno.grow(window, acked);
        }
    }

    /// Slow start, in every n-th round.
    fn slow_start(&mut self, window: &mut Window, acked: f64) {
        if acked > 0.0 && self.slow_start_rounds.is_multiple_of(self.config.slow_start_every) {
            self.reno.slow_start(window, acked);
        }
    }

    fn leave_slow_start(&mut self, window: &mut Window, target: f64) {
        window.cwnd = window.cwnd.min(target + 1.0).max(2.0);
        window.ssthresh = match self.reno.machine().counting {
            Counting::Linux2622 => 2.0,
            Counting::Real | Counting::Linux => window.ssthresh.min(window.cwnd),
        };
    }
}

impl CongestionControl for Vegas {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let round = self.rounds.on_ack(ack);
        if ack.in_recovery {
            return;
        }
        let acked = if ack.may_grow { ack.acked } else { 0.0 };
        match round {
            _ if self.repairing => self.grow_as_reno(window, acked),
            Some(round) if round.is_telling() => self.decide(window, &round, acked),
            Some(_) => self.grow_as_reno(window, acked),
            None => self.slow_start(window, acked),
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.repairing = true;
        self.reno.reduce_to_min_cwnd(window, loss, self.reno.share(loss, 0.5));
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.repairing = false;
        self.rounds.restart();
        self.reno.repaired(window);
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
