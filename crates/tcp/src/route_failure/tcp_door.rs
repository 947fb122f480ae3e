//! F. Wang, Y. Zhang, "Improving TCP Performance over Mobile Ad-Hoc Networks with Out-of-Order Detection and
//! Response", MobiHoc 2002.
//!
//! A packet that overtakes an earlier one has taken another route: out-of-order packets reveal a route change without
//! a notice. Losses around that time are attributed to the change and not to congestion: for a while the window and
//! the timeout stay as they are, and a reduction shortly before is undone.
//!
//! The sender detects it: by an acknowledgement below one that came before, and with timestamps by any that is older. Left
//! out: an option that would number duplicate acknowledgements, and detection at the receiver, which would notify
//! the sender. The paper was not at hand: this follows what surveys say of it (A. Al Hanbali, E. Altman, P. Nain, "A Survey of
//! TCP over Ad Hoc Networks", 2005), which name both periods, T1 and T2, but no values; one smoothed round trip for
//! each is a choice made here.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, config};

use super::{Failed, Overtaken, Reduction, RouteFailure, Step};

pub(super) const SOURCE: &str = "Wang and Zhang, MobiHoc 2002";

config! {
    /// Parameters of TCP-DOOR.
    pub struct Config {
        /// Round trips after the detection for which window and timeout stay as they are (T1). A choice made here.
        pub disable_for: f64 = 1.0; in above(0.0),
        /// A reduction of the last so many round trips is undone (T2). A choice made here.
        pub instant_recovery_within: f64 = 1.0; in above(0.0),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct TcpDoor {
    config: Config,
    /// Congestion control acts again from then on.
    disabled_until: Instant,
    /// The first of the last reductions, and what was before it.
    reduced: Option<Reduction>,
}

impl TcpDoor {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        Self { config: config.clone(), disabled_until: Instant::ZERO, reduced: None }
    }
}

/// So many round trips.
fn times(factor: f64, srtt: Duration) -> Duration {
    Duration::from_secs_f64(factor * srtt.as_secs_f64())
}

impl RouteFailure for TcpDoor {
    fn on_failed(&mut self, _failed: &Failed) -> Step {
        Step::Stay
    }

    fn on_overtaken(&mut self, overtaken: &Overtaken) -> Option<Reduction> {
        let &Overtaken { now, srtt } = overtaken;
        self.disabled_until = now.saturating_add(times(self.config.disable_for, srtt));
        let recent = times(self.config.instant_recovery_within, srtt);
        self.reduced.take().filter(|reduced| reduced.at.saturating_add(recent) >= now)
    }

    fn allows_reduction(&mut self, before: &Reduction, srtt: Duration) -> bool {
        if before.at < self.disabled_until {
            return false;
        }
        let recent = times(self.config.instant_recovery_within, srtt);
        if self.reduced.is_none_or(|reduced| reduced.at.saturating_add(recent) < before.at) {
            self.reduced = Some(*before);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::LossKind;
    use crate::window::Window;

    const SRTT: Duration = Duration::from_millis(100);

    fn at(millis: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(millis)
    }

    fn reduction(millis: u64, cwnd: f64) -> Reduction {
        Reduction { at: at(millis), kind: LossKind::DuplicateAcks, window: Window::new(cwnd), backoff: 0 }
    }

    fn door() -> TcpDoor {
        TcpDoor::new(&Config::default(), &())
    }

    #[test]
    fn a_reduction_within_a_round_trip_is_undone_to_the_state_before_the_first() {
        let mut door = door();
        assert!(door.allows_reduction(&reduction(1000, 16.0), SRTT));
        assert!(door.allows_reduction(&reduction(1050, 8.0), SRTT));
        let back = door.on_overtaken(&Overtaken { now: at(1100), srtt: SRTT });
        assert_eq!(back, Some(reduction(1000, 16.0)));
        assert_eq!(door.on_overtaken(&Overtaken { now: at(1101), srtt: SRTT }), None, "once");
    }

    #[test]
    fn an_older_reduction_stands() {
        let mut door = door();
        assert!(door.allows_reduction(&reduction(1000, 16.0), SRTT));
        assert_eq!(door.on_overtaken(&Overtaken { now: at(1101), srtt: SRTT }), None);
    }

    #[test]
    fn for_a_round_trip_after_reordering_nothing_is_reduced() {
        let mut door = door();
        door.on_overtaken(&Overtaken { now: at(1000), srtt: SRTT });
        let lets = [1000, 1099, 1100].map(|millis| door.allows_reduction(&reduction(millis, 16.0), SRTT));
        assert_eq!(lets, [false, false, true]);
    }
}
