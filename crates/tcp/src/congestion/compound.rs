//! K. Tan, J. Song, Q. Zhang, M. Sridharan, "A Compound TCP Approach for High-Speed and Long Distance
//! Networks", INFOCOM 2006 (MSR-TR-2005-86); gamma tuned as in K. Tan, J. Song, M. Sridharan, C. Y. Ho,
//! "CTCP-TUBE: Improving TCP-Friendliness Over Low-Buffered Network Links", PFLDnet 2008.
//!
//! The window is the sum of a loss window, which behaves as Reno's, and a delay window, which grows fast as
//! long as little waits in queues and gives way when more does. On an empty fast path the sum grows as a
//! power of itself; on a full one Compound is Reno.
//!
//! Equations: win = cwnd + dwnd; congestion avoidance cwnd += 1/win per ACK; per round trip
//! Diff = win (1 - baseRTT/RTT), dwnd += max(alpha win^k - 1, 0) if Diff < gamma, else
//! dwnd = max(dwnd - zeta Diff, 0); loss: cwnd /= 2, dwnd = max(win (1 - beta) - cwnd/2, 0); a loss with a Diff
//! at hand: gamma = (1 - lambda) gamma + lambda 3/4 Diff within bounds. Left out: nothing.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, Instant, config};

use super::delay::{DelayRounds, Round};
use super::reno::{LARGEST_WINDOW, Reno};
use super::{Ack, CongestionControl, Loss, LossKind, Saved, Setup};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Tan, Song, Zhang, Sridharan, INFOCOM 2006; Tan et al., PFLDnet 2008";

config! {
    /// Parameters of Compound.
    pub struct Config {
        /// alpha, factor of the delay window's growth (the paper: 1/8).
        pub alpha: f64 = 0.125; in above(0.0),
        /// k, exponent of the delay window's growth (the paper: 3/4).
        pub k: Fraction = Fraction(0.75); in above(Fraction(0.0)),
        /// beta, fraction of the window given up after a loss (the paper: 1/2).
        pub beta: Fraction = Fraction(0.5),
        /// gamma, segments in queues from which the delay window gives way (the paper: 30).
        pub gamma: f64 = 30.0; in above(0.0),
        /// zeta, how fast it gives way (the paper gives no value: 1, as in ns-2's module).
        pub zeta: f64 = 1.0; in above(0.0),
        /// gamma is tuned at losses (PFLDnet 2008); off in ns-2's module.
        pub tune_gamma: bool = true,
        /// Lower bound of gamma when tuned, in segments.
        pub gamma_low: f64 = 5.0,
        /// Upper bound of gamma when tuned, in segments.
        pub gamma_high: f64 = 30.0,
        /// lambda, weight of the new sample when gamma is tuned (open in the paper: 0.2).
        pub lambda: Fraction = Fraction(0.2),
        /// A timeout takes the smoothed round-trip time as that of the empty path (the draft; off).
        pub timeout_resets_base_rtt: bool = false,
    }
    where gamma_low <= gamma_high
}

#[derive(Clone, Debug)]
pub(crate) struct Compound {
    config: Config,
    pub(super) reno: Reno,
    pub(super) rounds: DelayRounds,
    /// The loss window; `cwnd` in the paper.
    pub(super) loss_window: f64,
    /// `dwnd`.
    pub(super) delay_window: f64,
    gamma: f64,
    /// Diff of the last round, until a loss used it.
    diff: Option<f64>,
    before: (f64, f64),
}

