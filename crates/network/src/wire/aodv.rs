//! The four messages (RFC 3561, section 5), and their bytes: what follows the UDP header, port 654.
//!
//! Addresses are four bytes; callers map them to nodes.

use farlink_tcp::SeqNumber;

use crate::ids::{End, FlowId, NodeId};
use crate::wire::aodv::sequence::Sequence;
use crate::wire::notice::AffectedSegment;

pub(crate) mod sequence;

/// The UDP port of the protocol.
pub const PORT: u16 = 654;

/// IP and UDP headers.
const HEADERS: u32 = 28;

/// Route Request, section 5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// G: gratuitous RREP to the destination when an intermediate node replies.
    pub is_gratuitous: bool,
    /// D: only the destination may answer.
    pub is_for_destination_only: bool,
    /// Hops from the originator to the node that sends this.
    pub hop_count: u8,
    /// The originator's number for it.
    pub id: u32,
    /// Where a route is wanted to.
    pub destination: NodeId,
    /// The newest number of the destination that is known; `None` is U, unknown.
    pub destination_sequence: Option<Sequence>,
    /// The originator.
    pub originator: NodeId,
    /// Its number.
    pub originator_sequence: Sequence,
}

/// Route Reply, section 5.2, and Hello (section 6.9): a reply of a node about itself to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// A: the neighbour shall acknowledge it.
    pub wants_acknowledgement: bool,
    /// Hops from the node that sends this to the destination.
    pub hop_count: u8,
    /// Where the route leads.
    pub destination: NodeId,
    /// The destination's number.
    pub destination_sequence: Sequence,
    /// The originator of the request.
    pub originator: NodeId,
    /// How long the route is good for, in milliseconds.
    pub lifetime_ms: u32,
}

/// Route Error, section 5.3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteError {
    /// N: the route was repaired and is not to be deleted.
    pub is_repaired: bool,
    /// Destinations that cannot be reached any more, with their numbers.
    pub unreachable: Vec<(NodeId, Sequence)>,
    /// The packet that met the break, where its transport is to know.
    pub named: Option<Named>,
}

/// A packet in an extension (section 9) that others pass over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Where it came from.
    pub source: NodeId,
    pub(crate) met: AffectedSegment,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// RREQ.
    Request(Request),
    /// RREP.
    Reply(Reply),
    /// RERR.
    Error(RouteError),
    /// RREP-ACK, section 5.4.
    ReplyAcknowledgement,
}

/// Most destinations a route error can name: their count is one byte.
pub const MOST_UNREACHABLE: usize = 255;

const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;
const REPLY_ACKNOWLEDGEMENT: u8 = 4;

const GRATUITOUS: u8 = 0x20;
const DESTINATION_ONLY: u8 = 0x10;
const UNKNOWN_SEQUENCE: u8 = 0x08;
const ACKNOWLEDGE: u8 = 0x40;
const NO_DELETE: u8 = 0x80;

/// An extension that is skipped when unknown (section 9): a packet.
const NAMED: u8 = 127;
/// Its bytes: type and length, flow, end and a pad, source and destination, sequence number.
const NAMED_SIZE: usize = 18;

impl Message {
    /// Size with IP and UDP headers in bytes.
    pub fn size(&self) -> u32 {
        let content = match self {
            Self::Request(_) => 24,
            Self::Reply(_) => 20,
            Self::Error(error) => error.size(),
            Self::ReplyAcknowledgement => 2,
        };
        HEADERS + content
    }

    /// The bytes after the UDP header; `address` is the address of a node.
    pub fn to_bytes(&self, address: impl Fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        match self {
            Self::Request(request) => request.to_bytes(address),
            Self::Reply(reply) => reply.to_bytes(address),
            Self::Error(error) => error.to_bytes(address),
            Self::ReplyAcknowledgement => vec![REPLY_ACKNOWLEDGEMENT, 0],
        }
    }

