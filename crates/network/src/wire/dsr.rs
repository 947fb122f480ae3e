//! What DSR says (RFC 4728, section 6): options of one header between IP and the transport.

use std::sync::Arc;

use super::notice::AffectedSegment;
use crate::ids::NodeId;

/// IP's number for the header.
pub const PROTOCOL: u8 = 48;

const IP: u32 = 20;
/// The fixed part of DSR's header (section 6.1), and a header without options.
const FIXED: u32 = 4;
/// The latter, in bytes written.
pub const EMPTY: usize = FIXED as usize;
const ADDRESS: u32 = 4;
/// A route error (section 6.4), padded to a multiple of four.
const ERROR: u32 = 16;
/// What an error adds that names the packet: both ports and the sequence number.
const NAMED: u32 = 8;

/// The nodes of a source route, shared by all packets and caches that hold it.
pub type Path = Arc<[NodeId]>;

/// A link that broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The node whose transmissions failed.
    pub from: NodeId,
    /// Its receiver.
    pub to: NodeId,
}

/// The way a packet takes (section 6.7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRoute {
    /// From where it set out to where it goes.
    pub path: Path,
    pub(crate) at: usize,
    /// How often it was sent another way.
    pub salvaged: u8,
    /// True when the packet does not carry it: the nodes on it remember it (flow state, section 3.5).
    pub is_silent: bool,
}

impl SourceRoute {
    /// A packet sets out.
    pub fn along(path: impl Into<Path>) -> Self {
        Self { path: path.into(), at: 0, salvaged: 0, is_silent: false }
    }

    /// The next node; `None` at the end.
    pub fn next(&self) -> Option<NodeId> {
        self.path.get(self.at + 1).copied()
    }

    /// The route so far, from the present node backwards.
    pub fn back(&self) -> Vec<NodeId> {
        self.path[..=self.at].iter().rev().copied().collect()
    }

    /// Size of the option; a way of one hop needs none.
    fn size(&self) -> u32 {
        match self.path.len() {
            _ if self.is_silent => 0,
            0..=2 => 0,
            nodes => 4 + ADDRESS * (nodes as u32 - 2),
        }
    }

    /// What the header adds to a packet that takes this way.
    pub fn header_size(&self) -> u32 {
        match self.size() {
            0 => 0,
            size => FIXED + size,
        }
    }
}

/// Looks for a way (section 6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The identification, unique per initiator.
    pub id: u16,
    /// To where.
    pub target: NodeId,
    /// The route so far, initiator first.
    pub path: Vec<NodeId>,
    /// A link that the originator knows to be broken.
    pub broken: Option<Broken>,
    /// The packet that met the break, where transports are to know when there is a way again.
    pub met: Option<AffectedSegment>,
}

/// A route reply (section 6.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its own way.
    pub route: SourceRoute,
    /// The node that sent it; a node that salvaged it is first on its way.
    pub origin: NodeId,
    /// The way that was found.
    pub path: Path,
}

/// A route error (section 6.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Its own way.
    pub route: SourceRoute,
    /// The link.
    pub broken: Broken,
    /// The source of the packet that met it.
    pub source: NodeId,
    /// The packet, where the transport is to know.
    pub met: Option<AffectedSegment>,
    /// The node that sent it; a node that salvaged it is first on its way.
    pub origin: NodeId,
    /// Errors that failed on their way, for its receiver to pass on: the one that failed first is first.
    pub enclosed: Vec<Enclosed>,
}

/// A route error inside another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enclosed {
    /// The link.
    pub broken: Broken,
    /// The node that it is for.
    pub to: NodeId,
}

/// A message, or what a packet of a flow carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Looks for a way.
    Request(Request),
    /// A route reply.
    Reply(Reply),
    /// A route error.
    Error(Error),
    /// Goes with a packet of a flow.
    Route(SourceRoute),
}

impl Message {
    /// Size of the packet, with IP header.
    pub fn size(&self) -> u32 {
        let options = match self {
            Self::Request(request) => {
                let errors = if request.broken.is_some() { ERROR } else { 0 };
                4 + ADDRESS * request.path.len() as u32 + errors + named(request.met)
            }
            // Three bytes and a pad.
            Self::Reply(reply) => 4 + ADDRESS * (reply.path.len() as u32 - 1) + reply.route.size(),
            Self::Error(error) => {
                ERROR * (1 + error.enclosed.len() as u32) + named(error.met) + error.route.size()
            }
            Self::Route(route) => route.size(),
        };
        IP + FIXED + options
    }
}

fn named(met: Option<AffectedSegment>) -> u32 {
    if met.is_some() { NAMED } else { 0 }
}

/// Option types (section 6).
const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR_OPTION: u8 = 3;
const ROUTE: u8 = 96;
const PAD_1: u8 = 224;
const PAD_N: u8 = 0;
/// The neighbour does not answer (section 6.4.1).
const NODE_UNREACHABLE: u8 = 1;
/// Nothing follows (RFC 8200).
pub const NO_NEXT_HEADER: u8 = 59;

