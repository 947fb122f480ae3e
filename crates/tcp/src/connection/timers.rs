//! The timers of a connection, of which its user sees the earliest as one deadline.

use farlink_kernel::{Duration, Instant};

/// When each timer expires, [`Instant::NEVER`] when it is off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers {
    rto: Instant,
    others: [Instant; 4],
    /// The earliest of the others. They change seldom; the deadline is read after every input.
    first_other: Instant,
    persist_backoff: u32,
}

/// A timer beside the retransmission timer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Timer {
    Persist,
    Pacing,
    TimeWait,
    Recovery,
}

impl Default for Timers {
    fn default() -> Self {
        let never = Instant::NEVER;
        Self { rto: never, others: [never; 4], first_other: never, persist_backoff: 0 }
    }
}

impl Timers {
    /// The earliest of all.
    pub(super) fn first(&self) -> Instant {
        self.rto.min(self.first_other)
    }

    pub(super) fn rto(&self) -> Instant {
        self.rto
    }

    pub(super) fn set_rto(&mut self, at: Instant) {
        self.rto = at;
    }

    pub(super) fn at(&self, timer: Timer) -> Instant {
        self.others[timer as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, timer: Timer, at: Instant) {
        self.others[timer as usize] = at;
        let [persist, pacing, time_wait, recovery] = self.others;
        self.first_other = persist.min(pacing).min(time_wait).min(recovery);
    }

    /// No timer runs but TIME-WAIT and, in the place of recovery's, that of the policy which froze the connection.
    pub(super) fn freeze(&mut self, policy: Instant) {
        let time_wait = self.at(Timer::TimeWait);
        *self = Self::default();
        self.set(Timer::TimeWait, time_wait);
        self.set(Timer::Recovery, policy);
    }

    /// A zero window is probed after a timeout of `rto`, doubled with every probe, and after `most` at the latest (RFC 9293
    /// section 3.8.6.1).
    #[cold]
    pub(super) fn start_persist(&mut self, now: Instant, rto: Duration, most: Duration) {
        if self.at(Timer::Persist) == Instant::NEVER {
            let wait = rto.saturating_mul(1 << self.persist_backoff.min(16));
            self.set(Timer::Persist, now + wait.min(most));
        }
    }

    /// The window is probed now, and probed again later.
    pub(super) fn back_off_persist(&mut self, now: Instant, rto: Duration, most: Duration) {
        self.set(Timer::Persist, Instant::NEVER);
        self.persist_backoff += 1;
        self.start_persist(now, rto, most);
    }

    pub(super) fn stop_persist(&mut self) {
        self.persist_backoff = 0;
        if self.at(Timer::Persist) != Instant::NEVER {
            self.set(Timer::Persist, Instant::NEVER);
        }
    }
}
