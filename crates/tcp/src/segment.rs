//! [`Segment`]: a TCP header with its options and the length of its payload (RFC 9293 section 3.1).
//!
//! The payload itself is not here: it is the byte range of the flow that starts at `seq`.

use farlink_kernel::Bytes;

use crate::accurate_ecn::AccEcnOption;
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

/// The control bits of RFC 9293, the two of RFC 3168 and that of RFC 9768.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

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
    /// Accurate ECN (RFC 9768 section 3.1.1), formerly the nonce sum.
    pub const AE: Self = Self(0x100);
    /// The three bits that are the ACE field in AccECN mode (RFC 9768 section 3.2.2).
    pub const ACE: Self = Self(0x1c0);

    /// The ACE field with the three low bits of `count` (RFC 9768 section 3.2.2).
    pub const fn ace(count: u32) -> Self {
        Self(((count & 7) << 6) as u16)
    }

    /// The value of the ACE field.
    pub const fn to_ace(self) -> u32 {
        (self.0 >> 6 & 7) as u32
    }

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

/// Up to four SACK blocks; three when timestamps take their place, and two beside an AccECN option.
///
/// A SYN has none, and only a SYN has a Fast Open option (RFC 7413 section 2): the two share their room. An AccECN option
/// (RFC 9768 section 3.2.3) takes that of two blocks, as it does with timestamps in a header.
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
    AccEcn([(SeqNumber, SeqNumber); 2], AccEcnOption, Count),
}

/// How many blocks there are. Its other values tell the kinds of [`Content`] apart, which takes no further room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Zero,
    One,
    Two,
    Three,
    Four,
}

impl SackBlocks {
    /// Appends a block (left edge, right edge); refuses a fifth, and a third beside an AccECN option.
    pub fn push(&mut self, left: SeqNumber, right: SeqNumber) -> bool {
        let (blocks, count): (&mut [_], _) = match &mut self.content {
            Content::Blocks(blocks, count) => (blocks, count),
            Content::AccEcn(blocks, _, count) => (blocks, count),
            Content::Nothing | Content::FastOpen(_) => {
                let mut blocks = [(SeqNumber(0), SeqNumber(0)); 4];
                blocks[0] = (left, right);
                self.content = Content::Blocks(blocks, Count::One);
                return true;
            }
        };
        let place = *count as usize;
        if place == blocks.len() {
            return false;
        }
        blocks[place] = (left, right);
        *count = count.more();
        true
    }

    /// Removes the blocks, and nothing else.
    pub fn clear(&mut self) {
        match &mut self.content {
            Content::Blocks(..) => self.content = Content::Nothing,
            Content::AccEcn(blocks, _, count) => {
                (*blocks, *count) = ([(SeqNumber(0), SeqNumber(0)); 2], Count::Zero);
            }
            Content::Nothing | Content::FastOpen(_) => {}
        }
    }

    /// The blocks in the order of the option.
    pub fn as_slice(&self) -> &[(SeqNumber, SeqNumber)] {
        match &self.content {
            Content::Blocks(blocks, count) => &blocks[..*count as usize],
            Content::AccEcn(blocks, _, count) => &blocks[..*count as usize],
            Content::Nothing | Content::FastOpen(_) => &[],
        }
    }

    /// True without any block.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(self.content, Content::Nothing) || self.as_slice().is_empty()
    }

    /// Bytes in a header, with what shares their room.
    #[cold]
    fn wire_len(&self) -> u64 {
        let blocks = match self.as_slice().len() as u64 {
            0 => 0,
            count => 2 + 8 * count,
        };
        match &self.content {
            Content::Nothing | Content::Blocks(..) => blocks,
            Content::FastOpen(option) => option.wire_len(),
            Content::AccEcn(_, option, _) => blocks + option.wire_len(),
        }
    }
}

impl Count {
    fn more(self) -> Self {
        match self {
            Self::Zero => Self::One,
            Self::One => Self::Two,
            Self::Two => Self::Three,
            Self::Three | Self::Four => Self::Four,
        }
    }
}

impl Options {
    /// The Fast Open option of a SYN (RFC 7413 section 2).
    pub fn fast_open(&self) -> Option<FastOpenOption> {
        match self.sack.content {
            Content::FastOpen(option) => Some(option),
            _ => None,
        }
    }

