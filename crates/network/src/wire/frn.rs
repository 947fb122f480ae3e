//! The configuration control packet and its bytes (thesis, table 3).
//!
//! The thesis gives its content and no format: here it is UDP, an address of four bytes and the number of hops in
//! one byte for each destination, the sender itself among them.

use crate::ids::NodeId;

/// The UDP port, of those for private use.
pub const PORT: u16 = 49_746;

/// IP and UDP headers.
const HEADERS: u32 = 28;
const ENTRY: u32 = 5;

/// As many destinations as a packet tells about: it is to fit the shortest slot in use.
pub const MOST_ENTRIES: usize = 200;

/// The sender's hop counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// Which part of the table this is, from 0; a neighbour was heard when it was.
    pub part: u8,
    /// Destinations with the sender's hops to them, in ascending order.
    pub hops: Vec<(NodeId, u8)>,
}

impl Control {
    /// Size with IP and UDP headers in bytes.
    pub fn size(&self) -> u32 {
        HEADERS + 1 + ENTRY * self.hops.len() as u32
    }

    /// The bytes after the UDP header; `address` is the address of a node.
    pub fn to_bytes(&self, address: impl Fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        let entry = |&(node, hops): &(NodeId, u8)| address(node).into_iter().chain([hops]);
        std::iter::once(self.part).chain(self.hops.iter().flat_map(entry)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_as_long_as_it_says() {
        let control = Control { part: 0, hops: vec![(NodeId(7), 0), (NodeId(9), 2)] };
        let bytes = control.to_bytes(|node| [10, 0, 0, node.0 as u8]);
        assert_eq!(bytes, [0, 10, 0, 0, 7, 0, 10, 0, 0, 9, 2]);
        assert_eq!(control.size() as usize, bytes.len() + 28);
    }
}
