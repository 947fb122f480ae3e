//! Notices on their way to a transport: packets like any other, of the flow they are about.

use farlink_tcp::{Ecn, Notice};

use crate::blueprint::NodeId;
use crate::context::{Context, Effect};
use crate::packet::{Class, End, Packet, Payload};

/// A notice is as long as an ICMP message: IP header, ICMP header, and the IP header and first 8 bytes of
/// the packet it is about (RFC 792).
const SIZE: u32 = 56;

/// Sends a notice from `source` to one end of a flow, which is at `destination`; at the same node it needs no packet.
pub fn send(notice: Notice, (flow, to): (u32, End), source: NodeId, destination: NodeId, cx: &mut Context) {
    if source == destination {
        return cx.push(Effect::Notice { flow, end: to, notice });
    }
    let packet = cx.packets.originate(Packet {
        number: 0,
        flow,
        source,
        destination,
        to,
        class: Class::Routing,
        ecn: Ecn::NotCapable,
        hop_limit: Packet::HOP_LIMIT,
        attempt: 0,
        is_try: false,
        size: SIZE,
        first_sent: cx.now,
        offset: 0,
        header: None,
        payload: Payload::Notice(notice),
    });
    cx.push(Effect::Down { node: source, packet });
}