    /// Reads what [`Message::to_bytes`] wrote; `node` is the node with an address. `None` for anything the
    /// protocol does not know, and for a length that does not fit.
    pub fn from_bytes(bytes: &[u8], node: impl Fn([u8; 4]) -> NodeId) -> Option<Self> {
        let word = |place: usize| bytes.get(4 * place..4 * place + 4)?.try_into().ok();
        let number = |place| word(place).map(u32::from_be_bytes);
        let (kind, flags) = (*bytes.first()?, *bytes.get(1)?);
        let has = |flag| flags & flag != 0;
        match (kind, bytes.len()) {
            (REQUEST, 24) => Some(Self::Request(Request {
                is_gratuitous: has(GRATUITOUS),
                is_for_destination_only: has(DESTINATION_ONLY),
                hop_count: bytes[3],
                id: number(1)?,
                destination: node(word(2)?),
                destination_sequence: number(3).map(Sequence).filter(|_| !has(UNKNOWN_SEQUENCE)),
                originator: node(word(4)?),
                originator_sequence: Sequence(number(5)?),
            })),
            (REPLY, 20) => Some(Self::Reply(Reply {
                wants_acknowledgement: has(ACKNOWLEDGE),
                hop_count: bytes[3],
                destination: node(word(1)?),
                destination_sequence: Sequence(number(2)?),
                originator: node(word(3)?),
                lifetime_ms: number(4)?,
            })),
            (ERROR, length) if length >= 4 => {
                let unreachable =
                    |entry: usize| Some((node(word(1 + 2 * entry)?), Sequence(number(2 + 2 * entry)?)));
                let unreachable = (0..bytes[3] as usize).map(unreachable).collect::<Option<_>>()?;
                let rest = &bytes[4 + 8 * bytes[3] as usize..];
                let named = if rest.is_empty() { None } else { Some(Named::from_bytes(rest, node)?) };
                Some(Self::Error(RouteError { is_repaired: has(NO_DELETE), unreachable, named }))
            }
            (REPLY_ACKNOWLEDGEMENT, 2) => Some(Self::ReplyAcknowledgement),
            _ => None,
        }
    }
}

fn set(flag: u8, is_set: bool) -> u8 {
    if is_set { flag } else { 0 }
}

impl Request {
    fn to_bytes(self, address: impl Fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        let flags = set(GRATUITOUS, self.is_gratuitous)
            | set(DESTINATION_ONLY, self.is_for_destination_only)
            | set(UNKNOWN_SEQUENCE, self.destination_sequence.is_none());
        [
            [REQUEST, flags, 0, self.hop_count],
            self.id.to_be_bytes(),
            address(self.destination),
            self.destination_sequence.unwrap_or_default().0.to_be_bytes(),
            address(self.originator),
            self.originator_sequence.0.to_be_bytes(),
        ]
        .concat()
    }
}

impl Reply {
    fn to_bytes(self, address: impl Fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        [
            [REPLY, set(ACKNOWLEDGE, self.wants_acknowledgement), 0, self.hop_count],
            address(self.destination),
            self.destination_sequence.0.to_be_bytes(),
            address(self.originator),
            self.lifetime_ms.to_be_bytes(),
        ]
        .concat()
    }
}

impl RouteError {
    fn size(&self) -> u32 {
        let named = if self.named.is_some() { NAMED_SIZE } else { 0 };
        4 + 8 * self.unreachable.len() as u32 + named as u32
    }

    fn to_bytes(&self, address: impl Fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        let mut bytes = vec![ERROR, set(NO_DELETE, self.is_repaired), 0, self.unreachable.len() as u8];
        for &(node, sequence) in &self.unreachable {
            bytes.extend(address(node));
            bytes.extend(sequence.0.to_be_bytes());
        }
        bytes.extend(self.named.iter().flat_map(|named| named.to_bytes(&address)));
        bytes
    }
}

impl Named {
    fn to_bytes(self, address: impl Fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        let AffectedSegment { flow, end, seq, destination } = self.met;
        let head = [NAMED, (NAMED_SIZE - 2) as u8];
        let flow = (flow.0 as u16).to_be_bytes();
        [
            &head[..],
            &flow,
            &[end as u8, 0],
            &address(self.source),
            &address(destination),
            &seq.0.to_be_bytes(),
        ]
        .concat()
    }

