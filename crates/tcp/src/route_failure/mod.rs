//! Route failures: what a sender does when routing notifies it that the route of its flow broke. It may freeze
//! instead of taking missing acknowledgements for congestion.
//!
//! A frozen connection sends nothing and its timers do not run; window, threshold and estimates stay as they are. A
//! member decides when that begins and ends ([`Step`]), and what the receiving end does when the route is restored
//! ([`Answer`]). A member that infers route changes from reordering suppresses reductions
//! ([`RouteFailure::allows_reduction`]).

use farlink_kernel::{Duration, Instant, registry};

use crate::{congestion::LossKind, window::Window};

pub(crate) mod atcp;
pub(crate) mod none;
pub(crate) mod sim_elfn;
pub(crate) mod tcp_door;
pub(crate) mod tcp_elfn;
pub(crate) mod tcp_f;
pub mod tcp_fsr;

/// The notice that a link on the route broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// When it reached the sender.
    pub now: Instant,
    /// First offset of the segment that could not be forwarded.
    pub offset: u64,
    /// Smoothed round-trip time.
    pub srtt: Duration,
}

/// An acknowledgement that is older than the latest: it was overtaken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtaken {
    /// When it reached the sender.
    pub now: Instant,
    /// Smoothed round-trip time.
    pub srtt: Duration,
}

/// The state before a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// Time of the reduction.
    pub at: Instant,
    /// The sign of congestion.
    pub kind: LossKind,
    pub(crate) window: Window,
    /// How often the retransmission timeout was doubled.
    pub backoff: u32,
}

/// What the sender is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Go on as before.
    Stay,
    /// Stop sending and stop all timers.
    Freeze,
    /// Send the first unacknowledged segment and stay frozen.
    Probe,
    /// Resume sending; timers run.
    Resume(Resume),
}

/// Where a sender resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// With the next segment; nothing is lost.
    Unchanged,
    /// At this offset: what was sent from there on is lost.
    From(u64),
    /// At the first unacknowledged byte: all that was sent is lost. The window stays.
    GoBack,
    /// At the first unacknowledged byte, with a window of one segment.
    SlowStart,
}

/// What the receiving end does when the route is restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Nothing,
    /// It repeats its latest acknowledgement at once.
    Acknowledge,
    /// It notifies the sender.
    Notify,
}

/// The role.
pub trait RouteFailure: std::fmt::Debug + Send {
    /// The route of what this end sent broke. Called while frozen, too.
    fn on_failed(&mut self, failed: &Failed) -> Step;

    /// The route was restored while this end is frozen.
    fn on_restored(&mut self) -> Step {
        Step::Stay
    }

    /// An acknowledgement arrived while this end is frozen.
    fn on_ack(&mut self) -> Step {
        Step::Stay
    }

    /// An acknowledgement was overtaken. A reduction that is returned was a mistake and is undone.
    fn on_overtaken(&mut self, overtaken: &Overtaken) -> Option<Reduction> {
        let _ = overtaken;
        None
    }

    /// False keeps congestion control from reducing the window.
    fn allows_reduction(&mut self, before: &Reduction, srtt: Duration) -> bool {
        let _ = (before, srtt);
        true
    }

    /// False keeps the expired retransmission timer from doubling the timeout.
    fn allows_backoff(&mut self, before: &Reduction, srtt: Duration) -> bool {
        self.allows_reduction(before, srtt)
    }

    /// False when an acknowledgement that arrives while frozen is no duplicate.
    fn counts_duplicates(&self) -> bool {
        true
    }

    /// What this end, as the receiver, does when the route is restored.
    fn answer(&self) -> Answer {
        Answer::Nothing
    }

    /// When [`RouteFailure::on_deadline`] wants to be called, [`Instant::NEVER`] without a timer. Runs only while
    /// the sender is frozen.
    fn deadline(&self) -> Instant {
        Instant::NEVER
    }

    /// The member's timer expired.
    fn on_deadline(&mut self, now: Instant) -> Step {
        let _ = now;
        Step::Stay
    }
}

registry! {
    /// Route-failure policies.
    RouteFailure(()) {
        /// Ignores route-failure notifications.
        none::Ignore = Config,
        /// Freezes and probes with exponential backoff until an acknowledgement arrives; only ECN marks mean congestion.
        atcp::Atcp,
        /// Treats reordering as a route change; losses near it do not reduce the window.
        tcp_door::TcpDoor,
        /// Freezes until it is notified that the route is restored; resumes at the packet that was not forwarded.
        tcp_f::TcpF,
        /// Freezes and probes until an acknowledgement arrives.
        tcp_elfn::TcpElfn,
        /// Freezes, without probes, until an acknowledgement arrives or routing has dropped its packets.
        sim_elfn::SimElfn,
        /// Freezes until the receiver, notified that the route is restored, acknowledges; resumes there.
        tcp_fsr::TcpFsr,
    }
}
