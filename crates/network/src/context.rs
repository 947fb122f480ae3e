//! [`Context`]: what a layer may use, and [`Effect`]: what it may ask for.
//!
//! A layer never calls another. It pushes effects, and the world carries them out, first in, first out.

use farlink_kernel::{Instant, Phase};
use farlink_tcp::Notice;

use crate::event::Event;
use crate::frame::{Frame, LinkFailure};
use crate::hop::{Arrival, Hop, Part};
use crate::ids::{End, FlowId, InterfaceId, NodeId, PacketId};
use crate::oracle::Oracle;
use crate::packet::{Cause, Packets};

#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Effect {
    /// A packet goes down from its node's transport.
    Out {
        node: NodeId,
        packet: PacketId,
    },
    /// A packet goes down from its node's host or routing; routing says where to.
    Down {
        node: NodeId,
        packet: PacketId,
    },
    /// A packet goes down from its node's routing, which says itself where to.
    Send {
        node: NodeId,
        packet: PacketId,
        hop: Hop,
    },
    /// Routing wants back what waits for a neighbour that does not answer any more; each packet comes back
    /// as [`LinkFailure::Recalled`].
    Recall {
        hop: Hop,
    },
    /// A frame goes down from a MAC to its antenna.
    Transmit {
        interface: InterfaceId,
        frame: Frame,
    },
    /// A MAC received a frame. The node owns the parts it is a next hop of; those in `for_me` go up, the
    /// others are duplicates. Parts for other nodes can be read, not kept.
    Heard {
        interface: InterfaceId,
        frame: Frame,
        /// Which parts are for this node and new to it.
        for_me: [bool; 2],
    },
    /// A MAC is done with a part and gives its packet back. After a failure it takes nothing new from its queue
    /// until it is asked to by [`Mac::on_queued`](crate::mac::Mac::on_queued): routing may want that back, too.
    Sent {
        interface: InterfaceId,
        part: Part,
        result: Result<(), LinkFailure>,
    },
    /// An attempt failed, and the MAC keeps its packet for another: routing may name another neighbour for that
    /// ([`Mac::on_way`](crate::mac::Mac::on_way)).
    Again {
        interface: InterfaceId,
        part: Part,
    },
    /// Routing knows of a failure now, and the MAC may go on.
    Resume {
        interface: InterfaceId,
    },
    /// A packet arrived at a node and goes up: to its transport, to routing, or on its way again.
    Up {
        node: NodeId,
        arrival: Arrival,
    },
    /// Routing's word about the route between two nodes, for the ends of flows at the first.
    RouteNotice {
        node: NodeId,
        peer: NodeId,
        notice: Notice,
    },
    /// A router's word for one end of a flow.
    Notice {
        flow: FlowId,
        end: End,
        notice: Notice,
    },
    Arm {
        at: Instant,
        phase: Phase,
        /// The number that orders events of one phase.
        target: u32,
        event: Event,
    },
    /// A flow's time begins.
    Begin {
        flow: FlowId,
    },
    /// Everything of a flow was delivered and acknowledged.
    Complete {
        flow: FlowId,
    },
    Drop {
        packet: PacketId,
        cause: Cause,
    },
}

#[derive(Debug)]
pub struct Context {
    pub now: Instant,
    pub packets: Packets,
    /// What was asked for and is not done yet.
    pub effects: Vec<Effect>,
    /// The network as ideal routing knows it.
    pub oracle: Box<dyn Oracle>,
}

impl Context {
    /// At the start of time, for so many flows, without an oracle.
    pub fn new(flows: usize) -> Self {
        Self::with_workloads(flows, 0)
    }

    /// The same for so many workloads, too.
    pub fn with_workloads(flows: usize, workloads: usize) -> Self {
        Self {
            now: Instant::ZERO,
            packets: Packets::with_workloads(flows, workloads),
            effects: Vec::new(),
            oracle: Box::new(()),
        }
    }

    #[inline(always)]
    pub fn set_now(&mut self, now: Instant) {
        (self.now, self.packets.now) = (now, now);
    }

    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub fn drop(&mut self, packet: PacketId, cause: Cause) {
        self.push(Effect::Drop { packet, cause });
    }
}
