//! [`Packet`]: what travels, in a slab with a ledger: every copy has one beginning and one end.

use farlink_kernel::Instant;
use farlink_kernel::ordered::Map;
use farlink_kernel::slab::Slab;
use farlink_tcp::{Ecn, Notice, Segment};

use crate::hop::{NextHop, Part};
use crate::ids::{End, FlowId, MessageId, NodeId, PacketId};
use crate::wire::Message;

mod account;
mod carried;
mod ledger;
pub mod log;
mod place;
mod slots;
mod stamp;

pub use account::{
    Account, CAUSES, CLASSES, Cause, Class, Discard, Duplication, Location, Losses, counted, named,
};
use carried::Carried;
pub use carried::HeaderId;
pub use ledger::{Held, InFlight};
use log::{Fate, Log};
pub use place::Place;
use slots::Slots;
pub use stamp::Stamp;
use stamp::Stamps;

/// What a packet carries.
#[derive(Clone, Copy, Debug)]
pub enum Payload {
    /// A TCP segment; its payload is the flow's bytes from [`Packet::offset`] on.
    Segment(Segment),
    /// A datagram with so many bytes of the flow.
    Datagram(u32),
    /// A router's word for one end of the flow.
    Notice(Notice),
    /// Messages of routing protocols, from neighbour to neighbour; of no flow.
    Message(MessageId),
}

/// One copy of a packet.
// Aligned, it lies in two lines of the cache and not across three.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Packet {
    /// The packet's number; copies share it.
    pub number: u64,
    /// Its flow; means nothing for routing's messages.
    pub flow: FlowId,
    /// Where it comes from.
    pub source: NodeId,
    /// Where it goes; routing's messages go to the next hop.
    pub destination: NodeId,
    /// The end of the flow it is for.
    pub to: End,
    /// What it is for.
    pub class: Class,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// Hops left.
    pub hop_limit: u8,
    /// How often a link of the present node gave it back; what routing is asked with.
    pub attempt: u8,
    /// It is on a shared channel while its sender's MAC keeps another copy for a retransmission ([`Packets::copy_for_attempt`]).
    pub is_attempt: bool,
    /// Its transport had sent its data before.
    pub is_retransmission: bool,
    /// A link made a copy of it, or it is that copy.
    pub is_copied: bool,
    /// Where it counts if it is dropped. Packets at their destination are not dropped, and keep that of the hop before.
    pub place: Place,
    /// Size with its IP header in bytes.
    pub size: u32,
    /// When its first payload byte was sent for the first time.
    pub first_sent: Instant,
    /// Position of its first payload byte in the flow's stream.
    pub offset: u64,
    /// What routing adds to a packet that is not its own; its size counts.
    pub header: Option<HeaderId>,
    /// What it carries.
    pub payload: Payload,
}

const _: () = assert!(size_of::<Packet>() == 128, "a packet takes two lines of the cache");

impl Packet {
    /// Hops a packet may go over at first (the recommended default of the IP time to live).
    pub const HOP_LIMIT: u8 = 64;

    /// A packet of flow 0 that sets out now from the first node to the second.
    pub(crate) fn new(
        [source, destination]: [NodeId; 2],
        class: Class,
        size: u32,
        payload: Payload,
        now: Instant,
    ) -> Self {
        Self {
            number: 0,
            flow: FlowId(0),
            source,
            destination,
            to: End::Receiver,
            class,
            ecn: Ecn::NotCapable,
            hop_limit: Self::HOP_LIMIT,
            attempt: 0,
            is_attempt: false,
            is_retransmission: false,
            is_copied: false,
            place: Place::node(source),
            size,
            first_sent: now,
            offset: 0,
            header: None,
            payload,
        }
    }

    /// Something it carries is kept apart.
    fn carries(&self) -> bool {
        self.header.is_some() || matches!(self.payload, Payload::Message(_))
    }

    fn messages(&self) -> impl Iterator<Item = MessageId> {
        let own = match self.payload {
            Payload::Message(message) => Some(message),
            _ => None,
        };
        own.into_iter().chain(self.header.map(HeaderId::message))
    }
}

/// Where a packet was dropped, its class and the cause.
pub type Dropped = (Place, Class, Cause);

