//! [`Graph`]: who can reach whom over which interface when a run begins.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use farlink_kernel::Duration;

use super::Hop;
use crate::blueprint::NodeId;
use crate::context::InterfaceId;
use crate::frame::NextHop;

/// One node can reach another.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// From this node.
    pub from: NodeId,
    /// Over this interface of it.
    pub interface: InterfaceId,
    /// To this node.
    pub to: NodeId,
    /// In this time.
    pub delay: Duration,
}

/// What a path costs, and its first hop; none at its start.
type Found = ((u64, u64), Option<Hop>);

/// A directed graph of nodes.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    edges: Vec<Vec<Edge>>,
}

impl Graph {
    /// A graph of `nodes` nodes. Parallel edges are tried in the order given.
    pub fn new(nodes: usize, edges: impl Iterator<Item = Edge>) -> Self {
        let mut graph = Self { edges: vec![Vec::new(); nodes] };
        edges.for_each(|edge| graph.edges[edge.from as usize].push(edge));
        graph
    }

    /// The first hops of the cheapest paths from `from` to every node, by what an edge costs (twofold: the
    /// second decides between paths of which the first are equal; then the path found first, over nodes
    /// with lower numbers, stays). E. W. Dijkstra, 1959.
    pub fn first_hops(&self, from: NodeId, cost: impl Fn(&Edge) -> (u64, u64)) -> Vec<Option<Hop>> {
        let mut best: Vec<Option<Found>> = vec![None; self.edges.len()];
        let mut is_settled = vec![false; self.edges.len()];
        best[from as usize] = Some(((0, 0), None));
        let mut open = BinaryHeap::from([Reverse(((0_u64, 0_u64), from as usize))]);
        while let Some(Reverse((so_far, node))) = open.pop() {
            if std::mem::replace(&mut is_settled[node], true) {
                continue;
            }
            let first = best[node].and_then(|(_, hop)| hop);
            for edge in &self.edges[node] {
                let (major, minor) = cost(edge);
                let total = (so_far.0.saturating_add(major), so_far.1.saturating_add(minor));
                let next = edge.to as usize;
                if best[next].is_none_or(|(before, _)| total < before) {
                    let hop = Hop { interface: edge.interface, next_hop: NextHop::Node(edge.to) };
                    best[next] = Some((total, first.or(Some(hop))));
                    open.push(Reverse((total, next)));
                }
            }
        }
        best.into_iter().map(|found| found.and_then(|(_, hop)| hop)).collect()
    }
}
