//! [`Line`]: a packet that was taken from its queue: it waits for its slot, then for the echo, then for another slot.

use crate::frame::Frame;
use crate::hop::{NextHop, Part};
use crate::ids::NodeId;

/// How a packet was sent last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Try {
    /// In which slot.
    pub(super) slot: u64,
    /// In which one the answer is expected.
    pub(super) answer: u64,
    /// In which frame, and as which part of it.
    pub(super) frame: u32,
    pub(super) place: u8,
    /// To whom.
    pub(super) to: NodeId,
    /// Nobody has answered, and the slot is not over.
    pub(super) is_open: bool,
}

/// A packet under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// From which queue: 0 that of all packets, or of data; 1 that of acknowledgements.
    pub(super) queue: u8,
    /// The packet, and whom it goes to at its next try.
    pub(super) part: Part,
    /// The packet's number.
    pub(super) number: u64,
    /// It came from a neighbour and is to go on before what waits.
    pub(super) is_first: bool,
    /// The slot of its next try, when it is not on its way.
    pub(super) due: u64,
    /// Its last try.
    pub(super) sent: Option<Try>,
}

impl Line {
    /// The slot in which it listens for the answer.
    pub(super) fn listens_in(&self) -> Option<u64> {
        self.sent.filter(|sent| sent.is_open).map(|sent| sent.answer)
    }

    /// True when it can be sent, at its time.
    pub(super) fn is_ready(&self) -> bool {
        self.listens_in().is_none()
    }

    /// True when it is for all neighbours and nobody answers.
    pub(super) fn is_for_everyone(&self) -> bool {
        self.part.next_hop == NextHop::Everyone
    }

    /// True when who was sent the packet sends it on in `frame`, of whose parts these are the packets' numbers.
    pub(super) fn is_echoed(&self, frame: &Frame, numbers: [Option<u64>; 2], takes_late: bool) -> bool {
        let is_expected = |sent: Try| sent.to == frame.sender && (sent.is_open || takes_late);
        numbers.contains(&Some(self.number)) && self.sent.is_some_and(is_expected)
    }

    /// True when this acknowledges it.
    pub(super) fn is_answered(&self, frame: u32, place: u8, takes_late: bool) -> bool {
        let is_it = |sent: Try| (sent.frame, sent.place) == (frame, place) && (sent.is_open || takes_late);
        self.sent.is_some_and(is_it)
    }
}
