//! Between routing and a MAC that keeps its packets: another next hop for a retransmission, and packets without a route.

use crate::hop::{Decision, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::interface::Interface;
use crate::world::World;

impl World {
    /// A packet has no route: the MAC that received it may not acknowledge it.
    #[cold]
    pub(super) fn refuse(&mut self, node: NodeId, packet: PacketId) {
        if self.context.packets.stamp(packet).from.is_none() {
            return;
        }
        for interface in &mut self.interfaces {
            match interface {
                Interface::Station(station) if station.node == node => station.mac.on_refused(packet),
                _ => {}
            }
        }
    }

    /// An attempt failed of a packet that a MAC keeps: routing chooses the next hop of the next attempt.
    #[inline(never)]
    pub(super) fn try_again(&mut self, interface: InterfaceId, part: Part) {
        let station = self.interfaces[interface].station();
        let (node, channel, member) = (station.node, station.channel, station.member);
        if let NextHop::Node(neighbour) = part.next_hop {
            self.channels[channel].on_attempt_failed(member, neighbour);
        }
        let packet = &mut self.context.packets[part.packet];
        packet.attempt = packet.attempt.saturating_add(1);
        let way = match self.context.packets.message(part.packet) {
            // A routing message is for this neighbour.
            Some(_) => Decision::Forward(Hop { interface, next_hop: part.next_hop }),
            None => self.routers[node].ask(part.packet, &mut self.context),
        };
        self.notify_mac(interface, |mac, io| mac.on_way(part.packet, way, io));
        self.listen_to_router(node);
    }
}
