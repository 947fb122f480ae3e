//! [`Frame`]: what a MAC puts on a shared channel: up to two packets, each with its own next hop.

use farlink_kernel::Duration;

use crate::hop::{NextHop, Part};
use crate::ids::NodeId;

/// How a PHY sends a frame: the place in its list of rates, slowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode(pub u8);

/// What a frame is for.
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
    /// Asks a neighbour whether it can listen.
    RequestToSend {
        /// The neighbour.
        to: NodeId,
    },
    /// Says that it can.
    ClearToSend {
        /// The node that asked.
        to: NodeId,
    },
    /// Says that somebody has something to send; for everyone, and carries nothing.
    Tone,
}

/// A frame of one sender. `Copy`: a transmission holds it, a MAC may keep it for another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The node that sends it.
    pub sender: NodeId,
    /// The sender's number for it; the same on a further attempt.
    pub number: u32,
    /// What it is for.
    pub kind: FrameKind,
    /// Its packets.
    pub parts: [Option<Part>; 2],
    /// Its size in bytes, with the MAC's header.
    pub size: u32,
    /// How the PHY sends it.
    pub mode: Mode,
    /// It was sent before.
    pub is_retry: bool,
    /// How long the exchange goes on after its end; who overhears it keeps silent so long.
    pub reserved: Duration,
}

impl Frame {
    /// A frame that was not sent before and reserves nothing.
    pub fn new(sender: NodeId, number: u32, kind: FrameKind, size: u32, mode: Mode) -> Self {
        let (parts, is_retry, reserved) = ([None; 2], false, Duration::ZERO);
        Self { sender, number, kind, parts, size, mode, is_retry, reserved }
    }

    /// The neighbours it is for, each once; none when it is for everyone.
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

    /// True when it is for `node`, or for everyone.
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
    /// The packet was waiting when routing asked for it back.
    Recalled,
}
