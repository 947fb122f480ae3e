//! Notifications from routers: for any segment or none, to either end, in any order, twice, too late, or never.

use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};
use farlink_tcp::connection::Cause;
use farlink_tcp::{Notice, SeqNumber};

use super::circumstances::{once_in, one_of};
use super::{Peer, State};

/// How long a connection may be frozen once nothing is lost any more: as long as routing keeps packets, the timer of every
/// policy without more frequent probes.
const LONGEST_FREEZE: Duration = Duration::from_secs(30);
/// More than any timer of a connection where all has arrived.
const PATIENCE: Duration = Duration::from_secs(600);

/// A notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// To the connection: its route broke at the segment at this position of the link, or, with none in flight, at the
    /// first outstanding one.
    Failed(usize),
    /// To the connection: its route broke, segment unknown.
    FailedSomewhere,
    /// To the connection: its route broke at a segment it never sent.
    FailedElsewhere(u32),
    /// To the connection: its route is restored.
    Restored,
    /// To the peer: the route is restored; its notification reaches the connection or not.
    PeerRestored(bool),
    /// To the peer: its route broke.
    PeerFailed,
}

/// Any notification.
pub(super) fn any(rng: &mut Stream) -> Routing {
    match rng.below(10) {
        0..4 => Routing::Failed(rng.below(20) as usize),
        4 => Routing::FailedSomewhere,
        5 => Routing::FailedElsewhere(one_of(rng, &[0, 1 << 31, u32::MAX])),
        6 => Routing::Restored,
        7..9 => Routing::PeerRestored(!once_in(rng, 3)),
        _ => Routing::PeerFailed,
    }
}

impl State {
    pub(super) fn notify(&mut self, notification: Routing) {
        let failed = |seq| Notice::RouteFailed { seq };
        match notification {
            Routing::Failed(place) => {
                let seq = self.wire.forth.peek(place).map(|segment| segment.seq);
                self.connection.on_notice(self.now, failed(seq));
            }
            Routing::FailedSomewhere => self.connection.on_notice(self.now, failed(None)),
            Routing::FailedElsewhere(number) => {
                self.connection.on_notice(self.now, failed(Some(SeqNumber(number))));
            }
            Routing::Restored => self.connection.on_notice(self.now, Notice::RouteRestored),
            Routing::PeerRestored(arrives) => self.notify_peer(arrives),
            Routing::PeerFailed => {
                if let Peer::Real(peer) = &mut self.peer {
                    peer.on_notice(self.now, failed(None));
                }
            }
        }
    }

    fn notify_peer(&mut self, arrives: bool) {
        match &mut self.peer {
            Peer::Model(peer) => peer.acknowledge(self.now),
            Peer::Real(peer) => {
                peer.on_notice(self.now, Notice::RouteRestored);
                if peer.take_announcement() && arrives {
                    self.connection.on_notice(self.now, Notice::RouteRestored);
                }
            }
        }
    }

    /// Everything has arrived: a frozen end resumes in time, its account closes, and no timer is left.
    pub(super) fn comes_to_rest(&mut self) -> Result<(), String> {
        let end = self.now + PATIENCE;
        while !self.wire.is_empty() || self.deadline() <= end {
            if self.now > end {
                return Err(format!("it never comes to rest: {}", self.progress()));
            }
            self.round()?;
            self.check()?;
        }
        if self.deadline() != Instant::NEVER {
            return Err(format!("a timer is left for {:?}", self.deadline()));
        }
        let frozen = self.frozen(self.now + PATIENCE) - self.frozen_before;
        if frozen > LONGEST_FREEZE * 2 {
            return Err(format!("it stays frozen for {frozen:?} though nothing is lost"));
        }
        Ok(())
    }

    /// How long both ends were frozen until `when`, if nothing changes from now on.
    pub(super) fn frozen(&self, when: Instant) -> Duration {
        let own = self.connection.limited_by(when).of(Cause::Frozen);
        match &self.peer {
            Peer::Real(peer) => own + peer.limited_by(when).of(Cause::Frozen),
            Peer::Model(_) => own,
        }
    }
}
