//! Updates and their bytes: what follows the UDP header.
//!
//! Neither the paper nor a registry has a format. Entries are as long as in ns-2 and laid out as in ns-3: destination,
//! hops and number, four bytes each; the port is that of ns-2's agent. The other headers are IP's and UDP's.

use crate::ids::NodeId;

/// The UDP port of the protocol.
pub const PORT: u16 = 255;

/// IP and UDP headers.
const HEADERS: u32 = 28;
const ENTRY: u32 = 12;

/// As many entries as an IP packet of 1500 bytes carries.
pub const MOST_ENTRIES: usize = 122;

/// Hops to a destination that cannot be reached.
pub const UNREACHABLE: u8 = u8::MAX;

/// What a node tells about a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub destination: NodeId,
    /// Hops from the node that tells it, or [`UNREACHABLE`].
    pub hops: u8,
    /// The destination's number, even; odd when another node found it unreachable.
    pub sequence: u32,
}

/// A packet of an update; the first entry is the sender itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub entries: Vec<Entry>,
}

impl Update {
    /// Size with IP and UDP headers in bytes.
    pub fn size(&self) -> u32 {
        HEADERS + ENTRY * self.entries.len() as u32
    }

    /// The bytes after the UDP header; `address` is the address of a node.
    pub fn to_bytes(&self, address: impl Fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        let bytes = |entry: &Entry| {
            [address(entry.destination), u32::from(entry.hops).to_be_bytes(), entry.sequence.to_be_bytes()]
        };
        self.entries.iter().flat_map(bytes).flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_twelve_bytes_and_the_longest_update_fits_into_a_packet() {
        let entry = Entry { destination: NodeId(3), hops: 2, sequence: 0x0102 };
        let update = Update { entries: vec![entry; MOST_ENTRIES] };
        let bytes = update.to_bytes(|node| [10, 0, 0, node.0 as u8]);
        assert_eq!(bytes[..12], [10, 0, 0, 3, 0, 0, 0, 2, 0, 0, 1, 2]);
        assert_eq!((update.size() as usize, update.size()), (bytes.len() + 28, 1492));
    }
}
