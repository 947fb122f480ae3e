//! Notices on their way to a transport: packets like any other, of the flow they are about.

use farlink_kernel::choice;
use farlink_tcp::Notice;

use crate::context::{Context, Effect};
use crate::ids::{End, FlowId, NodeId, PacketId};
use crate::packet::{Class, Packet, Payload};
use crate::wire::notice::AffectedSegment;

choice! {
    /// How a transport hears that a packet of its flow met a broken link.
    pub enum Notices {
        /// Not at all.
        None = "none",
        /// In the protocol's own message about the break, which may be lost.
        InBand = "in_band",
        /// At once and without a transmission: an ideal.
        Ideal = "ideal",
    }
}

/// What a message about a broken link says of a packet; `None` for those that TCP does not retransmit.
pub fn affected_segment(packet: PacketId, cx: &Context) -> Option<AffectedSegment> {
    let Packet { flow, to, payload, destination, .. } = cx.packets[packet];
    match payload {
        Payload::Segment(segment) if segment.len > 0 => {
            Some(AffectedSegment { flow, end: to.other(), seq: segment.seq, destination })
        }
        _ => None,
    }
}

/// Notifies the end that sent a segment of its failed route.
pub fn notify(AffectedSegment { flow, end, seq, .. }: AffectedSegment, cx: &mut Context) {
    cx.push(Effect::Notice { flow, end, notice: Notice::RouteFailed { seq: Some(seq) } });
}

/// A notice is as long as an ICMP message: IP header, ICMP header, and the IP header and first 8 bytes of
/// the packet it is about (RFC 792).
const SIZE: u32 = 56;

/// Sends a notice from `source` to one end of a flow, which is at `destination`; at the same node it needs no packet.
pub fn send(
    notice: Notice,
    (flow, to): (FlowId, End),
    source: NodeId,
    destination: NodeId,
    cx: &mut Context,
) {
    if source == destination {
        return cx.push(Effect::Notice { flow, end: to, notice });
    }
    let (nodes, payload) = ([source, destination], Payload::Notice(notice));
    let packet = Packet::new(nodes, Class::Routing, SIZE, payload, cx.now);
    let packet = cx.packets.originate(Packet { flow, to, ..packet });
    cx.push(Effect::Down { node: source, packet });
}
