//! [`Stored`]: the bytes of a flow with stored payload, really carried and put together again.

use farlink_tcp::{Flags, Segment, SeqNumber};

use crate::ids::FlowId;
use crate::payload::pattern;

/// What a flow with stored payload sends, and what arrived of it.
#[derive(Clone, Debug)]
pub struct Stored {
    source: Source,
    /// The receiver's buffer: bytes at the places their sequence numbers say.
    buffer: Vec<u8>,
    received: usize,
}

/// Where the bytes of a flow come from.
#[derive(Clone, Debug)]
enum Source {
    /// The pattern of a flow, made where it is looked at, so that a large file takes neither time nor memory before
    /// it is sent.
    Pattern {
        flow: FlowId,
        len: u64,
    },
    Bytes(Vec<u8>),
}

impl Stored {
    /// The most a source stores, in bytes: a run keeps one copy, and two more at its end.
    pub const LARGEST: u64 = 1 << 30;

    /// A source with `len` bytes of the flow's pattern (at most [`Stored::LARGEST`]), and an empty sink.
    pub fn file(flow: FlowId, len: u64) -> Self {
        Self { source: Source::Pattern { flow, len }, buffer: Vec::new(), received: 0 }
    }

    /// An empty source, which gets its bytes from another flow, and an empty sink.
    pub fn relay() -> Self {
        Self { source: Source::Bytes(Vec::new()), buffer: Vec::new(), received: 0 }
    }

    /// The source of a relay gets more bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        if let Source::Bytes(sent) = &mut self.source {
            sent.extend_from_slice(bytes);
        }
    }

    /// A segment arrived: its bytes go where its sequence number says.
    pub fn on_segment(&mut self, segment: &Segment, initial: SeqNumber, offset: u64) {
        // The SYN takes a number of its own: stream byte 0 is the one after it.
        let expected = self.received as u64 + 1;
        // Data of a SYN follow it (RFC 7413).
        let own = u64::from(segment.flags.has(Flags::SYN));
        let number = segment.seq.to_offset(initial, expected).map(|place| place + own);
        let Some(place) = number.and_then(|place| place.checked_sub(1)) else { return };
        let (place, end) = (place as usize, place as usize + segment.len as usize);
        if end > self.buffer.len() {
            self.buffer.resize(end, 0);
        }
        let room = &mut self.buffer[place..end];
        match &self.source {
            Source::Pattern { flow, .. } => {
                room.iter_mut().zip(pattern(*flow, offset, segment.len)).for_each(|(to, byte)| *to = byte);
            }
            Source::Bytes(sent) => room.copy_from_slice(&sent[offset as usize..][..segment.len as usize]),
        }
    }

    /// The connection hands `len` bytes from `start` on to the application.
    pub fn on_received(&mut self, start: u64, len: u64) {
        assert!(start == self.received as u64, "bytes from {start} on are handed over twice or too early");
        self.received += len as usize;
        assert!(self.received <= self.buffer.len(), "bytes are handed over that did not arrive");
    }

    pub fn sent(&self) -> Vec<u8> {
        match &self.source {
            Source::Pattern { flow, len } => pattern(*flow, 0, *len as u32).collect(),
            Source::Bytes(sent) => sent.clone(),
        }
    }

    pub fn received(&self) -> &[u8] {
        &self.buffer[..self.received]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_out_of_order_are_put_together_by_their_numbers() {
        let initial = SeqNumber(u32::MAX - 2);
        let mut stored = Stored::file(FlowId(3), 8);
        let segment = |offset: u64, len| Segment {
            seq: SeqNumber::from_offset(initial, offset + 1),
            len,
            ..Segment::default()
        };
        stored.on_segment(&segment(4, 4), initial, 4);
        stored.on_segment(&segment(0, 4), initial, 0);
        stored.on_received(0, 8);
        assert_eq!(stored.received(), pattern(FlowId(3), 0, 8).collect::<Vec<_>>());
    }

    #[test]
    #[should_panic(expected = "handed over twice")]
    fn bytes_are_handed_over_once() {
        let mut stored = Stored::file(FlowId(3), 8);
        stored.on_segment(&Segment { seq: SeqNumber(1), len: 8, ..Segment::default() }, SeqNumber(0), 0);
        stored.on_received(0, 8);
        stored.on_received(0, 8);
    }
}
