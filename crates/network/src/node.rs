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

use farlink_kernel::{EventQueue, Phase};

use crate::blueprint::NodeId;
use crate::channel::air::Step;
use crate::channel::pipe::Pipe;
use crate::channel::station::Station;
use crate::channel::wire::Wire;
use crate::context::{Effect, Event, InterfaceId};
use crate::frame::{Frame, LinkFailure, Part};
use crate::packet::{Cause, PacketId};
use crate::phy::Reception;
use crate::routing::Hop;
use crate::world::World;

/// An interface of a node.
#[derive(Debug)]
pub enum Interface {
    /// One end of a link.
    Wire(Box<Wire>),
    /// On a shared channel.
    Station(Box<Station>),
}

impl Interface {
    /// Whose interface it is.
    pub fn node(&self) -> NodeId {
        match self {
            Self::Wire(wire) => wire.node,
            Self::Station(station) => station.node,
        }
    }

    /// The link's end; panics for others: a wire's event went astray.
    fn wire(&mut self) -> &mut Wire {
        match self {
            Self::Wire(wire) => wire,
            Self::Station(_) => panic!("a wire's event came to a station"),
        }
    }

    /// The station; panics for others: a station's event went astray.
    fn station(&mut self) -> &mut Station {
        match self {
            Self::Station(station) => station,
            Self::Wire(_) => panic!("a station's event came to a wire"),
        }
    }
}

