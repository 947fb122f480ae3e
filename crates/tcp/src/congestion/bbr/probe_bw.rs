//! PROBE_BW: a cycle of eight phases of about RTprop each. One sends a quarter more to see whether there is
//! more bandwidth, the next a quarter less to drain what that queued, six cruise.

use farlink_kernel::{Duration, Instant};

use super::{Bbr, Config, Mode};
use crate::congestion::Ack;

const PHASES: u64 = 8;

#[derive(Clone, Copy, Debug)]
pub struct Cycle {
    /// 0 probes, 1 yields, 2 to 7 cruise.
    pub phase: u64,
    pub start: Instant,
}

impl Default for Cycle {
    fn default() -> Self {
        Self { phase: 0, start: Instant::ZERO }
    }
}

impl Cycle {
    pub fn pacing_gain(&self, config: &Config) -> f64 {
        match self.phase {
            0 => config.probe_up_gain,
            1 => config.probe_down_gain,
            _ => 1.0,
        }
    }
}

impl Bbr {
    /// Begins the cycle at a random phase other than the yielding one, so that flows do not probe together.
    pub(super) fn enter_probe_bw(&mut self) {
        self.mode = Mode::ProbeBw;
        let back = self.rng.below(PHASES - 1);
        self.cycle.phase = (PHASES - back) % PHASES;
    }

    pub(super) fn check_cycle_phase(&mut self, ack: &Ack) {
        if self.mode == Mode::ProbeBw && self.is_phase_over(ack) {
            self.cycle.phase = (self.cycle.phase + 1) % PHASES;
            self.cycle.start = ack.now;
        }
    }

    fn is_phase_over(&self, ack: &Ack) -> bool {
        let lasted = ack.now.saturating_since(self.cycle.start);
        let is_full_length = lasted > self.min_rtt.get().unwrap_or(Duration::ZERO);
        let gain = if self.policer.limit().is_some() { 1.0 } else { self.cycle.pacing_gain(&self.config) };
        let fits = |gain| self.inflight(self.bandwidth.max(), gain);
        if gain > 1.0 {
            // The probe lasts until it filled the pipe that far, unless losses show that it cannot.
            is_full_length && (ack.lost > 0.0 || self.in_network(ack, ack.prior_flight) >= fits(gain))
        } else if gain < 1.0 {
            is_full_length || self.in_network(ack, ack.prior_flight) <= fits(1.0)
        } else {
            is_full_length
        }
    }
}
