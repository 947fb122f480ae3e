//! The model's two filters: BtlBw is the largest delivery rate of the last rounds, RTprop the smallest
//! round-trip time of the last seconds.

use farlink_kernel::{Duration, Instant};

/// The largest value of the last `window` rounds, by the best three of ever younger parts of the window
/// (K. Nichols' algorithm, as Linux's `minmax`).
#[derive(Clone, Debug)]
pub struct MaxBandwidth {
    window: u32,
    best: [Sample; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    round: u32,
    value: f64,
}

impl MaxBandwidth {
    /// An empty filter over so many rounds.
    pub fn new(window: u32) -> Self {
        Self { window: window.max(1), best: [Sample::default(); 3] }
    }

    /// From now on over so many rounds.
    pub fn set_window(&mut self, window: u32) {
        self.window = window.max(1);
    }

    /// The largest value, zero before the first.
    pub fn max(&self) -> f64 {
        self.best[0].value
    }

    pub fn update(&mut self, round: u32, value: f64) {
        let new = Sample { round, value };
        let age = |sample: &Sample| round.wrapping_sub(sample.round);
        if value >= self.best[0].value || age(&self.best[2]) > self.window {
            self.best = [new; 3];
            return;
        }
        if value >= self.best[1].value {
            self.best[1] = new;
            self.best[2] = new;
        } else if value >= self.best[2].value {
            self.best[2] = new;
        }
        self.expire(new, age(&self.best[0]));
    }

    /// The first of the three ages out of the window; the others are renewed at a quarter and a half of it.
    fn expire(&mut self, new: Sample, age: u32) {
        let [first, second, third] = self.best;
        if age > self.window {
            self.best = [second, third, new];
            if new.round.wrapping_sub(second.round) > self.window {
                self.best = [third, new, new];
            }
        } else if second.round == first.round && age > self.window / 4 {
            self.best = [first, new, new];
        } else if third.round == second.round && age > self.window / 2 {
            self.best[2] = new;
        }
    }
}

/// The smallest round-trip time, and since when it is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct MinRtt {
    known: Option<(Duration, Instant)>,
}

impl MinRtt {
    pub fn get(&self) -> Option<Duration> {
        self.known.map(|(rtt, _)| rtt)
    }

    pub fn begin(&mut self, rtt: Duration, now: Instant) {
        self.known = Some((rtt, now));
    }

    /// True when the value is older than `window`.
    pub fn is_old(&self, now: Instant, window: Duration) -> bool {
        self.known.is_some_and(|(_, since)| now.saturating_since(since) > window)
    }

    /// Takes in a sample; an old value gives way to any. Only a smaller one renews it: "by getting a lower RTT measurement"
    /// (ACM Queue), Linux since 5.10 and the drafts since -01. Draft -00 and Linux before 5.10 took an equal one, too.
    pub fn update(&mut self, rtt: Duration, now: Instant, is_old: bool) {
        if is_old || self.known.is_none_or(|(known, _)| rtt < known) {
            self.known = Some((rtt, now));
        }
    }

    pub fn renew(&mut self, now: Instant) {
        if let Some((_, since)) = &mut self.known {
            *since = now;
        }
    }
}
