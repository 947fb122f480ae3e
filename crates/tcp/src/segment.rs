//! [`Segment`]: a TCP header with its options and the length of its payload (RFC 9293 section 3.1).
//!
//! The payload itself is not here: it is the byte range of the flow that starts at `seq`.

use farlink_kernel::Bytes;

use crate::fast_open::FastOpenOption;
use crate::seq::SeqNumber;

/// A TCP segment without its payload bytes. `Copy`, about 90 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Number of the first payload byte, or of SYN or FIN.
    pub seq: SeqNumber,
    /// The next number expected from the other side; meaningful with [`Flags::ACK`].
    pub ack: SeqNumber,
    /// Control bits.
    pub flags: Flags,
    /// The window field of the header: scaled, except on SYN.
    pub window: u16,
    /// Payload length in bytes.
    pub len: u32,
    /// Options.
    pub options: Options,
}

/// The control bits of RFC 9293 and the two of RFC 3168.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset.
    pub const RST: Self = Self(0x04);
    /// Push.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgement number is meaningful.
    pub const ACK: Self = Self(0x10);
    /// Urgent.
    pub const URG: Self = Self(0x20);
    /// ECN echo.
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced.
    pub const CWR: Self = Self(0x80);

    /// True when every bit of `other` is set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Those of the bits that `mask` does not have.
    pub const fn without(self, mask: Self) -> Self {
        Self(self.0 & !mask.0)
    }

    /// Those of the bits that `mask` has.
    pub const fn only(self, mask: Self) -> Self {
        Self(self.0 & mask.0)
    }
}

impl std::ops::BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The options a simulated TCP speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum segment size (RFC 9293 section 3.7.1), SYN only.
    pub mss: Option<u16>,
    /// Window scale shift 0..14 (RFC 7323 section 2), SYN only.
    pub window_scale: Option<u8>,
    /// SACK permitted (RFC 2018 section 2), SYN only.
    pub sack_permitted: bool,
    /// Timestamps (RFC 7323 section 3).
    pub timestamps: Option<Timestamps>,
    /// SACK blocks (RFC 2018 section 3), the most recent first.
    pub sack: SackBlocks,
}

/// The two timestamps of RFC 7323, in the sender's ticks (here milliseconds).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the sender's clock.
    pub value: u32,
    /// TSecr: the peer's TSval it answers.
    pub echo: u32,
}

/// Up to four SACK blocks; three when timestamps take their place.
///
/// A SYN has none, and only a SYN has a Fast Open option (RFC 7413 section 2): the two share their room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    content: Content,
}

/// Most segments have nothing here, and are then made and copied without its room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Content {
    #[default]
    Nothing,
    Blocks([(SeqNumber, SeqNumber); 4], Count),
    FastOpen(FastOpenOption),
}

/// How many blocks there are. Its other values tell the kinds of [`Content`] apart, which takes no further room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    One = 1,
    Two,
    Three,
    Four,
}

impl SackBlocks {
    /// Appends a block (left edge, right edge); refuses a fifth.
    pub fn push(&mut self, left: SeqNumber, right: SeqNumber) -> bool {
        let Content::Blocks(blocks, count) = &mut self.content else {
            let mut blocks = [(SeqNumber(0), SeqNumber(0)); 4];
            blocks[0] = (left, right);
            self.content = Content::Blocks(blocks, Count::One);
            return true;
        };
        let (place, more) = match count {
            Count::One => (1, Count::Two),
            Count::Two => (2, Count::Three),
            Count::Three => (3, Count::Four),
            Count::Four => return false,
        };
        blocks[place] = (left, right);
        *count = more;
        true
    }

    /// The blocks in the order of the option.
    pub fn as_slice(&self) -> &[(SeqNumber, SeqNumber)] {
        match &self.content {
            Content::Blocks(blocks, count) => &blocks[..*count as usize],
            Content::Nothing | Content::FastOpen(_) => &[],
        }
    }

    /// True without any block.
    pub fn is_empty(&self) -> bool {
        !matches!(self.content, Content::Blocks(..))
    }
}

impl Options {
    /// The Fast Open option of a SYN (RFC 7413 section 2).
    pub fn fast_open(&self) -> Option<FastOpenOption> {
        match self.sack.content {
            Content::FastOpen(option) => Some(option),
            Content::Nothing | Content::Blocks(..) => None,
        }
    }

    /// Gives a SYN the Fast Open option, in place of SACK blocks.
    pub fn set_fast_open(&mut self, option: FastOpenOption) {
        self.sack.content = Content::FastOpen(option);
    }
}

impl Segment {
    /// How much sequence space the segment takes: payload, SYN and FIN.
    pub fn seq_len(&self) -> u64 {
        u64::from(self.len) + u64::from(self.flags.has(Flags::SYN)) + u64::from(self.flags.has(Flags::FIN))
    }

    /// Header length in bytes, options padded to a multiple of four: the same layout as [`crate::wire`].
    pub fn header_len(&self) -> u64 {
        let options = &self.options;
        let mut len = 0;
        len += if options.mss.is_some() { 4 } else { 0 };
        len += if options.window_scale.is_some() { 3 } else { 0 };
        len += if options.sack_permitted { 2 } else { 0 };
        len += if options.timestamps.is_some() { 10 } else { 0 };
        len += if options.sack.is_empty() { 0 } else { 2 + 8 * options.sack.as_slice().len() as u64 };
        len += options.fast_open().map_or(0, |option| option.wire_len());
        20 + u64::next_multiple_of(len, 4)
    }

    /// Size of the IPv4 packet that carries the segment.
    pub fn ip_size(&self) -> Bytes {
        Bytes(20 + self.header_len() + u64::from(self.len))
    }
}

/// The ECN field of the IP header (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: the transport does not use ECN.
    #[default]
    NotCapable,
    /// ECT(0): capable, not marked.
    Ect0,
    /// ECT(1): capable, not marked; an L4S packet (RFC 9331 section 4.1).
    Ect1,
    /// CE: congestion experienced.
    Experienced,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_as_long_as_their_padded_options() {
        let mut segment = Segment { len: 1448, ..Segment::default() };
        assert_eq!(segment.ip_size(), Bytes(1488));
        segment.options.timestamps = Some(Timestamps::default());
        assert_eq!(segment.ip_size(), Bytes(1500));
        assert!(segment.options.sack.push(SeqNumber(1), SeqNumber(2)));
        assert_eq!(segment.header_len(), 40);
    }

    #[test]
    fn a_fast_open_option_takes_the_room_of_sack_blocks() {
        let mut options = Options::default();
        let request = FastOpenOption { cookie: None, experimental: true };
        options.set_fast_open(request);
        assert_eq!((options.fast_open(), options.sack.is_empty()), (Some(request), true));
        assert_eq!(Segment { options, ..Segment::default() }.header_len(), 24);
        assert!(options.sack.push(SeqNumber(1), SeqNumber(2)));
        assert_eq!(options.fast_open(), None);
    }

    #[test]
    fn syn_and_fin_take_a_number_each() {
        let segment = Segment { len: 3, flags: Flags::SYN | Flags::FIN, ..Segment::default() };
        assert_eq!(segment.seq_len(), 5);
    }
}
