//! [`Terrain`]: who can reach whom at an instant.

use std::collections::BTreeMap;

use farlink_kernel::{Duration, Instant, math};

use crate::blueprint::Radio;
use crate::channel::celerity::Celerity;
use crate::channel::medium::Delay;
use crate::channel::neighbourhood::Neighbourhood;
use crate::channel::propagation::{self, Path};
use crate::ids::{InterfaceId, NodeId};
use crate::mobility::trajectory::Trajectory;
use crate::phy::power::Strength;

/// One node can reach another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A shared channel: who makes out whom, as far as luck has no say. All antennas are alike, so that it is the same
/// in both directions.
#[derive(Debug)]
pub struct Reach {
    /// Who is on it.
    members: Vec<NodeId>,
    /// The interface of the first; those of the others follow in order.
    first: InterfaceId,
    neighbourhood: Neighbourhood,
    propagation: propagation::Any,
    power: Strength,
    least: Strength,
    delay: Delay,
    speed: Celerity,
}

impl Reach {
    /// Of a channel's members on their ways; their interfaces are numbered from `first` on.
    pub fn new(radio: &Radio, members: &[NodeId], first: InterfaceId, trajectories: Vec<Trajectory>) -> Self {
        let propagation = radio.propagation.build(&());
        let antenna = &radio.antenna;
        let reach = propagation.reach(antenna.receive_threshold.watts / antenna.power.watts);
        Self {
            members: members.to_vec(),
            first,
            neighbourhood: Neighbourhood::new(trajectories, reach, radio.skip_far),
            propagation,
            power: antenna.power.strength(),
            least: antenna.receive_threshold.strength(),
            delay: radio.delay,
            speed: radio.speed.clone(),
        }
    }

    /// Adds the edges that lead to a member.
    fn add_edges(&mut self, member: u32, now: Instant, edges: &mut Vec<Edge>) {
        let near = self.neighbourhood.near(member, now);
        let (place, to) = (self.neighbourhood.position(member, now), self.members[member as usize]);
        for &other in &near {
            let path = Path::new(self.neighbourhood.position(other, now), place);
            let gain = self.propagation.mean_gain(&path);
            if self.power.0 + math::ln(gain) >= self.least.0 {
                let delay = match self.delay {
                    Delay::Distance => self.speed.time_between(path.from, path.to, path.distance),
                    Delay::None => Duration::ZERO,
                };
                let (from, interface) = (self.members[other as usize], self.first + other);
                edges.push(Edge { from, interface, to, delay });
            }
        }
        self.neighbourhood.keep(member, near);
    }
}

/// Nodes and what connects them.
#[derive(Debug, Default)]
pub struct Terrain {
    /// Wires, by the node they lead to.
    wires: BTreeMap<NodeId, Vec<Edge>>,
    channels: Vec<Reach>,
    /// By node: channels it is on, and its places among their members.
    places: BTreeMap<NodeId, Vec<(usize, u32)>>,
    /// When it was looked at last, and the edges that were found then by the node they lead to.
    seen: Instant,
    known: BTreeMap<NodeId, Vec<Edge>>,
}

impl Terrain {
    /// Of wires and channels.
    pub fn new(wires: impl Iterator<Item = Edge>, channels: Vec<Reach>) -> Self {
        let mut terrain = Self { channels, ..Self::default() };
        wires.for_each(|edge| terrain.wires.entry(edge.to).or_default().push(edge));
        for (channel, number) in terrain.channels.iter().zip(0..) {
            for (&node, member) in channel.members.iter().zip(0..) {
                terrain.places.entry(node).or_default().push((number, member));
            }
        }
        terrain
    }

    /// True when nobody ever moves.
    pub fn is_still(&self) -> bool {
        self.channels.iter().all(|channel| channel.neighbourhood.is_still())
    }

    /// It is seen as of `now` from here on; nobody looks back.
    pub fn look(&mut self, now: Instant) {
        if self.seen != now {
            self.seen = now;
            self.known.clear();
        }
    }

    /// The edges that lead from a node: wires in the order of their far ends, then neighbours in the order of theirs.
    pub fn edges_from(&mut self, node: NodeId) -> Vec<Edge> {
        let wires = self.wires.values().flatten().filter(|edge| edge.from == node).copied();
        let mut edges: Vec<_> = wires.collect();
        for &(channel, member) in self.places.get(&node).into_iter().flatten() {
            let (own, mut there) = (self.channels[channel].first + member, Vec::new());
            // All antennas are alike: who reaches the node is who it reaches.
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

    /// The edges that lead to a node: wires in the order of their numbers, then neighbours in the order of theirs.
    pub fn edges_to(&mut self, node: NodeId) -> &[Edge] {
        self.known.entry(node).or_insert_with(|| {
            let mut edges = self.wires.get(&node).cloned().unwrap_or_default();
            for &(channel, member) in self.places.get(&node).into_iter().flatten() {
                self.channels[channel].add_edges(member, self.seen, &mut edges);
            }
            edges
        })
    }
}
