//! [`Memory`]: packets that came, and from whom: the books count those that come again, and some stations discard them.

use std::collections::{BTreeMap, VecDeque};

use crate::ids::NodeId;

/// So many packets are recognised: more than a neighbour sends while it tries one again.
const PLACES: usize = 64;

/// The packets that came.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The last ones, and from whom.
    last: VecDeque<(u64, NodeId)>,
    /// A bit for each that ever came, 64 numbers in a word.
    came: BTreeMap<u64, u64>,
    /// How many went up though they had come before, from whomever.
    pub(super) again: u64,
}

impl Memory {
    /// A packet came; true when it came from there before.
    pub(super) fn recognises(&mut self, number: u64, from: NodeId) -> bool {
        if self.last.contains(&(number, from)) {
            return true;
        }
        if self.last.len() == PLACES {
            self.last.pop_front();
        }
        self.last.push_back((number, from));
        false
    }

    /// A packet goes up.
    pub(super) fn count(&mut self, number: u64) {
        let (word, bit) = (self.came.entry(number / 64).or_default(), 1 << (number % 64));
        self.again += u64::from(*word & bit != 0);
        *word |= bit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_recognised_by_its_neighbour_and_counted_by_its_number() {
        let mut memory = Memory::default();
        assert_eq!(
            [(5, 1), (5, 2), (5, 1)].map(|(number, from)| memory.recognises(number, from)),
            [false, false, true]
        );
        for number in [5, 69, 5, 1000, 69] {
            memory.count(number);
        }
        assert_eq!(memory.again, 2);
    }
}
