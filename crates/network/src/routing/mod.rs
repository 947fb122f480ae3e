//! Routing: over which interface and to which neighbour a packet goes next.

use farlink_kernel::registry;

use crate::blueprint::NodeId;
use crate::context::{Context, InterfaceId};
use crate::frame::{LinkFailure, Part};
use crate::packet::Packet;

pub mod graph;
pub mod shortest_path;

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Over which interface.
    pub interface: InterfaceId,
    /// To which neighbour.
    pub next_hop: NodeId,
}

/// The role: the routing of one node.
pub trait Routing: std::fmt::Debug + Send {
    /// Where does this packet go next, on its `attempt`-th try (from 0)? `None`: nowhere.
    fn next_hop(&mut self, packet: &Packet, attempt: u32) -> Option<Hop>;

    /// A link is done with a packet and gives it back; routing ends it or tries again.
    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context);

    /// A neighbour was heard, or the link to it came back.
    fn on_neighbour(&mut self, neighbour: NodeId, cx: &mut Context);
}

/// What a member is told when it is set to work.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The node.
    pub node: NodeId,
    /// Who can reach whom when the run begins.
    pub graph: &'a graph::Graph,
}

registry! {
    /// Routing protocols.
    Routing(Setup<'_>) {
        /// Shortest paths over the graph of links and neighbours, known to all from the start.
        shortest_path::ShortestPath,
    }
}
