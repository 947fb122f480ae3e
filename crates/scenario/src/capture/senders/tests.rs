//! A capture is read back as the packets that passed.

use std::io::Write;
use std::sync::{Arc, Mutex};

use farlink_kernel::{Duration, Instant};
use farlink_network::ids::FlowId;
use farlink_network::ids::NodeId;
use farlink_tcp::segment::{Ecn, Flags, Segment, Timestamps};
use farlink_tcp::wire::{Transport, decode};

use super::*;
use crate::capture::Recording;

/// A sink whose content can be read, with room for so many bytes.
#[derive(Clone)]
struct Shared(Arc<Mutex<Vec<u8>>>, usize);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut content = self.0.lock().unwrap();
        if content.len() + bytes.len() > self.1 {
            return Err(std::io::Error::other("disk full"));
        }
        content.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn sink(room: usize) -> Shared {
    Shared(Arc::new(Mutex::new(Vec::new())), room)
}

fn segment(len: u32) -> Segment {
    let mut segment = Segment { flags: Flags::ACK, window: 100, len, ..Segment::default() };
    segment.options.timestamps = Some(Timestamps { value: 5, echo: 4 });
    segment
}

fn captured(segment: &Segment, from: NodeId, to: NodeId, from_opener: bool) -> Captured<'_> {
    let now = Instant::ZERO + Duration::from_nanos(3_000_000_007);
    Captured {
        now,
        flow: FlowId(2),
        from,
        to,
        from_opener,
        content: Content::Segment(segment),
        ecn: Ecn::Ect0,
        offset: 4_000,
    }
}

#[test]
fn what_passed_reads_back_as_it_was() {
    let sink = sink(usize::MAX);
    let mut recorder = recorder(Box::new(sink.clone()));
    let (data, ack) = (segment(1_000), segment(0));
    recorder.on_packet(&captured(&data, NodeId(0), NodeId(1), true));
    recorder.on_packet(&captured(&ack, NodeId(1), NodeId(0), false));
    assert_eq!(recorder.finish(), None);

    let bytes = sink.0.lock().unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    // Nanoseconds, version 2.4, LINKTYPE_IPV4.
    assert_eq!([0, 4, 20].map(word), [0xA1B2_3C4D, 0x0004_0002, 228]);
    let (mut packets, mut at) = (Vec::new(), 24);
    while at < bytes.len() {
        let [seconds, nanoseconds, captured, sent] = [0, 4, 8, 12].map(|field| word(at + field));
        assert_eq!((seconds, nanoseconds, captured), (3, 7, sent));
        packets.push(&bytes[at + 16..][..captured as usize]);
        at += 16 + captured as usize;
    }
    let [first, second] = packets[..] else { panic!("{} packets", packets.len()) };
    let (first, second) = (decode(first).expect("a packet"), decode(second).expect("a packet"));
    assert_eq!(first.transport, Transport::Tcp(data));
    assert_eq!(first.payload, pattern(FlowId(2), 4_000, 1_000).collect::<Vec<_>>());
    assert_eq!((first.envelope.from, first.envelope.to), (second.envelope.to, second.envelope.from));
    assert_eq!(second.transport, Transport::Tcp(ack));
}

#[test]
fn a_failed_write_ends_the_capture_and_is_reported() {
    let sink = sink(1_500);
    let mut recorder = recorder(Box::new(sink.clone()));
    for _ in 0..3 {
        recorder.on_packet(&captured(&segment(1_000), NodeId(0), NodeId(1), true));
    }
    assert_eq!(recorder.finish().as_deref(), Some("disk full"));
}

#[test]
fn a_segment_too_long_for_ip_ends_the_capture_and_is_reported() {
    let mut recorder = recorder(Box::new(sink(usize::MAX)));
    recorder.on_packet(&captured(&segment(70_000), NodeId(0), NodeId(1), true));
    let why = recorder.finish().expect("a reason");
    assert!(why.contains("flow 2") && why.contains("65535"), "{why}");
}
