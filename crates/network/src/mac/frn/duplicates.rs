//! [`DuplicateCache`]: packets received before. Duplicates are counted, and with `duplicates = "ack"` discarded.

use std::collections::VecDeque;

use crate::ids::NodeId;
use farlink_kernel::ordered::Map;

/// Packets that are recognised: more than a neighbour sends between two attempts of one.
const CAPACITY: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct DuplicateCache {
    /// The last ones, with their previous hops.
    last: VecDeque<(u64, NodeId)>,
    /// A bit for each that was passed up, 64 numbers in a word.
    passed_up: Map<u64, u64>,
    /// How many were passed up twice, from any previous hop.
    pub(super) count: u64,
}

/// A packet that was received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receipt {
    pub(super) number: u64,
    /// The previous hop.
    pub(super) from: NodeId,
    /// Whether nobody had sent it before.
    pub(super) is_first: bool,
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

    /// A packet that was passed up did not fit into the queue. What others sent of it stays known.
    pub(super) fn forget(&mut self, refused: Receipt) {
        let Receipt { number, from, is_first } = refused;
        self.last.retain(|known| *known != (number, from));
        if is_first && let Some(word) = self.passed_up.get_mut(&(number / 64)) {
            *word &= !(1 << (number % 64));
        }
    }

    /// A packet is passed up; true when it was not before.
    pub(super) fn on_passed_up(&mut self, number: u64) -> bool {
        let (word, bit) = (self.passed_up.entry(number / 64).or_default(), 1 << (number % 64));
        let is_first = *word & bit == 0;
        self.count += u64::from(!is_first);
        *word |= bit;
        is_first
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

    #[test]
    fn a_refused_packet_is_forgotten_of_the_neighbour_that_sent_it_only() {
        let mut cache = DuplicateCache::default();
        let receive = |cache: &mut DuplicateCache, from| {
            let is_duplicate = cache.is_duplicate(5, NodeId(from));
            let is_first = !is_duplicate && cache.on_passed_up(5);
            (is_duplicate, Receipt { number: 5, from: NodeId(from), is_first })
        };
        receive(&mut cache, 1);
        let (_, refused) = receive(&mut cache, 2);
        cache.forget(refused);
        assert!(cache.is_known(5));
        assert_eq!([1, 2].map(|from| receive(&mut cache, from).0), [true, false]);
        assert_eq!(cache.count, 2);
    }
}
