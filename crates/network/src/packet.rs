//! [`Packet`]: what travels, in a slab with a ledger: every copy has one beginning and one end.

use farlink_kernel::Instant;
use farlink_kernel::slab::Slab;
use farlink_tcp::{Ecn, Notice, Segment};

use crate::blueprint::NodeId;
use crate::routing::message::Message;

mod account;
mod stamp;

pub use account::{Account, CAUSES, CLASSES, Cause, Class, Losses};
pub use stamp::Stamp;
use stamp::Stamps;

/// A packet's key in [`Packets`].
pub type PacketId = u32;

/// What a packet carries.
#[derive(Clone, Copy, Debug)]
pub enum Payload {
    /// A TCP segment; its payload is the flow's bytes from [`Packet::offset`] on.
    Segment(Segment),
    /// A datagram with so many bytes of the flow.
    Datagram(u32),
    /// A router's word for one end of the flow.
    Notice(Notice),
    /// What routing protocols say to each other, from neighbour to neighbour; of no flow.
    Message(MessageId),
}

/// A message's key in [`Packets`].
pub type MessageId = u32;

/// A message, and how many copies of packets carry it.
#[derive(Clone, Debug)]
struct Carried {
    message: Message,
    copies: u32,
    /// What it adds as a header.
    size: u32,
}

/// Which end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end that opens and sends the application's data.
    Sender,
    /// The other.
    Receiver,
}

impl End {
    /// The other end.
    pub fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }
}

/// One copy of a packet.
// Aligned, it lies in two lines of the cache and not across three.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Packet {
    /// The packet's number; copies share it.
    pub number: u64,
    /// Its flow; means nothing for routing's messages.
    pub flow: u32,
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
    /// It is on the air while its sender's MAC keeps another copy to try again with ([`Packets::copy_to_try`]).
    pub is_try: bool,
    /// Size with its IP header in bytes.
    pub size: u32,
    /// When its first payload byte was sent for the first time.
    pub first_sent: Instant,
    /// Position of its first payload byte in the flow's stream.
    pub offset: u64,
    /// What routing adds to a packet that is not its own; its size counts.
    pub header: Option<MessageId>,
    /// What it carries.
    pub payload: Payload,
}

impl Packet {
    /// Hops a packet may go over at first (the recommended default of the IP time to live).
    pub const HOP_LIMIT: u8 = 64;

    /// Something it carries is kept apart.
    fn carries(&self) -> bool {
        self.header.is_some() || matches!(self.payload, Payload::Message(_))
    }

    /// What that is.
    fn messages(&self) -> impl Iterator<Item = MessageId> {
        let own = match self.payload {
            Payload::Message(message) => Some(message),
            _ => None,
        };
        own.into_iter().chain(self.header)
    }
}

/// All packets under way and the books about them.
#[derive(Debug, Default)]
pub struct Packets {
    slab: Slab<Packet>,
    numbers: u64,
    accounts: [Account; CLASSES],
    losses: Vec<Losses>,
    message_losses: Losses,
    messages: Slab<Carried>,
    stamps: Stamps,
    shadows: usize,
}

impl Packets {
    /// No packets yet, of `flows` flows.
    pub fn new(flows: usize) -> Self {
        Self { losses: vec![Losses::default(); flows], ..Self::default() }
    }

    /// A new packet begins. Its number is given here.
    #[inline]
    pub fn originate(&mut self, mut packet: Packet) -> PacketId {
        packet.number = self.numbers;
        self.numbers += 1;
        self.accounts[packet.class as usize].originated += 1;
        self.slab.insert(packet)
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
        let payload = Payload::Message(self.messages.insert(Carried { message, copies: 1, size: 0 }));
        self.originate(Packet {
            number: 0,
            flow: 0,
            source,
            destination: source,
            to: End::Receiver,
            class: Class::Routing,
            ecn: Ecn::NotCapable,
            hop_limit,
            attempt: 0,
            is_try: false,
            size,
            first_sent: now,
            offset: 0,
            header: None,
            payload,
        })
    }

    /// What routing added to a packet of somebody else.
    pub fn header(&self, id: PacketId) -> Option<&Message> {
        self.slab[id].header.map(|header| &self.messages[header].message)
    }

    /// Adds a header of so many bytes in place of the one there was.
    pub fn put_header(&mut self, id: PacketId, message: Message, size: u32) {
        self.take_header(id);
        let header = self.messages.insert(Carried { message, copies: 1, size });
        let packet = &mut self.slab[id];
        packet.header = Some(header);
        packet.size += size;
    }

    /// Takes the header off, if there is one.
    pub fn take_header(&mut self, id: PacketId) {
        let packet = &mut self.slab[id];
        if let Some(header) = packet.header.take() {
            packet.size -= self.messages[header].size;
            self.release(header);
        }
    }

