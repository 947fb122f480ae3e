//! The two formats of captures: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng). All numbers are
//! little-endian, so that bytes are equal on every machine; times count nanoseconds since the start.

use std::io;

use farlink_kernel::Instant;

use super::Sink;

/// Packets begin with an IPv4 header (LINKTYPE_IPV4), or with a Radiotap header before an 802.11 frame.
#[derive(Clone, Copy, Debug)]
#[repr(u16)]
pub(super) enum LinkType {
    Ipv4 = 228,
    Ieee80211Radiotap = 127,
}

/// The longest packet, for readers that reserve room for it.
const SNAPLEN: u32 = 65_535;

/// A pcap of packets that begin with an IPv4 header.
pub(super) struct Pcap(pub(super) Sink);

impl Pcap {
    /// Writes the file's header (section 4).
    pub(super) fn begin(mut sink: Sink) -> io::Result<Self> {
        let words = [0xA1B2_3C4D, 4 << 16 | 2, 0, 0, SNAPLEN, LinkType::Ipv4 as u32];
        sink.write_all(words.map(u32::to_le_bytes).as_flattened())?;
        Ok(Self(sink))
    }

    /// Writes a packet (section 5).
    pub(super) fn packet(&mut self, now: Instant, packet: &[u8]) -> io::Result<()> {
        let (seconds, nanoseconds) = (now.as_nanos() / 1_000_000_000, now.as_nanos() % 1_000_000_000);
        let words = [seconds as u32, nanoseconds as u32, packet.len() as u32, packet.len() as u32];
        self.0.write_all(words.map(u32::to_le_bytes).as_flattened())?;
        self.0.write_all(packet)
    }
}

/// A pcapng of one section.
pub(super) struct PcapNg {
    pub(super) sink: Sink,
    body: Vec<u8>,
}

impl PcapNg {
    /// Writes the section's header (section 4.1), without the section's length.
    pub(super) fn begin(sink: Sink) -> io::Result<Self> {
        let mut file = Self { sink, body: Vec::new() };
        file.words(&[0x1A2B_3C4D, 1, u32::MAX, u32::MAX]);
        file.end(0x0A0D_0D0A)?;
        Ok(file)
    }

    /// Writes the description of the next interface (section 4.2).
    pub(super) fn interface(&mut self, name: &str, link_type: LinkType) -> io::Result<()> {
        const NAME: u16 = 2;
        const RESOLUTION: u16 = 9;
        const NANOSECONDS: u8 = 9;
        self.words(&[link_type as u32, 0]);
        self.option(NAME, name.as_bytes());
        self.option(RESOLUTION, &[NANOSECONDS]);
        self.option(0, &[]);
        self.end(1)
    }

    /// Writes names of IPv4 addresses (section 4.5).
    pub(super) fn names<'a>(&mut self, names: impl Iterator<Item = ([u8; 4], &'a str)>) -> io::Result<()> {
        const IPV4: u16 = 1;
        for (address, name) in names {
            self.option(IPV4, &[&address, name.as_bytes(), &[0]].concat());
        }
        self.option(0, &[]);
        self.end(4)
    }

    /// Writes a packet of an interface (section 4.3).
    pub(super) fn packet(&mut self, interface: u32, now: Instant, packet: &[u8]) -> io::Result<()> {
        let (time, len) = (now.as_nanos(), packet.len() as u32);
        self.words(&[interface, (time >> 32) as u32, time as u32, len, len]);
        self.padded(packet);
        self.end(6)
    }

    fn words(&mut self, words: &[u32]) {
        self.body.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    /// An option or a record: its code, its length and its value.
    fn option(&mut self, code: u16, value: &[u8]) {
        self.body.extend(code.to_le_bytes());
        self.body.extend((value.len() as u16).to_le_bytes());
        self.padded(value);
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.body.extend(bytes);
        self.body.resize(self.body.len().next_multiple_of(4), 0);
    }

    /// Writes what was collected as a block: type and length before it, the length again behind it (section 3.1).
    fn end(&mut self, kind: u32) -> io::Result<()> {
        let len = self.body.len() as u32 + 12;
        self.sink.write_all([kind, len].map(u32::to_le_bytes).as_flattened())?;
        self.sink.write_all(&self.body)?;
        self.body.clear();
        self.sink.write_all(&len.to_le_bytes())
    }
}
