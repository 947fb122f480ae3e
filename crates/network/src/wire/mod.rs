//! Messages of the protocols, and their bytes: what nodes send to their neighbours on their own behalf.

pub mod aodv;
pub mod arp;
pub(crate) mod custom;
pub(crate) mod dsdv;
pub mod dsr;
pub(crate) mod frn;
pub(crate) mod notice;
pub(crate) mod olsr;

use crate::ids::NodeId;

/// The UDP port of messages that have no format of their own (RFC 863).
pub const DISCARD: u16 = 9;

/// What carries a message behind the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// UDP, with this port at both ends.
    Udp(u16),
    /// Nothing: the message has an IP protocol number of its own.
    Ip(u8),
}

/// A message of one of the protocols. Those of ARP end at stations, the others at routing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Makes its sender known to its neighbours, under any protocol.
    Greeting,
    /// ARP.
    Arp(arp::Message),
    /// AODV.
    Aodv(aodv::Message),
    /// DSDV.
    Dsdv(dsdv::Update),
    /// DSR, or the header that it adds to a packet of a flow.
    Dsr(dsr::Message),
    /// FRN.
    Frn(frn::Control),
    /// OLSR.
    Olsr(olsr::Message),
    /// Any other protocol.
    Custom(custom::Shared),
}

impl Message {
    /// The name of its packets in traces of ns-2.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Arp(_) => "ARP",
            Self::Aodv(_) => "AODV",
            Self::Dsr(_) => "DSR",
            Self::Olsr(_) => "OLSR",
            Self::Custom(message) => message.0.name(),
            Self::Greeting | Self::Dsdv(_) | Self::Frn(_) => "message",
        }
    }

    /// True for a header from which a node that overhears it learns nothing.
    pub fn is_silent(&self) -> bool {
        matches!(self, Self::Dsr(dsr::Message::Route(route)) if route.is_silent)
    }

    /// What carries the message, and its bytes after that; `packet` is the number of its packet. A message of ARP is
    /// not carried by IP.
    pub fn encode(&self, packet: u16, address: fn(NodeId) -> [u8; 4]) -> (Encapsulation, Vec<u8>) {
        match self {
            Self::Greeting | Self::Arp(_) => (Encapsulation::Udp(DISCARD), Vec::new()),
            Self::Aodv(message) => (Encapsulation::Udp(aodv::PORT), message.to_bytes(address)),
            Self::Dsdv(update) => (Encapsulation::Udp(dsdv::PORT), update.to_bytes(address)),
            Self::Dsr(message) => {
                (Encapsulation::Ip(dsr::PROTOCOL), message.to_bytes(dsr::NO_NEXT_HEADER, address))
            }
            Self::Frn(control) => (Encapsulation::Udp(frn::PORT), control.to_bytes(address)),
            Self::Olsr(message) => (Encapsulation::Udp(olsr::PORT), message.to_bytes(packet, address)),
            Self::Custom(message) => (Encapsulation::Udp(message.0.port()), message.0.to_bytes(address)),
        }
    }

    /// The IP protocol and the bytes of a message that is a header between IP and `next_header`; `None` when it takes
    /// no bytes there.
    pub fn encode_header(&self, next_header: u8, address: fn(NodeId) -> [u8; 4]) -> Option<(u8, Vec<u8>)> {
        let Self::Dsr(header) = self else { return None };
        let bytes = header.to_bytes(next_header, address);
        // A source route of one hop needs no header.
        (bytes.len() > dsr::EMPTY).then_some((dsr::PROTOCOL, bytes))
    }
}
