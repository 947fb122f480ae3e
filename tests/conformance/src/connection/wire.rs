//! What is under way between two ends, in the order it was sent.

use std::collections::VecDeque;

use farlink_tcp::{Ecn, Segment};

/// More segments than that in one direction are lost, as a queue would.
const CAPACITY: usize = 400;

/// Both directions.
#[derive(Debug, Default)]
pub(super) struct Wire {
    pub(super) forth: Way,
    pub(super) back: Way,
}

/// One direction.
#[derive(Debug, Default)]
pub(super) struct Way(VecDeque<(Segment, Ecn)>);

impl Wire {
    pub(super) fn is_empty(&self) -> bool {
        self.forth.len() == 0 && self.back.len() == 0
    }
}

impl Way {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, segment: Segment, ecn: Ecn) {
        if self.0.len() < CAPACITY {
            self.0.push_back((segment, ecn));
        }
    }

    /// Takes the segment at `place`, counted around.
    pub(super) fn take(&mut self, place: usize) -> Option<(Segment, Ecn)> {
        let index = self.index(place)?;
        self.0.remove(index)
    }

    pub(super) fn peek(&self, place: usize) -> Option<&Segment> {
        self.index(place).and_then(|index| self.0.get(index)).map(|(segment, _)| segment)
    }

    pub(super) fn copy(&mut self, place: usize) {
        if let Some(&(segment, ecn)) = self.index(place).and_then(|index| self.0.get(index)) {
            self.push(segment, ecn);
        }
    }

    /// Congestion is marked where ECN was negotiated.
    pub(super) fn mark(&mut self, place: usize) {
        if let Some((_, ecn)) = self.index(place).and_then(|index| self.0.get_mut(index))
            && matches!(*ecn, Ecn::Ect0 | Ecn::Ect1)
        {
            *ecn = Ecn::Experienced;
        }
    }

    fn index(&self, place: usize) -> Option<usize> {
        place.checked_rem(self.0.len())
    }
}
