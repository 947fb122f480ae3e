//! [`Map`]: the shortest ways, as ideal routing knows them (E. W. Dijkstra, "A Note on Two Problems in Connexion with
//! Graphs", Numerische Mathematik 1, 1959).
//!
//! From a destination outwards, and only as far as somebody asked from: a way over few hops in a large network costs
//! little, and all who send to a destination share what was found.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use farlink_kernel::{Duration, Instant, choice};

use super::terrain::{Edge, Terrain};
use crate::hop::{Hop, NextHop};
use crate::ids::NodeId;

choice! {
    /// What makes a path short.
    pub enum Metric {
        /// Few hops, then little delay.
        Hops = "hops",
        /// Little propagation delay, then few hops.
        Delay = "delay",
    }
}

/// What a way costs: the second decides between ways of which the first are equal.
type Cost = (Duration, Duration);

impl Metric {
    fn further(self, (major, minor): Cost, edge: &Edge) -> Cost {
        let hop = Duration::from_nanos(1);
        let (more, less) = match self {
            Self::Hops => (hop, edge.delay),
            Self::Delay => (edge.delay, hop),
        };
        (major.saturating_add(more), minor.saturating_add(less))
    }
}

/// The ways to one destination.
#[derive(Debug)]
struct Ways {
    /// Nodes from which a way was found that nothing is known to be shorter than; of equal ones the first in the
    /// order of numbers is looked at first.
    open: BinaryHeap<Reverse<(Cost, NodeId)>>,
    /// By node: what the way costs, the hop, and whether it is sure that there is no shorter one.
    best: BTreeMap<NodeId, (Cost, Option<Hop>, bool)>,
}

impl Ways {
    fn new(destination: NodeId) -> Self {
        let cost = Cost::default();
        Self {
            open: BinaryHeap::from([Reverse((cost, destination))]),
            best: BTreeMap::from([(destination, (cost, None, false))]),
        }
    }

    /// The first hop from a node and what the way costs, looked for until it is sure.
    fn find(&mut self, from: NodeId, metric: Metric, terrain: &mut Terrain) -> Option<(Cost, Option<Hop>)> {
        while !self.best.get(&from).is_some_and(|&(_, _, is_sure)| is_sure) {
            let Reverse((cost, node)) = self.open.pop()?;
            self.settle(node, cost, metric, terrain);
        }
        let (cost, hop, _) = self.best[&from];
        Some((cost, hop))
    }

    /// There is no shorter way from `node`: those that reach it may go over it.
    fn settle(&mut self, node: NodeId, cost: Cost, metric: Metric, terrain: &mut Terrain) {
        if let Some((_, _, is_sure)) = self.best.get_mut(&node)
            && std::mem::replace(is_sure, true)
        {
            return;
        }
        for edge in terrain.edges_to(node) {
            let total = metric.further(cost, edge);
            if self.best.get(&edge.from).is_none_or(|&(before, ..)| total < before) {
                let hop = Hop { interface: edge.interface, next_hop: NextHop::Node(node) };
                self.best.insert(edge.from, (total, Some(hop), false));
                self.open.push(Reverse((total, edge.from)));
            }
        }
    }
}

/// The ways of a network.
#[derive(Debug, Default)]
pub struct Map {
    terrain: Terrain,
    as_of: Instant,
    ways: BTreeMap<(Metric, NodeId), Ways>,
}

impl Map {
    /// Of a terrain.
    pub fn new(terrain: Terrain) -> Self {
        Self { terrain, ..Self::default() }
    }

    /// True when nobody ever moves: the ways never change.
    pub fn is_still(&self) -> bool {
        self.terrain.is_still()
    }

    /// The first hop of the shortest way as of an instant, which is not before the last one asked about; of equally
    /// short ones it is always the same one.
    pub fn hop(&mut self, from: NodeId, to: NodeId, metric: Metric, as_of: Instant) -> Option<Hop> {
        self.find((from, to), metric, as_of)?.1
    }

    /// Over how many hops the way with the fewest leads, as of the same instant.
    pub fn hops(&mut self, from: NodeId, to: NodeId, as_of: Instant) -> Option<u32> {
        let ((hops, _), _) = self.find((from, to), Metric::Hops, as_of)?;
        Some(hops.as_nanos() as u32)
    }

    /// Whom a node reaches, and over which hop, as of the instant that was asked about last.
    pub fn neighbours(&mut self, node: NodeId) -> Vec<(NodeId, Hop)> {
        self.terrain.look(self.as_of);
        let hop = |edge: &Edge| Hop { interface: edge.interface, next_hop: NextHop::Node(edge.to) };
        self.terrain.edges_from(node).iter().map(|edge| (edge.to, hop(edge))).collect()
    }

    fn find(
        &mut self,
        (from, to): (NodeId, NodeId),
        metric: Metric,
        as_of: Instant,
    ) -> Option<(Cost, Option<Hop>)> {
        if as_of > self.as_of && !self.is_still() {
            self.as_of = as_of;
            self.ways.clear();
        }
        self.terrain.look(self.as_of);
        self.ways.entry((metric, to)).or_insert_with(|| Ways::new(to)).find(from, metric, &mut self.terrain)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A map of wires: from, to and milliseconds; interfaces are numbered as listed.
    pub(crate) fn map(wires: &[(NodeId, NodeId, u64)]) -> Map {
        let edge =
            |(&(from, to, ms), interface)| Edge { from, interface, to, delay: Duration::from_millis(ms) };
        Map::new(Terrain::new(wires.iter().zip(0..).map(edge), Vec::new()))
    }

    fn hop(map: &mut Map, metric: Metric, to: NodeId) -> Option<(u32, NodeId)> {
        map.hop(0, to, metric, Instant::ZERO).map(|hop| match hop.next_hop {
            NextHop::Node(node) => (hop.interface, node),
            NextHop::Everyone => panic!("a way leads to a neighbour"),
        })
    }

    #[test]
    fn the_metric_decides_and_ties_go_to_the_lower_number() {
        let mut map = map(&[(0, 1, 5), (1, 3, 5), (0, 2, 5), (2, 3, 5), (0, 3, 20)]);
        assert_eq!(hop(&mut map, Metric::Delay, 3), Some((0, 1)));
        assert_eq!(hop(&mut map, Metric::Hops, 3), Some((4, 3)));
        assert_eq!(hop(&mut map, Metric::Delay, 0), None);
        assert_eq!(hop(&mut map, Metric::Delay, 7), None, "no way leads there");
    }

    #[test]
    fn ways_are_looked_for_only_as_far_as_somebody_asks_from() {
        let wires: Vec<_> = (0..1000).flat_map(|node| [(node, node + 1, 1), (node + 1, node, 1)]).collect();
        let mut map = map(&wires);
        assert_eq!(hop(&mut map, Metric::Hops, 4), Some((0, 1)));
        assert!(map.ways[&(Metric::Hops, 4)].best.len() < 12);
    }
}
