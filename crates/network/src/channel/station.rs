//! [`Station`]: an interface on a shared channel: what waits and when it is sent. Its antenna is with the
//! [`Air`](super::air::Air).

use farlink_kernel::{Duration, Instant};
use farlink_tcp::Ecn;

use crate::blueprint::NodeId;
use crate::context::{Context, InterfaceId, Timer};
use crate::frame::NextHop;
use crate::mac::{self, Io};
use crate::packet::PacketId;
use crate::phy::antenna::Carrier;
use crate::probe::usage::Usage;
use crate::queue::{self, Entry, Offer, Verdict};

/// An interface on a shared channel.
#[derive(Debug)]
pub struct Station {
    /// Its own number.
    pub interface: InterfaceId,
    /// Whose interface.
    pub node: NodeId,
    /// On which channel.
    pub channel: u32,
    /// Its place among the channel's members.
    pub member: usize,
    /// What was waiting and sent.
    pub usage: Usage,
    /// How many frames it sent.
    pub frames: u64,
    /// How many packets its MAC gave up because the neighbour did not answer.
    pub given_up: u64,
    /// Its MAC's pending event.
    pub timer: Timer,
    /// Its MAC.
    pub mac: mac::Any,
    /// What waits.
    pub queue: queue::Any,
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
        self.usage.on_change(cx.now, self.queue.backlog().packets);
    }

    /// A packet comes down for a neighbour; true when it waits now.
    pub fn on_packet(&mut self, packet: PacketId, next_hop: NextHop, cx: &mut Context) -> bool {
        let (size, class, ecn) = (cx.packets[packet].size, cx.packets[packet].class, cx.packets[packet].ecn);
        let offer = Offer { now: cx.now, size, can_be_marked: ecn != Ecn::NotCapable };
        let backlog = self.queue.backlog();
        match self.queue.on_arrival(&offer, &backlog) {
            Verdict::Drop(cause) => {
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

    /// Every packet the station holds, for the books.
    pub fn held_packets(&self) -> impl Iterator<Item = PacketId> {
        self.queue.waiting().into_iter().chain(self.mac.held())
    }
}
