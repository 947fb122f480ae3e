//! What arrived ahead of the next expected byte, and the order in which SACK blocks report it (RFC 2018 section 4).

use std::collections::VecDeque;

/// How many recently reported runs are remembered for SACK blocks.
const RECENT: usize = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct Ahead {
    /// Runs, ascending, disjoint and not adjacent.
    runs: VecDeque<(u64, u64)>,
    /// Bytes in them.
    bytes: u64,
    /// An offset within each of the runs reported lately, the latest first.
    recent: [u64; RECENT],
}

impl Ahead {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// One past the last byte; 0 when there is none.
    pub(super) fn end(&self) -> u64 {
        self.runs.back().map_or(0, |&(_, end)| end)
    }

    pub(super) fn holds(&self, left: u64, right: u64) -> bool {
        self.run_around(left).is_some_and(|(_, end)| end >= right)
    }

    #[inline]
    pub(super) fn run_around(&self, offset: u64) -> Option<(u64, u64)> {
        if self.runs.is_empty() {
            return None;
        }
        let index = self.runs.partition_point(|&(_, right)| right <= offset);
        self.runs.get(index).copied().filter(|&(left, _)| left <= offset)
    }

    /// All before `right` arrived: where the runs that this makes contiguous end.
    #[inline]
    pub(super) fn take_up_to(&mut self, mut right: u64) -> u64 {
        while let Some(&(left, end)) = self.runs.front() {
            if left > right {
                break;
            }
            right = right.max(end);
            self.bytes -= end - left;
            self.runs.pop_front();
        }
        right
    }

    /// Adds a run and merges it with its neighbours.
    pub(super) fn insert(&mut self, left: u64, right: u64) {
        self.remember(left);
        self.bytes += right - left;
        match self.runs.back_mut() {
            None => return self.runs.push_back((left, right)),
            Some(last) if left > last.1 => return self.runs.push_back((left, right)),
            Some(last) if left == last.1 => {
                last.1 = right;
                return;
            }
            _ => {}
        }
        let first = self.runs.partition_point(|&(_, end)| end < left);
        let mut run = (left, right);
        let mut last = first;
        while let Some(&(begin, end)) = self.runs.get(last).filter(|&&(begin, _)| begin <= right) {
            run = (run.0.min(begin), run.1.max(end));
            self.bytes -= end - begin;
            last += 1;
        }
        self.bytes += (run.1 - run.0) - (right - left);
        if last == first {
            self.runs.insert(first, run);
        } else {
            self.runs[first] = run;
            self.runs.drain(first + 1..last);
        }
    }

    /// The run around `offset` is the one reported first next time.
    pub(super) fn remember(&mut self, offset: u64) {
        if let Some((left, right)) = self.run_around(self.recent[0])
            && (left..=right).contains(&offset)
        {
            self.recent[0] = offset;
            return;
        }
        self.recent.rotate_right(1);
        self.recent[0] = offset;
    }

    /// How many runs the next ACK reports before the one that `left..right` adds to or begins.
    pub(super) fn reported_before(&self, left: u64, right: u64) -> usize {
        let mut before = [(0, 0); RECENT];
        let mut count = 0;
        for run in self.recent.iter().filter_map(|&offset| self.run_around(offset)) {
            if run.0 <= right && left <= run.1 {
                break;
            }
            if !before[..count].contains(&run) {
                before[count] = run;
                count += 1;
            }
        }
        count
    }

    /// The runs reported lately, then, with `others`, any there are: RFC 2018 section 4 wants as many as fit.
    pub(super) fn in_order_of_report(&self, others: bool) -> impl Iterator<Item = (u64, u64)> {
        let others = if others { RECENT } else { 0 };
        let lately = self.recent.iter().filter_map(|&offset| self.run_around(offset));
        lately.chain(self.runs.iter().copied().take(others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_reported_behind_those_that_changed_after_it() {
        let mut ahead = Ahead::default();
        assert_eq!(ahead.reported_before(10, 20), 0);
        for left in [10, 30, 50] {
            ahead.insert(left, left + 10);
        }
        let before = |left, right| ahead.reported_before(left, right);
        // What adds to a run on either side, and what begins another.
        assert_eq!([before(60, 70), before(40, 45), before(5, 10), before(25, 30)], [0, 1, 2, 1]);
        assert_eq!(before(80, 90), 3);
    }

    #[test]
    fn runs_merge_whatever_the_order() {
        let mut ahead = Ahead::default();
        for left in [9, 3, 5, 4, 7, 8] {
            ahead.insert(left, left + 1);
        }
        assert_eq!(ahead.runs, [(3, 6), (7, 10)]);
        ahead.insert(6, 7);
        assert_eq!(ahead.runs, [(3, 10)]);
    }

    #[test]
    fn bytes_are_those_of_the_runs() {
        let mut ahead = Ahead::default();
        for (left, right, bytes) in
            [(10, 20, 10), (30, 40, 20), (20, 25, 25), (15, 35, 30), (12, 18, 30), (40, 50, 40)]
        {
            ahead.insert(left, right);
            assert_eq!(ahead.bytes(), bytes, "{left}..{right}");
        }
        ahead.insert(60, 70);
        assert_eq!((ahead.take_up_to(10), ahead.bytes()), (50, 10));
        assert_eq!((ahead.take_up_to(70), ahead.bytes(), ahead.is_empty()), (70, 0, true));
    }
}
