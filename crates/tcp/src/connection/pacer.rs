//! [`Pacer`]: when pacing lets the next segment go.

use farlink_kernel::{Duration, Instant};

/// The pause between segments.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    next: Instant,
    /// How late the burst under way left, as far as it did not shorten the pause after it.
    credit: Duration,
    /// What leaves late shortens the pause after it.
    has_credit: bool,
}

impl Pacer {
    pub(super) fn new(has_credit: bool) -> Self {
        Self { has_credit, ..Self::default() }
    }

    /// How long the next segment still waits.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        self.next.saturating_since(now)
    }

    /// The next segment may go.
    pub(super) fn release(&mut self, now: Instant) {
        self.next = now;
    }

    /// No segment goes before `at`.
    pub(super) fn hold_until(&mut self, at: Instant) {
        self.next = self.next.max(at);
    }

    /// A segment left that takes `time` at the pacing rate.
    pub(super) fn on_sent(&mut self, now: Instant, time: Duration) {
        let pause = if self.has_credit { self.shorten(now, time) } else { time };
        self.next = self.next.max(now).saturating_add(pause);
    }

    /// What leaves late lets the next leave earlier, by half of its time at most (`tcp_update_skb_after_send`).
    fn shorten(&mut self, now: Instant, time: Duration) -> Duration {
        let is_continued = self.next > now;
        let credit = if is_continued { self.credit } else { now.saturating_since(self.next) };
        let used = credit.min(time / 2);
        self.credit = credit - used;
        time - used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_burst_shortens_its_pause_by_half_at_most() {
        let ms = Duration::from_millis;
        let start = Instant::ZERO + ms(100);
        // Of four segments of 10 ms, late by these milliseconds.
        for (late, expected) in [(0, 40), (3, 37), (15, 25), (20, 20), (500, 20)] {
            let mut pacer = Pacer { next: start, ..Pacer::new(true) };
            let now = start + ms(late);
            for _ in 0..4 {
                pacer.on_sent(now, ms(10));
            }
            assert_eq!(pacer.wait(now), ms(expected), "{late}");
        }
    }
}
