//! Between segments and bytes: IPv4 (RFC 791), TCP (RFC 9293 section 3.1) and UDP (RFC 768) packets with
//! true lengths and checksums. Captures, corrupting links and real hosts go through here, and nothing else
//! turns segments into bytes.
//!
//! Options stand in the order MSS, SACK permitted, timestamps, window scale, SACK, Fast Open or AccECN, without padding
//! between them; zeros fill the last word. That is the length [`Segment::header_len`] counts with.

mod accurate_ecn;
mod fast_open;

use std::fmt;

use etherparse::checksum::Sum16BitWords;
use etherparse::{
    IpEcn, IpNumber, Ipv4Header, Ipv4Slice, TcpHeader, TcpOptionElement, TcpOptions, TcpOptionsIterator,
    TcpSlice, UdpHeader, UdpSlice, tcp_option,
};

use crate::segment::{Ecn, Flags, Options, Segment, Timestamps};
use crate::seq::SeqNumber;

/// An address and a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// IPv4 address.
    pub address: [u8; 4],
    /// TCP or UDP port.
    pub port: u16,
}

/// The IP header of a segment or datagram: addresses and the other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The sender.
    pub from: Endpoint,
    /// The receiver.
    pub to: Endpoint,
    /// The ECN field.
    pub ecn: Ecn,
    /// Hops left.
    pub ttl: u8,
    /// Identification, for a reader to tell packets apart; they are never fragmented.
    pub id: u16,
}

/// What an IP packet carries besides payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A TCP segment; its `len` is the length of the packet's payload.
    Tcp(Segment),
    /// A UDP datagram.
    Udp,
}

/// A packet taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Addresses and the rest of the IP header.
    pub envelope: Envelope,
    /// The segment, or that it is a datagram.
    pub transport: Transport,
    /// The bytes carried.
    pub payload: &'a [u8],
}

/// Why a packet has no wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oversize {
    /// TCP options take more than 40 bytes.
    Options,
    /// The IP packet would be longer than 65 535 bytes.
    Packet,
}

/// Why bytes are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// No IPv4 header, or lengths that contradict each other or the bytes there are.
    Ip,
    /// A fragment of a packet.
    Fragment,
    /// Neither TCP nor UDP; the protocol's number.
    Protocol(u8),
    /// The IPv4 header's checksum is wrong.
    IpChecksum,
    /// No TCP or UDP header, or its lengths do not fit.
    Transport,
    /// The TCP or UDP checksum is wrong.
    TransportChecksum,
    /// A TCP option contradicts its own length.
    Option,
}

const IP_HEADER: usize = Ipv4Header::MIN_LEN;
/// Where the checksums stand in a TCP and a UDP header.
const TCP_CHECKSUM: usize = 16;
const UDP_CHECKSUM: usize = 6;

/// Puts the IPv4 packet with `segment` and its payload into `out`, whose former content goes.
///
/// # Panics
///
/// When `payload` does not give `segment.len` bytes.
pub fn encode_tcp(
    envelope: &Envelope,
    segment: &Segment,
    payload: impl IntoIterator<Item = u8>,
    out: &mut Vec<u8>,
) -> Result<(), Oversize> {
    let header = tcp_header(envelope, segment)?;
    let ip = ip_header(envelope, IpNumber::TCP, segment.header_len() + u64::from(segment.len))?;
    out.clear();
    out.extend_from_slice(&ip.to_bytes());
    out.extend_from_slice(&header.to_bytes());
    let start = IP_HEADER + header.header_len();
    out.extend(payload);
    assert_eq!(out.len() - start, segment.len as usize, "the payload is as long as its segment says");
    let checksum = header
        .calc_checksum_ipv4_raw(envelope.from.address, envelope.to.address, &out[start..])
        .expect("an IPv4 packet is shorter than a checksum can span");
    patch(out, IP_HEADER + TCP_CHECKSUM, checksum);
    Ok(())
}

