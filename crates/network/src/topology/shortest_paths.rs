//! [`ShortestPaths`]: the paths that ideal routing knows (E. W. Dijkstra, "A Note on Two Problems in Connexion with
//! Graphs", Numerische Mathematik 1, 1959).
//!
//! The search starts at the destination and ends at the node that asks: a path of few hops in a large network costs
//! little, and all senders to a destination share its tree.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use farlink_kernel::{Duration, Instant};

use super::graph::{Edge, Graph, Shared};
use super::links::Links;
use crate::hop::{Hop, NextHop};
use crate::ids::NodeId;
use crate::oracle::{Metric, Oracle};

/// The cost of a path: the second decides between paths of which the first are equal.
pub type Cost = (Duration, Duration);

fn further((major, minor): Cost, edge: &Edge, metric: Metric) -> Cost {
    let hop = Duration::from_nanos(1);
    let (more, less) = match metric {
        Metric::Hops => (hop, edge.delay),
        Metric::Delay => (edge.delay, hop),
    };
    (major.saturating_add(more), minor.saturating_add(less))
}

#[derive(Debug)]
struct PathTree {
    /// Nodes from which a path was found that may be the shortest; of equal ones the lowest number comes first.
    open: BinaryHeap<Reverse<(Cost, NodeId)>>,
    /// By node: the cost, the hop, and whether there is certainly no shorter path.
    best: BTreeMap<NodeId, (Cost, Option<Hop>, bool)>,
}

impl PathTree {
    fn new(destination: NodeId) -> Self {
        let cost = Cost::default();
        Self {
            open: BinaryHeap::from([Reverse((cost, destination))]),
            best: BTreeMap::from([(destination, (cost, None, false))]),
        }
    }

    /// The cost and the first hop from a node, once there is certainly no shorter path.
    fn find(&mut self, from: NodeId, metric: Metric, graph: &mut Graph) -> Option<(Cost, Option<Hop>)> {
        while !self.best.get(&from).is_some_and(|&(_, _, is_sure)| is_sure) {
            let Reverse((cost, node)) = self.open.pop()?;
            self.settle(node, cost, metric, graph);
        }
        let (cost, hop, _) = self.best[&from];
        Some((cost, hop))
    }

    /// There is no shorter path from `node`: its neighbours may take it.
    fn settle(&mut self, node: NodeId, cost: Cost, metric: Metric, graph: &mut Graph) {
        if let Some((_, _, is_sure)) = self.best.get_mut(&node)
            && std::mem::replace(is_sure, true)
        {
            return;
        }
        for edge in graph.edges_to(node) {
            let total = further(cost, edge, metric);
            if self.best.get(&edge.from).is_none_or(|&(before, ..)| total < before) {
                let hop = Hop { interface: edge.interface, next_hop: NextHop::Node(node) };
                self.best.insert(edge.from, (total, Some(hop), false));
                self.open.push(Reverse((total, edge.from)));
            }
        }
    }
}

#[derive(Debug, Default)]
pub struct ShortestPaths {
    graph: Graph,
    as_of: Instant,
    /// The links over time, and when the next of them changes after the instant that they were seen at.
    links: Links,
    links_until: Instant,
    trees: BTreeMap<(Metric, NodeId), PathTree>,
}

impl ShortestPaths {
    /// Over links as they are at the start, and over channels.
    pub fn new(links: Links, channels: Vec<Shared>) -> Self {
        Self { graph: Graph::new(links.at_start(), channels), links, ..Self::default() }
    }

    /// The cost of the shortest path; `None` without any.
    pub fn least(&mut self, ends: (NodeId, NodeId), metric: Metric, as_of: Instant) -> Option<Cost> {
        Some(self.find(ends, metric, as_of)?.0)
    }

    /// The cost of a path, given by its hops from a node on, as of the instant asked about last; `None` if a hop has no
    /// edge.
    pub fn cost(&mut self, mut node: NodeId, path: &[Hop], metric: Metric) -> Option<Cost> {
        path.iter().try_fold(Cost::default(), |cost, hop| {
            let NextHop::Node(next) = hop.next_hop else { return None };
            let is_hop = |edge: &&Edge| edge.from == node && edge.interface == hop.interface;
            let edge = self.graph.edges_to(next).iter().find(is_hop)?;
            node = next;
            Some(further(cost, edge, metric))
        })
    }

    fn find(
        &mut self,
        (from, to): (NodeId, NodeId),
        metric: Metric,
        as_of: Instant,
    ) -> Option<(Cost, Option<Hop>)> {
        if as_of > self.as_of && !self.is_still() {
            self.as_of = as_of;
            self.trees.clear();
        }
        self.graph.set_now(self.as_of);
        self.trees.entry((metric, to)).or_insert_with(|| PathTree::new(to)).find(
            from,
            metric,
            &mut self.graph,
        )
    }
}