    /// One copy fewer carries the message.
    fn release(&mut self, message: MessageId) {
        self.messages[message].copies -= 1;
        if self.messages[message].copies == 0 {
            self.messages.remove(message);
        }
    }

    /// What a packet of routing's own says.
    pub fn message(&self, id: PacketId) -> Option<&Message> {
        match self.slab[id].payload {
            Payload::Message(message) => Some(&self.messages[message].message),
            _ => None,
        }
    }

    /// A copy of a packet under way begins.
    pub fn duplicate(&mut self, id: PacketId) -> PacketId {
        let copy = self.slab[id];
        self.accounts[copy.class as usize].duplicated += 1;
        self.insert_copy(copy, id)
    }

    /// A copy for the air begins; whoever sends it keeps `id` until the copy has arrived, or to try again.
    pub fn copy_to_try(&mut self, id: PacketId) -> PacketId {
        let copy = self.duplicate(id);
        self.slab[copy].is_try = true;
        copy
    }

    fn insert_copy(&mut self, copy: Packet, of: PacketId) -> PacketId {
        if copy.carries() {
            copy.messages().for_each(|message| self.messages[message].copies += 1);
        }
        let id = self.slab.insert(copy);
        self.stamps.copy(copy.number, of, id);
        id
    }

    /// What a MAC wrote into a packet's header.
    pub fn stamp(&self, id: PacketId) -> Stamp {
        self.stamps.get(self.slab[id].number, id)
    }

    /// Writes it.
    pub fn put_stamp(&mut self, id: PacketId, stamp: Stamp) {
        self.stamps.put(self.slab[id].number, id, stamp);
    }

    fn remove(&mut self, id: PacketId) -> Packet {
        let packet = self.slab.remove(id);
        if packet.carries() {
            packet.messages().for_each(|message| self.release(message));
        }
        packet
    }

    /// What others may read of a copy in the air, whatever becomes of it. It is in no book; who made it
    /// forgets it.
    pub fn shadow(&mut self, id: PacketId) -> PacketId {
        let copy = self.slab[id];
        self.shadows += 1;
        self.insert_copy(copy, id)
    }

    /// Nobody can read a shadow any more.
    pub fn forget(&mut self, shadow: PacketId) {
        self.remove(shadow);
        self.shadows -= 1;
    }

    /// A copy reached its transport and ends; routing's messages end at [`Packets::deliver_message`].
    #[inline]
    pub fn deliver(&mut self, id: PacketId) {
        let packet = self.slab.remove(id);
        self.accounts[packet.class as usize].delivered += 1;
    }

    /// A packet of routing's own was read by a neighbour's routing and ends.
    pub fn deliver_message(&mut self, id: PacketId) {
        let packet = self.remove(id);
        self.accounts[packet.class as usize].delivered += 1;
    }

    /// A copy ends because another one goes on.
    #[inline]
    pub fn discard(&mut self, id: PacketId) {
        let packet = self.remove(id);
        self.accounts[packet.class as usize].discarded += 1;
    }

    /// A copy is lost.
    pub fn drop(&mut self, id: PacketId, cause: Cause) {
        let packet = self.remove(id);
        let account = &mut self.accounts[packet.class as usize];
        let losses = match packet.payload {
            Payload::Message(_) => &mut self.message_losses,
            _ => &mut self.losses[packet.flow as usize],
        };
        if packet.is_try {
            account.failed_tries += 1;
            losses.failed_tries[cause as usize] += 1;
        } else {
            account.dropped += 1;
            losses.drops[cause as usize] += 1;
        }
    }

    /// Lost copies of a flow.
    pub fn losses(&self, flow: usize) -> &Losses {
        &self.losses[flow]
    }

    /// Lost copies of all flows' packets and of routing's messages.
    pub fn all_losses(&self) -> Losses {
        let mut sum = self.message_losses;
        self.losses.iter().for_each(|losses| sum += losses);
        sum
    }

    /// The books of one class.
    pub fn account(&self, class: Class) -> Account {
        self.accounts[class as usize]
    }

    /// Copies that reached a transport.
    pub fn delivered(&self) -> u64 {
        self.accounts.iter().map(|account| account.delivered).sum()
    }

