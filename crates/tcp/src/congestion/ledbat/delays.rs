//! [`Delays`]: base_delays and current_delays of RFC 6817 section 2.4.2.

use farlink_kernel::{Duration, Instant};

/// Nanoseconds of the periods of which base_delays keeps the minima: a minute (RFC 6817 section 2.4.2).
const PERIOD: u64 = 60_000_000_000;

/// The smallest delay of the last minutes, and the newest delays, in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    /// One minimum per minute; the minute modulo the length is its place.
    minima: Vec<u64>,
    minute: u64,
    base: u64,
    /// When they were measured, and the delays.
    newest: Vec<(Instant, u64)>,
    next: usize,
    /// The smallest of the newest that are not older than a round trip.
    current: u64,
}

impl Delays {
    pub(super) fn new(base_history: u32, current_filter: u32) -> Self {
        Self {
            minima: vec![u64::MAX; base_history.max(1) as usize],
            minute: 0,
            base: u64::MAX,
            newest: vec![(Instant::ZERO, u64::MAX); current_filter.max(1) as usize],
            next: 0,
            current: u64::MAX,
        }
    }

    /// A sample; those older than a round trip of `rtt` do not count any more (section 2.5: MUST).
    pub(super) fn observe(&mut self, now: Instant, delay: Duration, rtt: Duration) {
        let delay = delay.as_nanos();
        self.turn_to(now.as_nanos() / PERIOD);
        let place = self.place(self.minute);
        self.minima[place] = self.minima[place].min(delay);
        self.base = self.base.min(delay);
        self.newest[self.next] = (now, delay);
        self.next = (self.next + 1) % self.newest.len();
        let is_new = |&&(at, _): &&(Instant, u64)| now.saturating_since(at) <= rtt;
        self.current = self.newest.iter().filter(is_new).map(|&(_, delay)| delay).min().unwrap_or(delay);
    }

    /// Minutes before the history are forgotten.
    fn turn_to(&mut self, minute: u64) {
        if minute == self.minute {
            return;
        }
        let passed = minute.saturating_sub(self.minute).min(self.minima.len() as u64);
        for back in 0..passed {
            let place = self.place(minute - back);
            self.minima[place] = u64::MAX;
        }
        self.minute = minute;
        self.base = self.minima.iter().copied().min().unwrap_or(u64::MAX);
    }

    fn place(&self, minute: u64) -> usize {
        (minute % self.minima.len() as u64) as usize
    }

    /// MIN(base_delays), none before the first sample.
    pub(super) fn base(&self) -> Option<u64> {
        (self.base != u64::MAX).then_some(self.base)
    }

    /// queuing_delay in nanoseconds, zero before the first sample.
    pub(super) fn queueing(&self) -> f64 {
        if self.current == u64::MAX { 0.0 } else { self.current.saturating_sub(self.base) as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_the_newest_less_the_smallest_of_the_last_minutes_is_the_queueing_delay() {
        let mut delays = Delays::new(10, 4);
        let observe = |delays: &mut Delays, seconds: u64, millis: u64| {
            let now = Instant::ZERO + Duration::from_secs(seconds);
            delays.observe(now, Duration::from_millis(millis), Duration::from_secs(1));
            (delays.queueing() / 1e6, delays.base().unwrap_or(0) / 1_000_000)
        };
        assert_eq!(observe(&mut delays, 0, 50), (0.0, 50));
        for _ in 0..3 {
            assert_eq!(observe(&mut delays, 1, 90), (0.0, 50));
        }
        assert_eq!(observe(&mut delays, 1, 80), (30.0, 50));
        // Of the four samples only that of the last round trip counts.
        assert_eq!(observe(&mut delays, 3, 85), (35.0, 50));
        // Ten minutes later the first minute is forgotten.
        assert_eq!(observe(&mut delays, 599, 70), (20.0, 50));
        assert_eq!(observe(&mut delays, 600, 75), (0.0, 70));
        assert_eq!(observe(&mut delays, 100_000, 75), (0.0, 75));
    }
}
