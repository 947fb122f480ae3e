//! [`Recorder`]: what passes the flows' senders, as a pcap with nanoseconds and raw IPv4.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use farlink_kernel::Instant;
use farlink_network::blueprint::NodeId;
use farlink_network::payload::pattern;
use farlink_network::probe::capture::{Capture, Captured, Content};
use farlink_tcp::wire::{self, Endpoint, Envelope};
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::{DataLink, Endianness, PcapError, TsResolution};

/// Hops left in every packet: captures stand at the sender.
const TTL: u8 = 64;
/// The lowest port: those below are known services, and tshark would take the payload for theirs.
const LOWEST_PORT: u32 = 49_152;
const PORTS: u32 = 65_536 - LOWEST_PORT;

/// A capture under way: the world holds it to write, the simulation to end it.
#[derive(Clone)]
pub(crate) struct Recorder(Arc<Mutex<File>>);

struct File {
    state: Writing,
    packet: Vec<u8>,
    id: u16,
}

/// After a write failed nothing more is written.
enum Writing {
    On(PcapWriter<Box<dyn Write + Send>>),
    Failed(String),
}

impl Recorder {
    /// A capture that is written to `sink`.
    pub(crate) fn new(sink: Box<dyn Write + Send>) -> Self {
        let header = PcapHeader {
            datalink: DataLink::IPV4,
            ts_resolution: TsResolution::NanoSecond,
            // The same bytes on every machine.
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        let state = match PcapWriter::with_header(sink, header) {
            Ok(writer) => Writing::On(writer),
            Err(fault) => Writing::Failed(describe(&fault)),
        };
        Self(Arc::new(Mutex::new(File { state, packet: Vec::new(), id: 0 })))
    }

    /// True once a write has failed.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.lock().state, Writing::Failed(_))
    }

    /// Ends the capture; what went wrong, if anything did.
    pub(crate) fn finish(self) -> Option<String> {
        let file = &mut *self.lock();
        match std::mem::replace(&mut file.state, Writing::Failed("finished".into())) {
            Writing::On(writer) => writer.into_writer().flush().err().map(|fault| fault.to_string()),
            Writing::Failed(why) => Some(why),
        }
    }

    fn lock(&self) -> MutexGuard<'_, File> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

impl Capture for Recorder {
    fn on_packet(&mut self, captured: &Captured<'_>) {
        self.lock().record(captured);
    }
}

impl File {
    fn record(&mut self, captured: &Captured<'_>) {
        let Writing::On(writer) = &mut self.state else { return };
        self.id = self.id.wrapping_add(1);
        let envelope = envelope(captured, self.id);
        let payload = |len| pattern(captured.flow, captured.offset, len);
        let encoded = match captured.content {
            Content::Segment(segment) => {
                wire::encode_tcp(&envelope, segment, payload(segment.len), &mut self.packet)
            }
            Content::Datagram(len) => wire::encode_udp(&envelope, payload(len), &mut self.packet),
        };
        let written = encoded
            .map_err(|refusal| format!("a packet of flow {}: {refusal}", captured.flow))
            .and_then(|()| write(writer, captured.now, &self.packet).map_err(|fault| describe(&fault)));
        if let Err(why) = written {
            self.state = Writing::Failed(why);
        }
    }
}

fn write(
    writer: &mut PcapWriter<Box<dyn Write + Send>>,
    now: Instant,
    packet: &[u8],
) -> Result<(), PcapError> {
    let since_start = std::time::Duration::from_nanos(now.as_nanos());
    writer.write_packet(&PcapPacket::new(since_start, packet.len() as u32, packet)).map(drop)
}

/// Nodes are hosts of 10.0.0.0/8; the two ports together tell flows between the same hosts apart.
fn envelope(captured: &Captured<'_>, id: u16) -> Envelope {
    let opener_port = (LOWEST_PORT + captured.flow % PORTS) as u16;
    let other_port = (LOWEST_PORT + captured.flow / PORTS % PORTS) as u16;
    let (from, to) = if captured.from_opener { (opener_port, other_port) } else { (other_port, opener_port) };
    Envelope {
        from: Endpoint { address: address(captured.from), port: from },
        to: Endpoint { address: address(captured.to), port: to },
        ecn: captured.ecn,
        ttl: TTL,
        id,
    }
}

fn address(node: NodeId) -> [u8; 4] {
    let [_, a, b, c] = (node + 1).to_be_bytes();
    [10, a, b, c]
}

fn describe(fault: &PcapError) -> String {
    match fault {
        PcapError::IoError(fault) => fault.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
