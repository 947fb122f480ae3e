//! Packets between transport and interface: a host that takes time holds them.

use farlink_kernel::Phase;

use crate::blueprint::Blueprint;
use crate::event::Event;
use crate::host::line::Line;
use crate::host::{Config, Direction, Setup};
use crate::ids::{NodeId, PacketId};
use crate::packet::{Held, Location};
use crate::world::World;

/// The two directions of every node's host.
#[derive(Debug)]
pub(crate) struct Hosts(Vec<[Line; 2]>);

impl Hosts {
    /// `None` where hosts take no time.
    pub(super) fn new(blueprint: &Blueprint, seed: u64) -> Option<Self> {
        let config = &blueprint.host_delay;
        if matches!(config, Config::Ideal(_)) {
            return None;
        }
        let lines = |node| {
            [Direction::Up, Direction::Down]
                .map(|direction| Line::new(config.build(&Setup { seed, node, direction })))
        };
        Some(Self((0..blueprint.nodes.len() as u64).map(lines).collect()))
    }

    fn line(&mut self, node: NodeId, direction: Direction) -> &mut Line {
        &mut self.0[node.0 as usize][direction as usize]
    }

    pub(super) fn held(&self) -> impl Iterator<Item = Held> {
        let location = Location::Host;
        self.0.iter().zip((0..).map(NodeId)).flat_map(move |(lines, node)| {
            lines.iter().flat_map(Line::held).map(move |packet| Held { packet, location, node })
        })
    }
}

impl World {
    /// A packet of this node's transport goes to its interface.
    #[inline(always)]
    pub(super) fn send_out(&mut self, node: NodeId, packet: PacketId) {
        if self.hosts.is_some() {
            return self.hold(node, Direction::Down, packet);
        }
        self.down(node, packet);
    }

    /// A packet has reached its destination and goes to the transport.
    #[inline(always)]
    pub(super) fn take_in(&mut self, node: NodeId, packet: PacketId) {
        if self.hosts.is_some() {
            return self.hold(node, Direction::Up, packet);
        }
        self.reach_transport(packet);
    }

    fn reach_transport(&mut self, packet: PacketId) {
        let flow = self.context.packets[packet].flow;
        self.transport.on_packet(flow, packet, &mut self.context);
    }

    #[cold]
    fn hold(&mut self, node: NodeId, direction: Direction, packet: PacketId) {
        let now = self.context.now;
        let Some(hosts) = &mut self.hosts else { return };
        if let Some(at) = hosts.line(node, direction).take(now, packet) {
            self.events.push(at, Phase::Timer, node.0, Event::Host { node, direction });
        }
    }

    /// A host is done with a packet.
    #[cold]
    pub(super) fn on_host(&mut self, node: NodeId, direction: Direction) {
        let Some(hosts) = &mut self.hosts else { return };
        let Some((packet, next)) = hosts.line(node, direction).hand_on() else { return };
        if let Some(at) = next {
            self.events.push(at, Phase::Timer, node.0, Event::Host { node, direction });
        }
        match direction {
            Direction::Up => self.reach_transport(packet),
            Direction::Down => self.down(node, packet),
        }
    }
}
