//! ProbeBW: DOWN, CRUISE, REFILL, UP (section "ProbeBW"), and when to probe ("Time Scale for Bandwidth Probing").

use farlink_kernel::{Duration, Instant};

use super::{Bbr3, Sample, State};
use crate::window::Window;

/// What the ACKs that arrive say of the last probe (`ack_phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    /// Nothing.
    #[default]
    Init,
    /// Segments of REFILL are leaving.
    Refilling,
    /// Inflight is rising.
    Starting,
    /// Segments of the probe are acknowledged.
    Feedback,
    /// The probe is over, its last segments are acknowledged.
    Stopping,
}

/// Where the cycle stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    pub(super) ack_phase: AckPhase,
    /// `cycle_stamp`.
    pub(super) since: Instant,
    /// `bw_probe_wait`.
    pub(super) wait: Duration,
    /// `rounds_since_probe_up`.
    pub(super) rounds: u32,
    /// `is_bw_probe_sample`.
    pub(super) is_sampled: bool,
    /// `prev_probe_too_high`.
    pub(super) was_too_high: bool,
    /// `prev_probe_precautionary`.
    pub(super) was_precautionary: bool,
}

impl Default for Cycle {
    fn default() -> Self {
        Self {
            ack_phase: AckPhase::Init,
            since: Instant::ZERO,
            wait: Duration::ZERO,
            rounds: 0,
            is_sampled: false,
            was_too_high: false,
            was_precautionary: false,
        }
    }
}

impl Bbr3 {
    /// `StartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: Instant) {
        self.short_term.forget_signals();
        self.long_term.stop_growing();
        // `PickProbeWait`.
        self.cycle.rounds = self.rng.below(2) as u32;
        let spread = self.config.probe_wait_spread.mul_f64(self.rng.uniform());
        self.cycle.wait = self.config.probe_wait.saturating_add(spread);
        self.cycle.since = now;
        self.cycle.ack_phase = AckPhase::Stopping;
        self.round.restart();
        self.state = State::Down;
    }

    /// `StartProbeBW_CRUISE`.
    pub(super) fn start_cruise(&mut self) {
        if self.is_linux() && self.short_term.inflight.is_finite() {
            self.short_term.inflight = self.short_term.inflight.min(self.long_term.inflight);
        }
        self.state = State::Cruise;
    }

    /// `StartProbeBW_REFILL`.
    pub(super) fn start_refill(&mut self) {
        self.short_term.forget_bounds();
        self.long_term.restart_growth();
        self.cycle.was_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.round.restart();
        self.state = State::Refill;
    }

    /// `StartProbeBW_UP`.
    fn start_up(&mut self, window: &Window, sample: &Sample) {
        self.cycle.ack_phase = AckPhase::Starting;
        self.round.restart();
        self.full_pipe.restart(sample.rate);
        self.state = State::Up;
        self.raise_slope(window);
    }

    /// `UpdateProbeBWCyclePhase`.
    pub(super) fn update_cycle(&mut self, window: &Window, sample: &Sample) {
        if !self.full_pipe.reached || !sample.has_data || self.adapt_long_term(window, sample) {
            return;
        }
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(window, sample.now) => self.start_refill(),
            State::Down if self.is_time_to_cruise(sample) => self.start_cruise(),
            State::Refill if self.round.started => {
                self.cycle.is_sampled = true;
                self.start_up(window, sample);
            }
            State::Up => self.check_going_down(window, sample),
            _ => {}
        }
    }

    /// `IsTimeToProbeBW`: by the clock, or as often as Reno's sawtooth would reach the same window.
    pub(super) fn is_time_to_probe(&self, window: &Window, now: Instant) -> bool {
        let rounds = (self.target_inflight(window).floor() as u32).min(self.config.probe_rounds);
        now.saturating_since(self.cycle.since) > self.cycle.wait || self.cycle.rounds >= rounds
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, sample: &Sample) -> bool {
        sample.in_flight <= self.inflight_with_headroom()
            && sample.in_flight <= self.inflight(self.max_bw(), 1.0)
    }

    /// `IsTimeToGoDown`.
    fn check_going_down(&mut self, window: &Window, sample: &Sample) {
        // Of whole segments no more can be in flight when no further one fits.
        let is_risky = self.cycle.was_too_high && sample.in_flight + 1.0 > self.long_term.inflight;
        if is_risky {
            self.cycle.was_precautionary = true;
        } else if self.is_bound_full(window) {
            self.full_pipe.restart(sample.rate);
            return;
        }
        if is_risky || self.full_pipe.now {
            self.cycle.was_too_high = false;
            self.start_down(sample.now);
        }
    }

    /// What limits growth is the long-term bound.
    pub(super) fn is_bound_full(&self, window: &Window) -> bool {
        self.round.is_cwnd_limited() && window.cwnd >= self.long_term.inflight
    }
}