impl Oracle for ShortestPaths {
    fn next_hop(&mut self, from: NodeId, to: NodeId, metric: Metric, as_of: Instant) -> Option<Hop> {
        self.find((from, to), metric, as_of)?.1
    }

    fn hops(&mut self, from: NodeId, to: NodeId, as_of: Instant) -> Option<u32> {
        let ((hops, _), _) = self.find((from, to), Metric::Hops, as_of)?;
        Some(hops.as_nanos() as u32)
    }

    fn neighbours(&mut self, node: NodeId) -> Vec<(NodeId, Hop)> {
        self.graph.set_now(self.as_of);
        let hop = |edge: &Edge| Hop { interface: edge.interface, next_hop: NextHop::Node(edge.to) };
        self.graph.edges_from(node).iter().map(|edge| (edge.to, hop(edge))).collect()
    }

    fn see_links(&mut self, as_of: Instant) {
        self.graph.set_links(self.links.up(as_of));
        self.links_until = self.links.next_change(as_of);
        self.trees.clear();
    }

    fn links_hold_until(&self) -> Instant {
        self.links_until
    }

    fn is_still(&self) -> bool {
        self.graph.is_still()
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::Direction;
    use super::*;
    use crate::ids::InterfaceId;
    use crate::schedule::{Outage, Schedule, Steps};

    /// Paths over links: from, to and milliseconds; interfaces are numbered as listed.
    fn paths(links: &[(u32, u32, u64)]) -> ShortestPaths {
        let direction = |(&(from, to, ms), interface)| {
            let delay = Duration::from_millis(ms);
            let edge = Edge { from: NodeId(from), interface, to: NodeId(to), delay };
            Direction { edge, delay: Schedule::Constant(delay), down: Vec::new() }
        };
        let links = Links(links.iter().zip((0..).map(InterfaceId)).map(direction).collect());
        ShortestPaths::new(links, Vec::new())
    }

    fn hop(paths: &mut ShortestPaths, metric: Metric, to: NodeId) -> Option<(u32, u32)> {
        paths.next_hop(NodeId(0), to, metric, Instant::ZERO).map(|hop| match hop.next_hop {
            NextHop::Node(node) => (hop.interface.0, node.0),
            NextHop::Everyone => panic!("a path leads to a neighbour"),
        })
    }

    #[test]
    fn the_metric_decides_and_ties_go_to_the_lower_number() {
        let mut paths = paths(&[(0, 1, 5), (1, 3, 5), (0, 2, 5), (2, 3, 5), (0, 3, 20)]);
        assert_eq!(hop(&mut paths, Metric::Delay, NodeId(3)), Some((0, 1)));
        assert_eq!(hop(&mut paths, Metric::Hops, NodeId(3)), Some((4, 3)));
        assert_eq!(hop(&mut paths, Metric::Delay, NodeId(0)), None);
        assert_eq!(hop(&mut paths, Metric::Delay, NodeId(7)), None, "no path leads there");
    }

    #[test]
    fn links_are_seen_as_of_an_instant_and_hold_until_the_next_change() {
        let second = |n| Instant::ZERO + Duration::from_secs(n);
        let mut paths = paths(&[(0, 1, 5), (1, 3, 5), (0, 2, 6), (2, 3, 6)]);
        paths.links.0[1].down = vec![Outage::once(second(10), second(20))];
        let points = vec![(second(0), Duration::from_millis(6)), (second(30), Duration::from_millis(1))];
        paths.links.0[3].delay = Schedule::Steps(Steps { points, period: None });
        assert_eq!(paths.links_hold_until(), Instant::ZERO);
        let mut seen = Vec::new();
        for at in [0, 10, 20, 30] {
            paths.see_links(second(at));
            seen.push((hop(&mut paths, Metric::Delay, NodeId(3)), paths.links_hold_until()));
        }
        let [above, below] = [Some((0, 1)), Some((2, 2))];
        assert_eq!(
            seen,
            [(above, second(10)), (below, second(20)), (above, second(30)), (below, Instant::NEVER)]
        );
    }

    #[test]
    fn the_search_ends_at_the_node_that_asks() {
        let links: Vec<_> = (0..1000).flat_map(|node| [(node, node + 1, 1), (node + 1, node, 1)]).collect();
        let mut paths = paths(&links);
        assert_eq!(hop(&mut paths, Metric::Hops, NodeId(4)), Some((0, 1)));
        assert!(paths.trees[&(Metric::Hops, NodeId(4))].best.len() < 12);
    }
}
