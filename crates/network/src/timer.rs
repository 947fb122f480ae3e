//! [`Timer`]: a deadline that moves.

use farlink_kernel::Instant;

/// A deadline that moves, with one live event in the queue at most.
///
/// Later: the pending event stays and, when it comes too early, is set anew. Earlier: a new event with a
/// new generation; the old one is stale when it comes.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    wanted: Instant,
    pending: Instant,
    generation: u32,
}

/// What an event means to a [`Timer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    Stale,
    Due,
    /// It was put off: an event is to be pushed at that instant, if there is one.
    Later(Option<(Instant, u32)>),
}

impl Default for Timer {
    fn default() -> Self {
        Self { wanted: Instant::NEVER, pending: Instant::NEVER, generation: 0 }
    }
}

impl Timer {
    /// A timer in the place of another one, whose pending event is stale when it comes.
    pub fn after(other: &Self) -> Self {
        Self { generation: other.generation, ..Self::default() }
    }

    /// Wants to be woken at `deadline` or before. `Some` is the generation of an event to push at it.
    #[must_use]
    pub fn want(&mut self, deadline: Instant) -> Option<u32> {
        self.wanted = deadline;
        if deadline >= self.pending {
            return None;
        }
        self.pending = deadline;
        self.generation = self.generation.wrapping_add(1);
        Some(self.generation)
    }

    /// An event came. False when it is stale; otherwise nothing is pending any more.
    #[must_use]
    pub fn is_due(&mut self, generation: u32) -> bool {
        if generation != self.generation || self.pending == Instant::NEVER {
            return false;
        }
        self.pending = Instant::NEVER;
        true
    }

    /// Like [`Timer::is_due`], for a deadline that was put off.
    #[must_use]
    pub fn wake(&mut self, generation: u32, now: Instant) -> Wake {
        if !self.is_due(generation) {
            return Wake::Stale;
        }
        if self.wanted <= now {
            return Wake::Due;
        }
        let at = self.wanted;
        Wake::Later(self.want(at).map(|generation| (at, generation)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_that_moves_later_keeps_its_event_and_one_that_moves_earlier_gets_a_new_one() {
        let at = Instant::from_nanos;
        let mut timer = Timer::default();
        let first = timer.want(at(10)).unwrap();
        assert_eq!(timer.want(at(20)), None);
        let second = timer.want(at(5)).unwrap();
        assert!(timer.is_due(second));
        assert!(!timer.is_due(first));
        assert!(timer.want(at(20)).is_some());
    }

    #[test]
    fn who_put_it_off_is_woken_later_and_who_wants_nothing_any_more_is_not() {
        let at = Instant::from_nanos;
        let mut timer = Timer::default();
        let first = timer.want(at(10)).unwrap();
        assert_eq!(timer.want(at(20)), None);
        let Wake::Later(Some((then, second))) = timer.wake(first, at(10)) else { panic!("it was put off") };
        assert_eq!((then, timer.wake(first, at(10))), (at(20), Wake::Stale));
        assert_eq!(timer.want(Instant::NEVER), None);
        assert_eq!(timer.wake(second, at(20)), Wake::Later(None));
        let third = timer.want(at(30)).unwrap();
        assert_eq!(timer.wake(third, at(30)), Wake::Due);
    }
}
