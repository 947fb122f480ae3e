//! T. Clausen, P. Jacquet, "Optimized Link State Routing Protocol (OLSR)", RFC 3626, 2003.
//!
//! HELLO messages carry the neighbours of a node, so that every node knows its two-hop neighbourhood. Each selects
//! multipoint relays that together cover all two-hop neighbours; only relays forward floods and originate TC messages,
//! which list their selectors. That is enough for a shortest path to every node before it is needed.
//!
//! In the order of the RFC: messages in [`crate::wire::olsr`] (sections 3.3, 6.1, 9.1, 18.3), forwarding here (3.4),
//! [`neighbourhood`] (6.2, 7, 8), [`relays`] (8.3), [`topology`] (9), routes here (10), [`config`] (18). A node has one
//! address for all its interfaces, so that MID (section 5) has nothing to tell. Left out: other networks (HNA, section
//! 12), more than the needed links (TC_REDUNDANCY, MPR_COVERAGE), link hysteresis (14), and several messages in a
//! packet.

use std::collections::VecDeque;

use farlink_kernel::ordered::Map;
use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};

use super::outbox::Outbox;
use super::{Received, Routing, Setup};
use crate::context::Context;
use crate::frame::LinkFailure;
use crate::hop::{Decision, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::packet::Cause;
use crate::wire;

pub(crate) mod config;
pub(crate) mod neighbourhood;
pub(crate) mod relays;
pub(crate) mod topology;

use crate::wire::olsr::{Body, Coded, Message};
pub use config::Config;
use neighbourhood::{Heard, Neighbourhood};
use topology::{Duplicates, Topology};

pub(super) const SOURCE: &str = "RFC 3626";

#[derive(Clone, Debug)]
pub(crate) struct Olsr {
    config: Config,
    node: NodeId,
    interfaces: Vec<InterfaceId>,
    neighbourhood: Neighbourhood,
    topology: Topology,
    duplicates: Duplicates,
    sequence: u16,
    /// The selectors advertised last, the number of that set, and until when an empty one is advertised.
    advertised: (Vec<NodeId>, u16, Instant),
    next_hello: Instant,
    next_topology: Instant,
    /// The routes, and from when on they have to be computed anew.
    routes: Map<NodeId, Hop>,
    stale: Instant,
    outbox: Outbox,
    rng: Stream,
}

impl Olsr {
    pub(crate) fn new(config: &Config, setup: &Setup<'_>) -> Self {
        let mut rng = Stream::new(setup.seed, "olsr", setup.node.into());
        let mut first = |interval: Duration| Instant::ZERO.saturating_add(interval.mul_f64(rng.uniform()));
        Self {
            config: config.clone(),
            node: setup.node,
            interfaces: setup.interfaces.to_vec(),
            neighbourhood: Neighbourhood::default(),
            topology: Topology::default(),
            duplicates: Duplicates::default(),
            sequence: 0,
            advertised: (Vec::new(), 0, Instant::ZERO),
            next_hello: first(config.hello_interval),
            next_topology: first(config.tc_interval),
            routes: Map::new(),
            stale: Instant::ZERO,
            outbox: Outbox::default(),
            rng,
        }
    }

    fn message(&mut self, body: Body, hop_limit: u8, hold: Duration) -> Message {
        self.sequence = self.sequence.wrapping_add(1);
        let (validity, originator) = (Coded::new(hold), self.node);
        Message { validity, originator, hop_limit, hop_count: 0, sequence: self.sequence, body }
    }

    fn packet(&self, message: Message, cx: &mut Context) -> PacketId {
        // The packet goes one hop; how far the message goes stands in the message (section 3.4).
        let size = message.size();
        cx.packets.originate_message(self.node, 1, size, wire::Message::Olsr(message), cx.now)
    }

    /// Sends a message over every interface, now.
    fn broadcast(&mut self, message: &Message, after: Duration, cx: &mut Context) {
        for &interface in &self.interfaces {
            let (packet, next_hop) = (self.packet(message.clone(), cx), NextHop::Everyone);
            self.outbox.push(cx.now.saturating_add(after), packet, Hop { interface, next_hop });
        }
    }

    /// An interval less its jitter (section 18.1).
    fn jittered(&mut self, interval: Duration) -> Duration {
        let jitter = self.config.max_jitter.mul_f64(self.rng.uniform());
        interval.saturating_sub(jitter).max(interval / 2).max(Duration::from_nanos(1))
    }

    /// Section 6.2.
    fn send_hello(&mut self, cx: &mut Context) {
        if self.next_hello > cx.now {
            return;
        }
        self.expire(cx.now);
        let Config { hello_interval, neighbour_hold_time, willingness, .. } = self.config;
        for place in 0..self.interfaces.len() {
            let interface = self.interfaces[place];
            let listed = self.neighbourhood.listed(self.node, interface, cx.now);
            let body = Body::Hello { interval: Coded::new(hello_interval), willingness, listed };
            let message = self.message(body, 1, neighbour_hold_time);
            let packet = self.packet(message, cx);
            self.outbox.push(cx.now, packet, Hop { interface, next_hop: NextHop::Everyone });
        }
        self.next_hello = cx.now.saturating_add(self.jittered(hello_interval));
    }

    /// Section 9.3: a TC message with the MPR selectors, also for a while after the last one left.
    fn send_topology(&mut self, cx: &mut Context) {
        if self.next_topology > cx.now {
            return;
        }
        let Config { tc_interval, topology_hold_time, .. } = self.config;
        let selectors = self.neighbourhood.selectors(cx.now);
        let (last, number, until) = &mut self.advertised;
        if *last != selectors {
            *number = number.wrapping_add(1);
            if selectors.is_empty() {
                *until = cx.now.saturating_add(topology_hold_time);
            }
            last.clone_from(&selectors);
        }
        if !selectors.is_empty() || *until > cx.now {
            let body = Body::Topology { number: *number, advertised: selectors };
            let message = self.message(body, u8::MAX, topology_hold_time);
            self.broadcast(&message, Duration::ZERO, cx);
        }
        self.next_topology = cx.now.saturating_add(self.jittered(tc_interval));
    }

    fn expire(&mut self, now: Instant) {
        self.duplicates.expire(now);
        if self.neighbourhood.expire(now) | self.topology.expire(now) {
            self.stale = now;
        }
    }

    /// Sections 3.4 and 9.5: reads a flood once, and passes it on if its sender chose this node.
    fn on_flood(&mut self, message: &Message, from: NodeId, cx: &mut Context) {
        let Message { originator, sequence, hop_limit, .. } = *message;
        let Body::Topology { number, advertised } = &message.body else { return };
        if originator == self.node || !self.neighbourhood.is_neighbour(from, cx.now) {
            return;
        }
        let until = cx.now.saturating_add(self.config.duplicate_hold_time);
        let until_over = cx.now.saturating_add(message.validity.time());
        if self.duplicates.on_message(originator, sequence, until)
            && self.topology.on_message(originator, *number, advertised, until_over)
        {
            self.stale = cx.now;
        }
        let is_relay = self.neighbourhood.selectors(cx.now).contains(&from);
        if is_relay && hop_limit > 1 && !self.duplicates.is_passed_on(originator, sequence) {
            self.duplicates.on_passed_on(originator, sequence);
            let hop_count = message.hop_count.saturating_add(1);
            let passed = Message { hop_limit: hop_limit - 1, hop_count, ..message.clone() };
            let after = self.config.max_jitter.mul_f64(self.rng.uniform());
            self.broadcast(&passed, after, cx);
        }
    }

    /// Section 10: shortest paths over neighbours, theirs, and relays; of equal ones that over the neighbour with
    /// the lowest number.
    fn shortest_paths(&self, now: Instant) -> Map<NodeId, Hop> {
        let mut routes = Map::new();
        let mut open = VecDeque::new();
        for node in self.neighbourhood.neighbours(now) {
            if let Some(hop) = self.neighbourhood.hop(node, now) {
                routes.insert(node, hop);
                open.push_back((node, hop));
            }
        }
        while let Some((last, hop)) = open.pop_front() {
            for node in self.neighbourhood.beyond(last, now).chain(self.topology.beyond(last)) {
                if node != self.node && !routes.contains_key(&node) {
                    routes.insert(node, hop);
                    open.push_back((node, hop));
                }
            }
        }
        routes
    }

    fn route(&mut self, destination: NodeId, now: Instant) -> Option<Hop> {
        if self.stale <= now {
            self.topology.expire(now);
            self.routes = self.shortest_paths(now);
            self.stale = self.neighbourhood.next_change(now).min(self.topology.next_change());
        }
        self.routes.get(&destination).copied()
    }
}

impl Routing for Olsr {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        self.route(cx.packets[packet].destination, cx.now).map_or(Decision::NoRoute, Decision::Forward)
    }

    fn known_hop(&mut self, destination: NodeId, cx: &mut Context) -> Option<Hop> {
        self.route(destination, cx.now)
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        let Err(failure) = result else { return cx.packets.discard_sent(part) };
        if let (NextHop::Node(neighbour), true) = (part.next_hop, self.config.link_layer_notification) {
            self.neighbourhood.on_lost(neighbour);
            self.stale = cx.now;
        }
        let cause = if failure == LinkFailure::Down { Cause::LinkDown } else { Cause::LinkFailure };
        cx.drop(part.packet, cause);
    }

    fn overhears(&self) -> bool {
        false
    }

    fn on_neighbour(&mut self, _neighbour: NodeId, _cx: &mut Context) {}

    fn on_message(&mut self, message: wire::Message, received: Received, cx: &mut Context) {
        let wire::Message::Olsr(message) = message else { return };
        let Body::Hello { willingness, ref listed, .. } = message.body else {
            return self.on_flood(&message, received.from, cx);
        };
        let until = cx.now.saturating_add(message.validity.time());
        let Received { from, interface, .. } = received;
        let heard = Heard { from, interface, until, willingness, listed };
        if self.neighbourhood.on_hello(self.node, heard, self.config.neighbour_hold_time, cx.now) {
            self.stale = cx.now;
        }
    }

    fn on_deadline(&mut self, cx: &mut Context) {
        self.send_hello(cx);
        self.send_topology(cx);
        self.outbox.send_due(self.node, cx);
    }

    fn deadline(&self) -> Instant {
        self.next_hello.min(self.next_topology).min(self.outbox.deadline())
    }

    fn held(&self) -> Vec<PacketId> {
        self.outbox.held().collect()
    }
}
