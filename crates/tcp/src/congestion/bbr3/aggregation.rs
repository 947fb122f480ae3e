//! ACK aggregation: `extra_acked`, what arrived beyond the bandwidth times the time (section "BBR.extra_acked").

use farlink_kernel::Instant;

use super::Bbr3;
use crate::congestion::Ack;
use crate::congestion::bbr::filters::MaxBandwidth;

/// In Linux the extra window is worth at most this many seconds of bandwidth.
const LONGEST: f64 = 0.1;
/// Segments after which a measurement restarts in Linux.
const LARGEST: f64 = (1 << 20) as f64;

/// Excess of the running measurement, and the filter over rounds: a window, or two halves in Linux.
#[derive(Clone, Debug)]
pub(super) struct Aggregation {
    since: Instant,
    acked: f64,
    filter: MaxBandwidth,
    rounds: u32,
    halves: [f64; 2],
    half_rounds: u32,
    half: usize,
}

impl Aggregation {
    pub(super) fn new(rounds: u32) -> Self {
        Self {
            since: Instant::ZERO,
            acked: 0.0,
            filter: MaxBandwidth::new(rounds),
            rounds,
            halves: [0.0; 2],
            half_rounds: 0,
            half: 0,
        }
    }

    pub(super) fn restart(&mut self, now: Instant) {
        self.since = now;
        self.acked = 0.0;
    }

    pub(super) fn most(&self) -> f64 {
        self.filter.max().max(self.halves[0]).max(self.halves[1])
    }

    /// A round of Linux began: after so many, the other half begins.
    fn turn(&mut self, rounds: u32) {
        self.half_rounds += 1;
        if self.half_rounds >= rounds {
            self.half_rounds = 0;
            self.half = 1 - self.half;
            self.halves[self.half] = 0.0;
        }
    }
}

impl Bbr3 {
    /// `UpdateACKAggregation`. In Startup a round is remembered.
    pub(super) fn aggregate(&mut self, ack: &Ack, cwnd: f64) {
        let (bw, is_linux, round) = (self.bw, self.is_linux(), self.round.count);
        if is_linux && (ack.delivered <= 0.0 || ack.rate.is_none()) {
            return;
        }
        let filter = &mut self.aggregation;
        let rounds = if self.full_pipe.reached { filter.rounds } else { 1 };
        if is_linux && self.round.started {
            filter.turn(rounds);
        }
        let mut expected = bw * ack.now.saturating_since(filter.since).as_secs_f64();
        if is_linux {
            expected = expected.floor();
        }
        if filter.acked <= expected || (is_linux && filter.acked + ack.delivered >= LARGEST) {
            filter.restart(ack.now);
            expected = 0.0;
        }
        filter.acked += ack.delivered;
        let extra = (filter.acked - expected).min(cwnd);
        if is_linux {
            filter.halves[filter.half] = filter.halves[filter.half].max(extra);
        } else {
            filter.filter.set_window(rounds);
            filter.filter.update(round, extra);
        }
    }

    /// Segments to add to what may be in flight.
    pub(super) fn extra_acked(&self) -> f64 {
        let most = self.aggregation.most();
        if self.is_linux() { most.min((self.bw * LONGEST).floor()) } else { most }
    }
}
