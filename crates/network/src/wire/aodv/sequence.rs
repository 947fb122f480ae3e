//! Destination sequence numbers (RFC 3561, section 6.1): they order updates about a node in time.

use std::fmt;

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Sequence(pub u32);

impl Sequence {
    /// True when this is newer than `other`: their difference as a signed number of 32 bits decides.
    pub fn is_newer_than(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0).cast_signed() > 0
    }

    pub fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    pub fn newest(self, other: Self) -> Self {
        if other.is_newer_than(self) { other } else { self }
    }
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Sequence;

    #[test]
    fn numbers_stay_in_order_when_they_wrap() {
        let (old, new) = (Sequence(u32::MAX), Sequence(u32::MAX).next());
        assert_eq!(new, Sequence(0));
        assert!(new.is_newer_than(old) && !old.is_newer_than(new) && !new.is_newer_than(new));
        assert_eq!((old.newest(new), new.newest(old)), (new, new));
    }
}
