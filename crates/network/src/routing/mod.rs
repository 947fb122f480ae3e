//! Routing: over which interface and to which neighbour a packet goes next.

use farlink_kernel::registry;

use crate::blueprint::NodeId;
use crate::context::{Context, InterfaceId};
use crate::frame::{Frame, LinkFailure, Part};
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
    /// Where does this packet go next? `None`: nowhere. Asked per attempt, counted from 0 at every node: a
    /// packet that was given back and goes down again is asked for again.
    fn next_hop(&mut self, packet: &Packet, attempt: u32) -> Option<Hop>;

    /// A link is done with a packet and gives it back; routing ends it or tries again.
    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context);

    /// The node made out a frame, whoever it is for; its packets can be read, not kept.
    fn on_heard(&mut self, frame: &Frame, cx: &mut Context) {
        self.on_neighbour(frame.sender, cx);
    }

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
