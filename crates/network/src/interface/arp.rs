//! D. Plummer, "An Ethernet Address Resolution Protocol", RFC 826, 1982, with the memory of ns-2.35 (mac/arp.cc).
//!
//! Before the first unicast to a neighbour a station broadcasts a request. One packet waits for the reply: a second one
//! replaces it and repeats the request; there is no timer. The fourth without a reply goes back to routing together
//! with the waiting one, and counting begins anew. Senders of requests and replies are known for ever. Left out: the
//! 5 µs of ns-2 before a message or a packet that waited is queued.

use farlink_kernel::choice;
use farlink_kernel::ordered::Map;

use crate::ids::{NodeId, PacketId};

choice! {
    /// How a station learns the address of a neighbour.
    pub enum Arp {
        /// It knows.
        Ideal = "ideal",
        /// It asks, and one packet waits meanwhile (ns-2).
        OneSlot = "one_slot",
    }
}

/// Requests without an answer after which packets are given back.
const MOST_REQUESTS: u8 = 3;

/// What becomes of a packet for a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Pass,
    /// It waits and the neighbour is asked for; it took the place of this one, which is dropped.
    Ask(Option<PacketId>),
    /// It goes back to routing, and so does this one.
    GiveBack(Option<PacketId>),
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Known,
    /// It was asked for so often, and this packet waits.
    Asked(u8, Option<PacketId>),
}

#[derive(Clone, Debug, Default)]
pub struct Memory {
    neighbours: Map<NodeId, Entry>,
}

impl Memory {
    pub fn on_packet(&mut self, neighbour: NodeId, packet: PacketId) -> Step {
        let entry = self.neighbours.entry(neighbour).or_insert(Entry::Asked(0, None));
        match *entry {
            Entry::Known => Step::Pass,
            Entry::Asked(requests, waiting) if requests < MOST_REQUESTS => {
                *entry = Entry::Asked(requests + 1, Some(packet));
                Step::Ask(waiting)
            }
            Entry::Asked(_, waiting) => {
                *entry = Entry::Asked(0, None);
                Step::GiveBack(waiting)
            }
        }
    }

    /// A neighbour was heard to ask or to answer: what waited for it goes on.
    pub fn on_heard(&mut self, neighbour: NodeId) -> Option<PacketId> {
        match self.neighbours.insert(neighbour, Entry::Known) {
            Some(Entry::Asked(_, waiting)) => waiting,
            _ => None,
        }
    }

    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.neighbours.values().filter_map(|entry| match *entry {
            Entry::Asked(_, waiting) => waiting,
            Entry::Known => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_packet_takes_the_place_of_the_first_and_the_fourth_goes_back_with_the_third() {
        let mut memory = Memory::default();
        let steps = [1, 2, 3, 4, 5].map(|packet| memory.on_packet(NodeId(7), PacketId(packet)));
        assert_eq!(
            steps,
            [
                Step::Ask(None),
                Step::Ask(Some(PacketId(1))),
                Step::Ask(Some(PacketId(2))),
                Step::GiveBack(Some(PacketId(3))),
                Step::Ask(None),
            ]
        );
        assert_eq!(memory.held().collect::<Vec<_>>(), [5]);
        assert_eq!((memory.on_heard(NodeId(7)), memory.on_heard(NodeId(7))), (Some(PacketId(5)), None));
        assert_eq!((memory.on_packet(NodeId(7), PacketId(6)), memory.held().count()), (Step::Pass, 0));
    }
}