/// All packets in flight and their ledger.
#[derive(Debug, Default)]
pub struct Packets {
    slab: Slab<Packet>,
    numbers: u64,
    /// One per flow and class, then that of routing's messages.
    accounts: Vec<Account>,
    /// The instant of what is recorded now, the same as [`Context::now`](crate::context::Context::now).
    pub(crate) now: Instant,
    /// The beginning and the end of every copy; `None` unless asked for.
    pub(crate) log: Option<Box<Log>>,
    /// Where packets of each flow, then routing's messages, were dropped, of what class and why, with their number.
    places: Vec<Map<Dropped, u64>>,
    messages: Slab<Carried>,
    stamps: Stamps,
    references: usize,
    slots: Slots,
}

impl Packets {
    /// Records the beginning and the end of every copy from now on.
    pub(crate) fn keep_log(&mut self) {
        self.log = Some(Box::default());
        let begun: Vec<u32> = self.slab.iter().map(|(id, _)| id).collect();
        for id in begun {
            self.log_origin(PacketId(id));
        }
    }

    #[cold]
    #[inline(never)]
    fn log_origin(&mut self, id: PacketId) {
        let packet = &self.slab[id.0];
        if let Some(log) = &mut self.log {
            log.on_origin(id, packet, self.slots.owner(packet.flow), self.now);
        }
    }

    /// A new packet of a flow begins. Its number is given here.
    #[inline(always)]
    pub fn originate(&mut self, packet: Packet) -> PacketId {
        self.begin(packet, place(packet.flow, packet.class))
    }

    #[inline(always)]
    fn begin(&mut self, mut packet: Packet, account: usize) -> PacketId {
        packet.number = self.numbers;
        self.numbers += 1;
        self.accounts[account].originated += 1;
        let id = self.slab.insert(packet);
        if self.log.is_some() {
            self.log_origin(PacketId(id));
        }
        PacketId(id)
    }

    fn account_of(&mut self, packet: &Packet) -> &mut Account {
        let place = match packet.payload {
            Payload::Message(_) => self.accounts.len() - 1,
            _ => place(packet.flow, packet.class),
        };
        &mut self.accounts[place]
    }

    /// A packet of routing's own begins: `message` from `source` to its neighbours, `size` bytes with the IP
    /// header.
    pub fn originate_message(
        &mut self,
        source: NodeId,
        hop_limit: u8,
        size: u32,
        message: Message,
        now: Instant,
    ) -> PacketId {
        let payload =
            Payload::Message(MessageId(self.messages.insert(Carried { message, copies: 1, size: 0 })));
        let packet = Packet::new([source, source], Class::Routing, size, payload, now);
        let packet = Packet { hop_limit, ..packet };
        self.begin(packet, self.accounts.len() - 1)
    }

    /// A link's error model makes a copy.
    pub fn duplicate(&mut self, id: PacketId) -> PacketId {
        self.slab[id.0].is_copied = true;
        self.copy(id, Duplication::Link)
    }

    /// A node receives a broadcast packet, whose sender keeps `id`.
    pub fn receive_broadcast(&mut self, id: PacketId, node: NodeId) -> PacketId {
        let copy = self.copy(id, Duplication::Broadcast);
        self.slab[copy.0].place = Place::node(node);
        self.hold(copy, node);
        copy
    }

    /// A copy for an attempt on a shared channel; the sender keeps `id` until the copy has arrived, or for another attempt.
    pub fn copy_for_attempt(&mut self, id: PacketId) -> PacketId {
        let copy = self.copy(id, Duplication::Attempt);
        self.slab[copy.0].is_attempt = true;
        copy
    }

    /// A next hop receives a copy from a shared channel.
    pub fn receive(&mut self, id: PacketId, node: NodeId) {
        let packet = &mut self.slab[id.0];
        (packet.is_attempt, packet.place) = (false, Place::node(node));
        if let Some(log) = &mut self.log {
            log.on_received(id, node);
        }
    }

    pub(crate) fn hold(&mut self, id: PacketId, node: NodeId) {
        if let Some(log) = &mut self.log {
            log.on_held(id, node);
        }
    }

    fn copy(&mut self, of: PacketId, by: Duplication) -> PacketId {
        let copy = self.slab[of.0];
        self.account_of(&copy).duplicated[by as usize] += 1;
        let id = self.insert_copy(copy, of);
        if let Some(log) = &mut self.log {
            log.on_copy(id, of, by, self.now);
        }
        id
    }

    fn insert_copy(&mut self, copy: Packet, of: PacketId) -> PacketId {
        if copy.carries() {
            copy.messages().for_each(|message| self.messages[message.0].copies += 1);
        }
        let id = self.slab.insert(copy);
        self.stamps.copy(copy.number, of, PacketId(id));
        PacketId(id)
    }

    /// What a MAC wrote into a packet's header.
    pub fn stamp(&self, id: PacketId) -> Stamp {
        self.stamps.get(self.slab[id.0].number, id)
    }

