//! [`Progress`]: how a transmission is computed without the event queue. Nothing here changes a result.
//!
//! In the model each start and each end of a signal at a listener is an event. The events of one transmission follow each other
//! directly as long as the queue has no event before them (decision 0007).

use farlink_kernel::{Duration, Instant, Phase};

use super::transmission::Listener;

/// How far a transmission has come, and how far it may go without the event queue.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub moment: (Instant, Phase),
    pub horizon: (Instant, Phase),
    /// Moments it has passed: the events that were not pushed.
    pub moments: u64,
}

impl Progress {
    /// From this moment up to the horizon.
    pub fn new(moment: (Instant, Phase), horizon: (Instant, Phase)) -> Self {
        Self { moment, horizon, moments: 0 }
    }

    /// True when `next` comes before the horizon; it is entered then.
    #[inline(always)]
    pub(super) fn enter(&mut self, next: (Instant, Phase)) -> bool {
        let is_due = next.0 < self.limit(next.1);
        if is_due {
            self.moment = next;
            self.moments += 1;
        }
        is_due
    }

    /// Visits listeners in the order of arrival, at `origin` plus their delay, as long as that is before `until` and the
    /// horizon. Returns how many. `visit` returns true when it may have moved the horizon.
    #[inline(always)]
    pub(super) fn visit(
        &mut self,
        listeners: &mut [Listener],
        origin: Instant,
        until: Instant,
        mut visit: impl FnMut(&mut Self, &mut Listener) -> bool,
    ) -> usize {
        let phase = self.moment.1;
        let mut limit = until.min(self.limit(phase));
        let mut visited = 0;
        for listener in listeners {
            let now = origin + listener.delay;
            if now >= limit {
                break;
            }
            self.moments += u64::from(now != self.moment.0);
            self.moment.0 = now;
            visited += 1;
            if visit(self, listener) {
                limit = until.min(self.limit(phase));
            }
        }
        visited
    }

    /// The first instant of a phase at which the queue comes first. The present instant is always finished.
    #[inline(always)]
    pub(super) fn limit(&self, phase: Phase) -> Instant {
        let (horizon, of_horizon) = self.horizon;
        let limit = if phase < of_horizon { after(horizon) } else { horizon };
        if phase == self.moment.1 { limit.max(after(self.moment.0)) } else { limit }
    }
}

pub(super) fn after(instant: Instant) -> Instant {
    instant.saturating_add(Duration::from_nanos(1))
}
