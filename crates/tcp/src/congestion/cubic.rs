//! L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert, "CUBIC for Fast and Long-Distance Networks", RFC 9438, 2023
//! (after S. Ha, I. Rhee, L. Xu, "CUBIC: A New TCP-Friendly High-Speed TCP Variant", ACM SIGOPS Operating
//! Systems Review 42(5), 2008).
//!
//! The window is a cubic function of the time since the last loss: fast towards the window at which the loss
//! happened, flat around it, then fast again in search of a new one. Time and not ACKs drive it, so flows of
//! different round-trip times grow alike. Where Reno would have a larger window, CUBIC follows Reno.
//!
//! Equations: W_cubic(t) = C (t - K)^3 + W_max (1); K = cbrt((W_max - cwnd_epoch)/C) (2);
//! W_est += alpha segments_acked/cwnd (4), alpha = 3 (1 - beta)/(1 + beta); target = W_cubic(t + RTT) within
//! cwnd .. 1.5 cwnd (4.2); ssthresh = beta FlightSize (4.6); fast convergence W_max = cwnd (1 + beta)/2 (4.7).
//! Left out: nothing; HyStart (section 4.10) is an option ([`super::hystart`]).

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, Instant, choice, config};

use super::hystart::Hystart;
use super::reno::{LARGEST_WINDOW, Reno};
use super::{Ack, CongestionControl, Loss, LossKind, Saved, Setup};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "RFC 9438, 2023; SIGOPS OSR 42(5), 2008";

choice! {
    /// Which Reno the window follows where Reno would have a larger one.
    pub enum Friendliness {
        /// Counted in ACKs, with Reno's own slope from the window before the loss on (RFC 9438 section 4.3).
        Rfc9438 = "rfc9438",
        /// A straight line over time (RFC 8312 section 4.2, the 2008 paper).
        Rfc8312 = "rfc8312",
        /// None.
        None = "none",
    }
}

config! {
    /// Parameters of CUBIC. The 2008 paper: beta = 0.8, friendliness = "rfc8312".
    pub struct Config {
        /// Fraction of the window kept after a loss (RFC 9438 section 4.6: 0.7; the 2008 paper and Linux
        /// before 2.6.25: 0.8, written there as a decrease of 0.2).
        pub beta: Fraction = Fraction(0.7); in above(Fraction(0.0)),
        /// C, aggressiveness, in segments/s^3 (RFC 9438 section 5).
        pub c: f64 = 0.4; in above(0.0),
        /// A flow that loses below its last maximum gives way to new ones (RFC 9438 section 4.7).
        pub fast_convergence: bool = true,
        /// Which Reno the window follows where Reno would have a larger one.
        pub friendliness: Friendliness = Friendliness::Rfc9438,
        /// Most segments of growth per 100 ms beyond the last maximum (Linux 2.6.22: 16).
        pub max_increment: Option<f64> = None; in above(0.0),
        /// Most ACKs per segment of growth before the first loss and after a timeout, where windows are
        /// whole (Linux: 20; 2.6.22 has always 50 there).
        pub first_growth_acks: f64 = 20.0; in 1.0..,
        /// Slow start also ends when the ACKs of a burst take half of the round-trip time, or when the delay rises (HyStart as
        /// in Linux, after S. Ha, I. Rhee, Computer Networks 55(9), 2011).
        pub hystart: bool = false,
    }
}

/// Time after the begin of a stage in which HyStart takes no samples.
const AFTER_RECOVERY: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(crate) struct Cubic {
    pub(super) config: Config,
    pub(super) reno: Reno,
    /// alpha_cubic of RFC 9438 section 4.3.
    pub(super) alpha: f64,
    pub(super) state: State,
    /// The state before the last reduction, for undoing it (RFC 9438 section 4.9).
    pub(super) before: Option<State>,
    pub(super) last_ack: Instant,
    hystart: Option<Hystart>,
}

#[derive(Clone, Debug)]
pub(super) struct State {
    /// W_max; none before the first loss and after a timeout.
    pub(super) max_window: Option<f64>,
    /// cwnd before the last loss (`cwnd_prior`); 0 before the first, where W_est is not below it and has
    /// Reno's own slope from the start.
    prior_window: f64,
    pub(super) epoch: Option<Epoch>,
}

#[derive(Clone, Debug)]
pub(super) struct Epoch {
    pub(super) start: Instant,
    /// K in seconds.
    pub(super) k: f64,
    /// W_max of this stage.
    pub(super) origin: f64,
    /// W_est: the window Reno would have.
    pub(super) reno_window: f64,
}

