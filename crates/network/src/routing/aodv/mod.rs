//! C. Perkins, E. Belding-Royer, S. Das, "Ad hoc On-Demand Distance Vector (AODV) Routing", RFC 3561, 2003.
//!
//! A node that needs a route floods a RREQ in an expanding ring; every node that forwards it keeps a reverse route, and
//! the destination, or a node with a fresh enough route to it, answers with a RREP along that route. Destination
//! sequence numbers tell new routes from old ones, so that no loops form. A route that breaks is repaired locally or
//! reported by a RERR to the precursors that use it.
//!
//! In the order of the RFC: messages and sequence numbers in [`crate::wire::aodv`] (sections 5, 6.1), [`table`] (6.2),
//! [`discovery`] (6.3, 6.4), [`requests`] (6.5, 6.6), [`replies`] (6.7), [`one_way`] (6.8), [`hello`] (6.9, 6.10),
//! [`errors`] (6.11), [`repair`] (6.12), and [`config`] (10). Left out: multicast (flags J and R), subnets (section 7),
//! other networks (8), and what a node does after a reboot (6.13). [`notifications`] is not of the RFC. The preset
//! `ns2` does not copy the message sizes of ns-2 (no UDP header, 4 bytes of time), its missing routes to neighbours
//! that were only heard, and its loops.

use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};

