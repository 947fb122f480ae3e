//! [`Line`]: a queue with a flag for changes, so that its length is not read after every input of a MAC.

use super::{Any, Backlog, Entry, Offer, Verdict};
use crate::context::Context;
use crate::hop::NextHop;
use crate::ids::PacketId;
use crate::packet::Class;

/// A station's queue; see [`Queue`](super::Queue).
#[derive(Debug)]
pub struct Line {
    discipline: Any,
    has_changed: bool,
}

impl Line {
    pub fn new(discipline: Any) -> Self {
        Self { discipline, has_changed: false }
    }

    /// True when packets came or went since this was asked last.
    #[inline]
    pub fn has_changed(&mut self) -> bool {
        std::mem::take(&mut self.has_changed)
    }

    /// May this packet wait?
    pub fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        self.discipline.on_arrival(offer, backlog)
    }

    /// An accepted packet waits.
    pub fn push(&mut self, entry: Entry, cx: &mut Context) {
        self.has_changed = true;
        self.discipline.push(entry, cx);
    }

    /// The next packet leaves.
    pub fn pop(&mut self, cx: &mut Context) -> Option<Entry> {
        self.has_changed = true;
        self.discipline.pop(cx)
    }

    /// Takes the first packet of `class` out of turn, of those for `next_hop` if one is given.
    pub fn take_for(&mut self, class: Class, next_hop: Option<NextHop>) -> Option<Entry> {
        self.has_changed = true;
        self.discipline.take_for(class, next_hop)
    }

    /// Takes this packet out of turn, if it waits.
    pub fn take(&mut self, packet: PacketId) -> Option<Entry> {
        self.has_changed = true;
        self.discipline.take(packet)
    }

    pub fn holds(&self, packet: PacketId) -> bool {
        self.discipline.holds(packet)
    }

    pub fn backlog(&self) -> Backlog {
        self.discipline.backlog()
    }

    pub fn waiting(&self) -> Vec<PacketId> {
        self.discipline.waiting()
    }
}
