//! ACK aggregation: radios and delayed ACKs deliver ACKs in bursts. What arrived beyond the bandwidth times
//! the time is kept as a maximum of the last five to ten rounds and added to cwnd, so that the time before
//! the next burst can be filled.

use farlink_kernel::Instant;

use super::Bbr;
use crate::congestion::Ack;

/// Rounds per half of the filter.
const ROUNDS: u32 = 5;
/// The extra window is worth at most this many seconds of bandwidth.
const LONGEST: f64 = 0.1;
/// Segments after which a measurement restarts.
const LARGEST: f64 = (1 << 20) as f64;

/// Excess of the running measurement and of the two halves of the filter.
#[derive(Clone, Copy, Debug)]
pub struct Aggregation {
    since: Instant,
    acked: f64,
    most: [f64; 2],
    half: usize,
    rounds: u32,
}

impl Default for Aggregation {
    fn default() -> Self {
        Self { since: Instant::ZERO, acked: 0.0, most: [0.0; 2], half: 0, rounds: 0 }
    }
}

impl Aggregation {
    pub fn restart(&mut self, now: Instant) {
        self.since = now;
        self.acked = 0.0;
    }
}

impl Bbr {
    pub(super) fn aggregate(&mut self, ack: &Ack, cwnd: f64) {
        let rate = self.rate();
        let filter = &mut self.aggregation;
        if self.round.started {
            filter.rounds += 1;
            if filter.rounds >= ROUNDS {
                filter.rounds = 0;
                filter.half = 1 - filter.half;
                filter.most[filter.half] = 0.0;
            }
        }
        let mut expected = (rate * ack.now.saturating_since(filter.since).as_secs_f64()).floor();
        if filter.acked <= expected || filter.acked + ack.delivered >= LARGEST {
            filter.restart(ack.now);
            expected = 0.0;
        }
        filter.acked += ack.delivered;
        let extra = (filter.acked - expected).min(cwnd);
        filter.most[filter.half] = filter.most[filter.half].max(extra);
    }

    /// Segments to add to cwnd, none before the pipe was full.
    pub(super) fn aggregation_room(&self) -> f64 {
        if !self.full_pipe.reached {
            return 0.0;
        }
        let [first, second] = self.aggregation.most;
        first.max(second).min(self.rate() * LONGEST)
    }
}
