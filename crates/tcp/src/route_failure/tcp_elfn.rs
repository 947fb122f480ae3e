//! G. Holland, N. Vaidya, "Analysis of TCP Performance over Mobile Ad Hoc Networks", MobiCom 1999: explicit link
//! failure notification.
//!
//! A notice makes the source disable its timers and stand by; from time to time it sends a packet to find out
//! whether a route is there again. Any acknowledgement means that it is: the timers run again and the source
//! resumes with the window it had. It probes without limit. The paper also tests other windows and timeouts after
//! the pause, which it finds to be worse; they are left out.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, config};

use super::{Failed, Resume, RouteFailure, Step};

pub(super) const SOURCE: &str = "Holland, Vaidya, MobiCom 1999";

config! {
    /// Parameters of ELFN.
    pub struct Config {
        /// Interval of probes while frozen.
        pub probe_interval: Duration = Duration::from_secs(2); in above(Duration::ZERO),
    }
}

/// When the next probe goes; [`Instant::NEVER`] while the source does not stand by.
#[derive(Clone, Debug)]
pub(crate) struct TcpElfn {
    interval: Duration,
    probe_at: Instant,
}

impl TcpElfn {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        Self { interval: config.probe_interval, probe_at: Instant::NEVER }
    }
}

impl RouteFailure for TcpElfn {
    fn on_failed(&mut self, failed: &Failed) -> Step {
        if self.probe_at != Instant::NEVER {
            return Step::Stay;
        }
        self.probe_at = failed.now + self.interval;
        Step::Freeze
    }

    fn on_ack(&mut self) -> Step {
        self.probe_at = Instant::NEVER;
        Step::Resume(Resume::Unchanged)
    }

    fn deadline(&self) -> Instant {
        self.probe_at
    }

    fn on_deadline(&mut self, now: Instant) -> Step {
        if self.probe_at > now {
            return Step::Stay;
        }
        self.probe_at = now + self.interval;
        Step::Probe
    }
}
