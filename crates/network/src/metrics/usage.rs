//! [`Usage`]: how busy an interface was and how much waited at it.

use farlink_kernel::{Duration, Instant};

/// Sums over a run. The mean length of a queue is the sum of all waits over the time (J. D. C. Little, "A
/// Proof for the Queuing Formula L = lambda W", Operations Research 9, 1961), exactly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    end: Instant,
    busy: Duration,
    /// The end of the newest transmission, foreseen ones included.
    busy_until: Instant,
    waited: Duration,
    /// Time with at least one packet that waits, where no starts are foreseen.
    backlogged: Duration,
    longest: u64,
    /// The length now and since when, where no starts are foreseen.
    length: u64,
    since: Instant,
}

impl Usage {
    /// Nothing yet, in a run that ends at `end`; what is foreseen for later does not count.
    pub fn new(end: Instant) -> Self {
        Self { end, ..Self::default() }
    }

    pub fn on_busy(&mut self, start: Instant, end: Instant) {
        let end = end.min(self.end);
        self.busy += end.saturating_since(start);
        self.busy_until = end;
    }

    pub fn on_wait(&mut self, start: Instant, end: Instant) {
        self.waited += end.min(self.end).saturating_since(start);
    }

    /// So many packets wait, and how long each will is counted separately ([`Usage::on_wait`]).
    pub fn on_length(&mut self, packets: u64) {
        self.longest = self.longest.max(packets);
    }

    /// The number of waiting packets from now on, for an unknown time.
    pub fn on_change(&mut self, now: Instant, packets: u64) {
        let passed = now.saturating_since(self.since);
        self.waited += passed * self.length;
        if self.length > 0 {
            self.backlogged += passed;
        }
        (self.since, self.length) = (now, packets);
        self.on_length(packets);
    }

    pub fn on_end(&mut self) {
        self.on_change(self.end, 0);
    }

    pub fn busy(&self) -> Duration {
        self.busy
    }

    /// Time spent sending up to `now`. Transmissions that are foreseen follow one another without a gap.
    pub fn busy_by(&self, now: Instant) -> Duration {
        self.busy.saturating_sub(self.busy_until.saturating_since(now))
    }

    /// Time up to `now` in which at least one packet waited, where no starts are foreseen.
    pub fn backlogged_by(&self, now: Instant) -> Duration {
        let passed = if self.length > 0 { now.saturating_since(self.since) } else { Duration::ZERO };
        self.backlogged + passed
    }

    pub fn utilisation(&self) -> f64 {
        self.per_time(self.busy)
    }

    pub fn mean_length(&self) -> f64 {
        self.per_time(self.waited)
    }

    pub fn longest(&self) -> u64 {
        self.longest
    }

    fn per_time(&self, length: Duration) -> f64 {
        let time = (self.end - Instant::ZERO).as_nanos().max(1);
        length.as_nanos() as f64 / time as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_and_lengths_give_the_same_mean() {
        let at = Instant::from_nanos;
        let mut usage = Usage::new(at(100));
        usage.on_change(at(10), 2);
        usage.on_change(at(30), 1);
        usage.on_end();
        assert_eq!((usage.mean_length(), usage.longest()), (1.1, 2));
    }

    #[test]
    fn busy_time_counts_what_was_sent_by_an_instant() {
        let at = Instant::from_nanos;
        let mut usage = Usage::new(at(100));
        usage.on_busy(at(10), at(20));
        usage.on_busy(at(20), at(30));
        let busy = [10, 15, 25, 40].map(|now| usage.busy_by(at(now)).as_nanos());
        assert_eq!(busy, [0, 5, 15, 20]);
    }

    #[test]
    fn backlogged_time_counts_once_however_many_packets_wait() {
        let at = Instant::from_nanos;
        let mut usage = Usage::new(at(100));
        usage.on_change(at(10), 3);
        usage.on_change(at(30), 1);
        assert_eq!(usage.backlogged_by(at(40)).as_nanos(), 30);
        usage.on_change(at(50), 0);
        assert_eq!(usage.backlogged_by(at(90)).as_nanos(), 40);
    }

    #[test]
    fn what_lies_after_the_end_does_not_count() {
        let at = Instant::from_nanos;
        let mut usage = Usage::new(at(100));
        usage.on_busy(at(80), at(120));
        usage.on_wait(at(0), at(50));
        usage.on_wait(at(110), at(120));
        assert_eq!((usage.utilisation(), usage.mean_length()), (0.2, 0.5));
    }
}
