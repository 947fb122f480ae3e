//! [`Exchange`]: what neighbours tell, and how reliably they are heard (thesis, tables 2 to 4).

use farlink_kernel::ordered::Map;
use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};

use super::config::Tables;
use super::{Config, Route};
use crate::context::{Context, Effect};
use crate::hop::{Hop, NextHop};
use crate::ids::{InterfaceId, NodeId};
use crate::routing::Setup;
use crate::wire::Message;
use crate::wire::frn::{Control, MOST_ENTRIES};

/// What is known of a node that was heard.
#[derive(Clone, Debug)]
struct Neighbour {
    hop: Hop,
    is_heard: bool,
    /// Of the cycles before, since it was heard first: how many, and in which it was heard, the last one lowest.
    cycles: u32,
    heard: u64,
    hops: Map<NodeId, u8>,
}

impl Neighbour {
    /// The share of cycles in which it was heard; the present one counts once it was.
    fn reliability(&self, config: &Config) -> f64 {
        let (heard, cycles) =
            if self.is_heard { (self.heard << 1 | 1, self.cycles + 1) } else { (self.heard, self.cycles) };
        let cycles = cycles.min(config.history);
        let last = heard & (u64::MAX >> (64 - cycles));
        f64::from(last.count_ones()) / f64::from(cycles)
    }

    fn on_cycle(&mut self, config: &Config) {
        self.heard = self.heard << 1 | u64::from(self.is_heard);
        self.cycles = (self.cycles + 1).min(config.history);
        self.is_heard = false;
    }
}

/// The exchange of configuration control packets at one node.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    config: Config,
    node: NodeId,
    interfaces: Vec<InterfaceId>,
    neighbours: Map<NodeId, Neighbour>,
    next: Instant,
    rng: Stream,
}

impl Exchange {
    pub(super) fn new(config: &Config, setup: &Setup<'_>) -> Self {
        let mut rng = Stream::new(setup.seed, "frn", setup.node.into());
        let next = match config.tables {
            Tables::Static => Instant::NEVER,
            Tables::Dynamic => Instant::ZERO + config.cycle.mul_f64(rng.uniform()),
        };
        let (config, interfaces) = (config.clone(), setup.interfaces.to_vec());
        Self { config, node: setup.node, interfaces, neighbours: Map::new(), next, rng }
    }

    pub(super) fn on_control(&mut self, from: NodeId, hop: Hop, control: Control) {
        let new = Neighbour { hop, is_heard: true, cycles: 0, heard: 0, hops: Map::new() };
        let neighbour = self.neighbours.entry(from).or_insert(new);
        (neighbour.hop, neighbour.is_heard) = (hop, true);
        if control.part == 0 {
            neighbour.hops.clear();
        }
        neighbour.hops.extend(control.hops);
    }

    /// Nodes heard often enough to be neighbours.
    fn accepted(&self) -> impl Iterator<Item = (NodeId, &Neighbour)> {
        let is_accepted =
            |neighbour: &Neighbour| neighbour.reliability(&self.config) > self.config.threshold.0;
        self.neighbours
            .iter()
            .map(|(&node, neighbour)| (node, neighbour))
            .filter(move |each| is_accepted(each.1))
    }

    /// The neighbours over which there is a way to a destination.
    pub(super) fn routes(&self, destination: NodeId) -> Vec<Route> {
        let route = |(node, neighbour): (NodeId, &Neighbour)| {
            let &hops = neighbour.hops.get(&destination)?;
            let reliability = neighbour.reliability(&self.config);
            Some(Route { node, hop: neighbour.hop, hops: hops.into(), reliability })
        };
        self.accepted().filter_map(route).collect()
    }

    /// The shortest ways: none to the node itself.
    fn shortest(&self) -> Map<NodeId, u8> {
        let mut shortest = Map::from_iter([(self.node, 0)]);
        for (_, neighbour) in self.accepted() {
            for (&destination, &hops) in &neighbour.hops {
                let hops = hops.saturating_add(1);
                if hops <= self.config.max_hops {
                    let best = shortest.entry(destination).or_insert(hops);
                    *best = hops.min(*best);
                }
            }
        }
        shortest
    }

    /// At the end of a cycle the node counts its receptions and advertises its hop counts; true if it did.
    pub(super) fn on_deadline(&mut self, cx: &mut Context) -> bool {
        if self.next > cx.now {
            return false;
        }
        let config = &self.config;
        self.neighbours.values_mut().for_each(|neighbour| neighbour.on_cycle(config));
        self.neighbours.retain(|_, neighbour| neighbour.heard & (u64::MAX >> (64 - config.history)) != 0);
        self.advertise(cx);
        // Two neighbours that tell in the same slot are not to meet again in every cycle.
        let wait = self.config.cycle.mul_f64(0.9 + 0.2 * self.rng.uniform());
        self.next = cx.now.saturating_add(wait.max(Duration::from_nanos(1)));
        true
    }

    fn advertise(&self, cx: &mut Context) {
        let hops: Vec<_> = self.shortest().into_iter().collect();
        for (hops, part) in hops.chunks(MOST_ENTRIES).zip(0..=u8::MAX) {
            let control = Control { part, hops: hops.to_vec() };
            for &interface in &self.interfaces {
                let (size, message) = (control.size(), Message::Frn(control.clone()));
                let packet = cx.packets.originate_message(self.node, 1, size, message, cx.now);
                let hop = Hop { interface, next_hop: NextHop::Everyone };
                cx.push(Effect::Send { node: self.node, packet, hop });
            }
        }
    }

    pub(super) fn deadline(&self) -> Instant {
        self.next
    }
}
