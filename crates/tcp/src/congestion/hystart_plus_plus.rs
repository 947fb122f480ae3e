//! P. Balasubramanian, Y. Huang, M. Olson, "HyStart++: Modified Slow Start for TCP", RFC 9406, 2023.
//!
//! Slow start ends not at a loss but when the round-trip time grows: a queue is building. Because a jump may
//! be noise, growth first continues at a quarter of the rate (conservative slow start); if the round-trip time
//! falls back within five rounds, slow start resumes, else it is over.
//!
//! It belongs to no algorithm: the connection feeds it every ACK in the first slow start, divides what the algorithm
//! adds to cwnd by [`Advice::growth_divisor`] and, on [`Advice::exits`], sets ssthresh to cwnd. The bound L on growth
//! per ACK (section 4.3) is [`super::arithmetic::WindowArithmetic::slow_start_limit`], see [`slow_start_limit`].
//!
//! Equations: RttThresh = lastRoundMinRTT/8 within 4 ms .. 16 ms; conservative when
//! currentRoundMinRTT >= lastRoundMinRTT + RttThresh after 8 samples. Left out: nothing.

use farlink_kernel::Duration;

use super::Ack;

/// Bounds of RttThresh.
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
const MIN_RTT_DIVISOR: u64 = 8;
/// Samples before a round's minimum counts.
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// Rounds of conservative slow start after which slow start is over.
const CSS_ROUNDS: u32 = 5;

/// L: most segments of growth per ACK (RFC 9406 section 4.3).
pub fn slow_start_limit(is_paced: bool) -> f64 {
    if is_paced { f64::INFINITY } else { 8.0 }
}

/// What the connection is to do with the growth of an ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    pub growth_divisor: f64,
    /// Slow start is over: ssthresh becomes cwnd.
    pub exits: bool,
}

/// HyStart++ over the first slow start of a connection.
#[derive(Clone, Debug)]
pub struct HystartPlusPlus {
    phase: Phase,
    last_round: Duration,
    current_round: Duration,
    samples: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    SlowStart,
    Conservative { baseline: Duration, rounds: u32 },
    Over,
}

impl Default for HystartPlusPlus {
    fn default() -> Self {
        Self { phase: Phase::SlowStart, last_round: Duration::MAX, current_round: Duration::MAX, samples: 0 }
    }
}

impl HystartPlusPlus {
    /// Takes an ACK of the first slow start in.
    pub fn on_ack(&mut self, ack: &Ack) -> Advice {
        if ack.round_start {
            self.end_round();
        }
        if let Some(rtt) = ack.rtt {
            self.current_round = self.current_round.min(rtt);
            self.samples += 1;
        }
        self.change_phase();
        let growth_divisor = match self.phase {
            Phase::Conservative { .. } => CSS_GROWTH_DIVISOR,
            Phase::SlowStart | Phase::Over => 1.0,
        };
        Advice { growth_divisor, exits: self.phase == Phase::Over }
    }

    fn end_round(&mut self) {
        self.last_round = self.current_round;
        self.current_round = Duration::MAX;
        self.samples = 0;
        if let Phase::Conservative { baseline, rounds } = self.phase {
            let rounds = rounds + 1;
            self.phase =
                if rounds >= CSS_ROUNDS { Phase::Over } else { Phase::Conservative { baseline, rounds } };
        }
    }

    fn change_phase(&mut self) {
        if self.samples < N_RTT_SAMPLE {
            return;
        }
        match self.phase {
            Phase::SlowStart if self.last_round != Duration::MAX => {
                let threshold = (self.last_round / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if self.current_round >= self.last_round.saturating_add(threshold) {
                    self.phase = Phase::Conservative { baseline: self.current_round, rounds: 0 };
                }
            }
            Phase::Conservative { baseline, .. } if self.current_round < baseline => {
                self.phase = Phase::SlowStart;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::testing::Bench;

    const US: fn(u64) -> Duration = Duration::from_micros;

    /// A round of ACKs with the same round-trip time; the last advice.
    fn round(hystart: &mut HystartPlusPlus, rtt: Duration, samples: u32) -> Advice {
        let bench = Bench::new("reno", 10.0);
        let mut advice = Advice { growth_divisor: 1.0, exits: false };
        for index in 0..samples {
            advice = hystart.on_ack(&Ack { round_start: index == 0, rtt: Some(rtt), ..bench.ack() });
        }
        advice
    }

    fn divisor_after(last_us: u64, current_us: u64, samples: u32) -> f64 {
        let mut hystart = HystartPlusPlus::default();
        round(&mut hystart, US(last_us), 8);
        round(&mut hystart, US(current_us), samples).growth_divisor
    }

    #[test]
    fn growth_is_quartered_when_the_round_trip_time_grows_by_an_eighth() {
        let cases = [
            (20_000, 21_000, 8, 1.0),
            (20_000, 23_000, 8, 1.0),
            (20_000, 24_000, 8, 4.0),
            (20_000, 24_000, 7, 1.0),
            (100_000, 110_000, 8, 1.0),
            (100_000, 112_500, 8, 4.0),
            (600_000, 615_000, 8, 1.0),
            (600_000, 616_000, 8, 4.0),
        ];
        for (last, current, samples, divisor) in cases {
            assert_eq!(divisor_after(last, current, samples), divisor, "{last} {current} {samples}");
        }
    }

    #[test]
    fn slow_start_is_over_after_five_conservative_rounds() {
        let mut hystart = HystartPlusPlus::default();
        round(&mut hystart, US(100_000), 8);
        for _ in 0..5 {
            assert!(!round(&mut hystart, US(120_000), 8).exits);
        }
        assert!(round(&mut hystart, US(120_000), 1).exits);
        assert_eq!(hystart.phase, Phase::Over);
    }

    #[test]
    fn slow_start_resumes_when_the_round_trip_time_falls_back() {
        let mut hystart = HystartPlusPlus::default();
        round(&mut hystart, US(100_000), 8);
        assert_eq!(round(&mut hystart, US(120_000), 8).growth_divisor, 4.0);
        assert_eq!(round(&mut hystart, US(110_000), 8).growth_divisor, 1.0);
    }
}