impl Compound {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            rounds: DelayRounds::default(),
            loss_window: setup.initial_window,
            delay_window: 0.0,
            gamma: config.gamma,
            diff: None,
            before: (0.0, 0.0),
        }
    }

    /// The sum is the window: the loss window takes what others changed it by.
    pub(super) fn split(&mut self, window: &Window) {
        if self.delay_window >= window.cwnd {
            self.delay_window = 0.0;
        }
        self.loss_window = window.cwnd - self.delay_window;
    }

    /// The delay window after a round (equation 5 of the paper).
    fn next_delay_window(&self, win: f64, diff: f64) -> f64 {
        let round = |segments| self.reno.round(segments);
        if diff < self.gamma {
            let increase = round(round(libm::pow(round(win), self.config.k.0)) * self.config.alpha) - 1.0;
            self.delay_window + increase.max(0.0)
        } else {
            round(self.delay_window - self.config.zeta * diff).max(0.0)
        }
    }

    /// A round ended: a window that was not full gives way like any other, but does not grow. Slow start leaves the delay
    /// window alone.
    fn on_round(&mut self, window: &mut Window, round: &Round, may_grow: bool) {
        let diff = window.cwnd - self.rounds.target(window.cwnd, round.rtt);
        self.diff = Some(diff);
        if !self.reno.in_slow_start(window) {
            self.steer(window, window.cwnd, diff, may_grow);
        }
    }

    /// The delay window follows from what `win` segments keep in queues.
    pub(super) fn steer(&mut self, window: &mut Window, win: f64, diff: f64, may_grow: bool) {
        self.diff = Some(diff);
        let most = if may_grow { LARGEST_WINDOW } else { self.delay_window };
        self.delay_window = self.next_delay_window(win, diff).clamp(0.0, most);
        window.cwnd = (self.loss_window + self.delay_window).clamp(1.0, LARGEST_WINDOW);
    }

    fn tune_gamma(&mut self) {
        if let (true, Some(diff)) = (self.config.tune_gamma, self.diff.take()) {
            let Config { gamma_low, gamma_high, lambda, .. } = self.config;
            let tuned = (1.0 - lambda.0) * self.gamma + lambda.0 * 0.75 * diff;
            self.gamma = tuned.min(gamma_high).max(gamma_low);
        }
    }

    /// Both windows after a loss.
    pub(super) fn reduce(&mut self, window: &mut Window, loss: &Loss) {
        // RFC 5681 equation 4: what was not in flight proves nothing.
        let in_use = (loss.flight / window.cwnd).clamp(0.0, 1.0);
        let win = window.cwnd * in_use;
        self.loss_window = self.loss_window.min(window.cwnd) * in_use / 2.0;
        self.delay_window = (win * (1.0 - self.config.beta.0) - self.loss_window).max(0.0);
        let sum = self.reno.round(self.loss_window + self.delay_window);
        self.reno.reduce(window, loss, sum);
    }

    /// A loss, before it reduces the windows.
    pub(super) fn prepare(&mut self, loss: &Loss) {
        if !loss.repeated {
            self.before = (self.loss_window, self.delay_window);
        }
        self.tune_gamma();
    }

    /// A timeout drops the delay window and what was learnt.
    pub(super) fn time_out(&mut self, loss: &Loss) {
        self.delay_window = 0.0;
        self.gamma = self.config.gamma;
        self.diff = None;
        if self.config.timeout_resets_base_rtt && !loss.srtt.is_zero() {
            self.rounds.base = loss.srtt.max(Duration::from_nanos(1));
        }
    }
}

impl CongestionControl for Compound {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let round = self.rounds.on_ack(ack);
        if ack.in_recovery {
            return;
        }
        self.split(window);
        if ack.may_grow {
            let before = window.cwnd;
            self.reno.grow(window, ack.acked);
            self.loss_window += window.cwnd - before;
        }
        if let Some(round) = round.filter(Round::is_significant) {
            self.on_round(window, &round, ack.may_grow);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.prepare(loss);
        self.split(window);
        self.reduce(window, loss);
        if loss.kind == LossKind::Timeout {
            self.time_out(loss);
        }
        self.split(window);
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.rounds.restart();
        self.reno.end_recovery(window);
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        (self.loss_window, self.delay_window) = self.before;
        window.cwnd = window.cwnd.max(saved.cwnd);
        window.ssthresh = window.ssthresh.max(saved.ssthresh);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, _now: Instant) {
        self.rounds.forget();
        self.delay_window = 0.0;
        window.cwnd = window.cwnd.min(restart);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        let diff = self.diff.unwrap_or(0.0);
        vec![
            ("loss_window", self.loss_window),
            ("delay_window", self.delay_window),
            ("gamma", self.gamma),
            ("diff", diff),
        ]
    }
}
