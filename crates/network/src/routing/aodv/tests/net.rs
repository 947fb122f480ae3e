//! A network of nodes that do nothing but this protocol: links are there or not, and a hop takes a moment.

use crate::ids::InterfaceId;
use farlink_kernel::ordered::Set;

use super::super::table::State;
use super::super::{Aodv, Config};
use crate::context::{Context, Effect};
use crate::frame::LinkFailure;
use crate::hop::{Arrival, Decision, Hop, NextHop, Part};
use crate::ids::{NodeId, PacketId};
use crate::packet::tests::datagram;
use crate::packet::{Cause, Held, Location, Packet};
use crate::routing::{Routing, Setup};
use crate::wire;
use crate::wire::aodv::Message;
use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};

pub(super) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(super) fn at(n: u64) -> Instant {
    Instant::ZERO + ms(n)
}

/// A message that was sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) at: Instant,
    pub(super) from: NodeId,
    pub(super) next_hop: NextHop,
    pub(super) hop_limit: u8,
    pub(super) message: Message,
}

/// Something on its way over a hop.
#[derive(Clone, Copy, Debug)]
struct Flying {
    at: Instant,
    number: u64,
    from: NodeId,
    /// To this node; back to the sender's if nobody took it.
    to: Result<NodeId, Part>,
    packet: PacketId,
}

#[derive(Debug)]
pub(super) struct Net {
    pub(super) nodes: Vec<Aodv>,
    pub(super) cx: Context,
    pub(super) sent: Vec<Sent>,
    pub(super) dropped: Vec<(Instant, Cause)>,
    pub(super) delivered: Vec<(Instant, NodeId)>,
    /// Part of the copies that are lost without anybody's knowledge.
    pub(super) loss: f64,
    /// No node is notified when a link does not carry a packet.
    pub(super) is_silent: bool,
    /// (from, to) that hear.
    links: Set<(NodeId, NodeId)>,
    flying: Vec<Flying>,
    numbers: u64,
    rng: Stream,
}

impl Net {
    /// So many nodes, no links.
    pub(super) fn new(nodes: u32, config: &Config, seed: u64) -> Self {
        let node = |node| {
            let setup = Setup { seed, node, interfaces: &[InterfaceId(node.0)], nodes: nodes as usize };
            Aodv::new(config, &setup)
        };
        Self {
            nodes: (0..nodes).map(NodeId).map(node).collect(),
            cx: Context::new(1),
            sent: Vec::new(),
            dropped: Vec::new(),
            delivered: Vec::new(),
            loss: 0.0,
            is_silent: false,
            links: Set::new(),
            flying: Vec::new(),
            numbers: 0,
            rng: Stream::new(seed, "net", 0),
        }
    }

    /// Nodes in a row.
    pub(super) fn chain(nodes: u32, config: &Config) -> Self {
        Self::chain_and(nodes, 0, config)
    }

    /// Nodes in a row, and more without links.
    pub(super) fn chain_and(nodes: u32, more: u32, config: &Config) -> Self {
        let mut net = Self::new(nodes + more, config, 1);
        (1..nodes).for_each(|node| net.link(NodeId(node - 1), NodeId(node)));
        net
    }

    pub(super) fn link(&mut self, a: NodeId, b: NodeId) {
        self.links.insert((a, b));
        self.links.insert((b, a));
    }

    /// `a` is heard by `b`, not the other way.
    pub(super) fn link_one_way(&mut self, a: NodeId, b: NodeId) {
        self.links.insert((a, b));
    }

    pub(super) fn cut(&mut self, a: NodeId, b: NodeId) {
        self.links.retain(|&link| link != (a, b) && link != (b, a));
    }

    pub(super) fn is_linked(&self, a: NodeId, b: NodeId) -> bool {
        self.links.contains(&(a, b))
    }

    /// A packet begins.
    pub(super) fn send(&mut self, source: NodeId, destination: NodeId) {
        let packet = self.cx.packets.originate(Packet { source, destination, ..datagram(100) });
        self.cx.push(Effect::Down { node: source, packet });
        self.settle();
    }

    /// A message comes to a node from a neighbour, out of nothing.
    pub(super) fn tell(&mut self, node: NodeId, from: NodeId, hop_limit: u8, message: Message) {
        let (size, message) = (message.size(), wire::Message::Aodv(message));
        let packet = self.cx.packets.originate_message(from, hop_limit, size, message, self.cx.now);
        self.nodes[node].receive(Arrival { packet, interface: InterfaceId(node.0), from }, &mut self.cx);
        self.settle();
    }

    /// Lets everything happen up to a time.
    pub(super) fn run_until(&mut self, until: Instant) {
        while self.step(until) {}
        self.cx.now = until;
    }

    /// Lets the next thing happen, if it is before `until`.
    pub(super) fn step(&mut self, until: Instant) -> bool {
        let deadlines = self.nodes.iter().zip(0..).map(|(node, number)| (node.deadline(), number));
        let (wake, node) = deadlines.min().expect("there are nodes");
        let next = (0..self.flying.len()).min_by_key(|&i| (self.flying[i].at, self.flying[i].number));
        match next {
            Some(i) if self.flying[i].at <= wake.min(until) => {
                let flying = self.flying.remove(i);
                self.cx.now = flying.at;
                self.arrive(flying);
            }
            _ if wake <= until => {
                self.cx.now = self.cx.now.max(wake);
                self.nodes[node].on_deadline(&mut self.cx);
            }
            _ => return false,
        }
        self.settle();
        true
    }

