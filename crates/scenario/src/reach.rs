//! Who can reach whom over links and channels.

use farlink_network::Blueprint;
use farlink_network::blueprint::{Channel, NodeId};
use farlink_network::channel::propagation;

/// The parts of the network that hang together.
pub(crate) struct Reach {
    /// For each node some node of the same part, closer to the part's root.
    parents: Vec<NodeId>,
}

impl Reach {
    pub(crate) fn new(blueprint: &Blueprint) -> Self {
        let mut reach = Self { parents: (0..blueprint.nodes.len() as NodeId).collect() };
        for link in &blueprint.links {
            reach.join(link.between[0], link.between[1]);
        }
        for channel in &blueprint.channels {
            for (i, a) in channel.members.iter().enumerate() {
                for b in &channel.members[i + 1..] {
                    if hears(blueprint, channel, *a, *b) {
                        reach.join(*a, *b);
                    }
                }
            }
        }
        reach
    }

    pub(crate) fn connects(&self, a: NodeId, b: NodeId) -> bool {
        self.root(a) == self.root(b)
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a as usize] = b;
    }

    fn root(&self, mut node: NodeId) -> NodeId {
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }
}

fn hears(blueprint: &Blueprint, channel: &Channel, a: NodeId, b: NodeId) -> bool {
    let position = |node: NodeId| blueprint.nodes[node as usize].position;
    match &channel.radio.propagation {
        propagation::Config::Disc(disc) => position(a).distance(position(b)) <= disc.range,
    }
}
