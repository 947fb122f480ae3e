//! simELFN: explicit link failure notification without probes, the first proposal of the route-failure study
//! (`docs/studies/route_failure`).
//!
//! A notice freezes the source. Routing keeps the packets in flight and delivers them when there is a route again:
//! their acknowledgement resumes the source, without probes. Routing drops packets after a while, and then no
//! acknowledgement would arrive: a timer resumes the source alpha round trips earlier, and the retransmission timer
//! decides. Further notices change nothing.
//!
//! The proposal leaves open what resumes: here any acknowledgement, also one that repeats the last, for it proves
//! that there is a route; it does not count as a duplicate. The round trip is the smoothed one at the time of
//! the notice, alpha is 1.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, config};

use super::{Failed, Resume, RouteFailure, Step};

pub(super) const SOURCE: &str = "simELFN, route-failure study, section 4";

config! {
    /// Parameters of simELFN.
    pub struct Config {
        /// For how long routing keeps packets that wait for a route (DSR, RFC 4728: 30 s).
        pub send_buffer_timeout: Duration = Duration::from_secs(30); in above(Duration::ZERO),
        /// How many round trips earlier the source resumes.
        pub alpha: f64 = 1.0; in 0.0..=1.0,
    }
}

/// When the source resumes by itself; [`Instant::NEVER`] in the normal state.
#[derive(Clone, Debug)]
pub(crate) struct SimElfn {
    config: Config,
    deadline: Instant,
}

impl SimElfn {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        Self { config: config.clone(), deadline: Instant::NEVER }
    }

    fn resume(&mut self) -> Step {
        self.deadline = Instant::NEVER;
        Step::Resume(Resume::Unchanged)
    }
}

impl RouteFailure for SimElfn {
    fn on_failed(&mut self, failed: &Failed) -> Step {
        if self.deadline != Instant::NEVER {
            return Step::Stay;
        }
        let ahead = Duration::from_secs_f64(self.config.alpha * failed.srtt.as_secs_f64());
        self.deadline = failed.now.saturating_add(self.config.send_buffer_timeout.saturating_sub(ahead));
        Step::Freeze
    }

    fn on_ack(&mut self) -> Step {
        self.resume()
    }

    fn counts_duplicates(&self) -> bool {
        false
    }

    fn deadline(&self) -> Instant {
        self.deadline
    }

    fn on_deadline(&mut self, now: Instant) -> Step {
        if self.deadline > now { Step::Stay } else { self.resume() }
    }
}