/// Puts the IPv4 packet with a UDP datagram into `out`, whose former content goes.
pub fn encode_udp(
    envelope: &Envelope,
    payload: impl IntoIterator<Item = u8>,
    out: &mut Vec<u8>,
) -> Result<(), Oversize> {
    let start = IP_HEADER + UdpHeader::LEN;
    out.clear();
    out.resize(start, 0);
    out.extend(payload);
    let len = out.len() - IP_HEADER;
    let ip = ip_header(envelope, IpNumber::UDP, len as u64)?;
    out[..IP_HEADER].copy_from_slice(&ip.to_bytes());
    let header = UdpHeader {
        source_port: envelope.from.port,
        destination_port: envelope.to.port,
        length: len as u16,
        checksum: 0,
    };
    out[IP_HEADER..start].copy_from_slice(&header.to_bytes());
    let checksum = header
        .calc_checksum_ipv4_raw(envelope.from.address, envelope.to.address, &out[start..])
        .expect("an IPv4 packet is shorter than a checksum can span");
    patch(out, IP_HEADER + UDP_CHECKSUM, checksum);
    Ok(())
}

/// Puts the IPv4 packet with anything of a protocol by its number into `out`, whose former content goes.
pub fn encode_other(
    envelope: &Envelope,
    protocol: u8,
    content: impl IntoIterator<Item = u8>,
    out: &mut Vec<u8>,
) -> Result<(), Oversize> {
    out.clear();
    out.resize(IP_HEADER, 0);
    out.extend(content);
    let ip = ip_header(envelope, IpNumber(protocol), (out.len() - IP_HEADER) as u64)?;
    out[..IP_HEADER].copy_from_slice(&ip.to_bytes());
    Ok(())
}

/// Takes an IPv4 packet apart and checks its checksums. Bytes behind the packet's end are ignored.
pub fn decode(bytes: &[u8]) -> Result<Packet<'_>, Malformed> {
    let ip = Ipv4Slice::from_slice(bytes).map_err(|_| Malformed::Ip)?;
    let header = ip.header().to_header();
    // Over the bytes, not over what was read from them: the reserved bit counts too.
    if Sum16BitWords::new().add_slice(ip.header().slice()).ones_complement() != 0 {
        return Err(Malformed::IpChecksum);
    }
    if header.is_fragmenting_payload() {
        return Err(Malformed::Fragment);
    }
    let (from, to, content) = (header.source, header.destination, ip.payload().payload);
    let (ports, transport, payload) = match header.protocol {
        IpNumber::TCP => decode_tcp(from, to, content)?,
        IpNumber::UDP => decode_udp(from, to, content)?,
        IpNumber(other) => return Err(Malformed::Protocol(other)),
    };
    let envelope = Envelope {
        from: Endpoint { address: from, port: ports[0] },
        to: Endpoint { address: to, port: ports[1] },
        ecn: match header.ecn {
            IpEcn::NotEct => Ecn::NotCapable,
            IpEcn::Ect0 => Ecn::Ect0,
            IpEcn::Ect1 => Ecn::Ect1,
            IpEcn::CongestionExperienced => Ecn::Experienced,
        },
        ttl: header.time_to_live,
        id: header.identification,
    };
    Ok(Packet { envelope, transport, payload })
}

type Parts<'a> = ([u16; 2], Transport, &'a [u8]);

fn decode_tcp(from: [u8; 4], to: [u8; 4], content: &[u8]) -> Result<Parts<'_>, Malformed> {
    let tcp = TcpSlice::from_slice(content).map_err(|_| Malformed::Transport)?;
    if tcp.calc_checksum_ipv4(from, to) != Ok(tcp.checksum()) {
        return Err(Malformed::TransportChecksum);
    }
    let flag = |is_set: bool, flag: Flags| if is_set { flag } else { Flags(0) };
    let segment = Segment {
        seq: SeqNumber(tcp.sequence_number()),
        ack: SeqNumber(tcp.acknowledgment_number()),
        flags: flag(tcp.fin(), Flags::FIN)
            | flag(tcp.syn(), Flags::SYN)
            | flag(tcp.rst(), Flags::RST)
            | flag(tcp.psh(), Flags::PSH)
            | flag(tcp.ack(), Flags::ACK)
            | flag(tcp.urg(), Flags::URG)
            | flag(tcp.ece(), Flags::ECE)
            | flag(tcp.cwr(), Flags::CWR)
            | flag(tcp.ns(), Flags::AE),
        window: tcp.window_size(),
        len: tcp.payload().len() as u32,
        options: decode_options(tcp.options())?,
    };
    Ok(([tcp.source_port(), tcp.destination_port()], Transport::Tcp(segment), tcp.payload()))
}

