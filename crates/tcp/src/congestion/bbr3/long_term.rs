//! The long-term model: `inflight_longterm`, what may be in flight as far as the probes for bandwidth showed (sections "ProbeBW
//! Algorithm Details" and "Probing for Bandwidth In ProbeBW").

use farlink_kernel::Instant;

use super::probe_bw::AckPhase;
use super::{Bbr3, Sample, State};
use crate::congestion::LostPacket;
use crate::window::Window;

/// Rounds of growth that double its slope.
const DOUBLINGS: u32 = 30;

/// The bound and its growth.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongTerm {
    /// `inflight_longterm` in segments, infinite before a probe went too high.
    pub(super) inflight: f64,
    /// `bw_probe_up_acked`.
    pub(super) acked: f64,
    /// `probe_up_acked_per_inc`.
    acked_per_segment: f64,
    /// `bw_probe_up_rounds`.
    rounds: u32,
}

impl Default for LongTerm {
    fn default() -> Self {
        Self { inflight: f64::INFINITY, acked: 0.0, acked_per_segment: f64::INFINITY, rounds: 0 }
    }
}

impl LongTerm {
    pub(super) fn stop_growing(&mut self) {
        self.acked_per_segment = f64::INFINITY;
    }

    pub(super) fn restart_growth(&mut self) {
        self.rounds = 0;
        self.acked = 0.0;
    }
}

impl Bbr3 {
    /// `AdaptLongTermModel`; true when the state changed.
    pub(super) fn adapt_long_term(&mut self, window: &Window, sample: &Sample) -> bool {
        if self.cycle.ack_phase == AckPhase::Starting && self.round.started {
            self.cycle.ack_phase = AckPhase::Feedback;
        }
        if self.cycle.ack_phase == AckPhase::Stopping && self.round.started {
            self.cycle.is_sampled = false;
            self.cycle.ack_phase = AckPhase::Init;
            if self.is_in_probe_bw() && !sample.app_limited {
                self.advance_max_bw();
            }
            if self.is_in_probe_bw() && self.cycle.was_precautionary && !self.cycle.was_too_high {
                self.start_refill();
                return true;
            }
        }
        if self.is_too_high(sample.lost, sample.tx_in_flight) {
            // The draft reacts to lost packets alone.
            if self.is_linux() && self.cycle.is_sampled {
                self.handle_too_high(window, sample.tx_in_flight, sample.app_limited, sample.now);
            }
        } else if self.long_term.inflight.is_finite() {
            self.long_term.inflight = self.long_term.inflight.max(sample.tx_in_flight);
            if self.state == State::Up {
                self.grow_long_term(window, sample);
            }
        }
        false
    }

    /// `IsInflightTooHigh`.
    pub(super) fn is_too_high(&self, lost: f64, tx_in_flight: f64) -> bool {
        lost > self.whole(tx_in_flight * self.config.loss_threshold.0) || (lost > 0.0 && !self.has_sack)
    }

    /// `HandleLostPacket`, after the loss was noted.
    pub(super) fn judge_lost(&mut self, window: &Window, lost: &LostPacket) {
        let state = &lost.state;
        if self.cycle.is_sampled && self.is_too_high(state.lost, state.tx_in_flight) {
            let inflight = self.inflight_at_loss(state.tx_in_flight, state.lost, lost.size);
            self.handle_too_high(window, inflight, state.app_limited, lost.now);
        }
    }

    /// An ECN echo during a probe: what a round delivered is what the path held without a mark.
    pub(super) fn judge_echo(&mut self, window: &Window, now: Instant) {
        if self.cycle.is_sampled {
            self.handle_too_high(window, self.short_term.inflight_latest, false, now);
        }
    }

    /// `InflightAtLoss`: of what was in flight with the lost packet of that `size`, the part with which losses reached the
    /// threshold.
    pub(super) fn inflight_at_loss(&self, tx_in_flight: f64, lost: f64, size: f64) -> f64 {
        let threshold = self.config.loss_threshold.0;
        let (before, lost_before) = (tx_in_flight - size, lost - size);
        let budget = before * threshold;
        if !self.is_linux() {
            return before + (budget - lost_before) / (1.0 - threshold);
        }
        before + ((budget.ceil() - lost_before).max(0.0) / (1.0 - threshold)).floor()
    }

    /// `HandleInflightTooHigh`.
    fn handle_too_high(&mut self, window: &Window, tx_in_flight: f64, app_limited: bool, now: Instant) {
        self.cycle.was_too_high = true;
        self.cycle.is_sampled = false;
        if !app_limited {
            let kept = self.whole(self.target_inflight(window) * self.config.beta.0);
            self.long_term.inflight = tx_in_flight.max(kept);
        }
        if self.state == State::Up {
            self.episode.undo.state = Some(State::Up);
            self.start_down(now);
        }
    }

    /// `InflightWithHeadroom`.
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let inflight = self.long_term.inflight;
        if inflight.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = self.whole(inflight * self.config.headroom.0).max(1.0);
        (inflight - headroom).max(self.config.min_cwnd)
    }

    /// `RaiseInflightLongtermSlope`.
    pub(super) fn raise_slope(&mut self, window: &Window) {
        let growth = f64::from(1_u32 << self.long_term.rounds);
        self.long_term.rounds = (self.long_term.rounds + 1).min(DOUBLINGS);
        self.long_term.acked_per_segment = self.whole(window.cwnd / growth).max(1.0);
    }

    /// `ProbeInflightLongtermUpward`.
    fn grow_long_term(&mut self, window: &Window, sample: &Sample) {
        if !self.is_bound_full(window) {
            return;
        }
        let grown = &mut self.long_term;
        grown.acked += sample.newly_acked;
        if grown.acked >= grown.acked_per_segment {
            let segments = (grown.acked / grown.acked_per_segment).floor();
            grown.acked -= segments * grown.acked_per_segment;
            grown.inflight += segments;
        }
        if self.round.started {
            self.raise_slope(window);
        }
    }
}
