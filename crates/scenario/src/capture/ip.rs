//! Packets as IPv4, with equal addresses and ports in every capture.

use farlink_network::hop::{NextHop, Part};
use farlink_network::ids::{End, FlowId, NodeId};
use farlink_network::packet::{Packet, Packets, Payload};
use farlink_network::payload::pattern;
use farlink_network::wire::{DISCARD, Encapsulation, Message, arp};
use farlink_tcp::segment::Ecn;
use farlink_tcp::wire::{Endpoint, Envelope, Oversize, encode_other, encode_tcp, encode_udp};

/// The lowest port: those below are known services, and tshark would take the payload for theirs.
const LOWEST_PORT: u32 = 49_152;
const PORTS: u32 = 65_536 - LOWEST_PORT;

/// IP and UDP headers.
const HEADERS: u32 = 28;
/// The length of the IP header, and the offset of its protocol field.
const IP_HEADER: usize = 20;
const IP_PROTOCOL: usize = 9;

pub(super) fn address(node: NodeId) -> [u8; 4] {
    let [_, a, b, c] = (node.0 + 1).to_be_bytes();
    [10, a, b, c]
}

/// A flow's packet from the first of `nodes` to the second; the two ports together distinguish flows
/// between the same hosts.
pub(super) fn envelope(flow: FlowId, [from, to]: [NodeId; 2], from_opener: bool) -> Envelope {
    let opener_port = (LOWEST_PORT + flow.0 % PORTS) as u16;
    let other_port = (LOWEST_PORT + flow.0 / PORTS % PORTS) as u16;
    let ports = if from_opener { (opener_port, other_port) } else { (other_port, opener_port) };
    Envelope {
        from: Endpoint { address: address(from), port: ports.0 },
        to: Endpoint { address: address(to), port: ports.1 },
        ecn: Ecn::NotCapable,
        ttl: Packet::HOP_LIMIT,
        id: 0,
    }
}

/// Why a packet of `flow` cannot be captured.
pub(super) fn refused(flow: FlowId, why: Oversize) -> String {
    format!("a packet of flow {flow}: {why}")
}

/// The message of ARP that a packet carries: it is not IP.
pub(super) fn arp<'a>(part: &Part, packets: &'a Packets) -> Option<&'a arp::Message> {
    match packets.message(part.packet) {
        Some(Message::Arp(message)) => Some(message),
        _ => None,
    }
}

/// Encodes a packet on a hop to a neighbour, or to all, into `out`, which is cleared first. A packet without a
/// format of its own becomes a datagram of its size to the discard port.
pub(super) fn encode(part: &Part, packets: &Packets, out: &mut Vec<u8>) -> Result<(), String> {
    let packet = &packets[part.packet];
    let nodes = [packet.source, packet.destination];
    let flows = envelope(packet.flow, nodes, packet.to == End::Receiver);
    // Copies of a packet share its number, and so the identification.
    let envelope = Envelope { ecn: packet.ecn, ttl: packet.hop_limit, id: packet.number as u16, ..flows };
    let content = |len| pattern(packet.flow, packet.offset, len);
    let written = match &packet.payload {
        Payload::Segment(segment) => encode_tcp(&envelope, segment, content(segment.len), out),
        Payload::Datagram(len) => encode_udp(&envelope, content(*len), out),
        Payload::Notice(_) => encode_udp(&at_port(DISCARD, envelope), padding(packet.size), out),
        Payload::Message(_) => {
            let message = packets.message(part.packet).expect("the payload is a message");
            let mut envelope = envelope;
            envelope.to.address = match part.next_hop {
                NextHop::Node(node) => address(node),
                NextHop::Everyone => [255; 4],
            };
            encode_message(message, envelope, packet, out)
        }
    };
    let written = written.and_then(|()| insert_header(packets.header(part.packet), &envelope, out));
    written.map_err(|why| refused(packet.flow, why))
}

/// Encodes a message: a datagram, or a payload of an IP protocol of its own.
fn encode_message(
    message: &Message,
    envelope: Envelope,
    packet: &Packet,
    out: &mut Vec<u8>,
) -> Result<(), Oversize> {
    match message.encode(packet.number as u16, address) {
        (Encapsulation::Ip(protocol), bytes) => encode_other(&envelope, protocol, bytes, out),
        (Encapsulation::Udp(port), bytes) => {
            let rest = padding(packet.size).skip(bytes.len());
            encode_udp(&at_port(port, envelope), bytes.into_iter().chain(rest), out)
        }
    }
}

/// Inserts the header that routing added to a packet of a flow after its IP header.
fn insert_header(header: Option<&Message>, envelope: &Envelope, out: &mut Vec<u8>) -> Result<(), Oversize> {
    let Some((protocol, bytes)) = header.and_then(|header| header.encode_header(out[IP_PROTOCOL], address))
    else {
        return Ok(());
    };
    let rest = out.split_off(IP_HEADER);
    encode_other(envelope, protocol, bytes.into_iter().chain(rest), out)
}

fn at_port(port: u16, envelope: Envelope) -> Envelope {
    let at = |endpoint: Endpoint| Endpoint { port, ..endpoint };
    Envelope { from: at(envelope.from), to: at(envelope.to), ..envelope }
}

fn padding(size: u32) -> impl Iterator<Item = u8> {
    std::iter::repeat_n(0, size.saturating_sub(HEADERS) as usize)
}
