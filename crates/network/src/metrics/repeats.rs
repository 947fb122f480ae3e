//! [`Repeats`]: of the data packets that arrive, which are retransmissions without need, and which are copies of a packet
//! that arrived before.

use std::collections::BTreeSet;

use crate::packet::Packet;

/// Packets and offsets that are remembered; the oldest are forgotten.
const MOST_KNOWN: usize = 1 << 16;

/// What the receiver did with the data of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Some of it was new.
    New,
    /// All of it had arrived before.
    Duplicate,
    /// The packet was discarded for another cause.
    No,
}

/// The arrivals of a flow's retransmissions, and of packets that a link copied.
///
/// A retransmission was needless if it found its data there, or if the packet that it repeats arrives after it. A link
/// makes copies with the number of their packet, and no copy after the first counts.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    /// The numbers of retransmissions and of copied packets that arrived.
    arrived: BTreeSet<u64>,
    /// Offsets of data that a retransmission carried first.
    carried: BTreeSet<u64>,
    needless: u64,
}

impl Repeats {
    /// Retransmissions without need so far. Each counts once.
    pub(crate) fn needless(&self) -> u64 {
        self.needless
    }

    /// A data packet arrived: is it a copy made by a link of one that arrived before?
    #[cold]
    #[inline(never)]
    pub fn on_arrival(&mut self, packet: &Packet, taken: Taken) -> bool {
        let Packet { number, offset, is_retransmission, is_copied, .. } = *packet;
        if (is_retransmission || is_copied) && !remember(&mut self.arrived, number) {
            return is_copied;
        }
        match taken {
            Taken::New if is_retransmission => _ = remember(&mut self.carried, offset),
            Taken::Duplicate if is_retransmission || self.carried.remove(&offset) => self.needless += 1,
            _ => {}
        }
        false
    }
}

/// True if it is new.
fn remember(known: &mut BTreeSet<u64>, number: u64) -> bool {
    let is_new = known.insert(number);
    if known.len() > MOST_KNOWN {
        known.pop_first();
    }
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::tests::datagram;

    fn packet(number: u64, is_retransmission: bool, is_copied: bool) -> Packet {
        Packet { number, is_retransmission, is_copied, ..datagram(100) }
    }

    #[test]
    fn a_retransmission_is_needless_if_it_finds_its_data_or_is_overtaken() {
        let mut repeats = Repeats::default();
        assert!(!repeats.on_arrival(&packet(1, true, false), Taken::New));
        assert_eq!(repeats.needless(), 0);
        // The packet that it repeats comes after it.
        assert!(!repeats.on_arrival(&packet(0, false, false), Taken::Duplicate));
        assert_eq!(repeats.needless(), 1);
        assert!(!repeats.on_arrival(&packet(2, true, false), Taken::Duplicate));
        assert_eq!(repeats.needless(), 2);
        // PAWS discards one whose data are missing.
        assert!(!repeats.on_arrival(&packet(3, true, false), Taken::No));
        assert_eq!(repeats.needless(), 2);
    }

    #[test]
    fn copies_made_by_a_link_are_distinguished_in_any_order() {
        for (is_retransmission, first) in [(false, Taken::New), (true, Taken::New), (true, Taken::Duplicate)]
        {
            let mut repeats = Repeats::default();
            assert!(!repeats.on_arrival(&packet(1, is_retransmission, true), first));
            let needless = repeats.needless();
            assert!(repeats.on_arrival(&packet(1, is_retransmission, true), Taken::Duplicate));
            assert_eq!(repeats.needless(), needless);
        }
    }

    #[test]
    fn the_oldest_packets_are_forgotten() {
        let mut repeats = Repeats::default();
        for number in 0..2 * MOST_KNOWN as u64 {
            repeats.on_arrival(&packet(number, true, false), Taken::Duplicate);
        }
        assert_eq!((repeats.arrived.len(), repeats.needless()), (MOST_KNOWN, 2 * MOST_KNOWN as u64));
    }
}
