//! What passes between a MAC that keeps its packets and routing: another neighbour for another attempt, and word of
//! packets that go nowhere.

use crate::hop::{Decision, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::interface::Interface;
use crate::world::World;

impl World {
    /// A packet goes nowhere: the MAC it came from may have to know that before it answers for it.
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

    /// An attempt failed for a packet that a MAC keeps: routing is asked about the next one.
    #[inline(never)]
    pub(super) fn try_again(&mut self, interface: InterfaceId, part: Part) {
        let station = self.interfaces[interface as usize].station();
        let (node, channel, member) = (station.node, station.channel, station.member);
        if let NextHop::Node(neighbour) = part.next_hop {
            self.airs[channel as usize].on_failed(member, neighbour);
        }
        let packet = &mut self.context.packets[part.packet];
        packet.attempt = packet.attempt.saturating_add(1);
        let way = match self.context.packets.message(part.packet) {
            // A message is for this neighbour; its destination says nothing.
            Some(_) => Decision::Forward(Hop { interface, next_hop: part.next_hop }),
            None => self.routers[node as usize].ask(part.packet, &mut self.context),
        };
        self.tell_mac(interface, |mac, io| mac.on_way(part.packet, way, io));
        self.listen_to_router(node);
    }
}
