//! Linux's variance term of the retransmission timeout (`tcp_rtt_estimator`): it rises at once with the deviation of the
//! samples, and falls once per round trip only, by a quarter of the way to the largest of the round.

use farlink_kernel::Duration;

/// The largest fourfold deviation of a round trip, from the minimum RTO on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    value: Duration,
    largest: Duration,
    /// `SND.UNA` and `SND.NXT` at the present sample, and the `SND.NXT` at which the round ends.
    una: u64,
    nxt: u64,
    round_end: u64,
}

impl Spread {
    /// What is acknowledged and what is sent, at the sample that follows.
    pub(super) fn note_progress(&mut self, una: u64, nxt: u64) {
        (self.una, self.nxt) = (una, nxt);
    }

    pub(super) fn value(&self) -> Duration {
        self.value
    }

    /// Takes in four times the mean deviation after a sample.
    pub(super) fn update(&mut self, deviation: Duration, least: Duration) {
        if self.value.is_zero() {
            self.value = deviation.max(least);
            (self.largest, self.round_end) = (self.value, self.nxt);
            return;
        }
        if deviation > self.largest {
            self.largest = deviation;
            self.value = self.value.max(deviation);
        }
        if self.una > self.round_end {
            self.value -= self.value.saturating_sub(self.largest) / 4;
            (self.largest, self.round_end) = (least, self.nxt);
        }
    }
}
