//! [`Stored`]: the bytes of a flow with stored payload, really carried and put together again.

use farlink_tcp::{Segment, SeqNumber};

use crate::payload::pattern;

/// The two stores of a flow with stored payload.
#[derive(Clone, Debug)]
pub struct Stored {
    sent: Vec<u8>,
    /// The receiver's buffer: bytes at the places their sequence numbers say.
    buffer: Vec<u8>,
    received: Vec<u8>,
}

impl Stored {
    /// The most a source stores, in bytes: a run keeps three copies.
    pub const LARGEST: u64 = 1 << 30;

    /// A source with `len` bytes of the flow's pattern (at most [`Stored::LARGEST`]), and an empty sink.
    pub fn new(flow: u32, len: u64) -> Self {
        Self { sent: pattern(flow, 0, len as u32).collect(), buffer: Vec::new(), received: Vec::new() }
    }

    /// The source gets more bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.sent.extend_from_slice(bytes);
    }

    /// The bytes a segment carries that begins at `offset` of the source.
    pub fn carried(&self, offset: u64, len: u32) -> &[u8] {
        &self.sent[offset as usize..][..len as usize]
    }

    /// A segment arrived: its bytes go where its sequence number says.
    pub fn on_segment(&mut self, segment: &Segment, initial: SeqNumber, offset: u64) {
        // The SYN takes a number of its own: stream byte 0 is the one after it.
        let expected = self.received.len() as u64 + 1;
        let Some(place) = segment.seq.to_offset(initial, expected).and_then(|place| place.checked_sub(1))
        else {
            return;
        };
        let (place, end) = (place as usize, place as usize + segment.len as usize);
        if end > self.buffer.len() {
            self.buffer.resize(end, 0);
        }
        self.buffer[place..end].copy_from_slice(&self.sent[offset as usize..][..segment.len as usize]);
    }

    /// The connection hands `len` bytes from `start` on to the application.
    pub fn on_received(&mut self, start: u64, len: u64) {
        assert!(
            start == self.received.len() as u64,
            "bytes from {start} on are handed over twice or too early"
        );
        self.received.extend_from_slice(&self.buffer[start as usize..][..len as usize]);
    }

    /// What the source has.
    pub fn sent(&self) -> &[u8] {
        &self.sent
    }

    /// What the application got.
    pub fn received(&self) -> &[u8] {
        &self.received
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_out_of_order_are_put_together_by_their_numbers() {
        let initial = SeqNumber(u32::MAX - 2);
        let mut stored = Stored::new(3, 8);
        let segment = |offset: u64, len| Segment {
            seq: SeqNumber::from_offset(initial, offset + 1),
            len,
            ..Segment::default()
        };
        stored.on_segment(&segment(4, 4), initial, 4);
        stored.on_segment(&segment(0, 4), initial, 0);
        stored.on_received(0, 8);
        assert_eq!(stored.received(), pattern(3, 0, 8).collect::<Vec<_>>());
    }

    #[test]
    #[should_panic(expected = "handed over twice")]
    fn bytes_are_handed_over_once() {
        let mut stored = Stored::new(3, 8);
        stored.on_segment(&Segment { seq: SeqNumber(1), len: 8, ..Segment::default() }, SeqNumber(0), 0);
        stored.on_received(0, 8);
        stored.on_received(0, 8);
    }
}
