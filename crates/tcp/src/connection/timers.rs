//! The timers of a connection, of which its user sees the earliest as one deadline.

use farlink_kernel::{Duration, Instant};

/// When each timer expires, [`Instant::NEVER`] when it is off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers {
    at: [Instant; 5],
    /// The earliest but the retransmission timer. They change seldom; the deadline is read after every input.
    first_other: Instant,
    persist_backoff: u32,
    window_probe_due: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    Retransmission,
    Persist,
    Pacing,
    TimeWait,
    Recovery,
}

impl Default for Timers {
    fn default() -> Self {
        let never = Instant::NEVER;
        Self { at: [never; 5], first_other: never, persist_backoff: 0, window_probe_due: false }
    }
}

impl Timers {
    /// The earliest of all.
    pub(super) fn first(&self) -> Instant {
        self.at(Timer::Retransmission).min(self.first_other)
    }

    pub(super) fn at(&self, timer: Timer) -> Instant {
        self.at[timer as usize]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, timer: Timer, at: Instant) {
        self.at[timer as usize] = at;
        if timer != Timer::Retransmission {
            let [_, persist, pacing, time_wait, recovery] = self.at;
            self.first_other = persist.min(pacing).min(time_wait).min(recovery);
        }
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
    pub(super) fn probe_window(&mut self, now: Instant, rto: Duration, most: Duration) {
        self.set(Timer::Persist, Instant::NEVER);
        self.persist_backoff += 1;
        self.window_probe_due = true;
        self.start_persist(now, rto, most);
    }

    pub(super) fn is_window_probe_due(&self) -> bool {
        self.window_probe_due
    }

    pub(super) fn take_window_probe(&mut self) -> bool {
        std::mem::take(&mut self.window_probe_due)
    }

    pub(super) fn stop_persist(&mut self) {
        self.persist_backoff = 0;
        if self.at(Timer::Persist) != Instant::NEVER {
            self.set(Timer::Persist, Instant::NEVER);
        }
    }
}