    /// Checks the books against `found`, every copy that somebody still holds (DESIGN, rules of the
    /// engine, 4): each is in the slab, none twice, none is missing, and each class balances. `shadows` are
    /// all there are.
    pub fn audit(&self, found: impl Iterator<Item = PacketId>, shadows: impl Iterator<Item = PacketId>) {
        let held: Vec<PacketId> = found.collect();
        let mut known: Vec<PacketId> = held.iter().copied().chain(shadows).collect();
        known.sort_unstable();
        assert!(
            known.iter().copied().eq(self.slab.iter().map(|(id, _)| id)),
            "{} copies are held but {} are alive",
            held.len(),
            self.slab.len() - self.shadows
        );
        let mut under_way = [0; CLASSES];
        for id in held {
            under_way[self.slab[id].class as usize] += 1;
        }
        for (account, under_way) in self.accounts.iter().zip(under_way) {
            let begun = account.originated + account.duplicated;
            let ended = account.delivered + account.discarded + account.dropped + account.failed_tries;
            assert!(begun == ended + under_way, "{account:?} and {under_way} under way do not balance");
        }
        let losses = self.all_losses();
        let by_cause: u64 = losses.drops.iter().chain(&losses.failed_tries).sum();
        let lost: u64 = self.accounts.iter().map(|account| account.dropped + account.failed_tries).sum();
        assert!(by_cause == lost, "{lost} copies were lost but {by_cause} have causes");
        let carried: u32 = self.messages.iter().map(|(_, carried)| carried.copies).sum();
        let carriers: usize = self.slab.iter().map(|(_, packet)| packet.messages().count()).sum();
        assert!(carried as usize == carriers, "messages outlive the packets that carry them");
    }
}

impl std::ops::Index<PacketId> for Packets {
    type Output = Packet;
    fn index(&self, id: PacketId) -> &Packet {
        &self.slab[id]
    }
}

impl std::ops::IndexMut<PacketId> for Packets {
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slab[id]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A data packet of flow 0 from node 0 to node 1.
    pub(crate) fn datagram(size: u32) -> Packet {
        Packet {
            number: 0,
            flow: 0,
            source: 0,
            destination: 1,
            to: End::Receiver,
            class: Class::Data,
            ecn: Ecn::NotCapable,
            hop_limit: 64,
            attempt: 0,
            is_try: false,
            size,
            first_sent: Instant::ZERO,
            offset: 0,
            header: None,
            payload: Payload::Datagram(size - 28),
        }
    }

    #[test]
    fn every_copy_has_one_end() {
        let mut packets = Packets::new(1);
        let first = packets.originate(datagram(100));
        let copy = packets.duplicate(first);
        packets.deliver(first);
        packets.audit([copy].into_iter(), std::iter::empty());
        packets.discard(copy);
        let lost = packets.originate(datagram(100));
        packets.drop(lost, Cause::QueueFull);
        packets.audit(std::iter::empty(), std::iter::empty());
        assert_eq!(packets.losses(0).drops[Cause::QueueFull as usize], 1);
    }

    #[test]
    fn a_try_that_fails_is_no_drop() {
        let mut packets = Packets::new(1);
        let kept = packets.originate(datagram(100));
        let tried = packets.copy_to_try(kept);
        packets.drop(tried, Cause::Collision);
        packets.drop(kept, Cause::LinkFailure);
        packets.audit(std::iter::empty(), std::iter::empty());
        let Losses { drops, failed_tries } = packets.losses(0);
        assert_eq!((drops[Cause::LinkFailure as usize], drops.iter().sum::<u64>()), (1, 1));
        assert_eq!((failed_tries[Cause::Collision as usize], failed_tries.iter().sum::<u64>()), (1, 1));
    }

    #[test]
    fn a_message_lives_as_long_as_the_last_copy_that_carries_it() {
        let mut packets = Packets::new(0);
        let first = packets.originate_message(3, 1, 48, Message::Greeting, Instant::ZERO);
        let (copy, shadow) = (packets.duplicate(first), packets.shadow(first));
        packets.drop(first, Cause::Collision);
        packets.deliver_message(copy);
        assert_eq!(packets.message(shadow), Some(&Message::Greeting));
        packets.audit(std::iter::empty(), [shadow].into_iter());
        packets.forget(shadow);
        assert!(packets.messages.is_empty());
        assert_eq!(packets.all_losses().drops[Cause::Collision as usize], 1);
        packets.audit(std::iter::empty(), std::iter::empty());
    }

    #[test]
    fn a_shadow_outlives_its_packet_and_is_in_no_book() {
        let mut packets = Packets::new(1);
        let packet = packets.originate(datagram(100));
        let shadow = packets.shadow(packet);
        packets.audit([packet].into_iter(), [shadow].into_iter());
        packets.deliver(packet);
        assert_eq!(packets[shadow].size, 100);
        packets.audit(std::iter::empty(), [shadow].into_iter());
        packets.forget(shadow);
        packets.audit(std::iter::empty(), std::iter::empty());
        let account = packets.account(Class::Data);
        assert_eq!((account.originated, account.duplicated, account.delivered), (1, 0, 1));
    }

    #[test]
    #[should_panic(expected = "0 copies are held but 1 are alive")]
    fn a_forgotten_copy_is_found() {
        let mut packets = Packets::new(1);
        packets.originate(datagram(100));
        packets.audit(std::iter::empty(), std::iter::empty());
    }
}
