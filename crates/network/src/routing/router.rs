//! [`Router`]: the routing of one node as the node holds it.

use farlink_kernel::Instant;

use super::Any;
use crate::context::Context;
use crate::event::Event;
use crate::hop::{Decision, Hop, NextHop};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::timer::Timer;

/// How many answers a node remembers; a destination's has its place.
const MEMORY: usize = 64;

/// A place without an answer: no node has this number.
const NOTHING: (NodeId, Hop) = (NodeId::MAX, Hop { interface: InterfaceId(0), next_hop: NextHop::Everyone });

/// A protocol at work, its pending event, and the answers of it that hold.
#[derive(Debug)]
pub struct Router {
    pub protocol: Any,
    pub timer: Timer,
    /// Answers with their destinations; none before the first that holds.
    known: Vec<(NodeId, Hop)>,
    until: Instant,
}

impl Router {
    pub fn new(protocol: Any) -> Self {
        Self { protocol, timer: Timer::default(), known: Vec::new(), until: Instant::ZERO }
    }

    /// When the protocol wants to be woken, and the event for that, if none is pending that comes in time.
    pub fn wants_event(&mut self, node: NodeId, now: Instant) -> Option<(Instant, Event)> {
        let deadline = self.protocol.deadline().max(now);
        let generation = self.timer.want(deadline)?;
        Some((deadline, Event::RoutingDeadline { node, generation }))
    }

    /// Where what goes to this destination goes, if an answer is known that holds.
    #[inline(always)]
    pub fn known(&self, destination: NodeId, now: Instant) -> Option<Hop> {
        match self.known.get(destination.as_index() % MEMORY) {
            Some(&(known, hop)) if known == destination && now < self.until => Some(hop),
            _ => None,
        }
    }

    /// What becomes of this packet? The protocol is asked, and its answer known from now on if it holds.
    pub fn ask(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        let destination = cx.packets[packet].destination;
        let way = self.protocol.next_hop(packet, cx);
        let until = self.protocol.holds_until(cx);
        if let (Decision::Forward(hop), true) = (way, until > cx.now) {
            if until != self.until {
                (self.known, self.until) = (vec![NOTHING; MEMORY], until);
            }
            self.known[destination.as_index() % MEMORY] = (destination, hop);
        }
        way
    }
}