    pub(crate) fn put_stamp(&mut self, id: PacketId, stamp: Stamp) {
        self.stamps.put(self.slab[id.0].number, id, stamp);
    }

    fn remove(&mut self, id: PacketId) -> Packet {
        let packet = self.slab.remove(id.0);
        if packet.carries() {
            packet.messages().for_each(|message| _ = self.release(message));
        }
        packet
    }

    /// A copy that listeners of a frame read, whatever happens to the packet. It is not in the ledger, and its owner
    /// [forgets](Self::forget) it.
    pub fn reference(&mut self, id: PacketId) -> PacketId {
        let copy = self.slab[id.0];
        self.references += 1;
        let reference = self.insert_copy(copy, id);
        if let Some(log) = &mut self.log {
            log.on_reference(reference, id);
        }
        reference
    }

    pub(crate) fn forget(&mut self, reference: PacketId) {
        self.remove(reference);
        self.references -= 1;
    }

    /// A copy reached its transport and ends; routing's messages end at [`Packets::deliver_message`].
    // The end of every segment: a call would take as many instructions again.
    #[inline(always)]
    pub fn deliver(&mut self, id: PacketId) {
        let Packet { flow, class, header, .. } = self.slab.remove(id.0);
        // A source route may lead past its destination.
        if let Some(header) = header {
            self.release(header.message());
        }
        self.accounts[place(flow, class)].delivered += 1;
        self.end(id, Fate::Delivered);
    }

    /// A packet of routing's own was read by a neighbour's routing and ends.
    /// The message that it carried.
    ///
    /// # Panics
    /// For a packet that carries none.
    pub fn deliver_message(&mut self, id: PacketId) -> Message {
        let packet = self.slab.remove(id.0);
        let Payload::Message(message) = packet.payload else { panic!("a packet of a flow is no message") };
        packet.header.into_iter().for_each(|header| _ = self.release(header.message()));
        let shared = (self.messages[message.0].copies > 1).then(|| self.messages[message.0].message.clone());
        let last = self.release(message);
        self.account_of(&packet).delivered += 1;
        self.end(id, Fate::Delivered);
        shared.or(last).expect("the last copy takes the message along")
    }

    /// The link has acknowledged a packet, or broadcast it: the sender's copy ends.
    pub fn discard_sent(&mut self, part: Part) {
        let why = match part.next_hop {
            NextHop::Node(_) => Discard::Acknowledged,
            NextHop::Everyone => Discard::Broadcast,
        };
        self.discard(part.packet, why);
    }

    /// A copy ends because another one goes on.
    pub fn discard(&mut self, id: PacketId, why: Discard) {
        let packet = self.remove(id);
        self.account_of(&packet).discarded[why as usize] += 1;
        self.end(id, Fate::Discarded(why));
    }

    /// A copy is lost.
    pub fn drop(&mut self, id: PacketId, cause: Cause) {
        let packet = self.remove(id);
        let losses = &mut self.account_of(&packet).losses;
        if packet.is_attempt {
            losses.failed_attempts[cause as usize] += 1;
            self.end(id, Fate::AttemptFailed(cause));
        } else {
            losses.drops[cause as usize] += 1;
            let of = match packet.payload {
                Payload::Message(_) => self.places.len() - 1,
                _ => packet.flow.as_index(),
            };
            *self.places[of].entry((packet.place, packet.class, cause)).or_default() += 1;
            self.end(id, Fate::Dropped(cause));
        }
    }

    /// Dropped copies of a flow; of routing's messages with the number after the last flow's. At the end of a run workloads
    /// follow the flows.
    pub fn drops_by_place(&self, flow: usize) -> impl Iterator<Item = (Dropped, u64)> {
        self.places[flow].iter().map(|(&dropped, &count)| (dropped, count))
    }

    #[inline(always)]
    fn end(&mut self, id: PacketId, fate: Fate) {
        if let Some(log) = &mut self.log {
            log.on_end(id, fate, self.now);
        }
    }
}

#[inline(always)]
fn place(flow: FlowId, class: Class) -> usize {
    flow.as_index() * CLASSES + class as usize
}

impl std::ops::Index<PacketId> for Packets {
    type Output = Packet;
    #[inline(always)]
    fn index(&self, id: PacketId) -> &Packet {
        &self.slab[id.0]
    }
}

impl std::ops::IndexMut<PacketId> for Packets {
    #[inline(always)]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slab[id.0]
    }
}

#[cfg(test)]
pub(crate) mod tests;
