//! The paths of flows over links and channels.

use std::collections::{BTreeSet, VecDeque};

use farlink_network::Blueprint;
use farlink_network::ids::NodeId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leg {
    /// Over a direction of a link: twice the link's number, and one more for its reverse.
    Link(usize),
    /// Over a channel, between two of its members and perhaps over others.
    Channel { number: usize, ends: [NodeId; 2] },
}

pub(crate) struct Network<'a> {
    blueprint: &'a Blueprint,
    /// By node: the directions of links that leave it.
    links: Vec<Vec<usize>>,
    channels: Vec<Vec<usize>>,
}

impl<'a> Network<'a> {
    pub(crate) fn new(blueprint: &'a Blueprint) -> Self {
        let nodes = blueprint.nodes.len();
        let (mut links, mut channels) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for (number, link) in blueprint.links.iter().enumerate() {
            links[link.between[0]].push(2 * number);
            links[link.between[1]].push(2 * number + 1);
        }
        for (number, channel) in blueprint.channels.iter().enumerate() {
            channel.members.iter().for_each(|&node| channels[node].push(number));
        }
        Self { blueprint, links, channels }
    }

    /// The path with the fewest legs from one node to another; empty if there is none.
    pub(crate) fn path(&self, from: NodeId, to: NodeId) -> Vec<Leg> {
        self.paths(from, &[to])
    }

    /// The legs of the paths from one node to each of several, those that paths have in common once.
    pub(crate) fn paths(&self, from: NodeId, to: &[NodeId]) -> Vec<Leg> {
        let mut missing: BTreeSet<NodeId> = to.iter().copied().collect();
        let mut previous: Vec<Option<(NodeId, Leg)>> = vec![None; self.links.len()];
        let mut is_open = vec![true; self.blueprint.channels.len()];
        let mut next = VecDeque::from([from]);
        while let Some(node) = next.pop_front() {
            missing.remove(&node);
            if missing.is_empty() {
                break;
            }
            let mut reach = |peer: NodeId, leg: Leg| {
                if peer != from && previous[peer].is_none() {
                    previous[peer] = Some((node, leg));
                    next.push_back(peer);
                }
            };
            for &link in &self.links[node] {
                reach(self.blueprint.links[link / 2].between[1 - link % 2], Leg::Link(link));
            }
            for &number in &self.channels[node] {
                if std::mem::take(&mut is_open[number]) {
                    for &peer in &self.blueprint.channels[number].members {
                        reach(peer, Leg::Channel { number, ends: [node, peer] });
                    }
                }
            }
        }
        let mut legs = Vec::new();
        for &to in to {
            let known = legs.len();
            let mut node = to;
            // What another path has taken leads to `from`.
            while let Some((before, leg)) = previous[node].take() {
                legs.push(leg);
                node = before;
            }
            legs[known..].reverse();
        }
        legs
    }
}
