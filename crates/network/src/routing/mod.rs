//! Routing: over which interface and to which neighbour a packet goes next.
//!
//! A protocol that talks to its neighbours makes messages ([`wire`](crate::wire)), sends them itself ([`Effect::Send`]) and gets
//! those of others at every node they reach ([`Routing::on_message`]); a multi-hop message is one of each hop.
//! While it looks for a route it may keep packets ([`Decision::Queued`]) and sends them down again
//! ([`Effect::Down`]) when it has found one.
//!
//! [`Effect::Send`]: crate::context::Effect::Send
//! [`Effect::Down`]: crate::context::Effect::Down

use farlink_kernel::{Duration, Instant, registry};

use crate::context::Context;
use crate::frame::{Frame, LinkFailure};
use crate::hop::{Arrival, Decision, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
pub use crate::oracle::Metric;
use crate::wire::Message;
use reconverge::Reconverge;

pub mod aodv;
pub(crate) mod buffer;
pub(crate) mod dsdv;
pub(crate) mod dsr;
pub(crate) mod frn;
pub(crate) mod notice;
pub(crate) mod olsr;
pub(crate) mod outbox;
pub mod reconverge;
pub(crate) mod router;
pub mod shortest_path;

/// The role: the routing of one node.
pub trait Routing: std::fmt::Debug + Send {
    /// The next hop of a packet. Called per attempt (`attempt` counts from 0 at every node), also for a packet that a
    /// link gave back.
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision;

    /// The hop of packets to `destination` now, without starting a discovery.
    fn known_hop(&mut self, destination: NodeId, cx: &mut Context) -> Option<Hop>;

    /// Until when a returned hop is valid for every packet to its destination; `cx.now` or before: for that packet only.
    fn holds_until(&self, cx: &Context) -> Instant {
        let _ = cx;
        Instant::ZERO
    }

    /// True when all routes are known from the start; a route unknown then never exists.
    fn knows_all_routes(&self, cx: &Context) -> bool {
        let _ = cx;
        false
    }

    /// A link gives a packet back, sent or failed; routing discards it or sends it down again.
    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context);

    /// True when [`Routing::on_heard`] is wanted. It never changes.
    fn overhears(&self) -> bool {
        true
    }

    /// The node [overhears](Routing::overhears) and received any frame; its packets can be read, not kept. Returns false
    /// when nothing changed.
    fn on_heard(&mut self, frame: &Frame, cx: &mut Context) -> bool {
        self.on_neighbour(frame.sender, cx);
        true
    }

    /// A neighbour was heard, or the link to it came back.
    fn on_neighbour(&mut self, neighbour: NodeId, cx: &mut Context);

    /// A packet with a message of a neighbour arrived, and ends here.
    fn receive(&mut self, Arrival { packet, interface, from }: Arrival, cx: &mut Context) {
        let hop_limit = cx.packets[packet].hop_limit;
        let message = cx.packets.deliver_message(packet);
        self.on_message(message, Received { from, interface, hop_limit }, cx);
    }

    /// A message of a neighbour arrived.
    fn on_message(&mut self, message: Message, received: Received, cx: &mut Context) {
        let _ = (message, received, cx);
    }

    /// A packet with a header of this protocol ([`Packets::header`]) arrived, before it goes up or is forwarded; at its
    /// destination the protocol removes the header.
    ///
    /// [`Packets::header`]: crate::packet::Packets::header
    fn on_header(&mut self, arrival: Arrival, cx: &mut Context) {
        let _ = (arrival, cx);
    }

    /// The deadline passed. Harmless when called early.
    fn on_deadline(&mut self, cx: &mut Context) {
        let _ = cx;
    }

    /// When to call [`Routing::on_deadline`]. Read at the start and after every input, except a `next_hop` with a
    /// known route, which may only postpone it.
    fn deadline(&self) -> Instant {
        Instant::NEVER
    }

    /// The buffered packets, for the ledger.
    fn held(&self) -> Vec<PacketId> {
        Vec::new()
    }
}

/// Where a message came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The neighbour that sent it.
    pub from: NodeId,
    pub(crate) interface: InterfaceId,
    /// The hop limit of its packet.
    pub hop_limit: u8,
}

impl Received {
    /// The hop back to the neighbour.
    pub fn hop(self) -> Hop {
        Hop { interface: self.interface, next_hop: NextHop::Node(self.from) }
    }
}

/// What is asked about a protocol before a run.
pub trait Parameters {
    /// The messages that each of `nodes` nodes with a mean number of `neighbours` sends periodically.
    fn messages(&self, nodes: f64, neighbours: f64) -> Vec<Messages>;

    /// The routes that a node keeps.
    fn routes(&self) -> Routes<'_>;
}

/// Messages of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Messages {
    /// The parameter that is their interval.
    pub key: &'static str,
    /// Its value.
    pub interval: Duration,
    /// How often each is sent: by the node itself, and by those that forward it.
    pub transmissions: f64,
}

/// The routes that a node keeps.
#[derive(Clone, Copy, Debug)]
pub enum Routes<'a> {
    /// To every other node from the start, computed from the whole network.
    Computed(&'a dyn Computed),
    /// To every node that it learns of.
    Learnt,
    /// To the ends of the flows that it carries.
    OnDemand,
}

/// What is asked about paths that a protocol computes.
pub trait Computed: std::fmt::Debug {
    /// What a path costs.
    fn metric(&self) -> Metric;

    /// How long after a change of a link paths are computed anew.
    fn reconverge(&self) -> Reconverge;

    /// As of when positions count at `now`, and until when.
    fn epoch(&self, now: Instant) -> (Instant, Instant);
}

/// What a member is made with.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The run's seed; the node is the key of its random stream.
    pub seed: u64,
    /// The node.
    pub node: NodeId,
    /// Its interfaces, in ascending order.
    pub interfaces: &'a [InterfaceId],
    /// How many nodes there are.
    pub nodes: usize,
}

registry! {
    /// Routing protocols.
    Routing(Setup<'_>) where Config: Parameters {
        /// Shortest paths, computed from the whole topology without messages: the ideal that protocols are compared with.
        shortest_path::ShortestPath,
        /// On-demand distance vectors.
        aodv::Aodv,
        /// On-demand source routes.
        dsr::Dsr,
        /// Link state, flooded by multipoint relays.
        olsr::Olsr,
        /// Periodic distance vectors with sequence numbers of destinations.
        dsdv::Dsdv,
        /// Several next hops per destination: nearer ones first, then equally near ones, then farther ones.
        frn::Frn,
    }
}
