//! [`DuplicateCache`]: packets received before. Duplicates are counted, and with `duplicates = "ack"` discarded.

use std::collections::{BTreeMap, VecDeque};

use crate::ids::NodeId;

/// Packets that are recognised: more than a neighbour sends between two attempts of one.
const CAPACITY: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct DuplicateCache {
    /// The last ones, with their previous hops.
    last: VecDeque<(u64, NodeId)>,
    /// A bit for each that was passed up, 64 numbers in a word.
    passed_up: BTreeMap<u64, u64>,
    /// How many were passed up twice, from any previous hop.
    pub(super) count: u64,
}

impl DuplicateCache {
    /// A packet was received; true when it came from this previous hop before.
    pub(super) fn is_duplicate(&mut self, number: u64, from: NodeId) -> bool {
        if self.last.contains(&(number, from)) {
            return true;
        }
        if self.last.len() == CAPACITY {
            self.last.pop_front();
        }
        self.last.push_back((number, from));
        false
    }

    /// True when it was passed up before, whoever sent it.
    pub(super) fn is_known(&self, number: u64) -> bool {
        self.passed_up.get(&(number / 64)).is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    /// A packet that was passed up did not fit into the queue.
    pub(super) fn forget(&mut self, number: u64) {
        self.last.retain(|(known, _)| *known != number);
        if let Some(word) = self.passed_up.get_mut(&(number / 64)) {
            *word &= !(1 << (number % 64));
        }
    }

    pub(super) fn on_passed_up(&mut self, number: u64) {
        let (word, bit) = (self.passed_up.entry(number / 64).or_default(), 1 << (number % 64));
        self.count += u64::from(*word & bit != 0);
        *word |= bit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_detected_by_previous_hop_and_counted_by_number() {
        let mut cache = DuplicateCache::default();
        assert_eq!(
            [(5, 1), (5, 2), (5, 1)].map(|(number, from)| cache.is_duplicate(number, NodeId(from))),
            [false, false, true]
        );
        for number in [5, 69, 5, 1000, 69] {
            cache.on_passed_up(number);
        }
        assert_eq!(cache.count, 2);
        assert_eq!([5, 6, 69, 1000].map(|number| cache.is_known(number)), [true, false, true, true]);
    }
}
