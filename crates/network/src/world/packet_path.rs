//! A packet's way through a node, on one page.
//!
//! ```text
//!   application - transport          on_packet, on_notice
//!                    |  ^
//!                Out |  |           a host that takes time holds it (`hosts`)
//!               Down |  | Up        destination reached
//!                    v  |
//!                  routing <------+ on_sent: a packet given back
//!                    |  ^         |
//!           next_hop |  | Up      | Sent, Heard
//!                    v  |         |
//!                 interface ------+ a link, or a station on a shared channel: queue, MAC, PHY
//! ```
//!
//! Layers ask for effects; [`World::settle`] carries them out, first in, first out, until none is left.

use farlink_kernel::{EventQueue, Phase};

use crate::context::Effect;
use crate::event::Event;
use crate::frame::LinkFailure;
use crate::hop::{Arrival, Decision, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::interface::Interface;
use crate::interface::link::Link;
use crate::interface::pipe::Pipe;
use crate::interface::station::arp_message;
use crate::observe::monitor::Step;
use crate::packet::{Cause, Class, Packet, Payload, Place};
use crate::queue::Entry;
use crate::transport::Transport;
use crate::world::World;

impl World {
    /// Carries out everything that was asked for, and what that asks for.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        let mut next = 0;
        while next < self.context.effects.len() {
            next += 1;
            match self.context.effects[next - 1] {
                Effect::Out { node, packet } => self.send_out(node, packet),
                Effect::Down { node, packet } => self.down(node, packet),
                Effect::Up { node, arrival } => self.up(node, arrival),
                Effect::Send { node, packet, hop } => self.send(node, packet, hop),
                Effect::Transmit { interface, frame } => self.transmit(interface, frame),
                Effect::Heard { interface, frame, for_me } => self.receive(interface, &frame, for_me),
                Effect::Sent { interface, part, result } => self.on_part_sent(interface, part, result),
                Effect::Again { interface, part } => self.try_again(interface, part),
                Effect::Resume { interface } => self.notify_mac(interface, |mac, io| mac.on_queued(io)),
                Effect::Recall { hop } => self.recall(hop),
                Effect::Notice { flow, end, notice } => {
                    self.transport.on_notice(flow, end, notice, &mut self.context);
                }
                Effect::RouteNotice { node, peer, notice } => {
                    self.transport.on_route_notice(node, peer, notice, &mut self.context);
                }
                Effect::Arm { at, phase, target, event } => self.events.push(at, phase, target, event),
                Effect::Begin { flow } => self.begin_watch(flow),
                Effect::Complete { flow } => self.on_complete(flow),
                Effect::Drop { packet, cause } => self.lose(packet, cause),
            }
        }
        self.context.effects.clear();
    }

    /// A packet of this node's transport, or one to be forwarded: routing says where it goes.
    #[inline(always)]
    pub(super) fn down(&mut self, node: NodeId, packet: PacketId) {
        if self.monitors.is_some() {
            return self.show_and_ask(node, packet);
        }
        let Packet { destination, size, class, ref mut place, .. } = self.context.packets[packet];
        let Some(hop) = self.routers[node].known(destination, self.context.now) else {
            return self.ask_router(node, packet);
        };
        *place = Place::interface(hop.interface);
        self.put(node, packet, hop, (size, class));
    }

    /// The same where someone watches.
    #[cold]
    #[inline(never)]
    fn show_and_ask(&mut self, node: NodeId, packet: PacketId) {
        self.show_down(node, packet);
        let destination = self.context.packets[packet].destination;
        match self.routers[node].known(destination, self.context.now) {
            Some(hop) => self.send(node, packet, hop),
            None => self.ask_router(node, packet),
        }
    }

    /// Routing says where a packet goes, and may add to it.
    #[inline(never)]
    fn ask_router(&mut self, node: NodeId, packet: PacketId) {
        match self.routers[node].ask(packet, &mut self.context) {
            Decision::Forward(hop) => self.send(node, packet, hop),
            Decision::Queued => self.listen_to_router(node),
            Decision::NoRoute => {
                self.refuse(node, packet);
                self.lose(packet, Cause::NoRoute);
                self.listen_to_router(node);
            }
        }
    }

    /// A packet goes down to an interface.
    #[inline(never)]
    pub(super) fn send(&mut self, node: NodeId, packet: PacketId, hop: Hop) {
        self.show(node, packet, Step::Routed(hop));
        let Packet { size, class, ref mut place, .. } = self.context.packets[packet];
        *place = Place::interface(hop.interface);
        self.put(node, packet, hop, (size, class));
    }

    /// An interface gets a packet.
    #[inline(always)]
    fn put(&mut self, node: NodeId, packet: PacketId, hop: Hop, (size, class): (u32, Class)) {
        match &mut self.interfaces[hop.interface] {
            Interface::Link(link) if link.is_up(self.context.now) => {
                link.on_packet(packet, size, class, &mut self.context);
                listen_to_link(link, hop.interface, &mut self.events);
            }
            Interface::Link(_) => {
                let part = Part { packet, next_hop: hop.next_hop };
                self.give_back(node, part, Err(LinkFailure::Down));
            }
            Interface::Station(_) => self.down_to_station(hop, packet),
        }
    }

    /// A packet goes into the queue of an interface on a shared channel.
    #[inline(never)]
    pub(super) fn queue(&mut self, hop: Hop, packet: PacketId) {
        let station = self.interfaces[hop.interface].station();
        if station.on_packet(packet, hop.next_hop, &mut self.context) {
            self.notify_mac(hop.interface, |mac, io| mac.on_queued(io));
        }
    }

    /// A link is done with a packet and gives it back to routing, which may try again.
    #[inline(never)]
    pub(super) fn give_back(&mut self, node: NodeId, part: Part, result: Result<(), LinkFailure>) {
        if let Err(failure) = result {
            self.show(node, part.packet, Step::GivenBack(failure));
        }
        if arp_message(part.packet, &self.context.packets).is_some() {
            return match result {
                Ok(()) => self.context.packets.discard_sent(part),
                Err(_) => self.context.drop(part.packet, Cause::LinkFailure),
            };
        }
        let attempt = &mut self.context.packets[part.packet].attempt;
        *attempt = attempt.saturating_add(1);
        self.routers[node].protocol.on_sent(part, result, &mut self.context);
        self.listen_to_router(node);
    }

    /// A MAC is done with a part.
    #[inline(never)]
    fn on_part_sent(&mut self, interface: InterfaceId, part: Part, result: Result<(), LinkFailure>) {
        let station = self.interfaces[interface].station();
        let (node, channel, member) = (station.node, station.channel, station.member);
        if let (Err(_), NextHop::Node(neighbour)) = (result, part.next_hop) {
            station.given_up += 1;
            self.channels[channel].on_given_up(member, neighbour);
        }
        self.give_back(node, part, result);
        if result.is_err() {
            self.context.push(Effect::Resume { interface });
        }
    }

    /// What waits for a neighbour comes back to routing, in the order of its class and arrival.
    #[inline(never)]
    pub(super) fn recall(&mut self, Hop { interface, next_hop }: Hop) {
        let Interface::Station(station) = &mut self.interfaces[interface] else { return };
        let (node, mut recalled) = (station.node, Vec::new());
        for class in [Class::Routing, Class::Data, Class::Ack] {
            recalled.extend(std::iter::from_fn(|| station.queue.take_for(class, Some(next_hop))));
        }
        // Those of ARP stay: ns-2 looks for a next hop, which they do not have (queue/priqueue.cc, `filter`).
        let is_of_arp = |entry: &Entry| arp_message(entry.packet, &self.context.packets).is_some();
        let (stay, leave): (Vec<_>, Vec<_>) = recalled.into_iter().partition(is_of_arp);
        for entry in stay {
            station.queue.push(entry, &mut self.context);
        }
        for entry in leave {
            let part = Part { packet: entry.packet, next_hop };
            self.give_back(node, part, Err(LinkFailure::Recalled));
        }
        self.notify_mac(interface, |_, _| {});
    }

    /// A packet arrived at a node: it goes up to its transport, or down again to be forwarded.
    #[inline(always)]
    fn up(&mut self, node: NodeId, arrival: Arrival) {
        self.show_up(node, arrival);
        let Packet { header, class, destination, .. } = self.context.packets[arrival.packet];
        if header.is_some() || class == Class::Routing {
            return self.up_by_router(node, arrival);
        }
        if destination == node {
            return self.take_in(node, arrival.packet);
        }
        self.forward(node, arrival.packet);
    }

    /// Routing sees what is its own, or what it added to the packet.
    #[inline(never)]
    fn up_by_router(&mut self, node: NodeId, arrival: Arrival) {
        self.context.packets[arrival.packet].place = Place::node(node);
        if self.context.packets[arrival.packet].header.is_some() {
            self.routers[node].protocol.on_header(arrival, &mut self.context);
            self.listen_to_router(node);
        }
        let Packet { class, destination, .. } = self.context.packets[arrival.packet];
        if class == Class::Routing {
            self.up_from_router(node, arrival);
        } else if destination == node {
            self.take_in(node, arrival.packet);
        } else {
            self.forward(node, arrival.packet);
        }
    }

    #[inline(always)]
    fn forward(&mut self, node: NodeId, id: PacketId) {
        let packet = &mut self.context.packets[id];
        packet.place = Place::node(node);
        if packet.hop_limit <= 1 {
            self.refuse(node, id);
            return self.lose(id, Cause::HopLimit);
        }
        packet.hop_limit -= 1;
        packet.attempt = 0;
        self.context.push(Effect::Down { node, packet: id });
    }

    /// A packet arrived over a link, with nothing else to be done: the same as [`World::up`].
    #[inline(always)]
    fn up_from_link(&mut self, node: NodeId, arrival: Arrival) {
        let packet = &mut self.context.packets[arrival.packet];
        let is_plain = packet.header.is_none() && packet.class != Class::Routing && packet.hop_limit > 1;
        if !is_plain || self.monitors.is_some() {
            return self.up(node, arrival);
        }
        if packet.destination == node {
            return self.take_in(node, arrival.packet);
        }
        packet.hop_limit -= 1;
        packet.attempt = 0;
        let (size, class) = (packet.size, packet.class);
        let Some(hop) = self.routers[node].known(packet.destination, self.context.now) else {
            packet.place = Place::node(node);
            return self.ask_router(node, arrival.packet);
        };
        packet.place = Place::interface(hop.interface);
        self.put(node, arrival.packet, hop, (size, class));
    }

    /// A packet that another node's routing made: a message to this node's, or a notice to a transport.
    #[cold]
    fn up_from_router(&mut self, node: NodeId, arrival: Arrival) {
        let packet = &self.context.packets[arrival.packet];
        if let Some(message) = arp_message(arrival.packet, &self.context.packets) {
            self.on_arp(message, arrival);
        } else if let Payload::Message(_) = packet.payload {
            self.routers[node].protocol.receive(arrival, &mut self.context);
            self.listen_to_router(node);
        } else if packet.destination == node {
            Transport::on_notice_packet(arrival.packet, &mut self.context);
        } else {
            self.forward(node, arrival.packet);
        }
    }

    /// Something arrives at the far end of a link.
    #[inline(always)]
    pub(crate) fn on_arrival(&mut self, interface: InterfaceId) {
        let now = self.context.now;
        let link = self.interfaces[interface].link();
        let (from, peer, arrived) = (link.node, link.peer, link.pipe.arrive(now));
        listen_to_pipe(&mut link.pipe, interface, &mut self.events);
        if let Some(packet) = arrived {
            self.up_from_link(peer, Arrival { packet, interface: Link::other_end(interface), from });
        }
    }

    #[inline(never)]
    pub(crate) fn on_link_sent(&mut self, interface: InterfaceId) {
        let link = self.interfaces[interface].link();
        link.on_sent(&mut self.context);
        listen_to_link(link, interface, &mut self.events);
    }

    /// A link is back after an outage.
    #[inline(never)]
    pub(crate) fn on_link_up(&mut self, interface: InterfaceId) {
        let link = self.interfaces[interface].link();
        let (node, peer) = (link.node, link.peer);
        for at in link.comes_back_after(self.context.now) {
            self.events.push(at, Phase::SignalStart, interface.0, Event::LinkUp(interface));
        }
        self.routers[node].protocol.on_neighbour(peer, &mut self.context);
        self.listen_to_router(node);
    }

    #[inline(never)]
    pub(crate) fn on_routing_deadline(&mut self, node: NodeId, generation: u32) {
        let router = &mut self.routers[node];
        if router.timer.is_due(generation) {
            router.protocol.on_deadline(&mut self.context);
            self.listen_to_router(node);
        }
    }

    /// Pushes the event a routing protocol wants after an input to it.
    #[inline(never)]
    pub(crate) fn listen_to_router(&mut self, node: NodeId) {
        if let Some((at, event)) = self.routers[node].wants_event(node, self.context.now) {
            self.events.push(at, Phase::Timer, node.0, event);
        }
    }
}

/// Pushes the events a link wants after every input to it.
#[inline(always)]
fn listen_to_link(link: &mut Link, interface: InterfaceId, events: &mut EventQueue<Event>) {
    listen_to_pipe(&mut link.pipe, interface, events);
    if let Some(at) = link.wants_event() {
        events.push(at, Phase::SignalEnd, interface.0, Event::Sent(interface));
    }
}

#[inline(always)]
fn listen_to_pipe(pipe: &mut Pipe, interface: InterfaceId, events: &mut EventQueue<Event>) {
    if let Some(at) = pipe.wants_event() {
        events.push(at, Phase::SignalEnd, interface.0, Event::Arrival(interface));
    }
}
