//! S. Shalunov, G. Hazel, J. Iyengar, M. Kuehlewind, "Low Extra Delay Background Transport (LEDBAT)", RFC 6817, 2012.
//! As an option LEDBAT++ ([`plus_plus`]).
//!
//! The window follows the queueing delay that the flow's own packets meet: it grows below a target and shrinks above it, in
//! proportion to the distance. Flows that fill queues push the delay beyond the target, so that LEDBAT yields to them.
//! Losses halve the window as Reno's.
//!
//! Equations (section 2.4.2): queuing_delay = FILTER(current_delays) - MIN(base_delays);
//! off_target = (TARGET - queuing_delay)/TARGET; cwnd += GAIN off_target bytes_newly_acked MSS/cwnd, at most flightsize +
//! ALLOWED_INCREASE MSS, at least MIN_CWND MSS. FILTER is the minimum of the newest samples of the last round trip, base_delays has
//! the minimum of each of the last minutes. The delay is one way, from timestamps (RFC 7323); without them it is the round-trip time.
//! Left out: clock skew (appendix A.2), since simulated clocks agree; the congestion timeout is TCP's own.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, Instant, choice, config};

use super::{Ack, CongestionControl, Loss, Setup, reno::LARGEST_WINDOW, reno::Reno};
use crate::window::Window;

pub(crate) mod delays;
pub(crate) mod plus_plus;
#[cfg(test)]
mod tests;

use delays::Delays;
use plus_plus::PlusPlus;

pub(super) const SOURCE: &str = "RFC 6817, 2012; draft-irtf-iccrg-ledbat-plus-plus-06, 2026";

choice! {
    /// Which LEDBAT.
    pub enum Variant {
        /// RFC 6817.
        Rfc6817 = "rfc6817",
        /// LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus): round-trip times, a gain below Reno's, multiplicative decrease, and
        /// periodic slowdowns.
        PlusPlus = "plus_plus",
    }
}

config! {
    /// Parameters of LEDBAT.
    pub struct Config {
        /// Which LEDBAT.
        pub variant: Variant = Variant::Rfc6817,
        /// TARGET: the queueing delay that is aimed at; none: 100 ms (RFC 6817 section 2.5), or 60 ms in LEDBAT++.
        pub target: Option<Duration> = None; in above(Duration::ZERO),
        /// GAIN: segments of growth per round trip on an empty path (RFC 6817 section 2.5: at most 1; LEDBAT++ computes it).
        pub gain: Fraction = Fraction(1.0); in above(Fraction(0.0)),
        /// ALLOWED_INCREASE: segments by which the window may exceed what was in flight (RFC 6817 section 2.5: 1).
        pub allowed_increase: f64 = 1.0; in above(0.0),
        /// INIT_CWND: most segments of the initial window (RFC 6817 section 2.5: 2).
        pub init_cwnd: f64 = 2.0; in 1.0..,
        /// MIN_CWND: smallest window, in segments (RFC 6817 section 2.5: 2).
        pub min_cwnd: f64 = 2.0; in 1.0..=1e6,
        /// BASE_HISTORY: minutes over which the smallest delay is kept (RFC 6817 section 2.5: 10).
        pub base_history: u32 = 10; in 1..=60,
        /// CURRENT_FILTER: most samples of the last round trip of which the smallest counts (RFC 6817 section 2.5: at least 4).
        pub current_filter: u32 = 4; in 1..=64,
        /// Slow start until the threshold (RFC 6817 section 2.2: may be used; ns-3 does). LEDBAT++ has its own.
        pub slow_start: bool = false,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Ledbat {
    config: Config,
    reno: Reno,
    /// TARGET in nanoseconds.
    target: f64,
    delays: Delays,
    plus_plus: Option<PlusPlus>,
}

impl Ledbat {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let is_plus_plus = config.variant == Variant::PlusPlus;
        let usual = if is_plus_plus { plus_plus::TARGET } else { Duration::from_millis(100) };
        let target = config.target.unwrap_or(usual).as_nanos().max(1) as f64;
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            target,
            delays: Delays::new(config.base_history, config.current_filter),
            plus_plus: is_plus_plus.then(PlusPlus::default),
        }
    }

    /// RFC 6817 section 2.4.2.
    fn follow_target(&self, window: &mut Window, ack: &Ack, acked: f64) {
        let off_target = 1.0 - self.delays.queueing() / self.target;
        let change = self.config.gain.0 * off_target * acked / window.cwnd;
        let allowed = ack.prior_flight + self.config.allowed_increase;
        self.set(window, ack, (window.cwnd + change).min(allowed));
    }

    /// The window becomes `cwnd` segments within its bounds, but does not grow where it may not.
    fn set(&self, window: &mut Window, ack: &Ack, cwnd: f64) {
        let most = if ack.may_grow { LARGEST_WINDOW } else { window.cwnd };
        window.cwnd = cwnd.max(self.config.min_cwnd).min(most);
    }
}

impl CongestionControl for Ledbat {
    fn on_start(&mut self, window: &mut Window, _now: Instant, _srtt: Duration) {
        window.cwnd = window.cwnd.min(self.config.init_cwnd);
        if !self.config.slow_start && self.plus_plus.is_none() {
            window.ssthresh = 2.0;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let one_way = ack.one_way.filter(|_| self.plus_plus.is_none());
        if let Some(delay) = ack.rtt.map(|rtt| one_way.unwrap_or(rtt)) {
            self.delays.observe(ack.now, delay, ack.srtt);
        }
        if ack.acked <= 0.0 || ack.in_recovery {
            return;
        }
        if let Some(mut plus_plus) = self.plus_plus {
            plus_plus.on_ack(self, window, ack);
            self.plus_plus = Some(plus_plus);
            return;
        }
        let in_slow_start = self.config.slow_start && ack.may_grow;
        let rest = if in_slow_start { self.reno.slow_start(window, ack.acked) } else { ack.acked };
        if rest > 0.0 {
            self.follow_target(window, ack, rest);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.reno.halve(window, loss);
        if let Some(plus_plus) = &mut self.plus_plus {
            plus_plus.on_congestion(loss);
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }

    fn uses_one_way_delay(&self) -> bool {
        self.plus_plus.is_none()
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("queueing_ms", self.delays.queueing() / 1e6)]
    }
}
