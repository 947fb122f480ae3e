//! What a sender does when routing tells that the route of its flow broke: it may stand still instead of taking
//! the silence for congestion.
//!
//! While it stands still the connection sends nothing and its timers do not run; window, threshold and
//! estimates stay as they are. A member only says when that begins and ends ([`Step`]), and what the
//! receiving end does when the route is back ([`Answer`]). Or it goes by what it sees itself, and holds congestion
//! control back ([`RouteFailure::lets_reduce`]).

use farlink_kernel::{Duration, Instant, registry};

use crate::congestion::LossKind;
use crate::window::Window;

pub mod atcp;
pub mod none;
pub mod sim_elfn;
pub mod tcp_door;
pub mod tcp_elfn;
pub mod tcp_f;
pub mod tcp_fsr;

/// A router's word that a link on the route broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// When it reached the sender.
    pub now: Instant,
    /// First offset of the segment that met the break.
    pub offset: u64,
    /// Smoothed round-trip time.
    pub srtt: Duration,
}

/// An acknowledgement came that is older than one before: something overtook it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtaken {
    /// When.
    pub now: Instant,
    /// Smoothed round-trip time.
    pub srtt: Duration,
}

/// What was before a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// When the window was to be reduced.
    pub at: Instant,
    /// What was the sign.
    pub kind: LossKind,
    /// The window before.
    pub window: Window,
    /// How often the retransmission timeout was doubled.
    pub backoff: u32,
}

/// What the sender is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// What it did before.
    Stay,
    /// Stand still.
    Freeze,
    /// Send the first segment that is not acknowledged, and stand still further.
    Probe,
    /// Go on.
    Thaw(Resume),
}

/// Where a sender goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Where it stood.
    AsItWas,
    /// There: what was sent from there on is lost.
    From(u64),
    /// At the first byte that is not acknowledged: all that was sent is lost. The window stays.
    Again,
    /// There as well, with a window of one segment.
    Anew,
}

/// What the receiving end does when the route is back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Nothing,
    /// It repeats its latest acknowledgement at once.
    Acknowledge,
    /// It sends the sender a notice.
    Tell,
}

/// The role.
pub trait RouteFailure: std::fmt::Debug + Send {
    /// The route of what this end sent broke; also told while it stands still.
    fn on_failed(&mut self, failed: &Failed) -> Step;

    /// This end, which stands still, is told that the route is back.
    fn on_restored(&mut self) -> Step {
        Step::Stay
    }

    /// An acknowledgement reached this end, which stands still.
    fn on_ack(&mut self) -> Step {
        Step::Stay
    }

    /// Something was overtaken; what is answered was reduced by mistake and is taken back.
    fn on_overtaken(&mut self, overtaken: &Overtaken) -> Option<Reduction> {
        let _ = overtaken;
        None
    }

    /// Congestion control is about to reduce the window; false: it does not.
    fn lets_reduce(&mut self, before: &Reduction, srtt: Duration) -> bool {
        let _ = (before, srtt);
        true
    }

    /// The timer, which expired, is about to double the timeout; false: it does not.
    fn lets_back_off(&mut self, before: &Reduction, srtt: Duration) -> bool {
        self.lets_reduce(before, srtt)
    }

    /// False when an acknowledgement that comes while the sender stands still is no duplicate.
    fn counts_duplicates(&self) -> bool {
        true
    }

    /// What this end, as the receiver, does when it is told that the route is back.
    fn answer(&self) -> Answer {
        Answer::Nothing
    }

    /// When [`RouteFailure::on_deadline`] wants to be called, [`Instant::NEVER`] without a timer. Runs only while
    /// the sender stands still.
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
    /// Answers to route failures.
    RouteFailure(()) {
        /// Notices are not listened to.
        none::Deaf,
        /// Stands still and probes, ever more rarely, until an acknowledgement comes, and takes only marks for congestion.
        atcp::Atcp,
        /// Takes what is out of order for a new route, and losses about that time not for congestion.
        tcp_door::TcpDoor,
        /// Stands still until it is told that the route is back, and goes on after the packet that met the break.
        tcp_f::TcpF,
        /// Stands still and probes until an acknowledgement comes.
        tcp_elfn::TcpElfn,
        /// Stands still, without probes, until an acknowledgement comes or routing has given up its packets.
        sim_elfn::SimElfn,
        /// Stands still until the receiver, told that the route is back, acknowledges, and goes on from there.
        tcp_fsr::TcpFsr,
    }
}
