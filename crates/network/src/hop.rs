//! [`Hop`]: where a packet goes next, and [`Arrival`]: where it came from.

use crate::ids::{InterfaceId, NodeId, PacketId};

/// The receivers of a packet on its next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextHop {
    /// One neighbour.
    Node(NodeId),
    /// All neighbours that receive the frame (broadcast); none of them acknowledges it.
    Everyone,
}

impl NextHop {
    /// True when `node` takes the packet.
    pub fn is(self, node: NodeId) -> bool {
        match self {
            Self::Node(next) => next == node,
            Self::Everyone => true,
        }
    }
}

/// A packet on its way to a neighbour, or to all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The packet.
    pub packet: PacketId,
    /// The neighbour.
    pub next_hop: NextHop,
}

/// An interface and the neighbour behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    pub(crate) interface: InterfaceId,
    /// The neighbour, or all.
    pub next_hop: NextHop,
}

/// What routing does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is forwarded over this hop.
    Forward(Hop),
    /// Routing keeps it: it is in [`Routing::held`](crate::routing::Routing::held) until it goes down again or is
    /// dropped.
    Queued,
    /// There is no route: it is dropped.
    NoRoute,
}

/// A packet that arrived at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The packet.
    pub packet: PacketId,
    pub(crate) interface: InterfaceId,
    /// The neighbour that sent it.
    pub from: NodeId,
}