    fn arrive(&mut self, Flying { from, to, packet, .. }: Flying) {
        let cx = &mut self.cx;
        let to = match to {
            Ok(to) => to,
            Err(part) => {
                return self.nodes[from].on_sent(part, Err(LinkFailure::NoResponse), cx);
            }
        };
        let node = &mut self.nodes[to];
        node.on_neighbour(from, cx);
        if cx.packets.message(packet).is_some() {
            node.receive(Arrival { packet, interface: InterfaceId(to.0), from }, cx);
        } else if cx.packets[packet].destination == to {
            cx.packets.deliver(packet);
            self.delivered.push((cx.now, to));
        } else if cx.packets[packet].hop_limit <= 1 {
            cx.drop(packet, Cause::HopLimit);
        } else {
            cx.packets[packet].hop_limit -= 1;
            cx.push(Effect::Down { node: to, packet });
        }
    }

    pub(super) fn settle(&mut self) {
        let mut next = 0;
        while next < self.cx.effects.len() {
            next += 1;
            match self.cx.effects[next - 1] {
                Effect::Down { node, packet } => match self.nodes[node].next_hop(packet, &mut self.cx) {
                    Decision::Forward(hop) => self.transmit(node, packet, hop),
                    Decision::Queued => {}
                    Decision::NoRoute => self.cx.drop(packet, Cause::NoRoute),
                },
                Effect::Send { node, packet, hop } => self.transmit(node, packet, hop),
                Effect::Drop { packet, cause } => {
                    self.cx.packets.drop(packet, cause);
                    self.dropped.push((self.cx.now, cause));
                }
                Effect::Recall { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        self.cx.effects.clear();
    }

    fn transmit(&mut self, node: NodeId, packet: PacketId, Hop { interface, next_hop }: Hop) {
        assert_eq!(interface.0, node.0, "an interface of another node");
        if let Some(wire::Message::Aodv(message)) = self.cx.packets.message(packet) {
            let (message, hop_limit) = (message.clone(), self.cx.packets[packet].hop_limit);
            self.sent.push(Sent { at: self.cx.now, from: node, next_hop, hop_limit, message });
        }
        let listeners: Vec<_> = match next_hop {
            NextHop::Node(to) => vec![to],
            NextHop::Everyone => (0..self.nodes.len() as u32).map(NodeId).collect(),
        };
        let listeners: Vec<_> = listeners.into_iter().filter(|&to| self.is_linked(node, to)).collect();
        let part = Part { packet, next_hop };
        if listeners.is_empty() && next_hop != NextHop::Everyone && !self.is_silent {
            return self.fly(node, Err(part), packet);
        }
        for to in listeners {
            if self.rng.uniform() >= self.loss {
                let copy = self.cx.packets.duplicate(packet);
                self.fly(node, Ok(to), copy);
            }
        }
        self.nodes[node].on_sent(part, Ok(()), &mut self.cx);
    }

    fn fly(&mut self, from: NodeId, to: Result<NodeId, Part>, packet: PacketId) {
        self.numbers += 1;
        let at = self.cx.now + ms(1) + ms(1).mul_f64(self.rng.uniform());
        self.flying.push(Flying { at, number: self.numbers, from, to, packet });
    }

    /// Every copy has one end.
    pub(super) fn audit(&self) {
        let flying = self.flying.iter().map(|flying| flying.packet);
        let held = self.nodes.iter().flat_map(Routing::held);
        let held =
            flying.chain(held).map(|packet| Held { packet, location: Location::Medium, node: NodeId(0) });
        self.cx.packets.reconcile(&held.collect::<Vec<_>>(), std::iter::empty());
    }

    /// Where packets of `node` for `destination` would go.
    pub(super) fn next(&self, node: NodeId, destination: NodeId) -> Option<NodeId> {
        let route = self.nodes[node].table.peek(destination)?;
        match route.hop.next_hop {
            NextHop::Node(next) if route.state == State::Active && route.expires > self.cx.now => Some(next),
            _ => None,
        }
    }

    /// The way of packets from `source`, as far as it goes; panics in a loop.
    pub(super) fn way(&self, source: NodeId, destination: NodeId) -> Vec<NodeId> {
        let mut way = vec![source];
        let mut node = source;
        while node != destination
            && let Some(next) = self.next(node, destination)
        {
            assert!(!way.contains(&next), "{way:?} -> {next} for {destination} at {}", self.cx.now);
            way.push(next);
            node = next;
        }
        way
    }

    /// The hop limits and times of the requests that a node began.
    pub(super) fn asked(&self, node: NodeId) -> Vec<(Instant, u8)> {
        let is_own = |sent: &&Sent| matches!(sent.message, Message::Request(request) if request.originator == node && sent.from == node);
        self.sent.iter().filter(is_own).map(|sent| (sent.at, sent.hop_limit)).collect()
    }

    /// The errors that were sent.
    pub(super) fn errors(&self) -> Vec<&Sent> {
        self.sent.iter().filter(|sent| matches!(sent.message, Message::Error(_))).collect()
    }
}
