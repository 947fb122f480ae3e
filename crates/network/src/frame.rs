//! [`Frame`]: what a MAC puts on a shared channel: up to two packets, each with its own next hop.

use crate::blueprint::NodeId;
use crate::packet::PacketId;

/// A packet on its way to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The packet.
    pub packet: PacketId,
    /// The neighbour.
    pub next_hop: NodeId,
}

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
}

/// A frame of one sender. `Copy`: a transmission holds it, a MAC may keep it for another try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The node that sends it.
    pub sender: NodeId,
    /// The sender's number for it; the same on a further try.
    pub number: u32,
    /// What it is for.
    pub kind: FrameKind,
    /// Its packets.
    pub parts: [Option<Part>; 2],
    /// Its size in bytes, with the MAC's header.
    pub size: u32,
}

/// The link layer gave up on a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFailure {
    /// The link is down, and the interface knows it.
    Down,
    /// The neighbour did not answer, however often it was tried.
    NoAnswer,
}