fn decode_udp(from: [u8; 4], to: [u8; 4], content: &[u8]) -> Result<Parts<'_>, Malformed> {
    let udp = UdpSlice::from_slice(content).map_err(|_| Malformed::Transport)?;
    let header = udp.to_header();
    // RFC 768: zero says that the sender made no checksum.
    if header.checksum != 0 && header.calc_checksum_ipv4_raw(from, to, udp.payload()) != Ok(header.checksum) {
        return Err(Malformed::TransportChecksum);
    }
    Ok(([header.source_port, header.destination_port], Transport::Udp, udp.payload()))
}

/// Options of unknown kind are skipped (RFC 9293 section 3.1, MUST-6).
fn decode_options(mut bytes: &[u8]) -> Result<Options, Malformed> {
    let mut options = Options::default();
    while let Some(&kind) = bytes.first() {
        if !is_known(kind) {
            let len = usize::from(*bytes.get(1).ok_or(Malformed::Option)?);
            let content = bytes.get(2..len).ok_or(Malformed::Option)?;
            if let Some(option) = fast_open::read(kind, content).filter(|_| options.sack.is_empty()) {
                options.set_fast_open(option);
            }
            let acc_ecn = accurate_ecn::read(kind, content);
            // SACK blocks take precedence (RFC 9768 section 3.2.3.3).
            if let Some(option) = acc_ecn.filter(|_| options.sack.as_slice().len() <= 2) {
                options.set_acc_ecn(option);
            }
            bytes = &bytes[len..];
            continue;
        }
        let mut elements = TcpOptionsIterator::from_slice(bytes);
        match elements.next() {
            None => break,
            Some(Err(_)) => return Err(Malformed::Option),
            Some(Ok(element)) => take_option(&mut options, &element),
        }
        bytes = elements.rest();
    }
    Ok(options)
}

fn is_known(kind: u8) -> bool {
    matches!(
        kind,
        tcp_option::KIND_END
            | tcp_option::KIND_NOOP
            | tcp_option::KIND_MAXIMUM_SEGMENT_SIZE
            | tcp_option::KIND_WINDOW_SCALE
            | tcp_option::KIND_SELECTIVE_ACK_PERMITTED
            | tcp_option::KIND_SELECTIVE_ACK
            | tcp_option::KIND_TIMESTAMP
    )
}

fn take_option(options: &mut Options, element: &TcpOptionElement) {
    match *element {
        TcpOptionElement::Noop => {}
        TcpOptionElement::MaximumSegmentSize(mss) => options.mss = Some(mss),
        TcpOptionElement::WindowScale(shift) => options.window_scale = Some(shift),
        TcpOptionElement::SelectiveAcknowledgementPermitted => options.sack_permitted = true,
        TcpOptionElement::Timestamp(value, echo) => options.timestamps = Some(Timestamps { value, echo }),
        TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
            options.sack.clear();
            for (left, right) in std::iter::once(first).chain(rest.into_iter().flatten()) {
                options.sack.push(SeqNumber(left), SeqNumber(right));
            }
        }
    }
}

fn tcp_header(envelope: &Envelope, segment: &Segment) -> Result<TcpHeader, Oversize> {
    let flags = segment.flags;
    Ok(TcpHeader {
        acknowledgment_number: segment.ack.0,
        fin: flags.has(Flags::FIN),
        syn: flags.has(Flags::SYN),
        rst: flags.has(Flags::RST),
        psh: flags.has(Flags::PSH),
        ack: flags.has(Flags::ACK),
        urg: flags.has(Flags::URG),
        ece: flags.has(Flags::ECE),
        cwr: flags.has(Flags::CWR),
        ns: flags.has(Flags::AE),
        options: encode_options(&segment.options)?,
        ..TcpHeader::new(envelope.from.port, envelope.to.port, segment.seq.0, segment.window)
    })
}

