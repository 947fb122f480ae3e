//! D. Leith, R. Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004; draft-leith-tcp-htcp-06.
//!
//! The growth per round trip increases with the time since the last loss, so that flows in fast paths need not wait long
//! and competing flows, which lose together, grow alike. A loss keeps the share RTTmin/RTTmax of the window, which empties
//! the queue and no more. Reno's half is kept while the throughput changes.
//!
//! Equations: alpha(D) = 1 for D <= D_L, else 1 + 10 (D - D_L) + ((D - D_L)/2)^2, in seconds since the last loss;
//! alpha = 2 (1 - beta) alpha(D), cwnd += alpha/cwnd per ACK; beta = 0.5 if the throughput before this loss differs by more
//! than D_B = 0.2 of that before the last, else RTTmin/RTTmax within 0.5 to 0.8. alpha is computed once per round trip,
//! and an ACK adds one segment at most. Left out: nothing.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, Instant, config};

use super::{Ack, CongestionControl, Loss, Saved, Setup, reno::Reno, round_trips::RoundTrips};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Leith, Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06";

config! {
    /// Parameters of H-TCP.
    pub struct Config {
        /// Delta_L: for so long after a loss the window grows as Reno's (the draft: 1 s).
        pub delta_l: Duration = Duration::from_secs(1),
        /// Delta_B: relative change of the throughput beyond which a loss halves (the draft: 0.2).
        pub delta_b: f64 = 0.2; in 0.0..,
        /// Smallest fraction of the window kept after a loss (the draft: 0.5).
        pub beta_min: Fraction = Fraction(0.5); in above(Fraction(0.0)),
        /// Largest fraction of the window kept after a loss (the draft: 0.8).
        pub beta_max: Fraction = Fraction(0.8),
        /// Growth in proportion to the smallest round-trip time over 100 ms, within 0.1 to 2 (an option of the draft; on in
        /// Linux).
        pub rtt_scaling: bool = false,
        /// The fraction that is kept follows the round-trip times; off, it is `beta_min`.
        pub adaptive_backoff: bool = true,
    }
    where beta_min <= beta_max
}

/// What a loss decides by, and what a spurious one leaves as it was.
#[derive(Clone, Copy, Debug)]
struct State {
    alpha: f64,
    beta: f64,
    last_loss: Instant,
    max_rtt: Duration,
    /// Segments per second in the round trip before the last loss.
    last_throughput: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Htcp {
    config: Config,
    reno: Reno,
    rounds: RoundTrips,
    min_rtt: Duration,
    state: State,
    before: Option<State>,
    round_began: Instant,
    delivered: f64,
    /// Segments per second in the last round trip.
    throughput: f64,
}

impl Htcp {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            rounds: RoundTrips::default(),
            min_rtt: Duration::MAX,
            state: State {
                alpha: 1.0,
                beta: config.beta_min.0,
                last_loss: Instant::ZERO,
                max_rtt: Duration::ZERO,
                last_throughput: 0.0,
            },
            before: None,
            round_began: Instant::ZERO,
            delivered: 0.0,
            throughput: 0.0,
        }
    }

    fn measure(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.min_rtt = self.min_rtt.min(rtt);
            self.state.max_rtt = self.state.max_rtt.max(rtt);
        }
        self.delivered += ack.delivered;
        if self.rounds.on_ack(ack) {
            let took = ack.now.saturating_since(self.round_began).as_secs_f64();
            if took > 0.0 {
                self.throughput = self.delivered / took;
            }
            (self.delivered, self.round_began) = (0.0, ack.now);
            self.update_alpha(ack.now);
        }
    }

    fn update_alpha(&mut self, now: Instant) {
        let elapsed = now.saturating_since(self.state.last_loss);
        let mut alpha = alpha(elapsed.saturating_sub(self.config.delta_l).as_secs_f64());
        if self.config.rtt_scaling && self.min_rtt != Duration::MAX {
            alpha = (alpha * (self.min_rtt.as_secs_f64() / 0.1).clamp(0.1, 2.0)).max(1.0);
        }
        self.state.alpha = 2.0 * (1.0 - self.state.beta) * alpha;
    }

    fn update_beta(&mut self) {
        let Config { beta_min, beta_max, delta_b, .. } = &self.config;
        let change = (self.throughput - self.state.last_throughput).abs();
        let is_steady = change <= delta_b * self.state.last_throughput && self.state.last_throughput > 0.0;
        let has_samples = !self.state.max_rtt.is_zero();
        self.state.beta = if self.config.adaptive_backoff && is_steady && has_samples {
            let ratio = self.min_rtt.as_nanos() as f64 / self.state.max_rtt.as_nanos() as f64;
            ratio.clamp(beta_min.0, beta_max.0)
        } else {
            beta_min.0
        };
        self.state.last_throughput = self.throughput;
    }
}

/// alpha(Delta), from the seconds beyond Delta_L.
fn alpha(beyond: f64) -> f64 {
    1.0 + 10.0 * beyond + 0.25 * beyond * beyond
}

impl CongestionControl for Htcp {
    fn on_start(&mut self, _window: &mut Window, now: Instant, _srtt: Duration) {
        self.state.last_loss = now;
        self.round_began = now;
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.measure(ack);
        if !ack.may_grow {
            return;
        }
        let rest = self.reno.slow_start(window, ack.acked);
        if rest > 0.0 && self.state.alpha > 0.0 {
            self.reno.increase(window, rest, (window.cwnd / self.state.alpha).max(1.0));
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        if !loss.repeated {
            self.before = Some(self.state);
            self.update_beta();
            self.state.max_rtt = Duration::ZERO;
        }
        self.state.last_loss = loss.now;
        self.update_alpha(loss.now);
        self.reno.reduce(window, loss, self.reno.share(loss, self.state.beta));
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

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("alpha", self.state.alpha), ("beta", self.state.beta)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
