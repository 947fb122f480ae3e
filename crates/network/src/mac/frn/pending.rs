//! [`PendingPacket`]: a packet taken from its queue, which waits for its slot, for its answer, or for its retransmission.

use crate::frame::Frame;
use crate::hop::{NextHop, Part};
use crate::ids::NodeId;

/// The last attempt to send a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) slot: u64,
    pub(super) answer: u64,
    /// Number of the frame, and the packet's part in it.
    pub(super) frame: u32,
    pub(super) part: u8,
    pub(super) to: NodeId,
    /// The answer is still expected in its slot.
    pub(super) is_awaited: bool,
}

/// A packet, and the state of its transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingPacket {
    /// 0: from the queue of all packets, or of data; 1: from that of acknowledgements.
    pub(super) queue: u8,
    /// The packet, and the next hop of the next attempt.
    pub(super) part: Part,
    pub(super) number: u64,
    /// It is relayed and precedes queued packets.
    pub(super) is_relay: bool,
    /// The slot of the next attempt, while no answer is expected.
    pub(super) due: u64,
    pub(super) sent: Option<Attempt>,
}

impl PendingPacket {
    pub(super) fn answer_slot(&self) -> Option<u64> {
        self.sent.filter(|sent| sent.is_awaited).map(|sent| sent.answer)
    }

    pub(super) fn is_ready(&self) -> bool {
        self.answer_slot().is_none()
    }

    /// True when it is for all neighbours and has no answer.
    pub(super) fn is_broadcast(&self) -> bool {
        self.part.next_hop == NextHop::Everyone
    }

    /// True when `frame` is its relay echo. `numbers`: of the packets in the frame.
    pub(super) fn is_echoed(&self, frame: &Frame, numbers: [Option<u64>; 2], takes_late: bool) -> bool {
        let is_expected = |sent: Attempt| sent.to == frame.sender && (sent.is_awaited || takes_late);
        numbers.contains(&Some(self.number)) && self.sent.is_some_and(is_expected)
    }

    /// True when an FRN ACK for this part of a frame acknowledges it.
    pub(super) fn is_answered(&self, frame: u32, part: u8, takes_late: bool) -> bool {
        let is_acknowledged =
            |sent: Attempt| (sent.frame, sent.part) == (frame, part) && (sent.is_awaited || takes_late);
        self.sent.is_some_and(is_acknowledged)
    }
}
