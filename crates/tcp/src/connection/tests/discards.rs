//! What a connection discards, and why.

use super::*;
use crate::discard::Discard;
use crate::segment::{Segment, Timestamps};

/// A pair in the middle of a transfer.
fn transferring() -> Pair {
    let mut pair = Pair::new(&Config { timestamps: true, dsack: true, ..Config::default() });
    pair.client.write(Instant::ZERO, 1_000_000);
    pair.run_for(Duration::from_secs(1));
    pair.wire.clear();
    pair
}

/// The first data segment of the transfer.
fn old_data(pair: &Pair) -> Segment {
    pair.trace.iter().find(|(_, sent)| sent.segment.len > 0).expect("data were sent").1.segment
}

/// What the server does with `segment`, and its answer.
fn server_takes(pair: &mut Pair, segment: &Segment) -> (Option<Discard>, Option<Segment>) {
    pair.server.on_segment(pair.now, segment, Ecn::NotCapable);
    let why = pair.server.take_discard();
    assert_eq!(pair.server.take_discard(), None, "a discard is reported once");
    (why, pair.server.poll_transmit(pair.now).map(|transmit| transmit.segment))
}

#[test]
fn data_with_an_old_timestamp_that_were_there_are_reported_as_a_duplicate() {
    let mut pair = transferring();
    let old = old_data(&pair);
    let (why, answer) = server_takes(&mut pair, &old);
    assert_eq!(why, Some(Discard::DuplicateData));
    let end = SeqNumber(old.seq.0.wrapping_add(old.len));
    assert_eq!(answer.expect("an ACK").options.sack.as_slice(), [(old.seq, end)]);
}

#[test]
fn every_segment_that_is_not_taken_has_a_cause() {
    let of = |change: fn(&mut Segment, SeqNumber)| {
        let mut pair = transferring();
        let mut segment = old_data(&pair);
        let value = segment.options.timestamps.expect("agreed on").value + 1_000_000;
        segment.options.timestamps = Some(Timestamps { value, echo: 0 });
        let next = SeqNumber::from_offset(SeqNumber(u32::MAX - 5_000), 1 + pair.server.received());
        segment.seq = next;
        change(&mut segment, next);
        server_takes(&mut pair, &segment).0
    };
    assert_eq!(of(|_, _| ()), None);
    let old = |segment: &mut Segment, _| segment.options.timestamps = Some(Timestamps { value: 1, echo: 0 });
    assert_eq!(of(old), Some(Discard::OldTimestamp));
    assert_eq!(of(|segment, _| segment.options.timestamps = None), Some(Discard::NoTimestamp));
    assert_eq!(
        of(|segment, _| segment.seq.0 = segment.seq.0.wrapping_sub(segment.len)),
        Some(Discard::DuplicateData)
    );
    let beyond = |segment: &mut Segment, next: SeqNumber| segment.seq.0 = next.0.wrapping_add(1 << 29);
    assert_eq!(of(beyond), Some(Discard::OutsideWindow));
    assert_eq!(
        of(|segment, _| segment.ack.0 = segment.ack.0.wrapping_add(1 << 20)),
        Some(Discard::InvalidAck)
    );
    assert_eq!(of(|segment, _| segment.flags = Flags::PSH), Some(Discard::NoAck));
    assert_eq!(of(|segment, _| segment.flags |= Flags::SYN), Some(Discard::RepeatedSyn));
    let reset = |segment: &mut Segment, next: SeqNumber| {
        (segment.flags, segment.seq.0) = (Flags::RST, next.0.wrapping_add(10));
    };
    assert_eq!(of(reset), Some(Discard::InvalidReset));
}

#[test]
fn a_closed_end_and_one_that_listens_take_nothing_else() {
    let mut pair = transferring();
    let data = old_data(&pair);
    pair.server.abort(pair.now);
    assert_eq!(server_takes(&mut pair, &data).0, Some(Discard::NoConnection));
    let mut fresh = Pair::new(&Config::default());
    assert_eq!(server_takes(&mut fresh, &data).0, Some(Discard::NoConnection));
}
