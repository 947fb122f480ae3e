//! J. C. Hoe, "Improving the Start-up Behavior of a Congestion Control Scheme for TCP", SIGCOMM 1996.
//!
//! Slow start begins without knowing the path and overshoots it. But packets sent back to back leave the
//! bottleneck spaced by its rate, and their ACKs keep that spacing: the first ACKs of the initial window show
//! the bandwidth, and with the round-trip time the pipe. That is the first threshold.
//!
//! Equations: bandwidth = data acknowledged between two ACKs over the time between them, the least of the
//! pairs of three ACKs in a row; ssthresh = bandwidth times the smallest round-trip time. It belongs to no
//! algorithm: the connection feeds it ACKs until it answers and sets ssthresh. Left out: the paper's choice
//! of three closely spaced ACKs anywhere in the first rounds; the ACKs of the initial window are those.

use farlink_kernel::Instant;

use super::Ack;

/// Pairs of ACKs an estimate is made of.
const PAIRS: u32 = 2;

#[derive(Clone, Debug, Default)]
pub struct PacketPair {
    last: Option<Instant>,
    /// Segments acknowledged since the last instant; ACKs of the same instant are one.
    acked: f64,
    pairs: u32,
    /// Slowest pair in segments per second: compression only makes pairs faster.
    slowest: Option<f64>,
    is_done: bool,
}

impl PacketPair {
    /// Takes a new ACK in; gives the threshold in segments, at least two, once and when it is known.
    pub fn on_ack(&mut self, ack: &Ack) -> Option<f64> {
        if self.is_done || ack.acked <= 0.0 {
            return None;
        }
        if let Some(last) = self.last {
            self.acked += ack.acked;
            let spacing = ack.now.saturating_since(last);
            if spacing.is_zero() {
                return None;
            }
            // A pause is the end of the initial window, not the spacing of the bottleneck.
            if spacing > ack.min_rtt / 2 {
                self.pairs = 0;
                self.slowest = None;
            } else {
                let rate = self.acked / spacing.as_secs_f64();
                self.slowest = Some(self.slowest.map_or(rate, |slowest| slowest.min(rate)));
                self.pairs += 1;
            }
        }
        self.last = Some(ack.now);
        self.acked = 0.0;
        self.estimate(ack)
    }

    fn estimate(&mut self, ack: &Ack) -> Option<f64> {
        if self.pairs < PAIRS || ack.min_rtt == farlink_kernel::Duration::MAX {
            return None;
        }
        self.is_done = true;
        self.slowest.map(|rate| (rate * ack.min_rtt.as_secs_f64()).clamp(2.0, super::reno::LARGEST_WINDOW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::testing::Bench;
    use farlink_kernel::Duration;

    #[test]
    fn the_spacing_of_the_first_acks_gives_the_pipe() {
        // 1500 B at 10 Mbit/s are 1.2 ms; 100 ms hold 83.3 of them.
        let mut bench = Bench::new("reno", 10.0);
        let mut pair = PacketPair::default();
        let mut answers = Vec::new();
        for _ in 0..10 {
            bench.now += Duration::from_micros(1_200);
            answers.extend(pair.on_ack(&bench.ack()));
        }
        assert_eq!(answers.len(), 1);
        assert!((answers[0] - 83.333).abs() < 1e-3, "{}", answers[0]);
    }

    #[test]
    fn a_pause_between_windows_is_no_spacing() {
        let mut bench = Bench::new("reno", 2.0);
        let mut pair = PacketPair::default();
        for spacing in [1_200, 98_800, 1_200] {
            assert_eq!(pair.on_ack(&bench.ack()), None);
            bench.now += Duration::from_micros(spacing);
        }
        assert_eq!(pair.on_ack(&bench.ack()), None);
        bench.now += Duration::from_micros(1_200);
        assert!(pair.on_ack(&bench.ack()).is_some());
    }

    #[test]
    fn compressed_and_delayed_acks_count_what_they_acknowledge() {
        let mut bench = Bench::new("reno", 10.0);
        let mut pair = PacketPair::default();
        let mut answer = None;
        for _ in 0..3 {
            bench.now += Duration::from_micros(2_400);
            answer = pair.on_ack(&Ack { acked: 2.0, ..bench.ack() });
        }
        assert!((answer.unwrap() - 83.333).abs() < 1e-3);
    }
}
