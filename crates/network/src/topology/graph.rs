//! [`Graph`]: which nodes reach each other at an instant.

use std::collections::BTreeMap;

use farlink_kernel::{Duration, Instant, math};

use crate::channel::medium::Medium;
use crate::channel::propagation::Path;
use crate::channel::spatial_index::SpatialIndex;
use crate::ids::{InterfaceId, NodeId};
use crate::mobility::trajectory::Trajectory;
use crate::phy::power::Strength;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: NodeId,
    pub interface: InterfaceId,
    pub to: NodeId,
    pub delay: Duration,
}

/// A shared channel: which members receive each other's signals when fading is left out. All antennas are alike, so
/// that it is the same in both directions.
#[derive(Debug)]
pub struct Shared {
    members: Vec<NodeId>,
    /// The interface of the first; those of the others follow in order.
    first: InterfaceId,
    index: SpatialIndex,
    medium: Medium,
    least: Strength,
}

impl Shared {
    /// Of a channel's members on their trajectories; their interfaces are numbered from `first` on.
    pub fn new(
        medium: Medium,
        members: &[NodeId],
        first: InterfaceId,
        trajectories: Vec<Trajectory>,
    ) -> Self {
        let threshold = medium.antenna.receive_threshold;
        let index = medium.spatial_index(trajectories, medium.reach(threshold));
        Self { members: members.to_vec(), first, index, least: threshold.strength(), medium }
    }

    fn add_edges(&mut self, member: u32, now: Instant, edges: &mut Vec<Edge>) {
        let Self { members, first, index, medium, least } = self;
        let near = index.candidates(member, now);
        let (place, to) = (index.position(member, now), members[member as usize]);
        for &other in &near {
            let path = Path::new(index.position(other, now), place);
            let gain = medium.propagation.mean_gain(&path);
            if medium.power.0 + math::ln(gain) >= least.0 {
                let delay = medium.delay(&path);
                let (from, interface) = (members[other as usize], InterfaceId(first.0 + other));
                edges.push(Edge { from, interface, to, delay });
            }
        }
        index.keep(member, near);
    }
}

#[derive(Debug, Default)]
pub struct Graph {
    /// Links, by the node they lead to.
    links: BTreeMap<NodeId, Vec<Edge>>,
    channels: Vec<Shared>,
    /// By node: channels it is on, and its places among their members.
    places: BTreeMap<NodeId, Vec<(usize, u32)>>,
    /// The instant asked about last, and the edges that were found then by the node they lead to.
    seen: Instant,
    known: BTreeMap<NodeId, Vec<Edge>>,
}

impl Graph {
    pub fn new(links: impl Iterator<Item = Edge>, channels: Vec<Shared>) -> Self {
        let mut graph = Self { channels, ..Self::default() };
        graph.set_links(links);
        for (channel, number) in graph.channels.iter().zip(0..) {
            for (&node, member) in channel.members.iter().zip(0..) {
                graph.places.entry(node).or_default().push((number, member));
            }
        }
        graph
    }

    /// From here on it has these links.
    pub fn set_links(&mut self, links: impl Iterator<Item = Edge>) {
        self.links.clear();
        self.known.clear();
        links.for_each(|edge| self.links.entry(edge.to).or_default().push(edge));
    }

    pub fn is_still(&self) -> bool {
        self.channels.iter().all(|channel| channel.index.is_still())
    }

    /// From here on it is asked about as of `now`, which never goes back.
    pub fn set_now(&mut self, now: Instant) {
        if self.seen != now {
            self.seen = now;
            self.known.clear();
        }
    }

    /// The edges that lead from a node: links in the order of their far ends, then neighbours in the order of theirs.
    pub fn edges_from(&mut self, node: NodeId) -> Vec<Edge> {
        let links = self.links.values().flatten().filter(|edge| edge.from == node).copied();
        let mut edges: Vec<_> = links.collect();
        for &(channel, member) in self.places.get(&node).into_iter().flatten() {
            let (own, mut there) = (InterfaceId(self.channels[channel].first.0 + member), Vec::new());
            // All antennas are alike: the node reaches those that reach it.
            self.channels[channel].add_edges(member, self.seen, &mut there);
            edges.extend(there.into_iter().map(|edge| Edge {
                from: node,
                interface: own,
                to: edge.from,
                ..edge
            }));
        }
        edges
    }

    /// The edges that lead to a node: links in the order of their numbers, then neighbours in the order of theirs.
    pub fn edges_to(&mut self, node: NodeId) -> &[Edge] {
        self.known.entry(node).or_insert_with(|| {
            let mut edges = self.links.get(&node).cloned().unwrap_or_default();
            for &(channel, member) in self.places.get(&node).into_iter().flatten() {
                self.channels[channel].add_edges(member, self.seen, &mut edges);
            }
            edges
        })
    }
}