    /// Gives a SYN the Fast Open option, in place of SACK blocks.
    pub fn set_fast_open(&mut self, option: FastOpenOption) {
        self.sack.content = Content::FastOpen(option);
    }

    /// The AccECN option (RFC 9768 section 3.2.3).
    pub fn acc_ecn(&self) -> Option<AccEcnOption> {
        match self.sack.content {
            Content::AccEcn(_, option, _) => Some(option),
            _ => None,
        }
    }

    /// Adds an AccECN option beside at most two SACK blocks, in place of a Fast Open option; further blocks go.
    pub fn set_acc_ecn(&mut self, option: AccEcnOption) {
        let mut content = Content::AccEcn([(SeqNumber(0), SeqNumber(0)); 2], option, Count::Zero);
        std::mem::swap(&mut self.sack.content, &mut content);
        for &(left, right) in (SackBlocks { content }).as_slice() {
            self.sack.push(left, right);
        }
    }
}

impl Segment {
    /// How much sequence space the segment takes: payload, SYN and FIN.
    pub fn seq_len(&self) -> u64 {
        u64::from(self.len) + u64::from(self.flags.has(Flags::SYN)) + u64::from(self.flags.has(Flags::FIN))
    }

    /// Header length in bytes, options padded to a multiple of four: the same layout as [`crate::wire`].
    #[inline]
    pub fn header_len(&self) -> u64 {
        let options = &self.options;
        let mut len = 0;
        len += if options.mss.is_some() { 4 } else { 0 };
        len += if options.window_scale.is_some() { 3 } else { 0 };
        len += if options.sack_permitted { 2 } else { 0 };
        len += if options.timestamps.is_some() { 10 } else { 0 };
        len += if matches!(options.sack.content, Content::Nothing) { 0 } else { options.sack.wire_len() };
        20 + u64::next_multiple_of(len, 4)
    }

    /// Size of the IPv4 packet that carries the segment.
    #[inline]
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
    use crate::accurate_ecn::Order;

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
    fn an_acc_ecn_option_leaves_room_for_two_blocks() {
        let mut options = Options::default();
        let block = |number| (SeqNumber(number), SeqNumber(number + 1));
        (1..=4).for_each(|number| assert!(options.sack.push(block(number).0, block(number).1)));
        let option = AccEcnOption::new(Order::Zero, &[1, 2, 3]);
        options.set_acc_ecn(option);
        assert_eq!(options.acc_ecn(), Some(option));
        assert_eq!(options.sack.as_slice(), [block(1), block(2)]);
        assert!(!options.sack.push(SeqNumber(5), SeqNumber(6)));
        // 10, 11 and 2 + 2 * 8 bytes, and one of padding.
        options.timestamps = Some(Timestamps::default());
        assert_eq!(Segment { options, ..Segment::default() }.header_len(), 20 + 40);
        let mut alone = Options::default();
        alone.set_acc_ecn(AccEcnOption::new(Order::One, &[1]));
        assert!(alone.sack.is_empty() && alone != Options::default());
        assert_eq!(Segment { options: alone, ..Segment::default() }.header_len(), 20 + 8);
    }

    #[test]
    fn the_ace_field_is_the_three_ecn_flags() {
        // RFC 9768 figure 3: AE is the most significant bit.
        assert_eq!(Flags::ace(0b100), Flags::AE);
        assert_eq!(Flags::ace(5), Flags::AE | Flags::ECE);
        assert_eq!(Flags::ace(14), Flags::AE | Flags::CWR);
        assert_eq!((Flags::ace(13) | Flags::ACK).to_ace(), 5);
        assert_eq!(Flags::ACE, Flags::ace(7));
    }

    #[test]
    fn segments_stay_small() {
        // Four words of header, timestamps, four blocks and what tells the kinds of content apart.
        assert_eq!(size_of::<Segment>(), 72);
    }

    #[test]
    fn syn_and_fin_take_a_number_each() {
        let segment = Segment { len: 3, flags: Flags::SYN | Flags::FIN, ..Segment::default() };
        assert_eq!(segment.seq_len(), 5);
    }
}
