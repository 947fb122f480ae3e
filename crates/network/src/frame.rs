//! [`Frame`]: what a MAC puts on a shared channel: up to two packets, each with its own next hop.

use farlink_kernel::Duration;

use crate::hop::{NextHop, Part};
use crate::ids::NodeId;

/// A PHY mode (modulation and rate): its index in the PHY's list, slowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode(pub u8);

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Carries packets.
    Data,
    /// Acknowledges part `part` of frame `number`, to its sender.
    Acknowledgement {
        /// The node that sent the frame.
        to: NodeId,
        /// The frame's number.
        number: u32,
        /// Which of its parts.
        part: u8,
    },
    /// RTS: reserves the medium for an exchange with a neighbour.
    RequestToSend {
        /// The neighbour.
        to: NodeId,
    },
    /// CTS: the response to an RTS.
    ClearToSend {
        /// The sender of the RTS.
        to: NodeId,
    },
    /// A broadcast without content that announces data (T-Lohi).
    Tone,
}

/// A frame. `Copy`: a transmission holds it, a MAC may keep it for a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The node that sends it.
    pub sender: NodeId,
    /// The sender's sequence number; the same in a retransmission.
    pub number: u32,
    /// Its kind.
    pub kind: FrameKind,
    /// Its packets.
    pub parts: [Option<Part>; 2],
    /// Its size in bytes, with the MAC's header.
    pub size: u32,
    /// Its PHY mode.
    pub mode: Mode,
    /// It is a retransmission.
    pub is_retry: bool,
    /// The Duration field: how long the exchange lasts after this frame; sets the NAV of stations that overhear it.
    pub duration: Duration,
}

impl Frame {
    /// A first transmission with a Duration field of 0.
    pub fn new(sender: NodeId, number: u32, kind: FrameKind, size: u32, mode: Mode) -> Self {
        let (parts, is_retry, duration) = ([None; 2], false, Duration::ZERO);
        Self { sender, number, kind, parts, size, mode, is_retry, duration }
    }

    /// The nodes it is addressed to, each once; none for a broadcast.
    pub fn addressees(&self) -> impl Iterator<Item = NodeId> {
        let part = |part: &Part| match part.next_hop {
            NextHop::Node(node) => Some(node),
            NextHop::Everyone => None,
        };
        let (first, second) = match self.kind {
            FrameKind::Data => {
                let [first, second] = self.parts.map(|each| each.as_ref().and_then(part));
                (first, second.filter(|_| second != first))
            }
            FrameKind::Tone => (None, None),
            FrameKind::Acknowledgement { to, .. }
            | FrameKind::RequestToSend { to }
            | FrameKind::ClearToSend { to } => (Some(to), None),
        };
        first.into_iter().chain(second)
    }

    /// True when it is addressed to `node`, or a broadcast.
    pub fn is_for(&self, node: NodeId) -> bool {
        match self.kind {
            FrameKind::Data => self.parts.iter().flatten().any(|part| part.next_hop.is(node)),
            _ => self.addressees().any(|to| to == node),
        }
    }
}

/// The link layer gave up on a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFailure {
    /// The link is down, and the interface knows it.
    Down,
    /// The neighbour did not answer, however often it was tried.
    NoResponse,
    /// The neighbour's link address is not known, however often it was asked for; the MAC did not get the packet.
    Unresolved,
    /// The packet was waiting when routing asked for it back.
    Recalled,
}
