//! J. Postel, "User Datagram Protocol", RFC 768, 1980: datagrams without retransmission.

use farlink_kernel::Bytes;
use farlink_tcp::Ecn;

use super::Io;
use crate::app::Receiver;
use crate::context::Effect;
use crate::ids::PacketId;
use crate::metrics::jitter::Jitter;
use crate::metrics::numbers::Numbers;
use crate::metrics::playout::Playout;
use crate::observe::capture::{Captured, Content};
use crate::packet::{Class, Discard, Packet, Payload};

const HEADERS: u32 = 28;

/// The sender of one flow and what its receiver remembers.
#[derive(Clone, Debug, Default)]
pub struct Udp {
    sent: u64,
    /// The datagrams that arrived.
    arrived: Numbers,
    jitter: Jitter,
    /// Of a call.
    playout: Option<Box<Playout>>,
}

impl Udp {
    pub fn new(receiver: Receiver) -> Self {
        let playout = match receiver {
            Receiver::Counts => None,
            Receiver::Plays(speech) => Some(Box::new(Playout::new(speech))),
        };
        Self { playout, ..Self::default() }
    }

    pub fn playout(&self) -> Option<&Playout> {
        self.playout.as_deref()
    }

    pub fn sent(&self) -> u64 {
        self.sent
    }

    pub fn jitter(&self) -> &Jitter {
        &self.jitter
    }

    pub fn has_arrived(&self, number: u64) -> bool {
        self.arrived.contains(number)
    }

    /// Sends one datagram with so many bytes.
    pub fn send(&mut self, bytes: Bytes, io: &mut Io<'_>) {
        let Io { identity, measured, cx, capture } = io;
        let (len, ecn, [source, destination]) = (bytes.0 as u32, Ecn::NotCapable, identity.nodes);
        if let Some(capture) = capture {
            capture.on_packet(&Captured {
                now: cx.now,
                flow: identity.flow,
                from: source,
                to: destination,
                from_opener: true,
                content: Content::Datagram(len),
                ecn,
                offset: self.sent * bytes.0,
            });
        }
        let payload = Payload::Datagram(len);
        let packet = Packet::new(identity.nodes, Class::Data, HEADERS + len, payload, cx.now);
        let packet = Packet { flow: identity.flow, offset: self.sent, ..packet };
        let packet = cx.packets.originate(packet);
        self.sent += 1;
        measured.on_datagram_sent(bytes);
        cx.push(Effect::Out { node: source, packet });
    }

    /// A datagram arrived. Its offset is its number in the flow.
    pub fn on_packet(&mut self, packet: PacketId, io: &mut Io<'_>) {
        let Io { measured, cx, .. } = io;
        let Packet { number: packet_number, offset: number, size, first_sent, is_copied, payload, .. } =
            cx.packets[packet];
        measured.on_data(packet_number, size);
        if !self.arrived.insert(number) {
            let by_link = if is_copied { Discard::DuplicatedByLink } else { Discard::DuplicateData };
            return cx.packets.discard(packet, by_link);
        }
        measured.on_first_arrival(cx.now - first_sent);
        self.jitter.on_arrival(cx.now - first_sent);
        if let Some(playout) = &mut self.playout {
            playout.on_arrival(number, cx.now - first_sent);
        }
        if let Payload::Datagram(len) = payload {
            measured.on_received(u64::from(len));
        }
        measured.arrivals.on_arrival(cx.now, || (first_sent, measured.received));
        cx.packets.deliver(packet);
    }
}