fn encode_options(options: &Options) -> Result<TcpOptions, Oversize> {
    let mut elements = [const { TcpOptionElement::Noop }; 5];
    let mut count = 0;
    let mut add = |element| {
        elements[count] = element;
        count += 1;
    };
    if let Some(mss) = options.mss {
        add(TcpOptionElement::MaximumSegmentSize(mss));
    }
    if options.sack_permitted {
        add(TcpOptionElement::SelectiveAcknowledgementPermitted);
    }
    if let Some(Timestamps { value, echo }) = options.timestamps {
        add(TcpOptionElement::Timestamp(value, echo));
    }
    if let Some(shift) = options.window_scale {
        add(TcpOptionElement::WindowScale(shift));
    }
    if let Some((&(left, right), rest)) = options.sack.as_slice().split_first() {
        let block = |i: usize| rest.get(i).map(|&(left, right)| (left.0, right.0));
        add(TcpOptionElement::SelectiveAcknowledgement((left.0, right.0), [block(0), block(1), block(2)]));
    }
    let known = TcpOptions::try_from_elements(&elements[..count]).map_err(|_| Oversize::Options)?;
    let (fast_open, acc_ecn) = (options.fast_open(), options.acc_ecn());
    if fast_open.is_none() && acc_ecn.is_none() {
        return Ok(known);
    }
    // In place of the padding.
    let unpadded: usize = elements[..count].iter().map(element_len).sum();
    let mut bytes = known.as_slice()[..unpadded].to_vec();
    if let Some(option) = &fast_open {
        fast_open::write(option, &mut bytes);
    }
    if let Some(option) = &acc_ecn {
        accurate_ecn::write(option, &mut bytes);
    }
    TcpOptions::try_from_slice(&bytes).map_err(|_| Oversize::Options)
}

fn element_len(element: &TcpOptionElement) -> usize {
    match element {
        TcpOptionElement::Noop => 1,
        TcpOptionElement::MaximumSegmentSize(_) => 4,
        TcpOptionElement::WindowScale(_) => 3,
        TcpOptionElement::SelectiveAcknowledgementPermitted => 2,
        TcpOptionElement::SelectiveAcknowledgement(_, rest) => 10 + 8 * rest.iter().flatten().count(),
        TcpOptionElement::Timestamp(..) => 10,
    }
}

fn ip_header(envelope: &Envelope, protocol: IpNumber, content: u64) -> Result<Ipv4Header, Oversize> {
    let content = u16::try_from(content).map_err(|_| Oversize::Packet)?;
    let (from, to) = (envelope.from.address, envelope.to.address);
    let mut header =
        Ipv4Header::new(content, envelope.ttl, protocol, from, to).map_err(|_| Oversize::Packet)?;
    header.identification = envelope.id;
    header.ecn = match envelope.ecn {
        Ecn::NotCapable => IpEcn::NotEct,
        Ecn::Ect0 => IpEcn::Ect0,
        Ecn::Ect1 => IpEcn::Ect1,
        Ecn::Experienced => IpEcn::CongestionExperienced,
    };
    header.header_checksum = header.calc_header_checksum();
    Ok(header)
}

fn patch(out: &mut [u8], at: usize, checksum: u16) {
    out[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
}

impl fmt::Display for Oversize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Options => "the TCP options take more than the 40 bytes there are",
            Self::Packet => "the packet is longer than the 65535 bytes of IPv4",
        })
    }
}

impl std::error::Error for Oversize {}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip => f.write_str("no whole IPv4 packet"),
            Self::Fragment => f.write_str("a fragment"),
            Self::Protocol(number) => write!(f, "protocol {number} is neither TCP nor UDP"),
            Self::IpChecksum => f.write_str("wrong checksum of the IPv4 header"),
            Self::Transport => f.write_str("no whole TCP or UDP header"),
            Self::TransportChecksum => f.write_str("wrong TCP or UDP checksum"),
            Self::Option => f.write_str("a TCP option contradicts its own length"),
        }
    }
}

impl std::error::Error for Malformed {}

#[cfg(test)]
mod tests;
