//! [`SeqNumber`]: a 32-bit sequence number that wraps (RFC 9293 section 3.4).
//!
//! Inside, a connection counts with `u64` offsets that never wrap; header fields are made from and
//! turned back into offsets here and nowhere else.

use std::fmt;

/// A sequence number as in the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeqNumber(pub u32);

impl SeqNumber {
    /// The number `offset` bytes after `initial`.
    pub fn from_offset(initial: Self, offset: u64) -> Self {
        Self(initial.0.wrapping_add(offset as u32))
    }

    /// The offset this number stands for, of all possible ones the nearest to `near`.
    ///
    /// `None` when that would lie before the start of the connection.
    pub fn to_offset(self, initial: Self, near: u64) -> Option<u64> {
        let ahead = self.0.wrapping_sub(Self::from_offset(initial, near).0).cast_signed();
        u64::try_from(near.cast_signed() + i64::from(ahead)).ok()
    }
}

impl fmt::Display for SeqNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_survive_the_wrap() {
        let initial = SeqNumber(u32::MAX - 10);
        for offset in [0, 5, 11, 1 << 31, (1 << 32) + 3, 1 << 40] {
            let number = SeqNumber::from_offset(initial, offset);
            assert_eq!(number.to_offset(initial, offset.saturating_sub(1000)), Some(offset));
            assert_eq!(number.to_offset(initial, offset + 1000), Some(offset));
        }
    }

    #[test]
    fn a_number_before_the_start_has_no_offset() {
        assert_eq!(SeqNumber(99).to_offset(SeqNumber(100), 0), None);
    }
}
