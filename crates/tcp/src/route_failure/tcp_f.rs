//! K. Chandran, S. Raghunathan, S. Venkatesan, R. Prakash, "A Feedback-Based Scheme for Improving TCP Performance
//! in Ad Hoc Wireless Networks", IEEE Personal Communications 8(1), 2001.
//!
//! A route failure notification makes the source snooze: it stops sending and freezes its timers and window. It notes
//! which packet was not forwarded and resumes there when a route re-establishment notification comes, here from the
//! destination; or, with nothing changed, when the route failure timer expires. Acknowledgements that arrive meanwhile
//! count, but do not end it. Left out: routers that find another route themselves and stop the notification.
//!
//! The paper leaves the timer open. It is as long as routing keeps packets that wait for a route (30 s in DSR,
//! RFC 4728): after that nothing is left that could be acknowledged.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, config};

use super::{Answer, Failed, Resume, RouteFailure, Step};

pub(super) const SOURCE: &str = "Chandran et al., IEEE Personal Communications 2001";

config! {
    /// Parameters of TCP-F.
    pub struct Config {
        /// The route failure timer.
        pub route_failure_timeout: Duration = Duration::from_secs(30); in above(Duration::ZERO),
    }
}

/// The source's two states: established, or snoozing since a notice about this offset.
#[derive(Clone, Debug)]
pub(crate) struct TcpF {
    route_failure_timeout: Duration,
    next: Option<u64>,
    deadline: Instant,
}

impl TcpF {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        Self { route_failure_timeout: config.route_failure_timeout, next: None, deadline: Instant::NEVER }
    }

    fn wake(&mut self, resume: Resume) -> Step {
        self.next = None;
        self.deadline = Instant::NEVER;
        Step::Resume(resume)
    }
}

impl RouteFailure for TcpF {
    fn on_failed(&mut self, failed: &Failed) -> Step {
        if self.next.is_some() {
            return Step::Stay;
        }
        self.next = Some(failed.offset);
        self.deadline = failed.now.saturating_add(self.route_failure_timeout);
        Step::Freeze
    }

    fn on_restored(&mut self) -> Step {
        match self.next {
            Some(next) => self.wake(Resume::From(next)),
            None => Step::Stay,
        }
    }

    fn answer(&self) -> Answer {
        Answer::Notify
    }

    fn deadline(&self) -> Instant {
        self.deadline
    }

    fn on_deadline(&mut self, now: Instant) -> Step {
        if self.deadline > now { Step::Stay } else { self.wake(Resume::Unchanged) }
    }
}
