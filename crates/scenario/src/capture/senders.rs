//! The packets at the flows' senders, as a pcap with nanoseconds and raw IPv4.

use farlink_network::observe::capture::{Capture, Captured, Content};
use farlink_network::payload::pattern;
use farlink_tcp::wire;

use super::pcap::Pcap;
use super::{Format, Recorder, Sink, ip};

/// The TTL of every packet: it is captured at its sender.
const TTL: u8 = 64;

/// The file, and the packet that is being written.
pub(crate) struct Packets {
    file: Pcap,
    packet: Vec<u8>,
    id: u16,
}

pub(crate) fn recorder(sink: Sink) -> Recorder<Packets> {
    Recorder::new(Pcap::begin(sink).map(|file| Packets { file, packet: Vec::new(), id: 0 }))
}

impl Format for Packets {
    fn into_sink(self) -> Sink {
        self.file.0
    }
}

impl Capture for Recorder<Packets> {
    fn on_packet(&mut self, captured: &Captured<'_>) {
        self.write(|file| file.record(captured));
    }
}

impl Packets {
    fn record(&mut self, captured: &Captured<'_>) -> Result<(), String> {
        let Captured { now, flow, from, to, from_opener, content, ecn, offset } = *captured;
        self.id = self.id.wrapping_add(1);
        let nodes = [from, to];
        let envelope =
            wire::Envelope { ecn, ttl: TTL, id: self.id, ..ip::envelope(flow, nodes, from_opener) };
        let payload = |len| pattern(flow, offset, len);
        match content {
            Content::Segment(segment) => {
                wire::encode_tcp(&envelope, segment, payload(segment.len), &mut self.packet)
            }
            Content::Datagram(len) => wire::encode_udp(&envelope, payload(len), &mut self.packet),
        }
        .map_err(|why| ip::refused(flow, why))?;
        self.file.packet(now, &self.packet).map_err(|fault| fault.to_string())
    }
}

#[cfg(test)]
mod tests;
