//! The timers of a connection, of which its user sees the earliest as one deadline.

use farlink_kernel::Instant;

/// When each timer expires, [`Instant::NEVER`] when it is off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers {
    pub(super) rto: Instant,
    pub(super) others: Others,
    /// The earliest of the others. They change seldom; the deadline is read after every input.
    pub(super) first_other: Instant,
    pub(super) persist_backoff: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Others {
    pub(super) persist: Instant,
    pub(super) pacing: Instant,
    pub(super) time_wait: Instant,
    pub(super) recovery: Instant,
}

impl Default for Timers {
    fn default() -> Self {
        let never = Instant::NEVER;
        let others = Others { persist: never, pacing: never, time_wait: never, recovery: never };
        Self { rto: never, others, first_other: never, persist_backoff: 0 }
    }
}

impl Timers {
    pub(super) fn others(&self) -> &Others {
        &self.others
    }

    #[inline]
    pub(super) fn set(&mut self, change: impl FnOnce(&mut Others)) {
        change(&mut self.others);
        let Others { persist, pacing, time_wait, recovery } = self.others;
        self.first_other = persist.min(pacing).min(time_wait).min(recovery);
    }

    pub(super) fn stop_persist(&mut self) {
        self.persist_backoff = 0;
        if self.others.persist != Instant::NEVER {
            self.set(|others| others.persist = Instant::NEVER);
        }
    }
}
