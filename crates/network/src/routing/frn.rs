//! T. Yuki, "A Study on Data Link Layer Control Methods for Performance Improvement of TCP over an Ad Hoc Network",
//! master's thesis, Osaka University, 2004, section 2.2.2: the routing of the Flexible Radio Network.
//!
//! A node knows of each neighbour how many hops that is from every destination (the network configuration table).
//! Neighbours over which the way is shortest are forward, those with one hop more sideward, all others backward. A
//! packet is sent over those of the first class, then of the second, then of the third: at each attempt over another one. It
//! never returns to its previous hop.
//!
//! Among neighbours of one class the more reliable comes first, then the lower number; the thesis does not say. After
//! the last one it is the first's turn again.

use farlink_kernel::Instant;
use farlink_kernel::random::{draw, name_key};
use farlink_tcp::Notice;

use super::{Received, Routing, Setup, notice};
use crate::context::Context;
use crate::frame::LinkFailure;
use crate::hop::{Decision, Hop, Part};
use crate::ids::{NodeId, PacketId};
use crate::packet::{Cause, Packet, Payload};
use crate::wire::Message;

pub(crate) mod config;
mod exchange;

pub use config::Config;
use config::{Spread, Tables};
use exchange::Exchange;

pub(super) const SOURCE: &str = "Yuki, master's thesis, Osaka University 2004";

/// A neighbour on the way to a destination.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Route {
    node: NodeId,
    hop: Hop,
    hops: u32,
    reliability: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Frn {
    config: Config,
    node: NodeId,
    seed: u64,
    /// By destination: its neighbours in order of preference; `None` before the first query.
    table: Vec<Option<Box<[Route]>>>,
    exchange: Exchange,
}

impl Frn {
    pub(crate) fn new(config: &Config, setup: &Setup<'_>) -> Self {
        Self {
            config: config.clone(),
            node: setup.node,
            seed: setup.seed,
            table: vec![None; setup.nodes],
            exchange: Exchange::new(config, setup),
        }
    }

    /// The neighbours on the way to a destination, in the order of their classes.
    fn routes(&mut self, destination: NodeId, cx: &mut Context) -> &[Route] {
        let Self { config, node, table, exchange, .. } = self;
        let Some(entry) = table.get_mut(destination.as_index()) else { return &[] };
        entry.get_or_insert_with(|| {
            let mut routes = match config.tables {
                Tables::Static => known_to_all(*node, destination, cx),
                Tables::Dynamic => exchange.routes(destination),
            };
            routes.sort_by(|a, b| {
                a.hops.cmp(&b.hops).then(b.reliability.total_cmp(&a.reliability)).then(a.node.cmp(&b.node))
            });
            routes.into()
        })
    }

    /// The neighbour for a packet at its try: those that it may not go to do not count.
    fn route(&mut self, packet: PacketId, cx: &mut Context) -> Option<Hop> {
        let Packet { destination, attempt, number, flow, to, .. } = cx.packets[packet];
        let from = cx.packets.stamp(packet).from;
        let Config { attempts, load_balancing, .. } = self.config;
        let (seed, node) = (self.seed, self.node);
        let routes = self.routes(destination, cx);
        let nearest = routes.first()?.hops;
        let may = || routes.iter().filter(|route| Some(route.node) != from);
        let forward = may().filter(|route| route.hops == nearest).count();
        let place = usize::from(attempt / attempts) % may().count().max(1);
        let shift = match load_balancing {
            Spread::None => 0,
            Spread::Packets => draw(seed, name_key("frn spread") ^ u64::from(node), number, 0),
            Spread::Flows => draw(seed, name_key("frn spread") ^ u64::from(node), flow.into(), to as u64),
        };
        let place = if place < forward { (place + shift as usize % forward) % forward } else { place };
        may().nth(place).map(|route| route.hop)
    }

    /// Notifies the source of a packet that was given up.
    fn tell(&self, packet: PacketId, cx: &mut Context) {
        let Packet { flow, to, source, payload, .. } = cx.packets[packet];
        if let (true, Payload::Segment(segment)) = (self.config.route_notifications, payload)
            && segment.len > 0
        {
            let failed = Notice::RouteFailed { seq: Some(segment.seq) };
            notice::send(failed, (flow, to.other()), self.node, source, cx);
        }
    }
}

/// All neighbours of a node with their distances from a destination, as they were at the start.
fn known_to_all(node: NodeId, destination: NodeId, cx: &mut Context) -> Vec<Route> {
    let route = |(neighbour, hop), cx: &mut Context| {
        let hops = cx.oracle.hops(neighbour, destination, Instant::ZERO)?;
        Some(Route { node: neighbour, hop, hops, reliability: 1.0 })
    };
    cx.oracle.neighbours(node).into_iter().filter_map(|each| route(each, cx)).collect()
}

impl Routing for Frn {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        self.route(packet, cx).map_or(Decision::NoRoute, Decision::Forward)
    }

    fn known_hop(&mut self, destination: NodeId, cx: &mut Context) -> Option<Hop> {
        self.routes(destination, cx).first().map(|route| route.hop)
    }

    fn knows_all_routes(&self, _cx: &Context) -> bool {
        self.config.tables == Tables::Static
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        let cause = match result {
            Ok(()) => return cx.packets.discard_sent(part),
            Err(LinkFailure::Down) => Cause::LinkDown,
            Err(LinkFailure::NoResponse | LinkFailure::Unresolved | LinkFailure::Recalled) => {
                Cause::LinkFailure
            }
        };
        self.tell(part.packet, cx);
        cx.drop(part.packet, cause);
    }

    fn overhears(&self) -> bool {
        false
    }

    fn on_neighbour(&mut self, _neighbour: NodeId, _cx: &mut Context) {}

    fn on_message(&mut self, message: Message, received: Received, _cx: &mut Context) {
        if let Message::Frn(control) = message {
            self.exchange.on_control(received.from, received.hop(), control);
            self.table.fill(None);
        }
    }

    fn on_deadline(&mut self, cx: &mut Context) {
        if self.exchange.on_deadline(cx) {
            self.table.fill(None);
        }
    }

    fn deadline(&self) -> Instant {
        self.exchange.deadline()
    }
}
