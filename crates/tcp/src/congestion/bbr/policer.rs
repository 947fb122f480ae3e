//! Policers: a token bucket lets a burst through and then drops what exceeds its rate. Two measurements in a
//! row with a fifth lost and the same rate are taken for one; that rate is then used for 48 rounds.

use farlink_kernel::{Duration, Instant};

use super::{Bbr, Mode};
use crate::congestion::Ack;

/// Shortest measurement in rounds; the longest is four times that.
const ROUNDS: u32 = 4;
/// Share of loss that makes a measurement count (Linux: 50/256).
const LOSS: f64 = 50.0 / 256.0;
/// Two rates that differ by this share are the same.
const SAME: f64 = 1.0 / 8.0;
/// Two rates that differ by this many bit/s are the same.
const SAME_BPS: f64 = 4_000.0;
/// Rounds for which the rate is used.
const LASTS: u32 = 48;

#[derive(Clone, Copy, Debug)]
pub struct Policer {
    is_measuring: bool,
    is_limiting: bool,
    rate: f64,
    rounds: u32,
    since: Instant,
    delivered: f64,
    lost: f64,
}

impl Default for Policer {
    fn default() -> Self {
        Self {
            is_measuring: false,
            is_limiting: false,
            rate: 0.0,
            rounds: 0,
            since: Instant::ZERO,
            delivered: 0.0,
            lost: 0.0,
        }
    }
}

impl Policer {
    /// The rate of a detected policer in segments per second.
    pub fn limit(&self) -> Option<f64> {
        self.is_limiting.then_some(self.rate)
    }

    pub fn forget(&mut self) {
        *self = Self::default();
    }

    fn measure(&mut self, now: Instant) {
        self.is_measuring = true;
        self.rounds = 0;
        self.since = now;
        self.delivered = 0.0;
        self.lost = 0.0;
    }

    fn conclude(&mut self, rate: f64, segment_bits: f64, now: Instant) {
        let difference = (rate - self.rate).abs();
        if self.rate > 0.0 && (difference <= SAME * self.rate || difference * segment_bits <= SAME_BPS) {
            self.rate = f64::midpoint(rate, self.rate);
            self.is_limiting = true;
            self.rounds = 0;
            return;
        }
        self.rate = rate;
        self.measure(now);
    }
}

impl Bbr {
    pub(super) fn watch_for_policers(&mut self, ack: &Ack, is_limited: bool) {
        if !self.config.policer_detection {
            return;
        }
        if self.policer.is_limiting {
            if self.mode == Mode::ProbeBw && self.round.started {
                self.policer.rounds += 1;
                if self.policer.rounds >= LASTS {
                    self.policer.forget();
                    self.enter_probe_bw();
                    self.cycle.start = ack.now;
                }
            }
            return;
        }
        self.measure_policer(ack, is_limited);
    }

    fn measure_policer(&mut self, ack: &Ack, is_limited: bool) {
        let policer = &mut self.policer;
        if !policer.is_measuring {
            // The first loss shows that the bucket is empty: only now the rate is the policer's.
            if ack.lost > 0.0 {
                policer.measure(ack.now);
            }
            return;
        }
        policer.delivered += ack.delivered;
        policer.lost += ack.lost;
        policer.rounds += u32::from(self.round.started);
        if is_limited || policer.rounds > 4 * ROUNDS {
            policer.forget();
            return;
        }
        let elapsed = ack.now.saturating_since(policer.since);
        let is_ended = policer.rounds >= ROUNDS && ack.lost > 0.0 && elapsed >= Duration::from_millis(1);
        if is_ended && policer.delivered > 0.0 && policer.lost >= LOSS * policer.delivered {
            let rate = policer.delivered / elapsed.as_secs_f64();
            policer.conclude(rate, self.segment_bits, ack.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policer_is_detected_after_two_equal_lossy_measurements() {
        let mut policer = Policer::default();
        policer.measure(Instant::ZERO);
        policer.conclude(100.0, 12_000.0, Instant::ZERO);
        assert_eq!(policer.limit(), None);
        policer.conclude(110.0, 12_000.0, Instant::ZERO);
        assert_eq!(policer.limit(), Some(105.0));
    }
}
