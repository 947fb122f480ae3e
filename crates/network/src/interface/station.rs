//! [`Station`]: an interface on a shared channel: what waits and when it is sent. Its antenna is with the
//! [`SharedChannel`](crate::channel::shared::SharedChannel).

use farlink_kernel::{Duration, Instant};
use farlink_tcp::Ecn;

use super::arp::{Memory, Step};
use crate::context::Context;
use crate::hop::NextHop;
use crate::ids::{ChannelId, InterfaceId, NodeId, PacketId};
use crate::mac::{self, Io};
use crate::metrics::usage::Usage;
use crate::packet::{Class, Held, Location, Packets};
use crate::phy::antenna::Carrier;
use crate::queue::line::Line;
use crate::queue::{Entry, Offer, Verdict};
use crate::timer::Timer;
use crate::wire;
use crate::wire::arp::{Message, Operation};

#[derive(Debug)]
pub struct Station {
    pub interface: InterfaceId,
    pub node: NodeId,
    pub channel: ChannelId,
    pub member: usize,
    pub usage: Usage,
    pub frames: u64,
    /// How many packets its MAC gave up because the neighbour did not answer.
    pub given_up: u64,
    /// How many packets its MAC knew already and did not pass up.
    pub discarded: u64,
    /// Known link addresses; `None`: all.
    pub arp: Option<Memory>,
    /// Routing [overhears](crate::routing::Routing::overhears) frames for other nodes.
    pub is_tapped: bool,
    pub timer: Timer,
    pub mac: mac::Any,
    pub queue: Line,
}

impl Station {
    /// Gives the MAC an input, with what it may use.
    pub fn mac(
        &mut self,
        carrier: Carrier,
        cx: &mut Context,
        input: impl FnOnce(&mut mac::Any, &mut Io<'_>),
    ) {
        let Self { interface, node, mac, queue, .. } = self;
        input(mac, &mut Io { interface: *interface, node: *node, carrier, queue, cx });
        if self.queue.has_changed() {
            self.usage.on_change(cx.now, self.queue.backlog().packets);
        }
    }

    /// A packet comes down: is the neighbour's link address known?
    pub fn resolve(&mut self, packet: PacketId, next_hop: NextHop) -> Step {
        match (&mut self.arp, next_hop) {
            (Some(memory), NextHop::Node(neighbour)) => memory.on_packet(neighbour, packet),
            _ => Step::Pass,
        }
    }

    /// A message that asks for a neighbour or answers one.
    pub fn arp_message(&self, operation: Operation, target: NodeId, cx: &mut Context) -> PacketId {
        let message = wire::Message::Arp(Message { operation, sender: self.node, target });
        cx.packets.originate_message(self.node, 1, Message::SIZE, message, cx.now)
    }

    /// A packet is for a neighbour whose link address is known; true when it waits now.
    pub fn on_packet(&mut self, packet: PacketId, next_hop: NextHop, cx: &mut Context) -> bool {
        // Routing's packets go first, those of ARP do not (ns-2, queue/priqueue.cc).
        let class =
            if arp_message(packet, &cx.packets).is_some() { Class::Data } else { cx.packets[packet].class };
        let (size, ecn) = (cx.packets[packet].size, cx.packets[packet].ecn);
        let offer = Offer { now: cx.now, size, can_be_marked: ecn != Ecn::NotCapable };
        let backlog = self.queue.backlog();
        match self.queue.on_arrival(&offer, &backlog) {
            Verdict::Drop(cause) => {
                self.mac.on_refused(packet);
                cx.drop(packet, cause);
                return false;
            }
            Verdict::Mark => cx.packets[packet].ecn = Ecn::Experienced,
            Verdict::Accept => {}
        }
        self.queue.push(Entry { packet, size, class, next_hop, arrived: cx.now }, cx);
        true
    }

    /// A frame goes to the antenna for so long.
    pub fn on_transmit(&mut self, now: Instant, length: Duration) {
        self.usage.on_busy(now, now + length);
        self.frames += 1;
    }

    pub fn held_packets(&self) -> impl Iterator<Item = Held> {
        let at = |location| move |packet| Held { packet, location, node: self.node };
        let unresolved = self.arp.iter().flat_map(Memory::held).map(at(Location::Arp));
        let queued = self.queue.waiting().into_iter().map(at(Location::Queue));
        queued.chain(self.mac.held().into_iter().map(at(Location::Mac))).chain(unresolved)
    }
}

pub fn arp_message(packet: PacketId, packets: &Packets) -> Option<Message> {
    match packets.message(packet) {
        Some(&wire::Message::Arp(message)) => Some(message),
        _ => None,
    }
}