use super::buffer::SendBuffer;
use super::outbox::Outbox;
use super::{Received, Routing, Setup};
use crate::context::{Context, Effect};
use crate::frame::LinkFailure;
use crate::hop::{Decision, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::packet::Payload;
use crate::wire;

pub(crate) mod config;
pub(crate) mod discovery;
pub(crate) mod errors;
pub(crate) mod hello;
pub(crate) mod limit;
pub(crate) mod notifications;
pub(crate) mod one_way;
pub(crate) mod repair;
pub(crate) mod replies;
pub(crate) mod requests;
pub(crate) mod table;

use crate::wire::aodv::sequence::Sequence;
use crate::wire::aodv::{Message, Request};
pub use config::Config;
use discovery::Searches;
use hello::Neighbours;
use limit::RateLimit;
use notifications::Peers;
use one_way::OneWay;
use requests::Seen;
use table::{RouteUpdate, Table};

pub(super) const SOURCE: &str = "RFC 3561";

#[derive(Clone, Debug)]
pub(crate) struct Aodv {
    config: Config,
    node: NodeId,
    interfaces: Vec<InterfaceId>,
    sequence: Sequence,
    table: Table,
    searches: Searches,
    seen: Seen,
    buffer: SendBuffer,
    neighbours: Neighbours,
    one_way: OneWay,
    /// When which stale repair is given up.
    stale: Vec<(Instant, NodeId)>,
    errors: RateLimit,
    peers: Peers,
    outbox: Outbox,
    rng: Stream,
}

impl Aodv {
    pub(crate) fn new(config: &Config, setup: &Setup<'_>) -> Self {
        let mut rng = Stream::new(setup.seed, "aodv", setup.node.into());
        Self {
            config: config.clone(),
            node: setup.node,
            interfaces: setup.interfaces.to_vec(),
            sequence: Sequence::default(),
            table: Table::new(config.delete_period()),
            searches: Searches::new(config.rreq_ratelimit),
            seen: Seen::default(),
            buffer: SendBuffer::new(config.send_buffer, config.send_buffer_timeout),
            neighbours: Neighbours::new(config, &mut rng),
            one_way: OneWay::default(),
            stale: Vec::new(),
            errors: RateLimit::new(config.rerr_ratelimit),
            peers: Peers::default(),
            outbox: Outbox::default(),
            rng,
        }
    }

    /// A route was advertised; a found one releases buffered packets. True if the route changed.
    fn learn(&mut self, destination: NodeId, update: &RouteUpdate, cx: &mut Context) -> bool {
        let is_update = self.table.learn(destination, update, cx.now);
        if is_update {
            self.on_found(destination, update, cx);
        }
        is_update
    }

    /// A message of a neighbour came: that is near (section 6.5).
    fn learn_of_neighbour(&mut self, from: Hop, cx: &mut Context) {
        if self.config.neighbour_routes
            && let NextHop::Node(neighbour) = from.next_hop
        {
            let expires = cx.now.saturating_add(self.config.active_route_timeout);
            self.learn(neighbour, &RouteUpdate { sequence: None, hops: 1, hop: from, expires }, cx);
        }
    }

    fn send(&self, message: Message, hop: Hop, hop_limit: u8, cx: &mut Context) {
        let packet = self.packet(message, hop_limit, cx);
        cx.push(Effect::Send { node: self.node, packet, hop });
    }

    /// Sends a message to everyone, `after` a while.
    fn broadcast(&mut self, message: &Message, hop_limit: u8, after: Duration, cx: &mut Context) {
        for place in 0..self.interfaces.len() {
            let hop = Hop { interface: self.interfaces[place], next_hop: NextHop::Everyone };
            if after.is_zero() {
                self.send(message.clone(), hop, hop_limit, cx);
            } else {
                let packet = self.packet(message.clone(), hop_limit, cx);
                self.outbox.push(cx.now.saturating_add(after), packet, hop);
            }
        }
        self.neighbours.on_broadcast(cx.now);
    }

    fn packet(&self, message: Message, hop_limit: u8, cx: &mut Context) -> PacketId {
        let (size, message) = (message.size(), wire::Message::Aodv(message));
        cx.packets.originate_message(self.node, hop_limit, size, message, cx.now)
    }

    /// A wait before something is passed on that all neighbours may pass on.
    fn jitter(&mut self) -> Duration {
        self.config.jitter.mul_f64(self.rng.uniform())
    }

    /// A wait before something that neighbours may begin at the same instant.
    fn own_jitter(&mut self) -> Duration {
        if self.config.jitter_own_requests { self.jitter() } else { Duration::ZERO }
    }

    fn is_own(&self, packet: PacketId, cx: &Context) -> bool {
        cx.packets[packet].source == self.node
    }

    /// A packet goes over a route: it and the reverse route stay valid (section 6.2).
    fn on_used(&mut self, hop: Hop, source: NodeId, cx: &mut Context) {
        let until = cx.now.saturating_add(self.config.active_route_timeout);
        let back = self.table.extend(source, until, cx.now);
        for next_hop in [Some(hop), back].into_iter().flatten().map(|hop| hop.next_hop) {
            if let NextHop::Node(neighbour) = next_hop {
                self.table.extend(neighbour, until, cx.now);
            }
        }
    }
}

impl Routing for Aodv {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        let (source, destination) = (cx.packets[packet].source, cx.packets[packet].destination);
        let until = cx.now.saturating_add(self.config.active_route_timeout);
        if source == self.node {
            self.remember_peer(packet, cx);
        }
        if let Some(hop) = self.table.extend(destination, until, cx.now) {
            if self.config.refresh_reverse_route {
                self.on_used(hop, source, cx);
            }
            return Decision::Forward(hop);
        }
        if source == self.node {
            self.buffer.push(destination, packet, cx);
            self.discover(destination, cx);
        } else if self.is_repairing(destination, cx.now) {
            self.buffer.push(destination, packet, cx);
            self.resume_repair(destination, cx.now);
        } else {
            self.on_no_route(packet, cx);
            return Decision::NoRoute;
        }
        Decision::Queued
    }

    fn known_hop(&mut self, destination: NodeId, cx: &mut Context) -> Option<Hop> {
        self.table.active(destination, cx.now).map(|route| route.hop)
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        match result {
            Ok(()) => cx.packets.discard_sent(part),
            Err(failure) => self.on_failure(part, failure, cx),
        }
    }

    /// Any broadcast stands for a HELLO, so all frames count (section 6.9).
    fn overhears(&self) -> bool {
        self.config.hello
    }

    fn on_neighbour(&mut self, neighbour: NodeId, cx: &mut Context) {
        self.neighbours.on_heard(neighbour, cx.now);
    }

    fn on_message(&mut self, message: wire::Message, received: Received, cx: &mut Context) {
        let (from, hop_limit) = (received.hop(), received.hop_limit);
        let wire::Message::Aodv(message) = message else { return };
        match message {
            Message::Request(request) => self.on_request(request, from, hop_limit, cx),
            Message::Reply(reply) => self.on_reply(reply, from, hop_limit, cx),
            Message::Error(error) => self.on_error(&error, from, cx),
            Message::ReplyAcknowledgement => self.one_way.on_acknowledgement(from.next_hop),
        }
    }

    fn on_deadline(&mut self, cx: &mut Context) {
        self.outbox.send_due(self.node, cx);
        self.buffer.drop_due(cx);
        self.give_up_stale(cx.now);
        self.retry_discoveries(cx);
        self.send_hello(cx);
        self.expire_neighbours(cx);
        self.one_way.on_deadline(self.config.blacklist_timeout(), cx.now);
    }

    fn deadline(&self) -> Instant {
        let Config { check_interval, .. } = self.config;
        [
            self.outbox.deadline(),
            self.buffer.deadline(),
            self.searches.deadline(check_interval),
            self.neighbours.deadline(),
            self.one_way.deadline(),
            self.stale_deadline(),
        ]
        .into_iter()
        .fold(Instant::NEVER, Instant::min)
    }

    fn held(&self) -> Vec<PacketId> {
        self.outbox.held().chain(self.buffer.held()).collect()
    }
}

/// True for a message of a routing protocol.
fn is_message(packet: PacketId, cx: &Context) -> bool {
    matches!(cx.packets[packet].payload, Payload::Message(_))
}

#[cfg(test)]
mod tests;