impl Message {
    /// The header with its options as bytes, before what `next_header` says.
    pub fn to_bytes(&self, next_header: u8, address: fn(NodeId) -> [u8; 4]) -> Vec<u8> {
        let addresses = |nodes: &[NodeId]| nodes.iter().flat_map(|&node| address(node)).collect::<Vec<_>>();
        let mut options = Vec::new();
        match self {
            Self::Request(request) => {
                let so_far = addresses(&request.path[1..]);
                options.extend([REQUEST, 6 + so_far.len() as u8]);
                options.extend(request.id.to_be_bytes());
                options.extend(address(request.target));
                options.extend(so_far);
                if let Some(broken) = &request.broken {
                    broken.write(request.path[0], 0, address, &mut options);
                }
                write_met(request.met, &mut options);
            }
            Self::Reply(reply) => {
                let path = addresses(&reply.path[1..]);
                reply.route.write(&addresses, &mut options);
                options.extend([REPLY, 1 + path.len() as u8, 0]);
                options.extend(path);
                options.push(PAD_1);
            }
            Self::Error(error) => {
                let destination = error.route.path[error.route.path.len() - 1];
                error.route.write(&addresses, &mut options);
                error.broken.write(destination, error.route.salvaged, address, &mut options);
                for Enclosed { broken, to } in &error.enclosed {
                    broken.write(*to, 0, address, &mut options);
                }
                write_met(error.met, &mut options);
            }
            Self::Route(route) => route.write(&addresses, &mut options),
        }
        let mut bytes = vec![next_header, 0];
        bytes.extend((options.len() as u16).to_be_bytes());
        bytes.extend(options);
        bytes
    }
}

/// In what others take for padding.
fn write_met(met: Option<AffectedSegment>, options: &mut Vec<u8>) {
    if let Some(met) = met {
        options.extend([PAD_N, 6]);
        options.extend((met.flow.0 as u16).to_be_bytes());
        options.extend(met.seq.0.to_be_bytes());
    }
}

impl Broken {
    fn write(
        &self,
        destination: NodeId,
        salvaged: u8,
        address: fn(NodeId) -> [u8; 4],
        options: &mut Vec<u8>,
    ) {
        options.extend([ERROR_OPTION, 14, NODE_UNREACHABLE, salvaged]);
        options.extend([self.from, destination, self.to].into_iter().flat_map(address));
    }
}

impl SourceRoute {
    /// Segments left counts the nodes between that were not visited yet.
    fn write(&self, addresses: &impl Fn(&[NodeId]) -> Vec<u8>, options: &mut Vec<u8>) {
        if self.path.len() > 2 && !self.is_silent {
            let between = addresses(&self.path[1..self.path.len() - 1]);
            let left = self.path.len() - 2 - self.at.min(self.path.len() - 2);
            options.extend([ROUTE, 2 + between.len() as u8]);
            options.extend((u16::from(self.salvaged) << 6 | left as u16).to_be_bytes());
            options.extend(between);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::End;
    use crate::ids::FlowId;
    use farlink_tcp::SeqNumber;

    fn address(node: NodeId) -> [u8; 4] {
        [10, 0, 0, node.0 as u8]
    }

    #[test]
    fn what_is_written_is_as_long_as_it_is_said_to_be() {
        let route = SourceRoute { at: 1, salvaged: 2, ..SourceRoute::along([1, 2, 3, 4].map(NodeId)) };
        let broken = Broken { from: NodeId(2), to: NodeId(3) };
        let met = Some(AffectedSegment {
            flow: FlowId(7),
            end: End::Sender,
            seq: SeqNumber(9),
            destination: NodeId(4),
        });
        let error = Error {
            route: route.clone(),
            broken,
            source: NodeId(1),
            met,
            origin: NodeId(1),
            enclosed: vec![Enclosed { broken, to: NodeId(5) }],
        };
        let messages = [
            Message::Request(Request {
                id: 1,
                target: NodeId(9),
                path: vec![NodeId(1)],
                broken: None,
                met: None,
            }),
            Message::Request(Request {
                id: 1,
                target: NodeId(9),
                path: [1, 2, 3].map(NodeId).to_vec(),
                broken: Some(broken),
                met,
            }),
            Message::Reply(Reply {
                route: route.clone(),
                origin: NodeId(1),
                path: [4, 3, 2, 1].map(NodeId).into(),
            }),
            Message::Reply(Reply {
                route: SourceRoute::along([1, 2].map(NodeId)),
                origin: NodeId(1),
                path: [2, 1].map(NodeId).into(),
            }),
            Message::Error(Error { enclosed: vec![], ..error.clone() }),
            Message::Error(error),
            Message::Route(route.clone()),
        ];
        for message in messages {
            let bytes = message.to_bytes(NO_NEXT_HEADER, address);
            assert_eq!(bytes.len() as u32 + IP, message.size(), "{message:?}");
            assert_eq!(u16::from_be_bytes([bytes[2], bytes[3]]) as usize, bytes.len() - 4);
        }
        assert_eq!(route.header_size(), 16);
        assert_eq!(SourceRoute::along([1, 2].map(NodeId)).header_size(), 0);
    }

    #[test]
    fn a_source_route_names_the_nodes_between_and_how_many_are_left() {
        let route = SourceRoute { at: 1, salvaged: 2, ..SourceRoute::along([1, 2, 3, 4].map(NodeId)) };
        let bytes = Message::Route(route).to_bytes(6, address);
        assert_eq!(bytes, [6, 0, 0, 12, 96, 10, 0, 0x81, 10, 0, 0, 2, 10, 0, 0, 3]);
    }
}
