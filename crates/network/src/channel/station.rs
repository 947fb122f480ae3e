//! [`Station`]: an interface on a shared channel: what waits, when it is sent, and the antenna.

use farlink_kernel::Instant;
use farlink_tcp::Ecn;

use crate::blueprint::NodeId;
use crate::context::{Context, InterfaceId, Timer};
use crate::frame::Frame;
use crate::mac::{self, Io};
use crate::packet::PacketId;
use crate::phy::Phy;
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
    /// Its antenna.
    pub phy: Phy,
    /// What was waiting and sent.
    pub usage: Usage,
    /// How many frames it sent.
    pub frames: u64,
    /// Its MAC's pending event.
    pub timer: Timer,
    /// Its MAC.
    pub mac: mac::Any,
    /// What waits.
    pub queue: queue::Any,
}

impl Station {
    /// Gives the MAC an input, with what it may use.
    pub fn mac(&mut self, cx: &mut Context, input: impl FnOnce(&mut mac::Any, &mut Io<'_>)) {
        let Self { interface, node, mac, queue, .. } = self;
        input(mac, &mut Io { interface: *interface, node: *node, queue, cx });
        self.usage.on_change(cx.now, self.queue.backlog().packets);
    }

    /// A packet comes down for a neighbour.
    pub fn on_packet(&mut self, packet: PacketId, next_hop: NodeId, cx: &mut Context) {
        let (size, class, ecn) = (cx.packets[packet].size, cx.packets[packet].class, cx.packets[packet].ecn);
        let offer = Offer { now: cx.now, size, can_be_marked: ecn != Ecn::NotCapable };
        let backlog = self.queue.backlog();
        match self.queue.on_arrival(&offer, &backlog) {
            Verdict::Drop(cause) => return cx.drop(packet, cause),
            Verdict::Mark => cx.packets[packet].ecn = Ecn::Experienced,
            Verdict::Accept => {}
        }
        self.queue.push(Entry { packet, size, class, next_hop, arrived: cx.now }, cx);
        self.mac(cx, |mac, io| mac.on_queued(io));
    }

    /// A frame goes to the antenna; when it will be sent.
    pub fn on_transmit(&mut self, frame: &Frame, now: Instant) -> Instant {
        let free_at = now + self.phy.air_time(frame.size);
        self.phy.start_sending();
        self.usage.on_busy(now, free_at);
        self.frames += 1;
        free_at
    }

    /// Every packet the station holds, for the books.
    pub fn held_packets(&self) -> impl Iterator<Item = PacketId> {
        self.queue.waiting().into_iter().chain(self.mac.held())
    }
}
