//! [`Reach`]: which members of a shared channel receive each other, where they are at first and without fading.

use farlink_kernel::Instant;
use farlink_network::Blueprint;
use farlink_network::blueprint::Channel;
use farlink_network::channel::propagation::{Any, Path};
use farlink_network::ids::NodeId;
use farlink_network::space::{Metres, Position};

use crate::movement::write::legs;

/// The number of members whose neighbours are counted.
const SAMPLED: usize = 64;

pub(crate) struct Reach {
    pub(crate) members: Vec<(NodeId, Position)>,
    /// The distance at which a signal is received.
    pub(crate) range: Metres,
    /// The distance at which it disturbs others.
    disturbed: Metres,
}

impl Reach {
    pub(crate) fn new(blueprint: &Blueprint, channel: &Channel) -> Self {
        let (propagation, antenna) = (channel.radio.propagation.build(&()), &channel.radio.antenna);
        let initial = |node: NodeId| legs(&blueprint.nodes[node], node, 0, Instant::ZERO)[0].from;
        let members: Vec<_> = channel.members.iter().map(|&node| (node, initial(node))).collect();
        let from = members.first().map(|first| first.1).unwrap_or_default();
        let [range, disturbed] = [antenna.receive_threshold.watts, antenna.floor().watts]
            .map(|least| range(&propagation, from, least / antenna.power.watts));
        Self { members, range, disturbed }
    }

    pub(crate) fn position(&self, node: NodeId) -> Option<Position> {
        let index = self.members.binary_search_by_key(&node, |&(node, _)| node);
        index.ok().map(|index| self.members[index].1)
    }

    /// The number of hops between two members.
    pub(crate) fn hops(&self, ends: [NodeId; 2]) -> f64 {
        let [from, to] = ends.map(|node| self.position(node).unwrap_or_default());
        let most = (self.members.len() as f64 - 1.0).max(1.0);
        (from.distance(to).0 / self.range.0.max(1e-9)).ceil().clamp(1.0, most)
    }

    /// The mean number of nodes that a signal disturbs, over a sample of members.
    pub(crate) fn neighbours(&self) -> f64 {
        let near = |from: Position| {
            let within = |&&(_, to): &&(NodeId, Position)| from.distance(to) <= self.disturbed;
            self.members.iter().filter(within).count() - 1
        };
        let step = self.members.len().div_ceil(SAMPLED).max(1);
        let counts: Vec<f64> =
            self.members.iter().step_by(step).map(|&(_, from)| near(from) as f64).collect();
        counts.iter().sum::<f64>() / (counts.len() as f64).max(1.0)
    }
}

/// The distance at which the mean gain falls to `least`.
fn range(propagation: &Any, from: Position, least: f64) -> Metres {
    let gain = |distance: f64| {
        propagation.mean_gain(&Path::new(from, Position { x: Metres(from.x.0 + distance), ..from }))
    };
    let (mut near, mut far) = (0.0, propagation.reach(least).0.min(Metres::FARTHEST.0));
    for _ in 0..64 {
        let middle = f64::midpoint(near, far);
        if gain(middle) >= least { near = middle } else { far = middle }
    }
    Metres(far)
}
