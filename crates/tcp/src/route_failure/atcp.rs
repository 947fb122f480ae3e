//! J. Liu, S. Singh, "ATCP: TCP for Mobile Ad Hoc Networks", IEEE JSAC 19(7), 2001.
//!
//! A layer below the sender's TCP distinguishes four conditions. A route failure (a notice) puts TCP into its persist
//! state: it sends only probes, with exponential backoff, until anything arrives, and restarts with a window of one
//! segment, since the old one does not apply to the new route. A loss without a congestion mark (three duplicate
//! acknowledgements, or the timer about to expire) is retransmitted while TCP is kept from reducing its window. Marks
//! (RFC 3168) are left to TCP, and so are losses until TCP has new data to send.
//!
//! Here the policy suppresses congestion control in place of the layer, so that recovery itself retransmits, and
//! TCP's timer, which does double, replaces the layer's own. Left out: TCP's persist state while losses are repaired;
//! the end of a congested condition is taken to be a round trip after the mark; the notice is the one that all
//! policies share, where the paper has ICMP's "destination unreachable". Of the condition without
//! route and of losses this follows descriptions by others, for the paper was not at hand.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, config};

use super::{Failed, Reduction, Resume, RouteFailure, Step};
use crate::congestion::LossKind;

pub(super) const SOURCE: &str = "Liu and Singh, IEEE JSAC 2001";

config! {
    /// Parameters of ATCP.
    pub struct Config {
        /// Time to the first probe, doubled for each further one: a persist timer (RFC 9293 section 3.8.6.1), whose first
        /// time the paper leaves to TCP. Default: the least retransmission timeout (RFC 6298).
        pub probe_interval: Duration = Duration::from_secs(1); in above(Duration::ZERO),
        /// Upper bound of the time between probes. A choice made here: routing keeps packets for as long, and the sender is
        /// frozen no longer than that once the route is restored.
        pub max_probe_interval: Duration = Duration::from_secs(30); in above(Duration::ZERO),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Atcp {
    config: Config,
    /// Until the next probe, while there is no route.
    interval: Duration,
    /// When it goes; [`Instant::NEVER`] while there is a route.
    probe_at: Instant,
    congested_until: Instant,
}

impl Atcp {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        Self {
            config: config.clone(),
            interval: config.probe_interval,
            probe_at: Instant::NEVER,
            congested_until: Instant::ZERO,
        }
    }
}

impl RouteFailure for Atcp {
    fn on_failed(&mut self, failed: &Failed) -> Step {
        if self.probe_at != Instant::NEVER {
            return Step::Stay;
        }
        self.interval = self.config.probe_interval;
        self.probe_at = failed.now.saturating_add(self.interval);
        Step::Freeze
    }

    fn on_ack(&mut self) -> Step {
        self.probe_at = Instant::NEVER;
        Step::Resume(Resume::SlowStart)
    }

    fn allows_reduction(&mut self, before: &Reduction, srtt: Duration) -> bool {
        if before.kind == LossKind::Ecn {
            self.congested_until = before.at.saturating_add(srtt);
        }
        before.at < self.congested_until
    }

    fn allows_backoff(&mut self, _before: &Reduction, _srtt: Duration) -> bool {
        true
    }

    fn deadline(&self) -> Instant {
        self.probe_at
    }

    fn on_deadline(&mut self, now: Instant) -> Step {
        if self.probe_at > now {
            return Step::Stay;
        }
        self.interval = self.interval.saturating_mul(2).min(self.config.max_probe_interval);
        self.probe_at = now.saturating_add(self.interval);
        Step::Probe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Window;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    fn atcp() -> Atcp {
        Atcp::new(&Config::default(), &())
    }

    #[test]
    fn probes_back_off_exponentially_until_an_ack_arrives() {
        let mut atcp = atcp();
        let failed = Failed { now: at(10), offset: 0, srtt: Duration::from_millis(100) };
        assert_eq!((atcp.on_failed(&failed), atcp.on_failed(&failed)), (Step::Freeze, Step::Stay));
        let mut probes = Vec::new();
        while atcp.deadline() < at(150) {
            let now = atcp.deadline();
            assert_eq!(atcp.on_deadline(now), Step::Probe);
            probes.push(now.as_nanos() / 1_000_000_000);
        }
        assert_eq!(probes, [11, 13, 17, 25, 41, 71, 101, 131]);
        assert_eq!((atcp.on_ack(), atcp.deadline()), (Step::Resume(Resume::SlowStart), Instant::NEVER));
        atcp.on_failed(&failed);
        assert_eq!(atcp.deadline(), at(11), "a new failure resets the interval");
    }

    #[test]
    fn only_a_mark_is_congestion_and_what_is_lost_within_a_round_trip_of_it() {
        let mut atcp = atcp();
        let mut lets = |millis: u64, kind| {
            let at = Instant::ZERO + Duration::from_millis(millis);
            let before = Reduction { at, kind, window: Window::new(16.0), backoff: 0 };
            atcp.allows_reduction(&before, Duration::from_millis(100))
        };
        assert!(!lets(1000, LossKind::DuplicateAcks) && !lets(1010, LossKind::Timeout));
        assert!(lets(1100, LossKind::Ecn) && lets(1199, LossKind::DuplicateAcks));
        assert!(!lets(1200, LossKind::DuplicateAcks));
    }
}
