//! D. Johnson, Y. Hu, D. Maltz, "The Dynamic Source Routing Protocol (DSR) for Mobile Ad Hoc Networks for IPv4",
//! RFC 4728, 2007.
//!
//! A node without a route for its packet floods a route request, which records its path; the route reply returns it.
//! A packet carries its source route, so that no other node needs one; every node that sees it learns. A node that
//! cannot forward a packet sends its source a route error.
//!
//! In the paper's order: `config` (section 9), `messages` (6), `cache` (4.1), `searches` and `discovery` (3.1, 3.3, 8.2),
//! `maintenance` and `undelivered` (3.2, 3.4, 8.3), `overhear` (3.3.1), `shortening` (3.4.3), `flows` (3.5).
//!
//! Left out: network-layer acknowledgements, since the MAC has some; unidirectional links; most of flow state; the
//! delay before a cached reply (section 8.2.5), which ns-2 lacks, too; packets between networks.

use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};

use super::buffer::SendBuffer;
use super::outbox::Outbox;
use super::{Received, Routing, Setup};
use crate::context::{Context, Effect};
use crate::frame::{Frame, LinkFailure};
use crate::hop::{Arrival, Decision, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::wire;
use crate::wire::dsr::{Broken, Error, Message, Path, Reply, SourceRoute};

pub(crate) mod cache;
pub(crate) mod config;
pub(crate) mod discovery;
pub(crate) mod flows;
pub(crate) mod links;
pub(crate) mod maintenance;
pub(crate) mod overhear;
pub(crate) mod paths;
pub(crate) mod searches;
pub(crate) mod shortening;
pub(crate) mod undelivered;

pub use config::Config;

use cache::Cache;
use discovery::Seen;
use flows::Flows;
use maintenance::ErrorsSent;
use overhear::{Heard, Known, said};
use searches::Searches;
use shortening::Holdoffs;

pub(super) const SOURCE: &str = "RFC 4728, 2007";

#[derive(Clone, Debug)]
pub(crate) struct Dsr {
    config: Config,
    node: NodeId,
    interfaces: Vec<InterfaceId>,
    cache: Cache,
    flows: Flows,
    searches: Searches,
    seen: Seen,
    buffer: SendBuffer,
    outbox: Outbox,
    holdoffs: Holdoffs,
    known: Known,
    heard: Heard,
    errors_sent: ErrorsSent,
    /// When this node looks whether a way became known for what waits.
    next_check: Instant,
    /// Over which interface a neighbour was heard, where that was not the first.
    elsewhere: Vec<(NodeId, InterfaceId)>,
    rng: Stream,
    way: Vec<NodeId>,
}

impl Dsr {
    pub(crate) fn new(config: &Config, setup: &Setup<'_>) -> Self {
        Self {
            config: config.clone(),
            node: setup.node,
            interfaces: setup.interfaces.to_vec(),
            cache: Cache::new(config, setup.node),
            flows: Flows::default(),
            searches: Searches::default(),
            seen: Seen::default(),
            buffer: SendBuffer::new(config.send_buffer, config.send_buffer_timeout),
            outbox: Outbox::default(),
            holdoffs: Holdoffs::new(config),
            known: Known::default(),
            heard: Heard::default(),
            errors_sent: ErrorsSent::default(),
            next_check: Instant::ZERO,
            elsewhere: Vec::new(),
            rng: Stream::new(setup.seed, "dsr", setup.node.into()),
            way: Vec::new(),
        }
    }

    /// A path from this node was heard of; what waited for it goes.
    fn learn(&mut self, path: &[NodeId], cx: &mut Context) {
        self.cache.learn(path, cx.now);
        if self.config.buffer_check.is_zero() && !self.buffer.is_empty() {
            self.release(cx);
        }
    }

    fn forget(&mut self, broken: Broken) {
        self.cache.forget(broken);
        self.flows.forget(broken);
    }

    fn hop(&self, neighbour: NodeId) -> Hop {
        let known = self.elsewhere.iter().find(|(node, _)| *node == neighbour);
        let interface = known.map_or(self.interfaces[0], |&(_, interface)| interface);
        Hop { interface, next_hop: NextHop::Node(neighbour) }
    }

    fn on_heard_at(&mut self, neighbour: NodeId, interface: InterfaceId) {
        self.elsewhere.retain(|(node, _)| *node != neighbour);
        if interface != self.interfaces[0] {
            self.elsewhere.push((neighbour, interface));
        }
    }

    /// Sends a reply or an error to the next node of its way.
    fn send(&mut self, message: Message, cx: &mut Context) {
        self.send_after(message, Duration::ZERO, cx);
    }

    fn send_after(&mut self, message: Message, after: Duration, cx: &mut Context) {
        let (Message::Reply(Reply { route, .. }) | Message::Error(Error { route, .. })) = &message else {
            return;
        };
        let Some(next) = route.next() else { return };
        let packet = self.packet(message, crate::packet::Packet::HOP_LIMIT, cx);
        self.put(packet, self.hop(next), after, cx);
    }

    fn put(&mut self, packet: PacketId, hop: Hop, after: Duration, cx: &mut Context) {
        if after.is_zero() {
            cx.push(Effect::Send { node: self.node, packet, hop });
        } else {
            self.outbox.push(cx.now.saturating_add(after), packet, hop);
        }
    }

    fn set_out(&mut self, packet: PacketId, path: Path, cx: &mut Context) -> Hop {
        if let Some(message) = said(packet, cx).cloned() {
            return self.set_message_out(packet, message, path, cx);
        }
        let is_own_data = self.config.flow_state && cx.packets[packet].source == self.node;
        let route = if is_own_data { self.flows.route(path, cx.now) } else { SourceRoute::along(path) };
        let hop = self.hop(route.path[1]);
        let route = SourceRoute { salvaged: salvaged(packet, cx), ..route };
        self.put_header(packet, route, cx);
        hop
    }

    fn put_header(&self, packet: PacketId, route: SourceRoute, cx: &mut Context) {
        let size = route.header_size() + self.config.header.0 as u32;
        cx.packets.put_header(packet, wire::Message::Dsr(Message::Route(route)), size);
    }

    /// Sends a message to everyone, `after` a while.
    fn broadcast(&mut self, message: &Message, hop_limit: u8, after: Duration, cx: &mut Context) {
        for at in 0..self.interfaces.len() {
            let packet = self.packet(message.clone(), hop_limit, cx);
            let hop = Hop { interface: self.interfaces[at], next_hop: NextHop::Everyone };
            self.put(packet, hop, after, cx);
        }
    }

    fn packet(&self, message: Message, hop_limit: u8, cx: &mut Context) -> PacketId {
        let (size, message) = (message.size(), wire::Message::Dsr(message));
        cx.packets.originate_message(self.node, hop_limit, size, message, cx.now)
    }

    fn jitter(&mut self) -> Duration {
        self.config.jitter.mul_f64(self.rng.uniform())
    }

    /// A wait before something that neighbours may begin at the same instant.
    fn own_jitter(&mut self) -> Duration {
        if self.config.jitter_own_requests { self.jitter() } else { Duration::ZERO }
    }
}

/// How often nodes on its way sent a packet another way.
fn salvaged(packet: PacketId, cx: &Context) -> u8 {
    match header(packet, cx) {
        Some(Message::Route(route)) => route.salvaged,
        _ => 0,
    }
}

/// The way that a packet of a flow carries.
fn header(packet: PacketId, cx: &Context) -> Option<&Message> {
    match cx.packets.header(packet) {
        Some(wire::Message::Dsr(message)) => Some(message),
        _ => None,
    }
}

impl Routing for Dsr {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        if let Some(Message::Route(route)) = header(packet, cx)
            && let Some(next) = route.next()
        {
            return Decision::Forward(self.hop(next));
        }
        let destination = cx.packets[packet].destination;
        match self.cache.find_wanted(destination, cx.now) {
            Some(path) => Decision::Forward(self.set_out(packet, path, cx)),
            None => {
                self.buffer.push(destination, packet, cx);
                self.discover(destination, cx);
                Decision::Queued
            }
        }
    }

    fn known_hop(&mut self, destination: NodeId, cx: &mut Context) -> Option<Hop> {
        self.cache.find(destination, cx.now).map(|path| self.hop(path[1]))
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        match result {
            Ok(()) => cx.packets.discard_sent(part),
            Err(failure) => self.on_failure(part, failure, cx),
        }
    }

    fn on_neighbour(&mut self, _neighbour: NodeId, _cx: &mut Context) {}

    fn overhears(&self) -> bool {
        self.config.promiscuous
    }

    fn on_heard(&mut self, frame: &Frame, cx: &mut Context) -> bool {
        frame.parts.iter().flatten().fold(false, |learns, part| {
            let is_for_others = !part.next_hop.is(self.node);
            learns | (is_for_others && self.overhear(part.packet, frame.sender, cx))
        })
    }

    /// A packet of a flow came with its way: at the end that is taken off, elsewhere the packet goes on.
    fn on_header(&mut self, arrival: Arrival, cx: &mut Context) {
        self.on_heard_at(arrival.from, arrival.interface);
        let Some(Message::Route(route)) = header(arrival.packet, cx).cloned() else { return };
        let route = SourceRoute { at: route.at + 1, ..route };
        if !route.is_silent {
            self.learn_way(&route.path, route.at, cx);
        }
        if route.next().is_none() {
            cx.packets.take_header(arrival.packet);
        } else {
            self.put_header(arrival.packet, route, cx);
        }
    }

    fn on_message(&mut self, message: wire::Message, received: Received, cx: &mut Context) {
        self.on_heard_at(received.from, received.interface);
        let wire::Message::Dsr(message) = message else { return };
        match message {
            Message::Request(request) => self.on_request(request, received.hop_limit, cx),
            Message::Reply(mut reply) => {
                reply.route.at += 1;
                self.on_reply(&reply, cx);
                self.send(Message::Reply(reply), cx);
            }
            Message::Error(mut error) => {
                error.route.at += 1;
                self.on_error(&error, cx);
                self.send(Message::Error(error), cx);
            }
            Message::Route(_) => {}
        }
    }

    fn on_deadline(&mut self, cx: &mut Context) {
        self.outbox.send_due(self.node, cx);
        self.buffer.drop_due(cx);
        if self.config.buffer_check.is_zero() {
            self.retry_discoveries(cx);
        } else if self.next_look() <= cx.now {
            self.check(cx);
        }
    }

    fn deadline(&self) -> Instant {
        self.outbox.deadline().min(self.buffer.deadline()).min(self.next_look())
    }

    fn held(&self) -> Vec<PacketId> {
        self.outbox.held().chain(self.buffer.held()).collect()
    }
}
