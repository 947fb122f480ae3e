//! Packets and messages (RFC 3626, sections 3.3, 6.1 and 9.1), and their bytes: what follows the UDP header, port
//! 698. Every packet carries one message.
//!
//! Addresses are four bytes; callers map them to nodes.

use farlink_kernel::Duration;

use crate::ids::NodeId;

/// The UDP port of the protocol.
pub const PORT: u16 = 698;

/// IP and UDP headers.
const HEADERS: u32 = 28;
const PACKET_HEADER: usize = 4;
const MESSAGE_HEADER: usize = 12;

const HELLO: u8 = 1;
const TOPOLOGY: u8 = 2;

/// What is known of a link (section 6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    Unspecified = 0,
    /// The neighbour is heard.
    Asymmetric = 1,
    /// And hears this node.
    Symmetric = 2,
    /// It is not heard any more.
    Lost = 3,
}

/// What is known of a neighbour (section 6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighbourType {
    /// No link to it carries both ways.
    NotNeighbour = 0,
    Symmetric = 1,
    /// And it passes on what this node sends: it is a multipoint relay.
    Relay = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    pub node: NodeId,
    pub link: LinkType,
    pub neighbour: NeighbourType,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// HELLO: the neighbours of its originator.
    Hello {
        /// The time to the next one.
        interval: Coded,
        /// How much the originator is ready to pass on.
        willingness: u8,
        /// Its neighbours; those of one kind stand together.
        listed: Vec<Listed>,
    },
    /// TC: the relay selectors of its originator.
    Topology {
        /// The number of this set (ANSN).
        number: u16,
        advertised: Vec<NodeId>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub validity: Coded,
    pub originator: NodeId,
    pub hop_limit: u8,
    pub hop_count: u8,
    pub sequence: u16,
    pub body: Body,
}

/// A time as messages write it: 1/16 s (1 + a/16) 2^b in one byte (section 18.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coded(pub u8);

impl Coded {
    /// A sixteenth of C.
    const UNIT: u64 = 62_500_000 / 16;

    /// The shortest time that can be written and is not shorter than `length`, or else the longest of all.
    pub fn new(length: Duration) -> Self {
        let units = length.as_nanos().div_ceil(Self::UNIT).max(16);
        let mut exponent = (units / 16).ilog2();
        let mut mantissa = units.div_ceil(1 << exponent) - 16;
        if mantissa == 16 {
            (exponent, mantissa) = (exponent + 1, 0);
        }
        if exponent > 15 { Self(u8::MAX) } else { Self((mantissa as u8) << 4 | exponent as u8) }
    }

    pub fn time(self) -> Duration {
        Duration::from_nanos((Self::UNIT * (16 + u64::from(self.0 >> 4))) << (self.0 & 15))
    }
}

impl Message {
    /// Size with IP, UDP and packet headers in bytes.
    pub fn size(&self) -> u32 {
        HEADERS + (PACKET_HEADER + MESSAGE_HEADER + self.body.size()) as u32
    }

    /// The bytes after the UDP header, of a packet with this number; `address` is the address of a node.
    pub fn to_bytes(&self, packet: u16, address: impl Fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        let length = (MESSAGE_HEADER + self.body.size()) as u16;
        let kind = if matches!(self.body, Body::Hello { .. }) { HELLO } else { TOPOLOGY };
        let mut bytes = Vec::with_capacity(PACKET_HEADER + usize::from(length));
        bytes.extend((PACKET_HEADER as u16 + length).to_be_bytes());
        bytes.extend(packet.to_be_bytes());
        bytes.extend([kind, self.validity.0]);
        bytes.extend(length.to_be_bytes());
        bytes.extend(address(self.originator));
        bytes.extend([self.hop_limit, self.hop_count]);
        bytes.extend(self.sequence.to_be_bytes());
        self.body.write(&mut bytes, address);
        bytes
    }
}

impl Body {
    fn size(&self) -> usize {
        match self {
            Self::Hello { listed, .. } => 4 + 4 * listed.len() + 4 * kinds(listed).count(),
            Self::Topology { advertised, .. } => 4 + 4 * advertised.len(),
        }
    }