impl World {
    /// Carries out everything that was asked for, and what that asks for.
    pub(crate) fn settle(&mut self) {
        let mut next = 0;
        while next < self.context.effects.len() {
            next += 1;
            match self.context.effects[next - 1] {
                Effect::Down { node, packet } => self.down(node, packet),
                Effect::Up { node, packet } => self.up(node, packet),
                Effect::Transmit { interface, frame } => self.transmit(interface, frame),
                Effect::Heard { interface, frame, for_me } => self.hear(interface, &frame, for_me),
                Effect::Sent { interface, part, result } => {
                    let node = self.interfaces[interface as usize].node();
                    self.give_back(node, part, result);
                }
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
        let header = &self.context.packets[packet];
        let (size, class) = (header.size, header.class);
        let Some(hop) = self.routers[node as usize].next_hop(header, u32::from(header.attempt)) else {
            return self.context.packets.drop(packet, Cause::NoRoute);
        };
        match &mut self.interfaces[hop.interface as usize] {
            Interface::Wire(wire) if wire.is_up(self.context.now) => {
                wire.on_packet(packet, size, class, &mut self.context);
                listen_to_wire(wire, hop.interface, &mut self.events);
            }
            Interface::Wire(_) => {
                let part = Part { packet, next_hop: hop.next_hop };
                self.give_back(node, part, Err(LinkFailure::Down));
            }
            Interface::Station(_) => self.down_to_station(hop, packet),
        }
    }

    /// A packet comes down to an interface on a shared channel.
    fn down_to_station(&mut self, hop: Hop, packet: PacketId) {
        let station = self.interfaces[hop.interface as usize].station();
        station.on_packet(packet, hop.next_hop, &mut self.context);
        self.listen_to_mac(hop.interface);
    }

    /// A link is done with a packet and gives it back to routing, which may try again.
    fn give_back(&mut self, node: NodeId, part: Part, result: Result<(), LinkFailure>) {
        let attempt = &mut self.context.packets[part.packet].attempt;
        *attempt = attempt.saturating_add(1);
        self.routers[node as usize].on_sent(part, result, &mut self.context);
    }

    /// A packet arrived at a node: it goes up to its transport, or down again to be forwarded.
    #[inline(always)]
    fn up(&mut self, node: NodeId, id: PacketId) {
        let packet = &mut self.context.packets[id];
        if packet.destination == node {
            return self.transport.on_packet(id, &mut self.context);
        }
        if packet.hop_limit <= 1 {
            return self.context.packets.drop(id, Cause::HopLimit);
        }
        packet.hop_limit -= 1;
        packet.attempt = 0;
        self.context.push(Effect::Down { node, packet: id });
    }

    /// Something arrives at the far end of a wire.
    pub(crate) fn on_arrival(&mut self, interface: InterfaceId) {
        let now = self.context.now;
        let wire = self.interfaces[interface as usize].wire();
        let (peer, arrived) = (wire.peer, wire.pipe.arrive(now));
        listen_to_pipe(&mut wire.pipe, interface, &mut self.events);
        if let Some(packet) = arrived {
            self.up(peer, packet);
        }
    }

    /// A wire has sent a packet.
    pub(crate) fn on_wire_sent(&mut self, interface: InterfaceId) {
        let wire = self.interfaces[interface as usize].wire();
        wire.on_sent(&mut self.context);
        listen_to_wire(wire, interface, &mut self.events);
    }

    /// A wire is back after an outage.
    pub(crate) fn on_link_up(&mut self, interface: InterfaceId) {
        let wire = self.interfaces[interface as usize].wire();
        self.routers[wire.node as usize].on_neighbour(wire.peer, &mut self.context);
    }

    /// A MAC hands a frame to its antenna.
    fn transmit(&mut self, interface: InterfaceId, frame: Frame) {
        let now = self.context.now;
        let station = self.interfaces[interface as usize].station();
        let free_at = station.on_transmit(&frame, now);
        let (channel, member) = (station.channel, station.member);
        let transmission =
            self.airs[channel as usize].transmit(member, frame, free_at - now, &mut self.context);
        self.events.push(free_at, Phase::SignalEnd, interface, Event::AntennaFree(interface));
        self.follow(channel, transmission);
    }

    /// A node made out a frame: routing listens, then the parts for the node go up.
    fn hear(&mut self, interface: InterfaceId, frame: &Frame, for_me: [bool; 2]) {
        let node = self.interfaces[interface as usize].node();
        self.routers[node as usize].on_heard(frame, &mut self.context);
        for (part, is_new) in frame.parts.iter().zip(for_me) {
            match part {
                Some(part) if is_new => self.context.push(Effect::Up { node, packet: part.packet }),
                Some(part) if part.next_hop == node => self.context.packets.discard(part.packet),
                _ => {}
            }
        }
    }

    /// A transmission begins or ends at the listeners it reaches now.
    pub(crate) fn on_signal(&mut self, channel: u32, transmission: u32) {
        // One phase at a time: everybody's ends at this instant come before anybody's starts.
        let moment = self.airs[channel as usize].next(transmission);
        while self.airs[channel as usize].next(transmission) == moment {
            match self.airs[channel as usize].step(transmission) {
                Some(Step::Start(interface, power_dbm)) => {
                    let station = self.interfaces[interface as usize].station();
                    station.phy.signal_start(transmission, power_dbm);
                }
                Some(Step::End(interface)) => self.on_signal_end(interface, channel, transmission),
                None => {}
            }
        }
        // Who heard the frame reads its packets before it has passed everyone and they are gone.
        self.settle();
        self.follow(channel, transmission);
    }

    /// A transmission ends at one listener, which made it out or not.
    fn on_signal_end(&mut self, interface: InterfaceId, channel: u32, transmission: u32) {
        let air = &mut self.airs[channel as usize];
        let station = self.interfaces[interface as usize].station();
        let lost = match station.phy.signal_end(transmission) {
            Reception::Clean => None,
            Reception::Collision => Some(Cause::Collision),
            Reception::Deaf => Some(Cause::Deaf),
            Reception::Unheard => Some(Cause::OutOfReach),
        };
        let frame = air.on_passed(transmission, station.node, lost, &mut self.context);
        if lost.is_none() {
            station.mac(&mut self.context, |mac, io| mac.on_frame(&frame, io));
            self.listen_to_mac(interface);
        }
    }

    /// An antenna has sent its frame.
    pub(crate) fn on_antenna_free(&mut self, interface: InterfaceId) {
        let station = self.interfaces[interface as usize].station();
        station.phy.stop_sending();
        station.mac(&mut self.context, |mac, io| mac.on_antenna_free(io));
        self.listen_to_mac(interface);
    }

    /// A MAC's event came.
    pub(crate) fn on_mac_deadline(&mut self, interface: InterfaceId, generation: u32) {
        let station = self.interfaces[interface as usize].station();
        if station.timer.is_due(generation) {
            station.mac(&mut self.context, |mac, io| mac.on_deadline(io));
            self.listen_to_mac(interface);
        }
    }

    /// Pushes the event of what a transmission does next, or ends it.
    fn follow(&mut self, channel: u32, transmission: u32) {
        let air = &mut self.airs[channel as usize];
        match air.next(transmission) {
            Some((at, phase)) => {
                self.events.push(at, phase, channel, Event::Signal { channel, transmission });
            }
            None => air.end(transmission, &mut self.context),
        }
    }

    /// Pushes the event a MAC wants after every input to it.
    fn listen_to_mac(&mut self, interface: InterfaceId) {
        let station = self.interfaces[interface as usize].station();
        let deadline = station.mac.deadline();
        if let Some(generation) = station.timer.want(deadline) {
            let event = Event::MacDeadline { interface, generation };
            self.events.push(deadline, Phase::Timer, interface, event);
        }
    }
}

/// Pushes the events a wire wants after every input to it.
#[inline(always)]
fn listen_to_wire(wire: &mut Wire, interface: InterfaceId, events: &mut EventQueue<Event>) {
    listen_to_pipe(&mut wire.pipe, interface, events);
    if let Some(at) = wire.wants_event() {
        events.push(at, Phase::SignalEnd, interface, Event::Sent(interface));
    }
}

/// The same of what is behind it.
#[inline(always)]
fn listen_to_pipe(pipe: &mut Pipe, interface: InterfaceId, events: &mut EventQueue<Event>) {
    if let Some(at) = pipe.wants_event() {
        events.push(at, Phase::SignalEnd, interface, Event::Arrival(interface));
    }
}
