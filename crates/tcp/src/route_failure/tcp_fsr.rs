//! TCP-FSR, the second proposal of the route-failure study (`docs/studies/route_failure`): the receiver names where
//! to resume.
//!
//! Several links may break at once, and only the notice from the first of them reaches the source: the packet it
//! names is not the first that is missing. So the receiver is notified when the route is restored, and repeats its
//! latest acknowledgement, from which the source resumes with window and threshold as they were. A timer as long as
//! routing keeps packets resumes the source if no acknowledgement arrives.
//!
//! The proposal leaves open where exactly it resumes: here at the first unacknowledged byte, all data sent beyond
//! being lost; the acknowledgement that ends the frozen state is no duplicate. Notices in between need no memory.
//! Where nodes keep packets they cannot send, most of them arrive, and twice: without `go_back_n` it resumes with new
//! data, and repairs what duplicates or its timer show.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, config};

use super::{Answer, Failed, Resume, RouteFailure, Step};

pub(super) const SOURCE: &str = "TCP-FSR, route-failure study, section 5";

config! {
    /// Parameters of TCP-FSR.
    pub struct Config {
        /// The route failure timer: the time for which routing keeps packets (DSR, RFC 4728).
        pub route_failure_timeout: Duration = Duration::from_secs(30); in above(Duration::ZERO),
        /// Data sent beyond the acknowledgement that ends the frozen state are taken for lost and retransmitted.
        pub go_back_n: bool = true,
    }
}

/// When the source resumes by itself; [`Instant::NEVER`] in the normal state.
#[derive(Clone, Debug)]
pub(crate) struct TcpFsr {
    route_failure_timeout: Duration,
    on_ack: Resume,
    deadline: Instant,
}

impl TcpFsr {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        let on_ack = if config.go_back_n { Resume::GoBack } else { Resume::Unchanged };
        Self { route_failure_timeout: config.route_failure_timeout, on_ack, deadline: Instant::NEVER }
    }

    fn resume(&mut self, resume: Resume) -> Step {
        self.deadline = Instant::NEVER;
        Step::Resume(resume)
    }
}

impl RouteFailure for TcpFsr {
    fn on_failed(&mut self, failed: &Failed) -> Step {
        if self.deadline != Instant::NEVER {
            return Step::Stay;
        }
        self.deadline = failed.now.saturating_add(self.route_failure_timeout);
        Step::Freeze
    }

    fn on_ack(&mut self) -> Step {
        self.resume(self.on_ack)
    }

    fn counts_duplicates(&self) -> bool {
        false
    }

    fn answer(&self) -> Answer {
        Answer::Acknowledge
    }

    fn deadline(&self) -> Instant {
        self.deadline
    }

    fn on_deadline(&mut self, now: Instant) -> Step {
        if self.deadline > now { Step::Stay } else { self.resume(Resume::Unchanged) }
    }
}
