//! What routers may say: of any segment or of none, to either end, in any order, twice, too late, or never.

use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};
use farlink_tcp::{Notice, SeqNumber};

use super::circumstances::{once_in, one_of};
use super::{Peer, State};

/// How long a connection may stand still once nothing is lost any more: as long as routing keeps packets, which every
/// policy's timer is, or its probes are more frequent.
const STILLNESS: Duration = Duration::from_secs(30);
/// More than any timer of a connection where all has arrived.
const PATIENCE: Duration = Duration::from_secs(600);

/// A router's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The connection is told that its route broke: under the segment at this place of the wire, or, where nothing is
    /// under way, under the first that is outstanding.
    Failed(usize),
    /// It is told so, and not by which segment.
    FailedSomewhere,
    /// It is told of a segment that is nothing to it.
    FailedElsewhere(u32),
    /// It is told that the route is back.
    Restored,
    /// The peer is told that; its word about it reaches the connection or not.
    PeerRestored(bool),
    /// The peer is told that its route broke.
    PeerFailed,
}

/// Any word.
pub(super) fn any(luck: &mut Stream) -> Word {
    match luck.below(10) {
        0..4 => Word::Failed(luck.below(20) as usize),
        4 => Word::FailedSomewhere,
        5 => Word::FailedElsewhere(one_of(luck, &[0, 1 << 31, u32::MAX])),
        6 => Word::Restored,
        7..9 => Word::PeerRestored(!once_in(luck, 3)),
        _ => Word::PeerFailed,
    }
}

impl State {
    pub(super) fn hear(&mut self, word: Word) {
        let failed = |seq| Notice::RouteFailed { seq };
        match word {
            Word::Failed(place) => {
                let seq = self.wire.forth.peek(place).map(|segment| segment.seq);
                self.connection.on_notice(self.now, failed(seq));
            }
            Word::FailedSomewhere => self.connection.on_notice(self.now, failed(None)),
            Word::FailedElsewhere(number) => {
                self.connection.on_notice(self.now, failed(Some(SeqNumber(number))));
            }
            Word::Restored => self.connection.on_notice(self.now, Notice::RouteRestored),
            Word::PeerRestored(arrives) => self.tell_peer(arrives),
            Word::PeerFailed => {
                if let Peer::Real(peer) = &mut self.peer {
                    peer.on_notice(self.now, failed(None));
                }
            }
        }
    }

    fn tell_peer(&mut self, arrives: bool) {
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

    /// Everything has arrived: who stands still goes on in time, its account closes, and no timer is left over.
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
        let stood_still = self.frozen(self.now + PATIENCE) - self.frozen_before;
        if stood_still > STILLNESS * 2 {
            return Err(format!("it stands still for {stood_still:?} though nothing is lost"));
        }
        Ok(())
    }

    /// How long both ends stood still until `when`, if nothing changes from now on.
    pub(super) fn frozen(&self, when: Instant) -> Duration {
        let own = self.connection.limited_by(when).frozen;
        match &self.peer {
            Peer::Real(peer) => own + peer.limited_by(when).frozen,
            Peer::Model(_) => own,
        }
    }
}