    fn from_bytes(bytes: &[u8], node: impl Fn([u8; 4]) -> NodeId) -> Option<Self> {
        let (&[kind, _, high, low, end, _], rest) = bytes.split_first_chunk()?;
        let (&source, rest) = rest.split_first_chunk()?;
        let (&destination, rest) = rest.split_first_chunk()?;
        let destination = node(destination);
        let end = if end == End::Sender as u8 { End::Sender } else { End::Receiver };
        let seq = SeqNumber(u32::from_be_bytes(rest.try_into().ok()?));
        let met =
            AffectedSegment { flow: FlowId(u16::from_be_bytes([high, low]).into()), end, seq, destination };
        (kind == NAMED).then(|| Self { source: node(source), met })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(node: NodeId) -> [u8; 4] {
        [10, 0, 0, node.0 as u8]
    }

    fn node([.., last]: [u8; 4]) -> NodeId {
        NodeId(last.into())
    }

    fn request() -> Request {
        Request {
            is_gratuitous: true,
            is_for_destination_only: false,
            hop_count: 3,
            id: 0x0102_0304,
            destination: NodeId(7),
            destination_sequence: None,
            originator: NodeId(9),
            originator_sequence: Sequence(0xa0b0_c0d0),
        }
    }

    #[test]
    fn a_request_is_laid_out_as_in_section_5_1() {
        let expected =
            [1, 0b0010_1000, 0, 3, 1, 2, 3, 4, 10, 0, 0, 7, 0, 0, 0, 0, 10, 0, 0, 9, 0xa0, 0xb0, 0xc0, 0xd0];
        assert_eq!(Message::Request(request()).to_bytes(address), expected);
        let known = Request { destination_sequence: Some(Sequence(5)), is_gratuitous: false, ..request() };
        let known = Request { is_for_destination_only: true, ..known };
        let bytes = Message::Request(known).to_bytes(address);
        assert_eq!((bytes[1], &bytes[12..16]), (0b0001_0000, &[0, 0, 0, 5][..]));
    }

    fn reply() -> Reply {
        Reply {
            wants_acknowledgement: true,
            hop_count: 2,
            destination: NodeId(7),
            destination_sequence: Sequence(258),
            originator: NodeId(9),
            lifetime_ms: 6000,
        }
    }

    #[test]
    fn a_reply_is_laid_out_as_in_section_5_2() {
        let expected = [2, 0x40, 0, 2, 10, 0, 0, 7, 0, 0, 1, 2, 10, 0, 0, 9, 0, 0, 0x17, 0x70];
        assert_eq!(Message::Reply(reply()).to_bytes(address), expected);
    }

    #[test]
    fn an_error_and_an_acknowledgement_are_laid_out_as_in_sections_5_3_and_5_4() {
        let error = RouteError {
            is_repaired: true,
            unreachable: vec![(NodeId(7), Sequence(1)), (NodeId(8), Sequence(2))],
            named: None,
        };
        let expected = [3, 0x80, 0, 2, 10, 0, 0, 7, 0, 0, 0, 1, 10, 0, 0, 8, 0, 0, 0, 2];
        assert_eq!(Message::Error(error).to_bytes(address), expected);
        assert_eq!(Message::ReplyAcknowledgement.to_bytes(address), [4, 0]);
    }

    #[test]
    fn an_error_can_name_a_packet_in_an_extension() {
        let met = AffectedSegment {
            flow: FlowId(258),
            end: End::Receiver,
            seq: SeqNumber(9),
            destination: NodeId(7),
        };
        let named = Some(Named { source: NodeId(3), met });
        let error = RouteError { is_repaired: false, unreachable: vec![(NodeId(7), Sequence(1))], named };
        let bytes = Message::Error(error.clone()).to_bytes(address);
        assert_eq!(
            bytes[12..],
            [127, 16, 1, 2, End::Receiver as u8, 0, 10, 0, 0, 3, 10, 0, 0, 7, 0, 0, 0, 9]
        );
        assert_eq!(28 + bytes.len() as u32, Message::Error(error.clone()).size());
        assert_eq!(Message::from_bytes(&bytes, node), Some(Message::Error(error)));
        assert_eq!(Message::from_bytes(&bytes[..20], node), None);
    }

    #[test]
    fn every_message_survives_encoding_and_has_its_size_there() {
        let error = |count| RouteError {
            is_repaired: false,
            unreachable: (0..count).map(|n| (NodeId(n), Sequence(n * 3))).collect(),
            named: None,
        };
        let messages = [
            Message::Request(request()),
            Message::Request(Request { destination_sequence: Some(Sequence(0)), ..request() }),
            Message::Reply(reply()),
            Message::Error(error(1)),
            Message::Error(error(MOST_UNREACHABLE as u32)),
            Message::ReplyAcknowledgement,
        ];
        for message in messages {
            let bytes = message.to_bytes(address);
            assert_eq!(message.size(), 28 + bytes.len() as u32);
            assert_eq!(Message::from_bytes(&bytes, node), Some(message));
            for shorter in 0..bytes.len() {
                assert_eq!(Message::from_bytes(&bytes[..shorter], node), None);
            }
        }
        assert_eq!(Message::from_bytes(&[5; 24], node), None);
    }
}
