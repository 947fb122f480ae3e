//! [`Network`]: over which hops a flow goes.

use std::collections::VecDeque;

use farlink_network::Blueprint;
use farlink_network::ids::NodeId;

/// A part of a flow's path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Leg {
    /// Over a direction of a link: twice the link's number, and one more for its reverse.
    Wire(usize),
    /// Over a channel, between two of its members and perhaps over others.
    Channel {
        /// Which.
        number: usize,
        /// The members, by node.
        ends: [NodeId; 2],
    },
}

/// Nodes, and what they are attached to.
pub(super) struct Network<'a> {
    blueprint: &'a Blueprint,
    /// By node: the directions of links that leave it.
    wires: Vec<Vec<usize>>,
    /// By node: its channels.
    channels: Vec<Vec<usize>>,
}

impl<'a> Network<'a> {
    pub(super) fn new(blueprint: &'a Blueprint) -> Self {
        let nodes = blueprint.nodes.len();
        let (mut wires, mut channels) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for (number, link) in blueprint.links.iter().enumerate() {
            wires[link.between[0] as usize].push(2 * number);
            wires[link.between[1] as usize].push(2 * number + 1);
        }
        for (number, channel) in blueprint.channels.iter().enumerate() {
            channel.members.iter().for_each(|&node| channels[node as usize].push(number));
        }
        Self { blueprint, wires, channels }
    }

    /// The fewest legs from one node to another; none where nothing leads there.
    pub(super) fn path(&self, from: NodeId, to: NodeId) -> Vec<Leg> {
        let mut came: Vec<Option<(NodeId, Leg)>> = vec![None; self.wires.len()];
        let mut is_open = vec![true; self.blueprint.channels.len()];
        let mut next = VecDeque::from([from]);
        while let Some(node) = next.pop_front() {
            if node == to {
                break;
            }
            let mut reach = |peer: NodeId, leg: Leg| {
                if peer != from && came[peer as usize].is_none() {
                    came[peer as usize] = Some((node, leg));
                    next.push_back(peer);
                }
            };
            for &wire in &self.wires[node as usize] {
                reach(self.blueprint.links[wire / 2].between[1 - wire % 2], Leg::Wire(wire));
            }
            for &number in &self.channels[node as usize] {
                if std::mem::take(&mut is_open[number]) {
                    for &peer in &self.blueprint.channels[number].members {
                        reach(peer, Leg::Channel { number, ends: [node, peer] });
                    }
                }
            }
        }
        let back = |&node: &NodeId| came[node as usize].map(|(before, _)| before);
        let nodes = std::iter::successors(Some(to), back);
        let mut legs: Vec<Leg> = nodes.filter_map(|node| came[node as usize].map(|(_, leg)| leg)).collect();
        legs.reverse();
        legs
    }
}
