//! [`Carried`]: what packets carry that is kept apart: messages and headers of routing protocols.

use std::num::NonZeroU32;

use super::{Packets, Payload};
use crate::ids::{MessageId, PacketId};
use crate::wire::Message;

/// A message, and how many copies of packets carry it.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pub(super) message: Message,
    pub(super) copies: u32,
    /// What it adds as a header.
    pub(super) size: u32,
}

/// The key of a message that is a packet's header. Where there is none, it takes no room of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderId(NonZeroU32);

impl HeaderId {
    fn new(message: MessageId) -> Self {
        Self(NonZeroU32::MIN.saturating_add(message.0))
    }

    pub(super) fn message(self) -> MessageId {
        MessageId(self.0.get() - 1)
    }
}

impl Packets {
    /// The header that routing added to a packet of another protocol.
    pub fn header(&self, id: PacketId) -> Option<&Message> {
        self[id].header.map(|header| &self.messages[header.message().0].message)
    }

    /// Adds a header of so many bytes in place of the one there was.
    pub fn put_header(&mut self, id: PacketId, message: Message, size: u32) {
        self.take_header(id);
        let header = self.messages.insert(Carried { message, copies: 1, size });
        let packet = &mut self.slab[id.0];
        packet.header = Some(HeaderId::new(MessageId(header)));
        packet.size += size;
    }

    /// Takes the header off, if there is one.
    pub fn take_header(&mut self, id: PacketId) {
        let packet = &mut self.slab[id.0];
        if let Some(header) = packet.header.take() {
            packet.size -= self.messages[header.message().0].size;
            self.release(header.message());
        }
    }

    /// One copy fewer carries the message; the last one gives it back.
    pub(super) fn release(&mut self, message: MessageId) -> Option<Message> {
        self.messages[message.0].copies -= 1;
        (self.messages[message.0].copies == 0).then(|| self.messages.remove(message.0).message)
    }

    /// Replaces what a packet of routing's own says, of which there is one copy.
    pub fn set_message(&mut self, id: PacketId, message: Message, size: u32) {
        if let Payload::Message(place) = self.slab[id.0].payload {
            self.messages[place.0].message = message;
            self.slab[id.0].size = size;
        }
    }

    /// What a packet of routing's own says.
    pub fn message(&self, id: PacketId) -> Option<&Message> {
        match self.slab[id.0].payload {
            Payload::Message(message) => Some(&self.messages[message.0].message),
            _ => None,
        }
    }
}
