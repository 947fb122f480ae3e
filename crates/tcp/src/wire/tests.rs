//! Round trips, worked bytes, and bytes of any kind.

use proptest::prelude::*;

use super::*;
use crate::accurate_ecn::{AccEcnOption, Order};
use crate::fast_open::{Cookie, FastOpenOption};
use crate::segment::SackBlocks;

fn envelope() -> Envelope {
    Envelope {
        from: Endpoint { address: [10, 0, 0, 1], port: 1024 },
        to: Endpoint { address: [10, 0, 0, 2], port: 80 },
        ecn: Ecn::Ect0,
        ttl: 64,
        id: 7,
    }
}

fn sack_blocks(edges: &[(u32, u32)]) -> SackBlocks {
    let mut blocks = SackBlocks::default();
    for &(left, right) in edges {
        blocks.push(SeqNumber(left), SeqNumber(right));
    }
    blocks
}

fn encoded(segment: &Segment, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0xaa; 9];
    encode_tcp(&envelope(), segment, payload.iter().copied(), &mut out).expect("it fits");
    out
}

#[test]
fn a_syn_has_the_format_of_the_rfcs() {
    let segment = Segment {
        seq: SeqNumber(1),
        flags: Flags::SYN,
        window: 65_535,
        options: Options {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some(Timestamps { value: 0x0102_0304, echo: 0 }),
            ..Options::default()
        },
        ..Segment::default()
    };
    let bytes = encoded(&segment, &[]);
    #[rustfmt::skip]
    let expected = [
        0x45, 0x02, 0, 60, 0, 7, 0x40, 0, 64, 6, 0x26, 0xb1, 10, 0, 0, 1, 10, 0, 0, 2,
        4, 0, 0, 80, 0, 0, 0, 1, 0, 0, 0, 0, 0xa0, 0x02, 0xff, 0xff, bytes[36], bytes[37], 0, 0,
        2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 3, 3, 7, 0,
    ];
    assert_eq!(bytes, expected);
    assert_eq!(ones_complement_sum(&pseudo_header_and_segment(&bytes)), 0xffff);
}

/// RFC 3168 section 5 figure 1: the two low bits of the second octet.
#[test]
fn the_ecn_field_has_four_codepoints() {
    let codepoints =
        [(Ecn::NotCapable, 0b00), (Ecn::Ect1, 0b01), (Ecn::Ect0, 0b10), (Ecn::Experienced, 0b11)];
    for (ecn, bits) in codepoints {
        let mut bytes = Vec::new();
        let envelope = Envelope { ecn, ..envelope() };
        encode_tcp(&envelope, &Segment::default(), [], &mut bytes).expect("it fits");
        assert_eq!(bytes[1] & 0b11, bits);
        assert_eq!(decode(&bytes).expect("what was encoded is a packet").envelope.ecn, ecn);
    }
}

/// RFC 9293 section 3.1: pseudo-header, header and payload sum to all ones.
fn pseudo_header_and_segment(packet: &[u8]) -> Vec<u8> {
    let mut summed = packet[12..20].to_vec();
    summed.extend([0, packet[9]]);
    summed.extend(((packet.len() - IP_HEADER) as u16).to_be_bytes());
    summed.extend(&packet[IP_HEADER..]);
    summed
}

