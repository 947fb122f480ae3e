//! [`Stamp`]: what MACs with slots write into packets, kept beside them so that a packet does not grow for others.

use crate::ids::{NodeId, PacketId};

/// A MAC's notes in a packet's header, and the previous hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The slot in which its source began to send it, counted from 1; 0 before that.
    pub born: u32,
    /// The neighbour it came from; none at its source.
    pub from: Option<NodeId>,
    /// Retransmissions on its whole path.
    pub retries: u8,
}

impl Stamp {
    /// Of a packet that was not sent yet.
    pub const NEW: Self = Self { born: 0, from: None, retries: 0 };
}

/// The stamps of all packets, each with the number of the packet it is of; empty where nobody writes any.
#[derive(Clone, Debug, Default)]
pub(super) struct Stamps(Vec<(u64, Stamp)>);

impl Stamps {
    pub(super) fn get(&self, number: u64, id: PacketId) -> Stamp {
        match self.0.get(id.as_index()) {
            Some(&(of, stamp)) if of == number => stamp,
            _ => Stamp::NEW,
        }
    }

    pub(super) fn put(&mut self, number: u64, id: PacketId, stamp: Stamp) {
        if self.0.len() <= id.as_index() {
            self.0.resize(id.as_index() + 1, (u64::MAX, Stamp::NEW));
        }
        self.0[id] = (number, stamp);
    }

    #[inline]
    pub(super) fn copy(&mut self, number: u64, of: PacketId, id: PacketId) {
        if !self.0.is_empty() {
            self.put(number, id, self.get(number, of));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_stamp_of_its_original_and_a_new_packet_none() {
        let (stamp, mut stamps) = (Stamp { retries: 3, ..Stamp::NEW }, Stamps::default());
        stamps.put(70, PacketId(2), stamp);
        stamps.copy(70, PacketId(2), PacketId(5));
        assert_eq!(
            (stamps.get(70, PacketId(5)), stamps.get(71, PacketId(5)), stamps.get(70, PacketId(9))),
            (stamp, Stamp::NEW, Stamp::NEW)
        );
        stamps.copy(70, PacketId(9), PacketId(5));
        assert_eq!(stamps.get(70, PacketId(5)), Stamp::NEW);
    }
}
