//! A packet's way through a node, on one page.
//!
//! ```text
//!   application - transport          on_packet, on_notice
//!                    |  ^
//!               Down |  | Up        destination reached
//!                    v  |
//!                  routing <------+ on_sent: a packet given back
//!                    |  ^         |
//!           next_hop |  | Up      | Sent, Heard
//!                    v  |         |
//!                 interface ------+ a wire, or a station on a shared channel: queue, MAC, PHY
//! ```
//!
//! Layers ask for effects; [`World::settle`] carries them out, first in, first out, until none is left.

use farlink_kernel::{Instant, Phase};

use crate::blueprint::NodeId;
use crate::channel::wire::Wire;
use crate::context::{Effect, Event, InterfaceId};
use crate::frame::{LinkFailure, Part};
use crate::packet::{Cause, PacketId};
use crate::world::World;

/// An interface of a node.
#[derive(Debug)]
pub enum Interface {
    /// One end of a link.
    Wire(Box<Wire>),
}

impl World {
    /// Carries out everything that was asked for, and what that asks for.
    pub(crate) fn settle(&mut self) {
        let mut next = 0;
        while let Some(&effect) = self.context.effects.get(next) {
            next += 1;
            match effect {
                Effect::Down { node, packet } => self.down(node, packet),
                Effect::Up { node, packet } => self.up(node, packet),
                Effect::Notice { flow, end, notice } => {
                    self.transport.on_notice(flow, end, notice, &mut self.context);
                }
                Effect::Arm { at, phase, target, event } => self.events.push(at, phase, target, event),
                Effect::Drop { packet, cause } => self.context.packets.drop(packet, cause),
            }
        }
        self.context.effects.clear();
    }

    /// A packet of this node's transport or routing, or one to be forwarded: routing says where it goes.
    fn down(&mut self, node: NodeId, packet: PacketId) {
        let router = &mut self.routers[node as usize];
        let Some(hop) = router.next_hop(&self.context.packets[packet], 0) else {
            return self.context.packets.drop(packet, Cause::NoRoute);
        };
        match &mut self.interfaces[hop.interface as usize] {
            Interface::Wire(wire) if wire.is_up(self.context.now) => {
                wire.on_packet(packet, &mut self.context);
                self.listen_to_wire(hop.interface);
            }
            Interface::Wire(_) => {
                let part = Part { packet, next_hop: hop.next_hop };
                router.on_sent(part, Err(LinkFailure::Down), &mut self.context);
            }
        }
    }

    /// A packet arrived at a node: it goes up to its transport, or down again to be forwarded.
    fn up(&mut self, node: NodeId, id: PacketId) {
        let packet = &mut self.context.packets[id];
        if packet.destination == node {
            return self.transport.on_packet(id, &mut self.context);
        }
        if packet.hop_limit <= 1 {
            return self.context.packets.drop(id, Cause::HopLimit);
        }
        packet.hop_limit -= 1;
        self.down(node, id);
    }

    /// Something arrives at the far end of a wire.
    pub(crate) fn on_arrival(&mut self, interface: InterfaceId) {
        let now = self.context.now;
        let Interface::Wire(wire) = &mut self.interfaces[interface as usize];
        let (peer, arrived) = (wire.peer, wire.pipe.arrive(now));
        self.listen_to_wire(interface);
        if let Some(packet) = arrived {
            self.up(peer, packet);
        }
    }

    /// A wire has sent a packet.
    pub(crate) fn on_wire_sent(&mut self, interface: InterfaceId) {
        let Interface::Wire(wire) = &mut self.interfaces[interface as usize];
        wire.on_sent(&mut self.context);
        self.listen_to_wire(interface);
    }

    /// A wire is back after an outage.
    pub(crate) fn on_link_up(&mut self, interface: InterfaceId) {
        let Interface::Wire(wire) = &self.interfaces[interface as usize];
        self.routers[wire.node as usize].on_neighbour(wire.peer, &mut self.context);
    }

    /// Pushes the events a wire wants after every input to it.
    fn listen_to_wire(&mut self, interface: InterfaceId) {
        let Interface::Wire(wire) = &mut self.interfaces[interface as usize];
        let mut push = |at: Option<Instant>, event| {
            if let Some(at) = at {
                self.events.push(at, Phase::SignalEnd, interface, event);
            }
        };
        push(wire.pipe.wants_event(), Event::Arrival(interface));
        push(wire.wants_event(), Event::Sent(interface));
    }
}
