//! [`Fifo`]: stored packets, first in, first out, routing's before all others.

use std::collections::VecDeque;

use farlink_kernel::Instant;
use farlink_tcp::Amount;

use super::{Backlog, Entry};
use crate::hop::NextHop;
use crate::ids::PacketId;
use crate::packet::Class;

#[derive(Clone, Debug, Default)]
pub struct Fifo {
    routing: VecDeque<Entry>,
    others: VecDeque<Entry>,
    bytes: u64,
    empty_since: Instant,
}

impl Fifo {
    /// Stores a packet at the end of its class's line.
    pub fn push(&mut self, entry: Entry) {
        self.bytes += u64::from(entry.size);
        match entry.class {
            Class::Routing => self.routing.push_back(entry),
            Class::Data | Class::Ack => self.others.push_back(entry),
        }
    }

    pub fn pop(&mut self, now: Instant) -> Option<Entry> {
        let entry = self.routing.pop_front().or_else(|| self.others.pop_front())?;
        self.bytes -= u64::from(entry.size);
        self.empty_since = now;
        Some(entry)
    }

    /// The packet to leave next.
    pub fn front(&self) -> Option<&Entry> {
        self.routing.front().or_else(|| self.others.front())
    }

    /// Takes the first packet of `class`, of those for `next_hop` if one is given.
    pub fn take_for(&mut self, class: Class, next_hop: Option<NextHop>) -> Option<Entry> {
        let line = match class {
            Class::Routing => &mut self.routing,
            Class::Data | Class::Ack => &mut self.others,
        };
        let fits = |entry: &Entry| entry.class == class && next_hop.is_none_or(|hop| hop == entry.next_hop);
        let place = line.iter().position(fits)?;
        let entry = line.remove(place)?;
        self.bytes -= u64::from(entry.size);
        Some(entry)
    }

    pub fn take(&mut self, packet: PacketId) -> Option<Entry> {
        let take = |line: &mut VecDeque<Entry>| {
            let place = line.iter().rposition(|entry| entry.packet == packet)?;
            line.remove(place)
        };
        let entry = take(&mut self.others).or_else(|| take(&mut self.routing))?;
        self.bytes -= u64::from(entry.size);
        Some(entry)
    }

    pub fn holds(&self, packet: PacketId) -> bool {
        self.routing.iter().chain(&self.others).any(|entry| entry.packet == packet)
    }

    pub fn backlog(&self) -> Backlog {
        let packets = (self.routing.len() + self.others.len()) as u64;
        Backlog { packets, bytes: self.bytes, empty_since: self.empty_since }
    }

    pub fn waiting(&self) -> Vec<PacketId> {
        self.routing.iter().chain(&self.others).map(|entry| entry.packet).collect()
    }
}

/// The methods of a [`Queue`](super::Queue) that do no more than the [`Fifo`] `self.store` does.
macro_rules! of_store {
    ($($method:ident),*) => { $( $crate::queue::fifo::of_store! { @$method } )* };
    (@push) => {
        fn push(&mut self, entry: $crate::queue::Entry, _cx: &mut $crate::context::Context) {
            self.store.push(entry);
        }
    };
    (@pop) => {
        fn pop(&mut self, cx: &mut $crate::context::Context) -> Option<$crate::queue::Entry> {
            self.store.pop(cx.now)
        }
    };
    (@take_for) => {
        fn take_for(
            &mut self,
            class: $crate::packet::Class,
            next_hop: Option<$crate::hop::NextHop>,
        ) -> Option<$crate::queue::Entry> {
            self.store.take_for(class, next_hop)
        }
    };
    (@take) => {
        fn take(&mut self, packet: $crate::ids::PacketId) -> Option<$crate::queue::Entry> {
            self.store.take(packet)
        }
    };
    (@holds) => {
        fn holds(&self, packet: $crate::ids::PacketId) -> bool {
            self.store.holds(packet)
        }
    };
    (@backlog) => {
        fn backlog(&self) -> $crate::queue::Backlog {
            self.store.backlog()
        }
    };
    (@waiting) => {
        fn waiting(&self) -> Vec<$crate::ids::PacketId> {
            self.store.waiting()
        }
    };
}
pub(super) use of_store;

/// True when one more packet of `size` bytes stays within `limit`.
pub fn fits(limit: Amount, backlog: &Backlog, size: u32) -> bool {
    match limit {
        Amount::Packets(packets) => backlog.packets < packets,
        Amount::Bytes(bytes) => backlog.bytes + u64::from(size) <= bytes.0,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ids::NodeId;

    pub(crate) fn entry(packet: PacketId, class: Class, arrived: Instant) -> Entry {
        Entry { packet, size: 100, class, next_hop: NextHop::Node(NodeId(1)), arrived }
    }

    #[test]
    fn routing_goes_first_and_the_rest_in_order() {
        let mut fifo = Fifo::default();
        for (id, class) in [Class::Data, Class::Ack, Class::Routing].into_iter().enumerate() {
            fifo.push(entry(PacketId(id as u32), class, Instant::ZERO));
        }
        assert_eq!(fifo.backlog().bytes, 300);
        let order: Vec<_> =
            std::iter::from_fn(|| fifo.pop(Instant::ZERO)).map(|entry| entry.packet).collect();
        assert_eq!(order, [2, 0, 1]);
    }

    #[test]
    fn a_packet_can_be_taken_out_of_turn_for_a_neighbour() {
        let mut fifo = Fifo::default();
        fifo.push(Entry {
            next_hop: NextHop::Node(NodeId(7)),
            ..entry(PacketId(0), Class::Ack, Instant::ZERO)
        });
        fifo.push(entry(PacketId(1), Class::Ack, Instant::ZERO));
        assert_eq!(fifo.take_for(Class::Ack, Some(NextHop::Node(NodeId(1)))).unwrap().packet, PacketId(1));
        assert_eq!(fifo.take_for(Class::Data, None), None);
        assert_eq!(fifo.backlog().packets, 1);
    }
}
