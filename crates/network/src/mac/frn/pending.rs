//! [`PendingPacket`]: a packet taken from its queue, which waits for its slot, for its answer, or for its retransmission.

use super::config::EchoFrom;
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
    /// The answer came after its slot.
    pub(super) has_late_answer: bool,
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

    /// True when a transmission of it by `sender` is its relay echo. `from`: its previous hop.
    pub(super) fn is_echoed(&self, sender: NodeId, from: Option<NodeId>, echo_from: EchoFrom) -> bool {
        self.sent.is_some_and(|sent| match echo_from {
            EchoFrom::NextHop => sent.to == sender,
            EchoFrom::AnyNeighbour => from != Some(sender),
        })
    }

    /// True when an FRN ACK for this part of a frame acknowledges it.
    pub(super) fn is_answered(&self, frame: u32, part: u8) -> bool {
        self.sent.is_some_and(|sent| (sent.frame, sent.part) == (frame, part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::PacketId;

    #[test]
    fn an_echo_is_that_of_the_next_hop_or_of_any_neighbour_but_the_previous_hop() {
        let [previous, next, other] = [1, 2, 3].map(NodeId);
        let part = Part { packet: PacketId(0), next_hop: NextHop::Node(next) };
        let sent = Attempt {
            slot: 4,
            answer: 5,
            frame: 1,
            part: 0,
            to: next,
            is_awaited: true,
            has_late_answer: false,
        };
        let untried = PendingPacket { queue: 0, part, number: 7, is_relay: true, due: 4, sent: None };
        let tried = PendingPacket { sent: Some(sent), ..untried };
        let echoes = |pending: PendingPacket, echo_from| {
            [previous, next, other].map(|sender| pending.is_echoed(sender, Some(previous), echo_from))
        };
        assert_eq!(echoes(tried, EchoFrom::NextHop), [false, true, false]);
        assert_eq!(echoes(tried, EchoFrom::AnyNeighbour), [false, true, true]);
        assert_eq!(echoes(untried, EchoFrom::AnyNeighbour), [false; 3]);
    }
}