impl Cubic {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let beta = config.beta.0;
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            alpha: 3.0 * (1.0 - beta) / (1.0 + beta),
            state: State { max_window: None, prior_window: 0.0, epoch: None },
            before: None,
            last_ack: Instant::ZERO,
            hystart: config.hystart.then(|| Hystart::new(setup)),
        }
    }

    /// Takes an ACK in before the window grows by it.
    pub(super) fn watch_slow_start(&mut self, window: &mut Window, ack: &Ack) {
        // Samples from the queue that a repair leaves behind are none (`cubictcp_acked`).
        let is_settled = |epoch: &Epoch| ack.now.saturating_since(epoch.start) >= AFTER_RECOVERY;
        if let Some(hystart) = &mut self.hystart {
            let rtt = ack.rtt.filter(|_| self.state.epoch.as_ref().is_none_or(is_settled));
            hystart.on_ack(window, &Ack { rtt, ..*ack });
        }
    }

    /// The stage in force; begins one at `cwnd` if there is none (RFC 9438 sections 4.2, 4.8, 4.10).
    pub(super) fn epoch(&mut self, cwnd: f64, now: Instant) -> &mut Epoch {
        let State { max_window, epoch, .. } = &mut self.state;
        epoch.get_or_insert_with(|| {
            let origin = max_window.unwrap_or(cwnd).max(cwnd);
            let k = libm::cbrt((origin - cwnd) / self.config.c.max(1e-6));
            Epoch { start: now, k, origin, reno_window: cwnd }
        })
    }

    /// Time in which the application and not the window limited the flow is no time of the stage
    /// (RFC 9438 section 5.8).
    pub(super) fn pause(&mut self, now: Instant) {
        let paused = now.saturating_since(self.last_ack);
        if let Some(epoch) = &mut self.state.epoch {
            epoch.start = epoch.start.saturating_add(paused).min(now);
        }
    }

    /// RFC 9438 sections 4.2 to 4.5.
    fn follow_the_curve(&mut self, window: &mut Window, ack: &Ack, acked: f64) {
        let (alpha, c, beta) = (self.alpha, self.config.c, self.config.beta.0);
        let (prior, friendliness) = (self.state.prior_window, self.config.friendliness);
        let max_increment = self.config.max_increment;
        let epoch = self.epoch(window.cwnd, ack.now);
        let t = ack.now.saturating_since(epoch.start).as_secs_f64();
        let reno = match friendliness {
            Friendliness::Rfc9438 => {
                let slope = if epoch.reno_window >= prior { 1.0 } else { alpha };
                epoch.reno_window += slope * acked / window.cwnd;
                epoch.reno_window
            }
            Friendliness::Rfc8312 if !ack.srtt.is_zero() => {
                epoch.origin * beta + alpha * t / ack.srtt.as_secs_f64()
            }
            _ => 0.0,
        };
        if epoch.at(t, c) < reno {
            window.cwnd = window.cwnd.max(reno).min(LARGEST_WINDOW);
            return;
        }
        let target = epoch.at(t + ack.srtt.as_secs_f64(), c).clamp(window.cwnd, 1.5 * window.cwnd);
        let mut growth = (target - window.cwnd) / window.cwnd;
        if let (Some(most), true) = (max_increment, t >= epoch.k) {
            growth = growth.min(most.max(0.0) * rtt_over_100_ms(ack.min_rtt) / window.cwnd);
        }
        window.cwnd = (window.cwnd + growth).min(LARGEST_WINDOW);
    }
}

impl Epoch {
    /// W_cubic(t), equation 1.
    pub(super) fn at(&self, t: f64, c: f64) -> f64 {
        let from_origin = t - self.k;
        self.origin + c * from_origin * from_origin * from_origin
    }
}

pub(super) fn rtt_over_100_ms(rtt: Duration) -> f64 {
    if rtt == Duration::MAX { 0.0 } else { rtt.as_secs_f64() * 10.0 }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.watch_slow_start(window, ack);
        if ack.acked <= 0.0 {
            return;
        }
        if ack.may_grow {
            let rest = self.reno.slow_start(window, ack.acked);
            if rest > 0.0 {
                self.follow_the_curve(window, ack, rest);
            }
        } else if !ack.in_recovery {
            self.pause(ack.now);
        }
        self.last_ack = ack.now;
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        if !loss.repeated {
            self.before = Some(self.state.clone());
            let max = self.state.max_window.unwrap_or(0.0);
            let gives_way = self.config.fast_convergence && window.cwnd < max;
            let share = if gives_way { f64::midpoint(1.0, self.config.beta.0) } else { 1.0 };
            self.state.max_window = Some(self.reno.round(window.cwnd * share).max(1.0));
            self.state.prior_window = window.cwnd;
        }
        self.state.epoch = None;
        if loss.kind == LossKind::Timeout {
            // RFC 9438 section 4.8: the next stage begins with K = 0 at its own window.
            self.state.max_window = None;
            if let Some(hystart) = &mut self.hystart {
                hystart.reset();
            }
        }
        self.reno.reduce(window, loss, self.reno.share(loss, self.config.beta.0));
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        if let Some(before) = self.before.take() {
            self.state = before;
        }
        window.cwnd = window.cwnd.max(saved.cwnd);
        window.ssthresh = window.ssthresh.max(saved.ssthresh);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, now: Instant) {
        self.pause(now);
        self.last_ack = now;
        window.cwnd = window.cwnd.min(restart);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        let (k, reno_window) = self.state.epoch.as_ref().map_or((0.0, 0.0), |e| (e.k, e.reno_window));
        vec![("w_max", self.state.max_window.unwrap_or(0.0)), ("k", k), ("w_est", reno_window)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