fn ones_complement_sum(bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u64 = bytes.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[test]
fn options_of_unknown_kind_are_skipped_and_broken_ones_refused() {
    let fast_open = [34, 4, 1, 2];
    let with = |tail: &[u8]| decode_options(&[&fast_open[..], tail].concat());
    assert_eq!(with(&[2, 4, 3, 0xe8]), Ok(Options { mss: Some(1000), ..Options::default() }));
    assert_eq!(with(&[1, 1, 0, 99]), Ok(Options::default()), "nothing counts after the end of options");
    for broken in [&[2, 3, 1][..], &[3], &[5, 11], &[77, 0], &[77, 1], &[77, 9, 1]] {
        assert_eq!(with(broken), Err(Malformed::Option), "{broken:?}");
    }
}

/// RFC 9768 figures 2 and 4, table 5.
#[test]
fn an_ack_has_the_ace_field_and_the_acc_ecn_option() {
    let mut segment = Segment { flags: Flags::ACK | Flags::ace(6), ..Segment::default() };
    segment.options.set_acc_ecn(AccEcnOption::new(Order::One, &[0x0102_0304, 0x0a_0b0c]));
    let bytes = encoded(&segment, &[]);
    // Eight words; AE is the last bit of this byte, CWR and ECE are the first two of the next.
    assert_eq!(bytes[32..34], [0x71, 0x90]);
    assert_eq!(bytes[40..48], [174, 8, 2, 3, 4, 10, 11, 12]);
    // A length that has no whole fields: what is left over is padding (section 3.2.3).
    let read = decode_options(&[172, 7, 0, 0, 1, 9, 9, 1]).expect("options");
    assert_eq!(read.acc_ecn(), Some(AccEcnOption::new(Order::Zero, &[1])));
    let read = decode_options(&[172, 14, 0, 0, 1, 0, 0, 2, 0, 0, 3, 9, 9, 9]).expect("options");
    assert_eq!(read.acc_ecn(), Some(AccEcnOption::new(Order::Zero, &[1, 2, 3])));
    let empty = decode_options(&[174, 2, 0, 0]).expect("options").acc_ecn();
    assert_eq!(empty, Some(AccEcnOption::new(Order::One, &[])));
}

#[test]
fn what_has_no_wire_format_is_refused() {
    let mut segment = Segment::default();
    segment.options.timestamps = Some(Timestamps::default());
    segment.options.sack = sack_blocks(&[(1, 2), (3, 4), (5, 6), (7, 8)]);
    let mut out = Vec::new();
    assert_eq!(encode_tcp(&envelope(), &segment, [], &mut out), Err(Oversize::Options));
    let segment = Segment { len: 65_496, ..Segment::default() };
    assert_eq!(encode_tcp(&envelope(), &segment, [], &mut out), Err(Oversize::Packet));
    assert_eq!(encode_udp(&envelope(), vec![0; 65_508], &mut out), Err(Oversize::Packet));
}

fn any_segment() -> impl Strategy<Value = Segment> {
    let options = (
        any::<Option<u16>>(),
        proptest::option::of(0..=14u8),
        any::<bool>(),
        proptest::option::of((any::<u32>(), any::<u32>())),
        proptest::collection::vec((any::<u32>(), any::<u32>()), 0..=4),
        proptest::option::of((any::<[u8; 16]>(), 1..=8usize, any::<bool>())),
        proptest::option::of((proptest::collection::vec(0..1u32 << 24, 0..=3), any::<bool>())),
    );
    let head = (any::<u32>(), any::<u32>(), 0..0x200u16, any::<u16>(), 0..200u32);
    (head, options).prop_map(|((seq, ack, flags, window, len), options)| {
        let (mss, window_scale, sack_permitted, times, blocks, cookie, marks) = options;
        let mut options = Options {
            mss,
            window_scale,
            sack_permitted,
            timestamps: times.map(|(value, echo)| Timestamps { value, echo }),
            sack: sack_blocks(&blocks),
        };
        if let Some((bytes, pairs, experimental)) = cookie.filter(|_| blocks.is_empty()) {
            // A single pair of bytes is no cookie: the option asks for one.
            options.set_fast_open(FastOpenOption { cookie: Cookie::new(&bytes[..2 * pairs]), experimental });
        } else if let Some((counters, is_order_1)) = marks.filter(|_| blocks.len() <= 2) {
            let order = if is_order_1 { Order::One } else { Order::Zero };
            options.set_acc_ecn(AccEcnOption::new(order, &counters));
        }
        Segment { seq: SeqNumber(seq), ack: SeqNumber(ack), flags: Flags(flags), window, len, options }
    })
}

proptest! {
    #[test]
    fn segments_survive_encoding_and_are_as_long_as_they_say(segment in any_segment(), byte: u8) {
        let payload = vec![byte; segment.len as usize];
        let mut out = Vec::new();
        match encode_tcp(&envelope(), &segment, payload.iter().copied(), &mut out) {
            Err(refusal) => {
                prop_assert_eq!(refusal, Oversize::Options);
                prop_assert!(segment.header_len() > 60);
            }
            Ok(()) => {
                prop_assert_eq!(out.len() as u64, segment.ip_size().0);
                out.extend([0; 3]);
                let packet = decode(&out).expect("what was encoded is a packet");
                prop_assert_eq!(packet.envelope, envelope());
                prop_assert_eq!(packet.transport, Transport::Tcp(segment));
                prop_assert_eq!(packet.payload, &payload[..]);
            }
        }
    }

    #[test]
    fn datagrams_survive_encoding(payload: Vec<u8>) {
        let mut out = Vec::new();
        encode_udp(&envelope(), payload.iter().copied(), &mut out).expect("it fits");
        let packet = decode(&out).expect("what was encoded is a packet");
        prop_assert_eq!((packet.envelope, packet.transport), (envelope(), Transport::Udp));
        prop_assert_eq!(packet.payload, &payload[..]);
    }

    #[test]
    fn one_flipped_bit_is_found(segment in any_segment(), place: prop::sample::Index, bit in 0..8u8) {
        prop_assume!(segment.header_len() <= 60);
        let mut bytes = encoded(&segment, &vec![0x5a; segment.len as usize]);
        *place.get_mut(&mut bytes[..]) ^= 1 << bit;
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn no_bytes_make_decoding_panic(bytes: Vec<u8>) {
        let _ = decode(&bytes);
    }

    /// Random bytes rarely get past the checksums; these have true ones over damaged headers.
    #[test]
    fn no_damage_behind_true_checksums_makes_decoding_panic(
        segment in any_segment(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        prop_assume!(segment.header_len() <= 60);
        let mut bytes = encoded(&segment, &vec![0; segment.len as usize]);
        for (place, value) in damage {
            *place.get_mut(&mut bytes[IP_HEADER..]) = value;
        }
        patch(&mut bytes, IP_HEADER + TCP_CHECKSUM, 0);
        let checksum = !ones_complement_sum(&pseudo_header_and_segment(&bytes));
        patch(&mut bytes, IP_HEADER + TCP_CHECKSUM, checksum);
        prop_assert_ne!(decode(&bytes), Err(Malformed::TransportChecksum));
        let _ = decode_options(&bytes[IP_HEADER..]);
    }
}
