//! [`DelayRounds`]: round-trip samples per round trip, for algorithms that compare the delay of now with the
//! delay of an empty path (Vegas, Veno, Compound).

use farlink_kernel::Duration;

use super::Ack;

/// The round-trip samples of the current round, and the smallest ever.
#[derive(Clone, Debug)]
pub struct DelayRounds {
    /// baseRTT: the smallest sample, [`Duration::MAX`] before the first.
    pub base: Duration,
    smallest: Duration,
    samples: u32,
    acked: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Smallest sample of the round: the least disturbed by delayed ACKs.
    pub rtt: Duration,
    pub samples: u32,
    pub acked: f64,
}

impl Round {
    /// With two samples at most, both may come from delayed ACKs: no decision then.
    pub fn is_significant(&self) -> bool {
        self.samples > 2
    }
}

impl Default for DelayRounds {
    fn default() -> Self {
        Self { base: Duration::MAX, smallest: Duration::MAX, samples: 0, acked: 0.0 }
    }
}

impl DelayRounds {
    /// Takes the sample of an ACK in, for a member that does not look at rounds; gives it.
    pub fn include(&mut self, ack: &Ack) -> Option<Duration> {
        // A path without delay would divide by zero.
        let rtt = ack.rtt?.max(Duration::from_nanos(1));
        self.base = self.base.min(rtt);
        Some(rtt)
    }

    /// Takes an ACK in; gives the round it ended, if any.
    pub fn on_ack(&mut self, ack: &Ack) -> Option<Round> {
        if let Some(rtt) = self.include(ack) {
            self.smallest = self.smallest.min(rtt);
            self.samples += 1;
        }
        self.acked += ack.acked;
        if !ack.round_start {
            return None;
        }
        let round = Round { rtt: self.smallest, samples: self.samples, acked: self.acked };
        self.restart();
        Some(round)
    }

    /// Discards the current round and begins another.
    pub fn restart(&mut self) {
        self.smallest = Duration::MAX;
        self.samples = 0;
        self.acked = 0.0;
    }

    /// The path may have changed: forget its delay too.
    pub fn forget(&mut self) {
        self.restart();
        self.base = Duration::MAX;
    }

    /// `segments` baseRTT/RTT: what of a window an empty path would hold, all of it without a sample. The
    /// product comes before the division, so that whole quotients are whole.
    pub fn target(&self, segments: f64, rtt: Duration) -> f64 {
        if self.base == Duration::MAX || rtt <= self.base {
            return segments;
        }
        segments * self.base.as_nanos() as f64 / rtt.as_nanos() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::testing::Bench;

    #[test]
    fn a_round_gives_its_smallest_sample_and_begins_anew() {
        let bench = Bench::new("reno", 10.0);
        let mut rounds = DelayRounds::default();
        for millis in [120, 100, 110] {
            let rtt = Some(Duration::from_millis(millis));
            assert_eq!(rounds.on_ack(&Ack { rtt, ..bench.ack() }), None);
        }
        let last = Ack { rtt: None, round_start: true, ..bench.ack() };
        let round = rounds.on_ack(&last).unwrap();
        assert_eq!(round, Round { rtt: Duration::from_millis(100), samples: 3, acked: 4.0 });
        assert!(round.is_significant());
        assert!(!rounds.on_ack(&last).unwrap().is_significant());
        assert_eq!(rounds.target(20.0, Duration::from_millis(125)), 16.0);
    }
}
