//! IPv4 packets: bytes to segments and back.

use farlink_tcp::segment::{Options, Segment, Timestamps};
use farlink_tcp::wire::{Packet, Transport, decode, encode_tcp, encode_udp};
use farlink_tcp::{Flags, SeqNumber};

/// Where the checksum of an IPv4 header of 20 bytes stands.
const CHECKSUM: std::ops::Range<usize> = 10..12;
/// The protocol's number.
const PROTOCOL: usize = 9;

/// Takes a packet apart, as it is and with its checksums set right, and puts it together again.
pub(crate) fn packet(data: &[u8]) {
    if let Ok(packet) = decode(data) {
        returns(&packet);
    }
    if let Some(Ok(packet)) = with_checksums(data).as_deref().map(decode) {
        returns(&packet);
    }
    segment(data);
}

/// A packet that was read is written and read as the same packet, unless it has no room for its options.
fn returns(packet: &Packet<'_>) {
    let (mut out, payload) = (Vec::new(), packet.payload.iter().copied());
    let encoded = match &packet.transport {
        Transport::Tcp(segment) => encode_tcp(&packet.envelope, segment, payload, &mut out),
        Transport::Udp => encode_udp(&packet.envelope, payload, &mut out),
    };
    if encoded.is_ok() {
        assert_eq!(decode(&out).as_ref(), Ok(packet), "read again, it is another packet");
    }
}

/// A segment of any fields, as an IPv4 packet, is as long as it says.
fn segment(data: &[u8]) {
    let Some((fields, payload)) = data.split_first_chunk::<24>() else { return };
    let number = |at: usize| u32::from_be_bytes([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]]);
    let has = |bit: u32| fields[1] >> bit & 1 == 1;
    let mut options = Options {
        mss: has(0).then_some(number(2) as u16),
        window_scale: has(1).then_some(fields[6]),
        sack_permitted: has(2),
        timestamps: has(3).then(|| Timestamps { value: number(4), echo: number(8) }),
        ..Options::default()
    };
    for at in 0..usize::from(fields[1] >> 4).min(5) {
        options.sack.push(SeqNumber(number(at)), SeqNumber(number(at + 8)));
    }
    let segment = Segment {
        seq: SeqNumber(number(12)),
        ack: SeqNumber(number(16)),
        flags: Flags(u16::from(fields[0]) | u16::from(fields[1] & 1) << 8),
        window: number(20) as u16,
        len: payload.len() as u32,
        options,
    };
    let mut out = Vec::new();
    let envelope = farlink_tcp::wire::Envelope {
        from: farlink_tcp::wire::Endpoint::default(),
        to: farlink_tcp::wire::Endpoint::default(),
        ecn: farlink_tcp::segment::Ecn::Ect0,
        ttl: fields[2],
        id: number(3) as u16,
    };
    if encode_tcp(&envelope, &segment, payload.iter().copied(), &mut out).is_ok() {
        assert_eq!(out.len() as u64, segment.ip_size().0, "as long as it says");
        let expected = Packet { envelope, transport: Transport::Tcp(segment), payload };
        assert_eq!(decode(&out), Ok(expected), "read, it is another packet");
    }
}

/// The bytes with the lengths and checksums that a header of 20 bytes must have.
fn with_checksums(data: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = data.to_vec();
    let length = u16::try_from(bytes.len()).ok()?;
    bytes.get_mut(2..4)?.copy_from_slice(&length.to_be_bytes());
    *bytes.first_mut()? = 0x45;
    let transport = if *bytes.get(PROTOCOL)? == 6 { 36..38 } else { 26..28 };
    if bytes.len() < 40 {
        return None;
    }
    bytes[CHECKSUM].fill(0);
    let sum = checksum(0, &bytes[..20]);
    bytes[CHECKSUM].copy_from_slice(&sum.to_be_bytes());
    if transport.start == 26 {
        bytes[24..26].copy_from_slice(&(length - 20).to_be_bytes());
    }
    bytes[transport.clone()].fill(0);
    // RFC 9293 section 3.1: the pseudo header is the addresses, the protocol and the length.
    let pseudo = u32::from(length - 20) + u32::from(bytes[PROTOCOL]);
    let sum = checksum(pseudo, &bytes[12..]);
    bytes[transport].copy_from_slice(&sum.to_be_bytes());
    Some(bytes)
}

/// RFC 1071.
fn checksum(start: u32, bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |&low| u32::from(low));
    let mut sum = bytes.chunks(2).map(word).fold(start, u32::wrapping_add);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