    fn write(&self, bytes: &mut Vec<u8>, address: impl Fn(NodeId) -> [u8; 4]) {
        match self {
            Self::Hello { interval, willingness, listed } => {
                bytes.extend([0, 0, interval.0, *willingness]);
                for some in kinds(listed) {
                    let code = (some[0].neighbour as u8) << 2 | some[0].link as u8;
                    bytes.extend([code, 0]);
                    bytes.extend((4 + 4 * some.len() as u16).to_be_bytes());
                    bytes.extend(some.iter().flat_map(|listed| address(listed.node)));
                }
            }
            Self::Topology { number, advertised } => {
                bytes.extend(number.to_be_bytes());
                bytes.extend([0, 0]);
                bytes.extend(advertised.iter().flat_map(|&node| address(node)));
            }
        }
    }
}

/// The runs of neighbours that share a link code.
fn kinds(listed: &[Listed]) -> impl Iterator<Item = &[Listed]> {
    listed.chunk_by(|a, b| (a.link, a.neighbour) == (b.link, b.neighbour))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(node: NodeId) -> [u8; 4] {
        [10, 0, 0, node.0 as u8]
    }

    #[test]
    fn times_are_written_as_in_section_18_3() {
        let seconds = |n| Coded::new(Duration::from_secs(n));
        // The RFC's own examples: 2 s is a = 0, b = 5; 6 s a = 8, b = 6; 15 s a = 14, b = 7; 30 s a = 14, b = 8.
        assert_eq!([2, 6, 15, 30].map(|n| seconds(n).0), [0x05, 0x86, 0xe7, 0xe8]);
        assert_eq!([2, 6, 15, 30].map(|n| seconds(n).time().as_millis()), [2000, 6000, 15_000, 30_000]);
        for millis in 63..20_000 {
            let length = Duration::from_millis(millis);
            let time = Coded::new(length).time();
            assert!(time >= length && time.as_nanos() <= length.as_nanos() / 16 * 17 + 1, "{length} {time}");
        }
        assert_eq!(Coded::new(Duration::ZERO).time(), Duration::from_nanos(62_500_000));
        assert_eq!(Coded::new(Duration::MAX).time().as_millis(), 3_968_000);
    }

    #[test]
    fn a_hello_is_laid_out_as_in_section_6_1() {
        let listed = |node, link, neighbour| Listed { node, link, neighbour };
        let listed = vec![
            listed(NodeId(1), LinkType::Symmetric, NeighbourType::Relay),
            listed(NodeId(2), LinkType::Asymmetric, NeighbourType::NotNeighbour),
            listed(NodeId(3), LinkType::Asymmetric, NeighbourType::NotNeighbour),
        ];
        let body = Body::Hello { interval: Coded(0x05), willingness: 3, listed };
        let (validity, hop_limit) = (Coded(0x86), 1);
        let hello = Message { validity, originator: NodeId(9), hop_limit, hop_count: 0, sequence: 258, body };
        let expected: [u8; 40] = [
            0, 40, 0, 7, // packet
            1, 0x86, 0, 36, 10, 0, 0, 9, 1, 0, 1, 2, // message
            0, 0, 0x05, 3, //
            0b1010, 0, 0, 8, 10, 0, 0, 1, //
            0b0001, 0, 0, 12, 10, 0, 0, 2, 10, 0, 0, 3,
        ];
        assert_eq!(hello.to_bytes(7, address), expected);
        assert_eq!(hello.size(), 28 + 40);
    }

    #[test]
    fn a_topology_message_is_laid_out_as_in_section_9_1() {
        let body = Body::Topology { number: 259, advertised: [4, 5].map(NodeId).to_vec() };
        let message = Message {
            validity: Coded(0xe7),
            originator: NodeId(9),
            hop_limit: 255,
            hop_count: 2,
            sequence: 1,
            body,
        };
        let expected: [u8; 28] = [
            0, 28, 0, 0, 2, 0xe7, 0, 24, 10, 0, 0, 9, 255, 2, 0, 1, // headers
            1, 3, 0, 0, 10, 0, 0, 4, 10, 0, 0, 5,
        ];
        assert_eq!(message.to_bytes(0, address), expected);
        assert_eq!(message.size(), 28 + 28);
    }
}
