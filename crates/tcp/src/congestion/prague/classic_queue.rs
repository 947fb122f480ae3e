//! Detection of a bottleneck with a classic ECN queue: B. Briscoe, A. Ahmed, "TCP Prague Fall-back on Detection of a Classic
//! ECN AQM", arXiv 1911.00710, 2021, in the form of module 0.6.
//!
//! A classic queue is deeper and varies more than an L4S queue. A score moves by the logarithms of both, once per round
//! trip; above a threshold, marks cost what they cost a classic sender.

use farlink_kernel::Duration;

use crate::congestion::Ack;

/// Weights of variation and depth (V, D).
const WEIGHT: f64 = 0.5;
/// Variation and depth that move nothing (V0, D0).
const VARIATION: f64 = 750e-6;
const DEPTH: f64 = 2e-3;
/// Below this score the queue is an L4S queue, one above it a classic one, and no score is farther than this from the two.
const STICKY: f64 = 8.0;
/// What a mark costs in a classic queue at least, as alpha: the reduction is half of it.
const CLASSIC_ALPHA: f64 = 0.625;
/// The slowest average takes 2^18 samples.
const SLOWEST: u32 = 18;
/// Resolution of times.
const MICROSECOND: f64 = 1e-6;

#[derive(Clone, Debug)]
pub(super) struct ClassicQueue {
    /// Smoothed round-trip time and mean deviation, slower than those of the retransmission timer.
    srtt: f64,
    deviation: f64,
    shift: u32,
    score: f64,
}

impl Default for ClassicQueue {
    fn default() -> Self {
        Self { srtt: 0.0, deviation: MICROSECOND, shift: SLOWEST, score: 0.0 }
    }
}

impl ClassicQueue {
    /// Takes the sample of an ACK in.
    pub(super) fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let rtt = rtt.as_secs_f64();
        if self.srtt == 0.0 {
            self.srtt = rtt;
            return;
        }
        let gain = 1.0 / f64::from(1u32 << self.shift);
        let error = rtt - self.srtt;
        self.srtt += gain * error;
        self.deviation += gain / 2.0 * (error.abs() - self.deviation);
    }

    /// The window is reduced to `segments`: its power of 3/2 is the number of samples averaged.
    pub(super) fn adapt(&mut self, segments: f64) {
        let log = libm::log2(segments.clamp(1.0, 1e9)) as u32;
        self.shift = (log + log / 2 + 1).min(SLOWEST);
    }

    /// A round trip with marks ended.
    pub(super) fn on_round(&mut self, min_rtt: Duration) {
        if self.srtt == 0.0 || min_rtt == Duration::MAX {
            return;
        }
        let (depth, variation) = (self.srtt - min_rtt.as_secs_f64(), self.deviation.max(MICROSECOND));
        self.score = moved(self.score, variation, depth);
    }

    /// Alpha for a reduction.
    pub(super) fn at_least(&self, alpha: f64) -> f64 {
        alpha.max(CLASSIC_ALPHA * (self.score - STICKY).clamp(0.0, 1.0))
    }

    pub(super) fn score(&self) -> f64 {
        self.score
    }
}

/// The score after a round trip with this variation and depth of the queue, in seconds.
fn moved(score: f64, variation: f64, depth: f64) -> f64 {
    let by_variation = WEIGHT * libm::log2(variation / VARIATION);
    // A shallow queue is no sign against a classic one.
    let by_depth = if depth > DEPTH { WEIGHT * libm::log2(depth / DEPTH) } else { 0.0 };
    (score + by_variation + by_depth).clamp(0.0, 2.0 * STICKY + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_moves_by_logarithms_of_variation_and_depth() {
        // 2 ms and less are neutral, as are 750 us.
        assert_eq!(moved(5.0, 750e-6, 2e-3), 5.0);
        assert!((moved(5.0, 1.5e-3, 1e-3) - 5.5).abs() < 1e-9);
        assert!((moved(5.0, 1.5e-3, 8e-3) - 6.5).abs() < 1e-9);
        assert!((moved(5.0, 187.5e-6, 0.0) - 4.0).abs() < 1e-9);
        assert_eq!([moved(0.5, 1e-6, 0.0), moved(16.9, 1.0, 1.0)], [0.0, 17.0]);
    }

    #[test]
    fn the_fall_back_is_gradual() {
        let least = |score| ClassicQueue { score, ..ClassicQueue::default() }.at_least(0.1);
        assert_eq!([0.0, 8.0, 8.5, 9.0, 17.0].map(least), [0.1, 0.1, 0.3125, 0.625, 0.625]);
        assert_eq!(ClassicQueue { score: 9.0, ..ClassicQueue::default() }.at_least(0.8), 0.8);
    }
}
