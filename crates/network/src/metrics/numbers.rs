//! [`Numbers`]: a set of the numbers of datagrams, one bit each.

/// The numbers that were inserted.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Vec<u64>);

/// Where the bit of a number stands.
fn place(number: u64) -> (usize, u64) {
    ((number / 64) as usize, 1 << (number % 64))
}

impl Numbers {
    pub fn contains(&self, number: u64) -> bool {
        let (word, bit) = place(number);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Inserts a number; false if it was there.
    pub fn insert(&mut self, number: u64) -> bool {
        let (word, bit) = place(number);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_new_once() {
        let mut numbers = Numbers::default();
        assert_eq!([64, 0, 64, 63].map(|number| numbers.insert(number)), [true, true, false, true]);
        assert_eq!(
            [0, 1, 63, 64, 65, 1 << 40].map(|number| numbers.contains(number)),
            [true, false, true, true, false, false]
        );
    }
}
