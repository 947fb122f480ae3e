//! Link addresses of neighbours: what a packet waits for between routing and the queue.

use crate::frame::LinkFailure;
use crate::hop::{Arrival, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::interface::Interface;
use crate::interface::arp::Step;
use crate::packet::Cause;
use crate::wire::arp::{Message, Operation};
use crate::world::World;

impl World {
    /// A packet comes down to an interface on a shared channel: it goes into the queue when the neighbour's link
    /// address is known.
    #[inline(never)]
    pub(super) fn down_to_station(&mut self, hop: Hop, packet: PacketId) {
        let Hop { interface, next_hop } = hop;
        let station = self.interfaces[interface].station();
        let node = station.node;
        match station.resolve(packet, next_hop) {
            Step::Pass => self.queue(hop, packet),
            Step::Ask(replaced) => {
                if let Some(replaced) = replaced {
                    self.context.drop(replaced, Cause::Arp);
                }
                if let NextHop::Node(neighbour) = next_hop {
                    self.say(interface, Operation::Request, neighbour, NextHop::Everyone);
                }
            }
            Step::GiveBack(waited) => {
                for packet in waited.into_iter().chain([packet]) {
                    self.give_back(node, Part { packet, next_hop }, Err(LinkFailure::Unresolved));
                }
            }
        }
    }

    /// An ARP message arrived: the link address of its sender is known now.
    #[cold]
    pub(super) fn on_arp(&mut self, message: Message, arrival: Arrival) {
        self.context.packets.deliver_message(arrival.packet);
        let Arrival { interface, .. } = arrival;
        let Interface::Station(station) = &mut self.interfaces[interface] else { return };
        let Some(memory) = &mut station.arp else { return };
        let (is_asked, next_hop) = (message.target == station.node, NextHop::Node(message.sender));
        if let Some(waited) = memory.on_heard(message.sender) {
            self.queue(Hop { interface, next_hop }, waited);
        }
        if is_asked && message.operation == Operation::Request {
            self.say(interface, Operation::Reply, message.sender, next_hop);
        }
    }

    /// A station asks for a neighbour or answers one.
    fn say(&mut self, interface: InterfaceId, operation: Operation, target: NodeId, next_hop: NextHop) {
        let station = self.interfaces[interface].station();
        let (node, packet) = (station.node, station.arp_message(operation, target, &mut self.context));
        self.send(node, packet, Hop { interface, next_hop });
    }
}
